"""Runs the tests of the browser's pure modules where Node is installed; the browser tests cover them everywhere."""

import shutil
import subprocess
from pathlib import Path

import pytest


def run_node(test_file: Path) -> None:
    """Run one file with Node's own test runner, and fail with what it says."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node on PATH: the browser tests cover these modules")
    done = subprocess.run(
        [node, "--test", str(test_file)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
