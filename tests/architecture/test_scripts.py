"""The scripts behind make: they parse, they tell plainly what is missing, and they do nothing twice."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

SHELL = [path for path in sorted((ROOT / "scripts").iterdir()) if path.is_file() and path.suffix == ""]
SHELL.append(ROOT / ".ci" / "run")


@pytest.mark.parametrize("script", SHELL, ids=lambda path: path.name)
def test_a_script_is_valid_bash_and_can_be_started(script):
    assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    assert script.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", script], check=True)


@pytest.fixture
def bare_project(tmp_path):
    """A project with a setup script and a machine with bash, coreutils and no Python."""
    for name in ("scripts/setup", "requirements/base.txt", "requirements/dev.txt", ".python-version"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("bash", "env", "dirname", "cat", "sha256sum", "grep", "sed", "mkdir", "chmod", "rm"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    return tmp_path


def _setup(project: Path, kind: str = "base") -> subprocess.CompletedProcess[str]:
    command = [str(project / "scripts" / "setup"), kind]
    return subprocess.run(
        command, env={"PATH": str(project / "bin")}, capture_output=True, text=True, timeout=50
    )


def test_setup_without_a_suitable_python_says_what_it_needs(bare_project):
    result = _setup(bare_project)
    assert result.returncode == 1
    assert "StreamHub needs Python 3.12 or newer, or uv." in result.stderr


def _fake_python(project: Path) -> Path:
    """Put a Python on PATH that is new enough and writes down what it is asked to do."""
    log = project / "asked"
    script = f'#!/usr/bin/env bash\necho "$*" >>"{log}"\n'
    make_venv = (
        'if [ "$2" = venv ]; then mkdir -p .venv/bin; cat "$0" >.venv/bin/python; chmod +x .venv/bin/*; fi\n'
    )
    python = project / "bin" / "python3"
    python.write_text(script + make_venv)
    python.chmod(0o755)
    return log


def test_setup_installs_by_hash_and_only_once(bare_project):
    log = _fake_python(bare_project)
    assert _setup(bare_project).returncode == 0
    assert "--require-hashes -r requirements/base.txt" in log.read_text()
    log.unlink()
    assert _setup(bare_project).stdout == ""
    assert "install" not in log.read_text()


def test_setup_installs_again_when_the_lock_changed(bare_project):
    log = _fake_python(bare_project)
    _setup(bare_project)
    log.unlink()
    (bare_project / "requirements" / "base.txt").write_text("# new\n")
    assert _setup(bare_project).returncode == 0
    assert "--require-hashes" in log.read_text()


def test_after_a_dev_set_up_nothing_is_left_to_do_for_a_run(bare_project):
    log = _fake_python(bare_project)
    assert _setup(bare_project, "dev").returncode == 0
    log.unlink()
    assert _setup(bare_project, "base").stdout == ""
    assert "install" not in log.read_text()
