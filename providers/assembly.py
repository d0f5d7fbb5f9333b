"""Tool calls put together from fragments, however a server split them (DIALECTS 5.4).

Fragments are keyed by index. A new id, or a new name after complete arguments, opens a new call under the
same index; without an index the id decides; without both a fragment continues the last call. Names that
repeat are not appended. Arguments arrive as strings, objects or null.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from providers.wire.payload import UNREADABLE, parse_json

MAX_ARGUMENT_CHARS = 8 * 1024 * 1024
MAX_CALLS = 256
_MAX_PROBES = 32  # full parses spent on telling "a repeated name" from "a new call", per call


@dataclass(slots=True)
class PartialCall:
    """A call under construction."""

    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    arguments: dict[str, Any] | None = None
    opaque: dict[str, Any] = field(default_factory=dict)
    probes: int = 0

    @property
    def raw(self) -> str:
        """The arguments as they were written."""
        return "".join(self.pieces)

    def is_complete(self) -> bool:
        """Whether the arguments so far are one whole JSON object."""
        if self.arguments is not None:
            return True
        if not self.pieces or not self.pieces[-1].rstrip().endswith("}") or self.probes >= _MAX_PROBES:
            return False
        self.probes += 1
        return parse_json(self.raw) is not UNREADABLE

    def add_arguments(self, value: Any) -> int:
        """Take one fragment of arguments; return how many characters it had."""
        if isinstance(value, str) and value:
            self.pieces.append(value)
            return len(value)
        if isinstance(value, dict):
            self.arguments = {**(self.arguments or {}), **value}
            return len(value)
        return 0

    def add_name(self, name: str) -> None:
        """Take a name, a piece of one, or a repetition of it."""
        if not self.name or name.startswith(self.name):
            self.name = name
        elif name != self.name and not self.pieces:
            self.name += name


class ToolCallAssembler:
    """The calls of one turn. `overflowed` turns true when a turn asks for more than the bounds allow."""

    def __init__(self) -> None:
        self.overflowed = False
        self.calls: list[PartialCall] = []
        self._by_index: dict[int, PartialCall] = {}
        self._by_id: dict[str, PartialCall] = {}
        self._chars = 0

    def add(self, fragment: Any) -> bool:
        """Take one entry of `delta.tool_calls`.

        Return whether it said anything (an empty entry is no call).
        """
        if not isinstance(fragment, Mapping) or self.overflowed:
            return False
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else fragment
        call_id, name, arguments = fragment.get("id"), function.get("name"), function.get("arguments")
        call_id = call_id if isinstance(call_id, str) else ""
        name = name if isinstance(name, str) else ""
        if not (call_id or name or arguments):
            return False
        call = self._slot(fragment.get("index"), call_id, name, arguments)
        if call is None:
            return False
        self._extend(call, fragment, name, arguments)
        return True

    def _extend(self, call: PartialCall, fragment: Mapping[str, Any], name: str, arguments: Any) -> None:
        if name:
            call.add_name(name)
        self._chars += call.add_arguments(arguments)
        for key in ("extra_content", "thought_signature"):
            if fragment.get(key):
                call.opaque[key] = fragment[key]
        self.overflowed = self._chars > MAX_ARGUMENT_CHARS or len(self.calls) > MAX_CALLS

    def _slot(self, index: Any, call_id: str, name: str, arguments: Any) -> PartialCall | None:
        if not isinstance(index, int):
            return self._slot_without_index(call_id, name, arguments)
        call = self._by_index.get(index)
        if call is None or self._is_another(call, call_id, name, arguments):
            call = self._by_index[index] = self._open(call_id)
        elif call_id and not call.id:
            call.id = call_id
        return call

    def _slot_without_index(self, call_id: str, name: str, arguments: Any) -> PartialCall | None:
        if call_id:
            return self._by_id.get(call_id) or self._open(call_id)
        last = self.calls[-1] if self.calls else None
        if last is None or self._is_another(last, call_id, name, arguments):
            return self._open(call_id)
        return last

    def _is_another(self, call: PartialCall, call_id: str, name: str, arguments: Any) -> bool:
        if call_id and call.id and call_id != call.id:
            return True
        if not name or call_id == call.id != "":
            return False
        starts_anew = isinstance(arguments, dict) or (
            isinstance(arguments, str) and arguments.lstrip().startswith("{")
        )
        return (starts_anew or name != call.name) and call.is_complete()

    def _open(self, call_id: str) -> PartialCall:
        call = PartialCall(id=call_id)
        self.calls.append(call)
        if call_id:
            self._by_id.setdefault(call_id, call)
        return call
