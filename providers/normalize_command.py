"""`normalize`: recorded HTTP response bodies in, processed chunks out, as JSON lines.

A stable interface.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from providers.adapter import BaseStreamAdapter
from providers.chunks import ChunkMetadata, FunctionCall, ProcessedChunk, Usage
from providers.errors import HttpFailure, ProviderError
from providers.normalizer import Normalizer
from providers.policy import GuardPolicy
from providers.registry import adapter_for, kinds
from providers.request import Tool
from providers.serialization import chunk_to_dict


def run(argv: Sequence[str]) -> int:
    """Normalize every file. Return 0, or 2 where a file or an option cannot be used."""
    options = _parser().parse_args(argv)
    adapter = adapter_for(options.dialect)
    if options.verbatim and options.tools is None:
        sys.stderr.write("--verbatim recovers calls of the tools in --tools alone: none are given.\n")
    try:
        policy = GuardPolicy(
            starts_in_reasoning=options.starts_in_reasoning,
            verbatim_tool_calls=options.verbatim,
            tools=_tools(options.tools),
            persona=options.persona,
            local_stop_strings=tuple(options.stop),
        )
        for name in options.files:
            body = Path(name).read_bytes()
            _print(name, _chunks(adapter, policy, options, body), options.summary)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read has enough; what is left in the buffer goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m providers normalize", description=__doc__)
    parser.add_argument("--dialect", required=True, choices=kinds())
    parser.add_argument("--model", default="", help="the model's id; rules may depend on it")
    parser.add_argument("--tools", metavar="FILE", help="an OpenAI tools array as JSON")
    parser.add_argument("--verbatim", action="store_true", help="recover tool calls written as text")
    parser.add_argument("--persona", default="", metavar="NAME")
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT")
    parser.add_argument("--starts-in-reasoning", action="store_true")
    parser.add_argument("--split", type=_positive, metavar="N", help="feed N bytes at a time")
    parser.add_argument("--status", type=int, default=200)
    parser.add_argument("--header", action="append", default=[], metavar="'K: V'")
    parser.add_argument(
        "--summary", action="store_true", help="one JSON object a file instead of a chunk a line"
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _tools(path: str | None) -> tuple[Tool, ...]:
    if path is None:
        return ()
    try:
        entries = msgspec.json.decode(Path(path).read_bytes())
        if not isinstance(entries, list):
            raise TypeError("the outermost value is no array")
        functions = [entry["function"] for entry in entries]
        return tuple(
            Tool(
                name=function["name"],
                description=function.get("description") or "",
                parameters=function.get("parameters") or {},
            )
            for function in functions
        )
    except (msgspec.DecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not an OpenAI tools array ({error!r})") from error


def _chunks(
    adapter: BaseStreamAdapter, policy: GuardPolicy, options: argparse.Namespace, body: bytes
) -> Iterator[ProcessedChunk]:
    if options.status >= 400:
        headers = dict(_header(line) for line in options.header)
        error = adapter.handle_provider_error(HttpFailure(status=options.status, headers=headers, body=body))
        yield ProcessedChunk(type="error", error=error)
        return
    normalizer = Normalizer(adapter, policy)
    step = options.split or max(len(body), 1)
    for start in range(0, len(body), step):
        yield from normalizer.feed(body[start : start + step])
    yield from normalizer.finish()


def _header(line: str) -> tuple[str, str]:
    name, colon, value = line.partition(":")
    if not colon:
        raise ValueError(f"--header {line!r}: expected 'Name: value'")
    return name.strip().lower(), value.strip()


def _print(name: str, chunks: Iterable[ProcessedChunk], summary: bool) -> None:
    lines = [summarize(name, chunks)] if summary else map(chunk_to_dict, chunks)
    for line in lines:
        sys.stdout.write(msgspec.json.encode(line).decode() + "\n")


def summarize(name: str, chunks: Iterable[ProcessedChunk]) -> dict[str, Any]:
    """Return what a whole stream came to, as one JSON object."""
    given = list(chunks)
    metadata = [chunk.metadata for chunk in given if chunk.metadata is not None]
    last = metadata[-1] if metadata else ChunkMetadata()
    thoughts = [thought for chunk in given for thought in chunk.thoughts]
    return {
        "file": name,
        "text": "".join(chunk.content for chunk in given),
        "thoughts": "".join(thought.content for thought in thoughts),
        "thought_entries": [{"kind": thought.kind, "content": thought.content} for thought in thoughts],
        "function_calls": [
            {"id": call.id, "name": call.name, "args": _args(call), "args_truncated": call.args_truncated}
            for call in (chunk.function_call for chunk in given)
            if call is not None
        ],
        "finish_reason": last.finish_reason,
        "raw_finish_reason": last.raw_finish_reason,
        "stop_string": last.stop_string,
        "error": next((_error(chunk.error) for chunk in given if chunk.error is not None), None),
        "usage": None if last.usage is None else _usage(last.usage),
        "serving_provider": next((chunk.serving_provider for chunk in given if chunk.serving_provider), None),
        "chunks": len(given),
        "guards": dict(Counter(firing.guard for chunk in given for firing in chunk.firings)),
    }


def _args(call: FunctionCall) -> Mapping[str, Any] | None:
    """Null where the arguments were cut (what was repaired is in the chunk lines), or the wire said null."""
    return None if call.args_truncated or call.args_raw.strip() == "null" else call.args


def _error(error: ProviderError) -> dict[str, Any]:
    return {
        "type": error.type,
        "code": error.code,
        "retryable": error.retryable,
        "retry_after": error.retry_after,
        "message": error.message,
    }


def _usage(usage: Usage) -> dict[str, int | None]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cached_tokens": usage.cached_tokens,
    }
