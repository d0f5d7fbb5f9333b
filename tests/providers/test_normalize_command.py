"""`python -m providers normalize`: the interface of DESIGN 4."""

import json
import subprocess
import sys

import pytest

from providers.normalize_command import run as normalize
from tests.providers.streams import body, delta, talk


@pytest.fixture
def recording(tmp_path):
    def write(data, name="body.sse"):
        path = tmp_path / name
        path.write_bytes(data)
        return str(path)

    return write


def lines(capsys, *argv):
    assert normalize(argv) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_chunks_are_printed_a_line_each(capsys, recording):
    got = lines(capsys, "--dialect", "openai_compatible", recording(talk("Hi")))
    assert [line["type"] for line in got] == ["text", "done"]
    assert got[0] == {"type": "text", "content": "Hi"}


def test_a_summary_is_printed_for_each_file_in_order(capsys, recording):
    files = [
        recording(talk("a"), "a"),
        recording(body(delta(content="<think>x</think>b"), delta("length")), "b"),
    ]
    got = lines(capsys, "--dialect", "custom", "--summary", *files)
    assert [line["file"] for line in got] == files
    assert got[1] == {
        "file": files[1],
        "text": "b",
        "thoughts": "x",
        "thought_entries": [{"kind": "raw", "content": "x"}],
        "function_calls": [],
        "finish_reason": "length",
        "raw_finish_reason": "length",
        "stop_string": None,
        "error": None,
        "usage": None,
        "serving_provider": None,
        "chunks": 2,
        "guards": {"think_tags": 1},
    }


@pytest.mark.parametrize("split", [[], ["--split", "1"], ["--split", "7"]])
def test_options_reach_the_guards(capsys, recording, split):
    tools = json.dumps([{"type": "function", "function": {"name": "list_rooms", "parameters": {}}}]).encode()
    path = recording(talk("plan</think>\nMira: `list_rooms()` and <end> more"))
    got = lines(
        capsys, "--dialect", "custom", "--summary", "--model", "m", "--verbatim", "--tools", recording(tools, "tools"),
        "--stop", "<end>", "--persona", "Mira", "--starts-in-reasoning", *split, path,
    )  # fmt: skip
    assert (got[0]["text"], got[0]["thoughts"], got[0]["stop_string"]) == ("\nMira:  and ", "plan", "<end>")
    assert [call["name"] for call in got[0]["function_calls"]] == ["list_rooms"]
    assert set(got[0]["guards"]) == {"think_tags", "verbatim_tools", "stop_strings"}


def test_a_status_makes_the_body_an_error(capsys, recording):
    path = recording(b'{"error": {"message": "slow down"}}')
    got = lines(
        capsys, "--dialect", "zai", "--summary", "--status", "429", "--header", "Retry-After: 3", path
    )
    assert got[0]["error"] == {
        "type": "rate_limit",
        "code": "429",
        "retryable": True,
        "retry_after": 3.0,
        "message": "slow down",
    }


def test_a_stream_that_ends_badly_is_a_result(capsys, recording):
    assert (
        lines(capsys, "--dialect", "custom", "--summary", recording(b""))[0]["error"]["type"] == "incomplete"
    )


def test_a_file_that_cannot_be_read_is_status_2(capsys, recording):
    assert normalize(["--dialect", "custom", "/nowhere/at/all"]) == 2
    assert "/nowhere/at/all" in capsys.readouterr().err
    assert normalize(["--dialect", "custom", "--tools", recording(b"{}", "tools"), recording(b"")]) == 2
    assert "not an OpenAI tools array" in capsys.readouterr().err
    assert normalize(["--dialect", "custom", "--status", "400", "--header", "x", recording(b"")]) == 2


@pytest.mark.parametrize(
    ("argv", "status"),
    [([], 2), (["--help"], 0), (["dance"], 2), (["normalize"], 2), (["normalize", "--help"], 0)],
)
def test_the_command_explains_itself(argv, status):
    done = subprocess.run(
        [sys.executable, "-m", "providers", *argv], capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert "usage:" in done.stderr + done.stdout


def test_verbatim_without_tools_warns_in_one_line(capsys, recording):
    assert normalize(["--dialect", "custom", "--verbatim", recording(talk("Hi"))]) == 0
    assert (
        capsys.readouterr().err
        == "--verbatim recovers calls of the tools in --tools alone: none are given.\n"
    )


def test_a_reader_that_leaves_ends_the_command_quietly(recording):
    file = recording(talk(*["lantern"] * 20_000))
    command = [sys.executable, "-m", "providers", "normalize", "--dialect", "custom", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0
