"""Lock files: pinned, hashed, tied to no index, and made from pyproject.toml as it stands."""

import importlib.metadata
import re
import sys
import tomllib

import pytest

from tests.architecture.source import ROOT, product_modules

LOCKS = {
    name: (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8") for name in ("base", "dev")
}
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^]]*\])?==([^ ;\\]+)", re.MULTILINE)
NAME = re.compile(r"^[A-Za-z0-9._-]+")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_index_and_no_address(lock):
    assert re.findall(r"^-|://|index-url|find-links|trusted-host", LOCKS[lock], re.MULTILINE) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock):
    entries = re.split(r"\n(?=[a-z0-9])", LOCKS[lock])
    assert [entry.split()[0] for entry in entries if "==" in entry and "--hash=sha256:" not in entry] == []


def test_tests_run_what_production_runs():
    base, dev = (dict(PIN.findall(LOCKS[name])) for name in ("base", "dev"))
    assert base.items() <= dev.items()


def test_locks_hold_what_pyproject_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for lock, wanted in (
        ("base", project["project"]["dependencies"]),
        ("dev", project["dependency-groups"]["dev"]),
    ):
        pinned = {name for name, _ in PIN.findall(LOCKS[lock])}
        assert {_normal(requirement) for requirement in wanted} <= pinned


def test_every_dependency_says_why():
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    start, end = lines.index("dependencies = ["), lines.index("[tool.uv]")
    listed = [line for line in lines[start:end] if line.startswith('    "')]
    assert [line for line in listed if " # " not in line] == []


def test_the_product_imports_only_what_a_run_installs():
    pinned = {_normal(name) for name, _ in PIN.findall(LOCKS["base"])}
    owners = importlib.metadata.packages_distributions()
    strangers = {
        (module.path, package)
        for module in product_modules()
        for package in module.imported_packages()
        if package not in {*sys.stdlib_module_names, "providers", "streamhub"}
        and not pinned & {_normal(owner) for owner in owners.get(package, [])}
    }
    assert strangers == set()


def _normal(requirement: str) -> str:
    match = NAME.match(requirement)
    assert match
    return re.sub(r"[-_.]+", "-", match[0]).lower()
