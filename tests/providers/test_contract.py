"""Every sample of every dialect, in every chunking, gives the same expected result."""

import json
from pathlib import Path

import pytest

from tests.providers.chunking import byte_by_byte, every_split, random_splits, whole
from tests.providers.streams import summary

SAMPLES = Path(__file__).parent / "wire_samples"
CASES = sorted(SAMPLES.glob("*/*.txt"))
ASKED = ("text", "thoughts", "function_calls", "finish_reason", "raw_finish_reason", "error", "usage")


def _id(path):
    return f"{path.parent.name}-{path.stem}"


def expected(path):
    return json.loads(path.with_suffix(".expected.json").read_text())


def got(pieces, path):
    result = summary(pieces, kind=path.parent.name)
    asked = {key: result[key] for key in ASKED}
    if asked["error"] is not None:
        asked["error"] = {key: asked["error"][key] for key in ("type", "code", "retryable")}
    return asked


def test_there_are_samples():
    assert len(CASES) >= 8


@pytest.mark.parametrize("path", CASES, ids=_id)
def test_a_sample_gives_its_expected_result_in_every_chunking(path):
    data = path.read_bytes()
    for pieces in (whole(data), byte_by_byte(data), *(random_splits(data, seed) for seed in range(10))):
        assert got(pieces, path) == expected(path)


@pytest.mark.parametrize("path", CASES, ids=_id)
def test_no_single_cut_changes_a_sample(path):
    data = path.read_bytes()
    for pieces in every_split(data):
        assert got(pieces, path) == expected(path)


@pytest.mark.parametrize("path", CASES, ids=_id)
def test_a_sample_that_breaks_off_anywhere_never_ends_well_too_early(path):
    data = path.read_bytes()
    full = expected(path)
    for at in range(0, len(data), 7):
        cut = got([data[:at]], path)
        assert full["text"].startswith(cut["text"]) or cut["error"] is not None
        assert cut["error"] is not None or cut["finish_reason"] == full["finish_reason"]
