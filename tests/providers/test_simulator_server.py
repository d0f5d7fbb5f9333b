"""The simulator on real sockets: what a client receives, and what the ledger says about it."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec
import openai
import pytest

from providers.simulator.connections import Connection, Ledger, Snapshot
from providers.simulator.prose import HOSTILE
from providers.simulator.scripts import SCRIPTS
from providers.simulator.server import Simulator, main

QUICK: dict[str, Any] = {
    "trust_env": False,
    "verify": False,
}  # a TLS context takes 40 ms, and nothing here uses it
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
async def sim() -> AsyncIterator[Simulator]:
    async with Simulator() as simulator:
        yield simulator


@pytest.fixture
async def client(sim: Simulator) -> AsyncIterator[httpx.AsyncClient]:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=sim.url, timeout=10, limits=limits, **QUICK) as http:
        yield http


def asked(model: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "stream": True, "messages": [{"role": "user", "content": "Hello there"}], **more}


def deltas(body: str) -> Iterator[dict[str, Any]]:
    for event in body.split("\n\n"):
        if event.startswith("data: {"):
            payload = msgspec.json.decode(event[6:])
            yield from (choice["delta"] for choice in payload.get("choices", ()))


def text_of(body: str) -> str:
    return "".join(delta.get("content") or "" for delta in deltas(body))


def newest(snapshot: Snapshot) -> Connection:
    return snapshot[-1]


async def read_into(received: bytearray, answer: httpx.Response) -> None:
    async for piece in answer.aiter_raw():
        received += piece


async def ledger_of(client: httpx.AsyncClient, query: str = "") -> list[dict[str, Any]]:
    answer = await client.get(str(client.base_url.copy_with(path="/_simulator/connections")) + query)
    entries: list[dict[str, Any]] = answer.json()["connections"]
    return entries


# Answers


@pytest.mark.parametrize(
    "model",
    [
        "talk:pace=0",
        "think:pace=0",
        "tool:pace=0,calls=3",
        "verbatim:pace=0",
        "leaked:pace=0",
        "length:pace=0",
        "filtered:pace=0",
        "empty",
        "hostile",
        "cut_call:pace=0",
        "burst:n=3000",
        "settle_slow:pace=0,seconds=0.01",
        "linger:pace=0,seconds=0.01",
        "echo:pace=0",
        "silent:seconds=0.01,pace=0,words=5",
        "hold:seconds=0.01,pace=0,words=5",
        "keepalive:interval=0.001,seconds=0.01,pace=0,words=5",
    ],
)
async def test_a_script_with_an_end_ends_in_order(
    sim: Simulator, client: httpx.AsyncClient, model: str
) -> None:
    answer = await client.post("/chat/completions", json=asked(model))
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.endswith("data: [DONE]\n\n")
    entry = newest(sim.connections)
    assert (entry.state, entry.model, entry.bytes_sent) == ("completed", model, len(answer.content))


async def test_what_is_said_arrives_as_it_was_meant(client: httpx.AsyncClient) -> None:
    answer = await client.post(
        "/chat/completions", json=asked("talk:pace=0,text=Caf%C3%A9%20%F0%9F%90%89%2C%20yes")
    )
    assert text_of(answer.text) == "Café 🐉, yes"


async def test_the_whole_answer_comes_at_once_without_stream(client: httpx.AsyncClient) -> None:
    talk = (await client.post("/chat/completions", json=asked("echo:pace=0", stream=False))).json()
    assert talk["choices"][0]["message"]["content"] == "Hello there"
    assert talk["choices"][0]["finish_reason"] == "stop"
    tool = (await client.post("/chat/completions", json=asked("tool:calls=2,pace=0", stream=False))).json()
    calls = tool["choices"][0]["message"]["tool_calls"]
    assert [msgspec.json.decode(call["function"]["arguments"]) for call in calls] == [
        {"topic": "north bridge"}
    ] * 2
    think = (await client.post("/chat/completions", json=asked("think:pace=0", stream=False))).json()
    assert think["choices"][0]["message"]["reasoning_content"].startswith("The user wants")
    assert think["usage"]["completion_tokens_details"]["reasoning_tokens"] > 0
    error = (await client.post("/chat/completions", json=asked("in_band_error:pace=0", stream=False))).json()
    assert error["error"]["code"] == "overloaded"


async def test_the_header_overrides_the_model(client: httpx.AsyncClient) -> None:
    headers = {"X-Simulator-Script": "talk:pace=0,text=overridden"}
    answer = await client.post("/chat/completions", json=asked("gpt-whatever"), headers=headers)
    assert text_of(answer.text) == "overridden"
    assert '"model":"gpt-whatever"' in answer.text


async def test_emoji_arrive_split_inside_a_character_and_whole_in_the_end(client: httpx.AsyncClient) -> None:
    pieces: list[bytes] = []
    async with client.stream("POST", "/chat/completions", json=asked("hostile:split=5")) as answer:
        pieces = [piece async for piece in answer.aiter_raw()]
    broken = 0
    for piece in pieces:
        try:
            piece.decode()
        except UnicodeDecodeError:
            broken += 1
    assert broken > 5
    assert text_of(b"".join(pieces).decode()) == HOSTILE


async def test_a_megabyte_without_a_space(client: httpx.AsyncClient) -> None:
    answer = await client.post("/chat/completions", json=asked("hostile:size=1000000,split=1000"))
    assert len(text_of(answer.text)) == len(HOSTILE) + 1_000_000


# Failures


async def test_an_http_error_has_status_body_and_retry_after(
    sim: Simulator, client: httpx.AsyncClient
) -> None:
    answer = await client.post(
        "/chat/completions", json=asked("http_error:status=429,retry_after=7,message=Slow%20down")
    )
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
    assert answer.json()["error"]["message"] == "Slow down"
    assert newest(sim.connections).state == "refused"


async def test_an_in_band_error_follows_some_text(client: httpx.AsyncClient) -> None:
    answer = await client.post("/chat/completions", json=asked("in_band_error:pace=0,after=20"))
    assert answer.status_code == 200
    assert len(text_of(answer.text)) == 20
    assert msgspec.json.decode(answer.text.split("data: ")[-1])["error"]["type"] == "server_error"


@pytest.mark.parametrize("model", ["reset:pace=0", "reset:headers=0"])
async def test_a_reset_is_a_reset_at_the_client(sim: Simulator, model: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    writer.write(raw_request(model))
    with pytest.raises(ConnectionResetError):
        await reader.read()
    writer.close()
    assert newest(sim.connections).state == "reset_by_server"


async def test_text_before_a_reset_can_be_read(client: httpx.AsyncClient) -> None:
    async with client.stream("POST", "/chat/completions", json=asked("reset:pace=0,after=50")) as answer:
        received = bytearray()
        with pytest.raises(httpx.ReadError):
            await read_into(received, answer)
    assert len(text_of(received.decode())) == 50


async def test_eof_ends_the_body_without_a_finish(sim: Simulator, client: httpx.AsyncClient) -> None:
    answer = await client.post("/chat/completions", json=asked("eof:pace=0,after=20"))
    assert len(text_of(answer.text)) == 20
    assert "[DONE]" not in answer.text
    assert '"finish_reason":"' not in answer.text
    with pytest.raises(httpx.RemoteProtocolError):
        await client.post("/chat/completions", json=asked("eof:pace=0,cut=1"))
    assert [entry.state for entry in sim.connections] == ["completed", "reset_by_server"]


async def test_trickle_and_keepalive_go_on_and_on(client: httpx.AsyncClient) -> None:
    for model in ("trickle:interval=0.001", "keepalive:interval=0.001"):
        async with client.stream("POST", "/chat/completions", json=asked(model)) as answer:
            pieces = answer.aiter_raw()
            seen = [await anext(pieces) for _ in range(20)]
        assert all(piece.startswith(b": " if "keepalive" in model else b"data: ") for piece in seen)


# Refusals


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"model": "nope", "messages": []}', 404, "model_not_found"),
        (b'{"model": "replay/x", "messages": []}', 404, "model_not_found"),
        (b'{"model": "talk:pace=x", "messages": []}', 400, "invalid_request"),
        (b"{", 400, "invalid_request"),
        (b"[]", 400, "invalid_request"),
    ],
)
async def test_a_request_that_cannot_be_played_is_refused(
    client: httpx.AsyncClient, body: bytes, status: int, code: str
) -> None:
    answer = await client.post("/chat/completions", content=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


@pytest.mark.parametrize(
    ("key", "status"), [("sk-bad", 401), ("sk-limited", 429), ("sk-broke", 429), ("sk-any", 200)]
)
@pytest.mark.parametrize("address", ["models", "chat/completions"])
async def test_only_the_known_keys_are_refused(
    client: httpx.AsyncClient, address: str, key: str, status: int
) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    if address == "models":
        answer = await client.get("/models", headers=headers)
    else:
        answer = await client.post("/chat/completions", json=asked("empty"), headers=headers)
    assert answer.status_code == status
    assert (await ledger_of(client))[-1]["api_key_tail"] == key[-4:]


async def test_wrong_addresses_and_methods_are_refused(client: httpx.AsyncClient) -> None:
    assert (await client.get("/nowhere")).status_code == 404
    assert (await client.get("/chat/completions")).status_code == 405
    assert (await client.post("/models")).status_code == 405
    assert (await client.head("/models")).status_code == 405
    assert (await client.get("/models")).status_code == 200


async def test_a_body_that_is_too_large_is_refused_however_it_is_sent(client: httpx.AsyncClient) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(34):
            yield b" " * 1_048_576

    for content in (b" " * (32 * 1_048_576 + 1), endless()):
        answer = await client.post("/chat/completions", content=content)
        assert answer.status_code == 413
        assert "32 MB" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("data", "status"),
    [(b"nonsense\r\n\r\n", b" 400 "), (b"GET / HTTP/1.1\r\nA: " + b"x" * 99_999, b" 431 ")],
)
async def test_what_is_not_http_is_answered_and_closed(sim: Simulator, data: bytes, status: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    writer.write(data)
    answer = await reader.read()
    writer.close()
    assert status in answer.split(b"\r\n")[0]
    assert newest(sim.connections).state == "refused"


async def test_a_client_that_waits_for_leave_to_send_gets_it(sim: Simulator) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    head, _, body = raw_request("empty").partition(b"\r\n\r\n")
    writer.write(head + b"\r\nExpect: 100-continue\r\n\r\n")
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
    writer.write(body)
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
    writer.close()


async def test_pipelined_requests_are_answered_in_order(sim: Simulator) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    writer.write(raw_request("talk:pace=0,text=first") + raw_request("talk:pace=0,text=second"))
    received = (await reader.readuntil(b"second")).decode()
    writer.close()
    assert received.index("first") < received.index("second")


async def test_a_client_that_floods_during_its_answer_is_cut_off(sim: Simulator) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    writer.write(raw_request("silent"))
    await sim.wait_until(lambda seen: bool(seen) and seen[-1].script == "silent")
    writer.write(b"x" * 1_000_000)
    (entry,) = await sim.wait_until(lambda seen: newest(seen).state != "open")
    assert entry.state == "reset_by_server"
    writer.transport.abort()


async def test_localhost_is_one_address() -> None:
    async with Simulator("localhost") as sim:
        assert sim.url == f"http://127.0.0.1:{sim.port}/v1"
    assert Simulator("::1", 8001).url == "http://[::1]:8001/v1"


async def test_the_openai_client_understands_the_stream(sim: Simulator) -> None:
    async with openai.AsyncOpenAI(base_url=sim.url, api_key="sk-any", max_retries=0) as client:
        stream = await client.chat.completions.create(
            model="talk:pace=0,words=20", messages=[{"role": "user", "content": "Hello"}], stream=True
        )
        chunks = [chunk async for chunk in stream]
        assert len("".join(chunk.choices[0].delta.content or "" for chunk in chunks).split()) == 20
        assert chunks[-1].choices[0].finish_reason == "stop"
        assert [model.id async for model in client.models.list()] == list(SCRIPTS)
        with pytest.raises(openai.NotFoundError):
            await client.chat.completions.create(model="nope", messages=[])


def test_only_loopback_is_listened_on_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.com"):
        with pytest.raises(ValueError, match="not a loopback address"):
            Simulator(host)
    assert main(["--host", "0.0.0.0"]) == 2
    assert "not a loopback address" in capsys.readouterr().err
    Simulator("0.0.0.0", allow_remote=True)


# The ledger


def raw_request(model: str) -> bytes:
    body = msgspec.json.encode(asked(model))
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


PHASES = {
    "connected": b"",
    "half a request": raw_request("talk")[:-20],
    "holding": raw_request("hold"),
    "silent": raw_request("silent"),
    "stalled": raw_request("stall:pace=0"),
    "between chunks": raw_request("talk:pace=0.1"),
    "in comments": raw_request("keepalive:interval=60"),
    "lingering": raw_request("linger:pace=0"),
    "at full speed": raw_request("burst:n=10000000"),
    "not streamed": raw_request("hold").replace(b"true", b"null"),
}


@asynccontextmanager
async def in_phase(sim: Simulator, data: bytes) -> AsyncIterator[asyncio.StreamWriter]:
    """Connect, send, and read what comes without a pause, so that the simulator reaches the phase."""
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    writer.write(data)
    complete = data.endswith(b"}")
    await sim.wait_until(lambda seen: bool(seen) and (seen[-1].script is not None or not complete))
    if complete and b"hold" not in data:
        await reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(0.01)
    yield writer
    writer.close()


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("how", ["close", "reset"])
async def test_a_client_that_leaves_is_noticed_in_every_phase(sim: Simulator, phase: str, how: str) -> None:
    async with in_phase(sim, PHASES[phase]) as writer:
        assert newest(sim.connections).state == "open"
        before = time.time()
        if how == "close":
            writer.close()
        else:
            writer.transport.abort()
        (entry,) = await sim.wait_until(lambda seen: newest(seen).state != "open")
    assert entry.state == "closed_by_client"
    assert entry.closed_at is not None
    assert before <= entry.closed_at <= time.time()


async def test_the_times_of_an_entry_are_in_order(sim: Simulator, client: httpx.AsyncClient) -> None:
    before = time.time()
    await client.post("/chat/completions", json=asked("silent:seconds=0.01,pace=0,words=3"))
    entry = newest(sim.connections)
    times = [before, entry.opened_at, entry.request_at, entry.first_byte_at, entry.closed_at, time.time()]
    assert times == sorted(time or 0 for time in times)


async def test_a_finished_answer_stays_completed_when_the_client_leaves_later(sim: Simulator) -> None:
    async with httpx.AsyncClient(base_url=sim.url, **QUICK) as client:
        await client.post("/chat/completions", json=asked("talk:pace=0,words=3"))
        await client.post("/chat/completions", json=asked("echo:pace=0"))
        closed = [entry.closed_at for entry in sim.connections]
    await asyncio.sleep(0.02)
    assert [(entry.script, entry.state) for entry in sim.connections] == [
        ("talk", "completed"),
        ("echo", "completed"),
    ]
    assert [entry.closed_at for entry in sim.connections] == closed
    assert len({entry.opened_at for entry in sim.connections}) == 1


async def test_a_client_that_leaves_before_it_took_everything_did_not_get_a_completed_answer(
    sim: Simulator,
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    writer.write(raw_request("talk:pace=0,chars=1000000,length=5000000").replace(b"true", b"null"))
    await reader.readexactly(1)
    await asyncio.sleep(0.05)
    assert newest(sim.connections).state == "open"
    writer.transport.abort()
    (entry,) = await sim.wait_until(lambda seen: newest(seen).state != "open")
    assert entry.state == "closed_by_client"


async def test_the_ledger_is_read_over_http_and_leaves_itself_out(
    sim: Simulator, client: httpx.AsyncClient
) -> None:
    async with client.stream("POST", "/chat/completions", json=asked("silent")):
        await client.post("/chat/completions", json=asked("empty"))
        assert [entry["script"] for entry in await ledger_of(client)] == ["silent", "empty"]
        (entry,) = await ledger_of(client, "?open=1")
        assert (entry["state"], entry["closed_at"], entry["model"]) == ("open", None, "silent")
        reset = await client.post(str(client.base_url.copy_with(path="/_simulator/reset")))
        assert reset.status_code == 200
        assert [entry["script"] for entry in await ledger_of(client)] == ["silent"]
    (entry,) = await ledger_of(client)
    assert entry["state"] == "closed_by_client"


async def test_the_control_pages_explain_themselves(sim: Simulator, client: httpx.AsyncClient) -> None:
    def page(name: str) -> str:
        return str(client.base_url.copy_with(path=f"/_simulator/{name}"))

    assert "hold " in (await client.get(page("scripts"))).text
    assert (await client.get(page("nothing"))).status_code == 404
    assert (await client.get(page("reset"))).status_code == 404
    assert sim.connections == ()


async def test_models_lists_every_script(client: httpx.AsyncClient) -> None:
    rows = (await client.get("/models")).json()["data"]
    assert [row["id"] for row in rows] == list(SCRIPTS)


def test_the_ledger_is_bounded_and_drops_what_is_over_first() -> None:
    ledger = Ledger(limit=3)
    first, second = ledger.enter(1.0), ledger.enter(2.0)
    ledger.settle(second, "completed")
    ledger.settle(second, "closed_by_client")
    assert second.state == "completed"
    ledger.enter(3.0)
    ledger.enter(4.0)
    assert [entry.id for entry in ledger.snapshot()] == [1, 3, 4]
    ledger.enter(5.0)
    assert [entry.id for entry in ledger.snapshot()] == [3, 4, 5]
    assert first.state == "open"


# As a whole


async def test_200_streams_at_once_are_all_held_and_all_noticed(sim: Simulator) -> None:
    # Plain sockets: an httpx pool of this size costs more than all of the simulator.
    async def opened(model: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
        writer.write(raw_request(model))
        return reader, writer

    stalled = [await opened("stall:pace=0,after=8") for _ in range(100)]
    talking = [await opened("talk:pace=200,chars=8,length=160") for _ in range(100)]
    bodies = await asyncio.gather(*(reader.readuntil(b"data: [DONE]") for reader, _ in talking))
    assert all(body.count(b'"content":"') == 21 for body in bodies)
    assert sum(entry.state == "open" for entry in sim.connections) == 100
    for _, writer in stalled + talking:
        writer.transport.abort()
    seen = await sim.wait_until(lambda seen: all(entry.state != "open" for entry in seen))
    states = [entry.state for entry in seen]
    assert (states.count("closed_by_client"), states.count("completed")) == (100, 100)


async def test_a_slow_reader_makes_the_script_wait_instead_of_filling_memory(sim: Simulator) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", sim.port, limit=1024)
    writer.write(raw_request("burst:n=10000000"))
    await sim.wait_until(lambda seen: newest(seen).bytes_sent > 100_000)
    sent = [0, newest(sim.connections).bytes_sent]
    while sent[-1] != sent[-2]:
        await asyncio.sleep(0.1)
        sent.append(newest(sim.connections).bytes_sent)
    assert sent[-1] < 32 * 1_048_576
    writer.transport.abort()


@pytest.mark.parametrize("split", [1, 7, 100_000])
async def test_a_recording_is_replayed_byte_for_byte(tmp_path: Path, split: int) -> None:
    body = 'data: {"é":1}\r\n\r\n: 🐉\n\ndata: [DONE]'.encode() + bytes(range(256))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "one.sse").write_bytes(body)
    async with (
        Simulator(replay_dir=tmp_path) as sim,
        httpx.AsyncClient(base_url=sim.url, **QUICK) as client,
    ):
        request = asked(f"replay/deep/one.sse:split={split}")
        async with client.stream("POST", "/chat/completions", json=request) as answer:
            pieces = [piece async for piece in answer.aiter_raw()]
        assert b"".join(pieces) == body
        assert len(pieces) == -(-len(body) // split)
        assert (await client.post("/chat/completions", json={**request, "stream": False})).content == body
        assert (await client.get("/models")).json()["data"][-1]["id"] == "replay/deep/one.sse"
        outside = await client.post("/chat/completions", json=asked("replay/../secret"))
        assert outside.status_code == 404


async def test_closing_the_simulator_cuts_every_open_stream(client: httpx.AsyncClient) -> None:
    async with Simulator() as sim:
        streams = [
            asyncio.create_task(client.post(f"{sim.url}/chat/completions", json=asked(model)))
            for model in ("hold", "silent", "stall:pace=0", "trickle:interval=0.001", "burst:n=10000000")
        ]
        await sim.wait_until(lambda seen: len([entry for entry in seen if entry.script]) == len(streams))
    assert {entry.state for entry in sim.connections} == {"reset_by_server"}
    ends = await asyncio.gather(*streams, return_exceptions=True)
    assert all(isinstance(end, httpx.TransportError) for end in ends)
    with pytest.raises(httpx.ConnectError):
        await client.get(f"{sim.url}/models")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_the_command_says_where_it_listens_and_ends_on_a_signal(number: signal.Signals) -> None:
    code = "import sys; from providers.simulator.server import main; sys.exit(main(['--port', '0']))"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", code, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    line = (await process.stdout.readline()).decode()
    url = line.removeprefix("Simulator ready at ").strip()
    async with (
        httpx.AsyncClient(**QUICK) as client,
        client.stream("POST", f"{url}/chat/completions", json=asked("silent")),
    ):
        process.send_signal(number)
        _, errors = await process.communicate()
    assert (process.returncode, errors) == (0, b"")


def test_a_port_that_is_taken_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["--port", str(taken.getsockname()[1])]) == 2
    assert capsys.readouterr().err.startswith("simulate: ")
