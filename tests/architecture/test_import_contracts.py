"""The import contracts of pyproject.toml hold, cover everything, and break when somebody breaks them."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
CONTRACTS = {contract["id"]: contract for contract in CONFIG["contracts"]}

# One import that each contract is there to refuse, as a file that gets it.
PLANTS = {
    "providers-pure": ("providers/chunks.py", "import time"),
    "providers-layers": ("providers/errors.py", "import providers.wire.sse"),
    "adapters-alone": ("providers/adapters/custom.py", "import providers.adapters.openai_compatible"),
    "streamhub-layers": ("streamhub/core/crypto.py", "import streamhub.servers.models"),
    "turns-layers": ("streamhub/turns/models.py", "import streamhub.turns.services"),
    "engine-pure": ("streamhub/turns/state.py", "import django.db"),
    "one-socket-opener": ("streamhub/turns/services.py", "import httpx"),
    "one-publisher": ("streamhub/console/context.py", "import streamhub.live.publish"),
    "console-through-services": ("streamhub/console/context.py", "import streamhub.turns.tasks"),
}


def _lint(folder: Path, *arguments: str) -> str:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ]
    result = subprocess.run(
        [*command, "--no-cache", *arguments], cwd=folder, capture_output=True, text=True, timeout=50
    )
    return result.stdout + result.stderr


def _copy(folder: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in ("providers", "streamhub"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))


def test_every_contract_holds(tmp_path):
    _copy(tmp_path)
    output = _lint(tmp_path)
    assert ", 0 broken." in output, output


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_contract_breaks_when_it_is_broken(contract, tmp_path):
    _copy(tmp_path)
    path, line = PLANTS[contract]
    with (tmp_path / path).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    assert "0 kept, 1 broken." in _lint(tmp_path, "--contract", contract)


@pytest.mark.parametrize("package", ["providers", "streamhub", "streamhub/turns"])
def test_a_new_module_that_nobody_placed_is_noticed(package, tmp_path):
    _copy(tmp_path)
    (tmp_path / package / "newcomer.py").write_text('"""Placed nowhere."""\n', encoding="utf-8")
    assert "newcomer" in _lint(tmp_path)


def test_purity_covers_every_part_of_providers_but_the_simulator_and_the_commands():
    modules = (path for path in (ROOT / "providers").iterdir() if path.suffix in ("", ".py"))
    parts = {path.stem for path in modules if path.name != "__pycache__"}
    listed = {name.removeprefix("providers.") for name in CONTRACTS["providers-pure"]["source_modules"]}
    assert parts - {"__init__", "__main__", "normalize_command", "simulator"} == listed
