"""What the documents promise about settings and commands is what the code has."""

import re

from tests.architecture.source import ROOT

READ = re.compile(r'(?:text|flag|integer|items|database)\(\s*"(STREAM\w+)"')
ROW = re.compile(r"^\| `(STREAM\w+)` \|", re.MULTILINE)


def _deploy_document() -> str:
    return (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")


def test_the_settings_table_lists_every_setting_and_no_other():
    settings = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "streamhub" / "settings").glob("*.py")
    )
    documented = {name for name in ROW.findall(_deploy_document()) if not name.startswith("STREAMHUB_TEST_")}
    assert documented == set(READ.findall(settings))


def test_every_make_target_that_a_document_names_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = {
        target
        for path in documents
        for target in re.findall(r"`make ([a-z]+)", path.read_text(encoding="utf-8"))
    }
    assert named <= targets
