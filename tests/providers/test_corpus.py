"""Recorded streams, reported failures and recorded errors of the OpenAI family, where the corpus is at hand.

The corpus brings its own judge, a script that calls `python -m providers normalize`. Its rules are used here as
they are, with the command run inside this process: a hundred interpreters would take minutes.
"""

import argparse
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from providers.normalize_command import run as normalize

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
OTHER_FAMILIES = re.compile(r"(anthropic|gemini|vertex|vertex-anthropic)[/-]")

# The recording ends with finish_reason "stop" and holds no call; its expected "tool_calls" is its neighbour's.
WRONG_IN_THE_CORPUS = {"openrouter/llm__test_tools_streaming_variant_a__1.sse"}

# Reported failures that later guards answer: calls written in a model's own markup, and stray tokens.
LATER_GUARDS = {"tool-text", "token-leak", "harmony"}

pytestmark = [
    pytest.mark.skipif(not CORPUS.exists(), reason="the corpus of recordings is not beside the project"),
    pytest.mark.timeout(300),
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),  # the judge leaves closing to Python
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def _answers(options, files):
    argv, out = options[options.index("--dialect") :], io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        try:
            status: object = normalize([*argv, "--summary", *files])
        except SystemExit as end:
            status = end.code
    lines = [json.loads(line) for line in out.getvalue().splitlines()]
    return lines if status == 0 else [{"_error": "no dialect"}] * len(files)


def wrong(part, *more):
    """Run one part of the judge; return (name, what differs) of everything of this family that does."""
    source = (CORPUS / "check.py").read_text(encoding="utf-8").removesuffix("main()\n")
    judge: dict[str, Any] = {"__name__": "judge", "__file__": str(CORPUS / "check.py")}
    exec(compile(source, "check.py", "exec"), judge)
    judge["run"] = _answers
    found, seen = [], 0

    def say(_part, name, bad, is_soft, usage_bad, _got):
        nonlocal seen
        if not OTHER_FAMILIES.match(name):
            seen += 1
            if (bad or usage_bad) and not is_soft:
                found.append((name, [*bad, *usage_bad]))

    judge[f"check_{part}"](str(CORPUS), argparse.Namespace(only="", more=list(more)), say)
    assert seen > 40
    return found


@pytest.mark.parametrize("split", [[], ["--split", "1"], ["--split", "13"]])
def test_recorded_streams_are_read_as_expected(split):
    assert [case for case in wrong("streams", *split) if case[0] not in WRONG_IN_THE_CORPUS] == []


def test_recorded_errors_are_told_apart():
    assert wrong("errors") == []


@pytest.mark.parametrize("split", [[], ["--split", "1"]])
def test_reported_failures_do_not_happen_here(split):
    bugs = [json.loads(line) for line in (CORPUS / "bugs.jsonl").read_text(encoding="utf-8").splitlines()]
    other = {bug["id"] for bug in bugs if bug["dialect"] in ("anthropic-messages", "gemini")}
    cases = ((name.split(), bad) for name, bad in wrong("bugs", *split))
    assert [(name, bad) for name, bad in cases if name[0] not in other and name[1] not in LATER_GUARDS] == []
