"""What the console and the live socket read about turns. Few queries, memory bounded by what is shown."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from providers.serialization import chunk_from_dict
from streamhub.servers.models import Channel, Server
from streamhub.turns.frames import Op, ops_of, size_of
from streamhub.turns.models import Turn, TurnChunk
from streamhub.turns.state import TERMINAL, Status

MAX_LIVE = 5_000
AWAITS_TOOLS_FOR = timedelta(hours=1)
ENDED_WITHIN = timedelta(days=1)
ENDED_SHOWN = 24
# Even if JSON needs six characters for each of them, an answer fits into one frame of `live.viewer`.
ANSWER_CHARS = 128_000
PLAIN = frozenset({"type", "content"})


@dataclass(frozen=True, slots=True)
class LiveTurn:
    """A turn that stands for its channel on the wall, and how many turns wait there behind it."""

    turn: Turn
    waiting: int


@dataclass(slots=True)
class Transcript:
    """What a turn said, up to and with `last_seq`; `is_cut` means that the record holds more."""

    last_seq: int = 0
    is_cut: bool = False
    size: int = 0
    calls: list[dict[str, Any]] = field(default_factory=list)
    firings: list[dict[str, Any]] = field(default_factory=list)
    _pieces: dict[str, list[str]] = field(default_factory=lambda: {"t": [], "r": [], "s": []})

    def add(self, seq: int, chunk: dict[str, Any]) -> None:
        """Take the next recorded chunk. Text is read as it lies; only what is rare is made a value first."""
        self.last_seq = seq
        if chunk.keys() <= PLAIN:
            self._append("t", chunk.get("content", ""))
            return
        for _, kind, value in ops_of(seq, chunk_from_dict(chunk)):
            if kind in self._pieces:
                self._append(kind, value)
            elif kind == "c":
                self.calls.append(value)
                self.size += len(str(value))
            elif kind == "g":
                self.firings.append({**value, "seq": seq})
                self.size += len(value["text"])

    def _append(self, kind: str, text: str) -> None:
        self._pieces[kind].append(text)
        self.size += len(text)

    @property
    def text(self) -> str:
        """The visible text."""
        return "".join(self._pieces["t"])

    @property
    def raw_thoughts(self) -> str:
        """The reasoning itself."""
        return "".join(self._pieces["r"])

    @property
    def summaries(self) -> str:
        """The provider's own digests of its reasoning."""
        return "".join(self._pieces["s"])


@dataclass(frozen=True, slots=True)
class OpsAnswer:
    """Recorded ops of a turn, of seq `first` to `last`; `more` means that the record holds later ones."""

    first: int
    last: int
    ops: list[Op]
    more: bool


def live_turns(servers: Iterable[Server], channels: Iterable[int] | None = None) -> list[LiveTurn]:
    """Return one turn for each channel where one runs or waits: the running one, else the head of the queue.

    A channel at rest whose last turn waits for its client's tool results is there with that turn. At most
    `MAX_LIVE` rows of a status are looked at, oldest first; `channels` narrows it to some.
    """
    heads, waiting = _heads(servers, channels)
    turns = _with_relations(Turn.objects.filter(pk__in=heads.values())).order_by("created_at")
    return [LiveTurn(turn, waiting.get(turn.channel_id, 0)) for turn in turns]


def recently_ended(servers: Iterable[Server], now: datetime, limit: int = ENDED_SHOWN) -> list[Turn]:
    """Return the turns that ended last, newest first, of at most the last day."""
    ended = Turn.objects.filter(server__in=_ids(servers), ended_at__gt=now - ENDED_WITHIN, ended_at__lte=now)
    return list(_with_relations(ended).order_by("-ended_at")[:limit])


def turns_by_id(servers: Iterable[Server], ids: Iterable[UUID]) -> list[Turn]:
    """Return those of the named turns that belong to the servers, with what a card needs."""
    return list(_with_relations(Turn.objects.filter(pk__in=list(ids), server__in=_ids(servers))))


