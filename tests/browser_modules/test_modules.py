"""The pure modules of the browser, each tested where it runs: in a JavaScript engine."""

from pathlib import Path

import pytest

from tests.support.node import run_node

FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_module_does_what_its_own_tests_say(path):
    run_node(path)
