"""What the engine needs from the world, as protocols and values. The Django side implements them."""

from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from providers.errors import ProviderError, TransportFailure
from providers.policy import GuardPolicy
from providers.request import EndpointConfig, GenerationRequest, HttpRequest
from streamhub.turns.engine.clocks import ClockLimits
from streamhub.turns.state import EndReason


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPlan:
    """Everything one turn needs to run, read from the database once, when it was claimed."""

    turn_id: str
    server_id: int
    channel_id: int
    fencing_token: int
    kind: str
    request: GenerationRequest
    endpoint: EndpointConfig
    policy: GuardPolicy
    clocks: ClockLimits
    thought_kinds: frozenset[str]
    output_cap_bytes: int
    model_label: str
    key_label: str
    claimed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedPlan:
    """A claimed turn that cannot run: no model, no usable key, an unreadable secret."""

    turn_id: str
    server_id: int
    channel_id: int
    fencing_token: int
    error: ProviderError


class TransportError(Exception):
    """The connection failed; `failure` says where."""

    def __init__(self, failure: TransportFailure) -> None:
        self.failure = failure
        super().__init__(failure.message)


class Answer(Protocol):
    """A provider's HTTP answer while its body still arrives. Both readers raise TransportError."""

    status: int
    headers: Mapping[str, str]

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes."""

    async def read(self, limit: int) -> bytes:
        """Return at most `limit` bytes of the body."""


class Transport(Protocol):
    """The network. Leaving the context closes the connection unless the body was read to its end."""

    def stream(self, request: HttpRequest) -> AbstractAsyncContextManager[Answer]:
        """Send `request`; the context begins when the headers are there. Raises TransportError."""


type NumberedChunk = tuple[int, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a running turn is, for the row that pages read."""

    phase: str
    text_chars: int
    thought_chars: int
    tail: str
    last_seq: int
    first_token_at: datetime | None
    progress_at: datetime | None
    serving_provider: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One turn's share of a recorder tick: chunks not recorded yet, and its progress if that changed."""

    turn_id: str
    fencing_token: int
    chunks: Sequence[NumberedChunk] = ()
    progress: Progress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TickAnswer:
    """What the record says after a tick: turns still ours, and those somebody asked to kill."""

    owned: frozenset[str]
    kills: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOutcome:
    """How a turn ended, with all that was not recorded before."""

    turn_id: str
    server_id: int
    fencing_token: int
    status: str
    end_reason: EndReason
    error: ProviderError | None = None
    chunks: Sequence[NumberedChunk] = ()
    progress: Progress | None = None
    attempt: Mapping[str, Any] = field(default_factory=dict)
    thoughts: Mapping[str, str] = field(default_factory=dict)
    firings: Sequence[Mapping[str, str]] = ()
    finish_reason: str = ""
    raw_finish_reason: str = ""
    stop_string: str = ""
    usage: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def is_bare(self) -> bool:
        """Whether it holds nothing of what a provider sent, only that the turn is over."""
        return self.progress is None and not (self.chunks or self.thoughts or self.firings)


class Store(Protocol):
    """The record. Each call is one transaction; all of them raise StoreUnavailable while the database is away."""

    def claim(self, limit: int) -> Awaitable[Sequence[TurnPlan | RefusedPlan]]:
        """Take up to `limit` queued turns, oldest first, one a channel."""

    def tick(self, beats: Sequence[Beat]) -> Awaitable[TickAnswer]:
        """Record chunks and progress and extend the leases of turns that are still ours."""

    def finish(self, outcome: TurnOutcome) -> Awaitable[bool]:
        """Write how a turn ended; False if it was no longer ours."""

    def greet(self, live: int) -> Awaitable[None]:
        """Write the worker's own heartbeat."""

    def leave(self) -> Awaitable[None]:
        """Take the worker's heartbeat away: it shuts down."""


class StoreUnavailable(Exception):
    """The database did not answer; the call may be repeated."""


class Feed(Protocol):
    """Where live frames go. Losing one is harmless."""

    async def bundle(
        self, server_id: int, cards: Sequence[Mapping[str, Any]], ops: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Send what changed in a server since the last bundle."""

    async def changed(self, server_id: int, turn_id: str) -> None:
        """Announce that a turn started or ended."""