def queue_of(channel: Channel) -> list[tuple[int, Turn]]:
    """Return the waiting turns of a channel with their place in line, from 1."""
    queued = Turn.objects.filter(channel=channel, status=Status.QUEUED).defer("request")
    return list(enumerate(queued.order_by("created_at", "pk"), start=1))


def current_turn(channel: Channel) -> Turn | None:
    """Return the turn a channel page is about: the running one, else the next in line, else the last one."""
    turns = _with_relations(Turn.objects.filter(channel=channel))
    running = turns.filter(status=Status.RUNNING).first()
    queued = None if running else turns.filter(status=Status.QUEUED).order_by("created_at", "pk").first()
    return running or queued or turns.order_by("-created_at").first()


def earlier_turns(channel: Channel) -> QuerySet[Turn]:
    """Return the turns of a channel that are over, newest first, to be paginated."""
    return Turn.objects.filter(channel=channel, status__in=[*TERMINAL, Status.TOOL_CALLS]).defer("request")


def transcript_of(turn: Turn, limit: int) -> Transcript:
    """Return what a turn said so far, at most about `limit` characters of it, from the beginning."""
    said = Transcript()
    for seq, chunk in _chunks(turn.pk, 0):
        if said.size >= limit:
            said.is_cut = True
            break
        said.add(seq, chunk)
    return said


def text_of(turn: Turn, limit: int) -> str:
    """Return the visible text of a turn, at most about `limit` characters of it."""
    return transcript_of(turn, limit).text


def ops_after(turn_id: UUID, seq: int, limit: int) -> OpsAnswer:
    """Return the recorded ops after `seq`: whole chunks, about `limit` ops or `ANSWER_CHARS` characters.

    An empty answer has `first` = `last` + 1: the record holds nothing later yet.
    """
    ops: list[Op] = []
    size, last = 0, seq
    for number, chunk in _chunks(turn_id, seq):
        if len(ops) >= limit or size >= ANSWER_CHARS:
            return OpsAnswer(seq + 1, last, ops, more=True)
        added = ops_of(number, chunk_from_dict(chunk))
        ops.extend(added)
        size += sum(map(size_of, added))
        last = number
    return OpsAnswer(seq + 1, last, ops, more=False)


def _chunks(turn_id: UUID, after: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Walk the recorded chunks of a turn one span at a time."""
    spans = TurnChunk.objects.filter(turn_id=turn_id, last_seq__gt=after).order_by("first_seq")
    for chunks in spans.values_list("chunks", flat=True).iterator(chunk_size=16):
        for seq, chunk in chunks:
            if seq > after:
                yield seq, chunk


def _heads(
    servers: Iterable[Server], channels: Iterable[int] | None
) -> tuple[dict[int, UUID], dict[int, int]]:
    """Return for each channel the turn that stands for it, and how many wait behind that one."""
    seen = set(_ids(servers))
    asked = None if channels is None else set(channels)

    def standing(status: Status, **narrowed: datetime) -> Iterator[tuple[int, UUID]]:
        """Walk the turns of one status, oldest first. Asked so, every database takes the index on status."""
        rows = Turn.objects.filter(status=status, **narrowed).order_by("created_at")
        for server, channel, pk in rows.values_list("server_id", "channel_id", "pk")[:MAX_LIVE]:
            if server in seen and (asked is None or channel in asked):
                yield channel, pk

    heads = dict(standing(Status.RUNNING))
    queue: dict[int, list[UUID]] = {}
    for channel, pk in standing(Status.QUEUED):
        queue.setdefault(channel, []).append(pk)
    waiting = {channel: len(turns) - (channel not in heads) for channel, turns in queue.items()}
    recent = timezone.now() - AWAITS_TOOLS_FOR
    awaiting = dict(standing(Status.TOOL_CALLS, created_at__gt=recent))
    first = {channel: turns[0] for channel, turns in queue.items()}
    return {**awaiting, **first, **heads}, waiting


def _with_relations(turns: QuerySet[Turn]) -> QuerySet[Turn]:
    return turns.select_related("channel", "server").defer("request").prefetch_related("attempts")


def _ids(servers: Iterable[Server]) -> list[int]:
    return [server.pk for server in servers]
