"""The guards, in the order the text passes them, and the pipeline that drives them."""

from collections.abc import Callable

from providers.guards.piece import Guard, Piece
from providers.guards.stop_strings import StopStringGuard
from providers.guards.think_tags import ThinkTagGuard
from providers.guards.verbatim_tools import VerbatimToolGuard
from providers.policy import GuardPolicy


def _think_tags(policy: GuardPolicy) -> Guard | None:
    if not policy.think_tags or not policy.reasoning_tags:
        return None
    return ThinkTagGuard(
        policy.reasoning_tags, starts_in_reasoning=policy.starts_in_reasoning, persona=policy.persona
    )


def _verbatim_tools(policy: GuardPolicy) -> Guard | None:
    return VerbatimToolGuard(policy.tools) if policy.verbatim_tool_calls and policy.tools else None


def _stop_strings(policy: GuardPolicy) -> Guard | None:
    return StopStringGuard(policy.local_stop_strings) if any(policy.local_stop_strings) else None


GUARDS: tuple[Callable[[GuardPolicy], Guard | None], ...] = (_think_tags, _verbatim_tools, _stop_strings)


class GuardPipeline:
    """Text passes every guard in turn; what is no text any more passes the later ones by."""

    def __init__(self, policy: GuardPolicy) -> None:
        self._guards = tuple(guard for make in GUARDS if (guard := make(policy)) is not None)

    def __bool__(self) -> bool:
        return bool(self._guards)

    def saw_reasoning(self) -> None:
        """Tell the guards that reasoning came in a field of its own."""
        for guard in self._guards:
            guard.saw_reasoning()

    def feed(self, text: str) -> list[Piece]:
        """Return what is certain after `text`, in order."""
        pieces = [Piece("text", text)]
        for guard in self._guards:
            pieces = _through(guard, pieces)
        return pieces

    def flush(self) -> list[Piece]:
        """Empty the guards from first to last, each into the next, so that nothing held is lost."""
        pieces: list[Piece] = []
        for guard in self._guards:
            pieces = [*_through(guard, pieces), *guard.flush()]
        return pieces


def _through(guard: Guard, pieces: list[Piece]) -> list[Piece]:
    if len(pieces) == 1 and pieces[0].kind == "text" and pieces[0].firing is None:
        return guard.feed(pieces[0].text)
    out: list[Piece] = []
    for piece in pieces:
        if piece.kind == "text":
            if piece.firing is not None:
                out.append(Piece("text", "", firing=piece.firing))
            out.extend(guard.feed(piece.text) if piece.text else ())
            continue
        if piece.kind == "call":  # nothing held may be overtaken by a call
            out.extend(guard.flush())
        out.append(piece)
    return out
