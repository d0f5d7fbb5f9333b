"""Which cards stand on the wall, in which section and order: what both the page and its updates show."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from streamhub.accounts.models import User
from streamhub.console.cards import Card, card_of
from streamhub.console.counts import Live
from streamhub.servers.models import Server
from streamhub.turns import selectors
from streamhub.turns.models import Turn
from streamhub.turns.state import Status

# How long an ended turn keeps its card: long enough to be read. One that needs somebody stays longer, at most
# until its channel goes on.
LINGERS = timedelta(seconds=20)
NEEDS_YOU_FOR = timedelta(minutes=5)
FEED_ROWS = 12

COUNTERS: tuple[tuple[str, str, str], ...] = (
    ("all", "All", "wall"),
    ("attn", "Need you", "warn"),
    ("waiting", "Waiting", "waiting"),
    ("thinking", "Thinking", "thinking"),
    ("speaking", "Speaking", "speaking"),
    ("tool", "In a tool", "tool"),
    ("queued", "Queued", "queued"),
    ("ended", "Ended", "completed"),
)
COLOURED = {"thinking", "speaking", "tool"}
SORTS = {"attention": "By attention", "age": "By age", "channel": "By channel"}


@dataclass(frozen=True, slots=True)
class Counter:
    """A number above the wall that also filters it."""

    group: str
    label: str
    sign: str
    count: int

    @property
    def phase(self) -> str:
        """The colour it takes."""
        return {"attn": "late"}.get(self.group, self.group if self.group in COLOURED else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The wall at one moment. `hidden` are the cards that the filter leaves out."""

    needs_you: list[Card]
    running: list[Card]
    feed: list[Card]
    hidden: frozenset[UUID]
    counters: list[Counter]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing at all to show."""
        return not (self.needs_you or self.running or self.feed)

    @property
    def going(self) -> int:
        """How many of the cards that need nobody are of turns that go on; ended ones rest beside them."""
        return sum(not card.is_gone for card in self.running)

    @property
    def live(self) -> Live:
        """How many turns run and wait here, those that wait behind another included."""
        cards = [*self.needs_you, *self.running]
        return Live(
            running=sum(card.turn.status == Status.RUNNING for card in cards),
            queued=sum((card.turn.status == Status.QUEUED) + card.waiting for card in cards),
        )

    @property
    def killable(self) -> int:
        """How many turns a kill of everything would end, those that wait included."""
        return sum(card.is_live + card.waiting for card in [*self.needs_you, *self.running])

    @property
    def matches_nothing(self) -> bool:
        """Whether the filter leaves no card."""
        cards = [*self.needs_you, *self.running]
        return bool(cards) and all(card.turn.pk in self.hidden for card in cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the address asks of the wall."""

    show: str = "all"
    text: str = ""
    sort: str = "attention"


def board_of(servers: Sequence[Server], asked: Asked, now: datetime, viewer: User | None) -> Board:
    """Read and order the wall of some servers."""
    live = _live_cards(selectors.live_turns(servers), now, viewer)
    ended = [card_of(turn, now, viewer=viewer) for turn in selectors.recently_ended(servers, now)]
    over = {card.turn.pk for card in ended}  # what ended between the two queries is in both
    live = [card for card in live if card.turn.pk not in over]
    busy = {card.turn.channel_id for card in live}
    lingering = [card for card in ended if _has_card(card, ended, busy, now)]
    standing = {card.turn.pk for card in lingering}
    cards = sorted([*live, *lingering], key=lambda card: card.rank(asked.sort))
    return Board(
        needs_you=[card for card in cards if card.attention.needs_you],
        running=[card for card in cards if not card.attention.needs_you],
        feed=[card for card in ended if card.turn.pk not in standing][:FEED_ROWS],
        hidden=frozenset(card.turn.pk for card in cards if not fits(card, asked)),
        counters=_counters(cards),
    )


def cards_of(
    servers: Sequence[Server], ids: Iterable[UUID], now: datetime, viewer: User | None
) -> list[Card]:
    """Return the cards that replace what a page shows of some turns: theirs and their channels' live ones."""
    named = selectors.turns_by_id(servers, ids)
    live = selectors.live_turns(servers, {turn.channel_id for turn in named})
    ended = [card_of(turn, now, viewer=viewer) for turn in named if turn.is_terminal]
    return [*_live_cards(live, now, viewer), *ended]


def _live_cards(live: list[selectors.LiveTurn], now: datetime, viewer: User | None) -> list[Card]:
    return [card_of(entry.turn, now, viewer=viewer, waiting=entry.waiting) for entry in live]


def fits(card: Card, asked: Asked) -> bool:
    """Tell whether a card passes the filter."""
    in_group = asked.show == "all" or asked.show in groups_of(card)
    return in_group and (not asked.text or asked.text.lower() in _searched(card.turn, card.tail).lower())


def groups_of(card: Card) -> list[str]:
    """Return the counters that count a card."""
    return [group for group in ("attn" if card.attention.needs_you else "", card.attention.group) if group]


def _searched(turn: Turn, tail: str) -> str:
    return " ".join((f"#{turn.channel.name}", turn.author, turn.model_label, turn.server.name, tail))


def _counters(cards: list[Card]) -> list[Counter]:
    return [
        Counter(group, label, sign, sum(group == "all" or group in groups_of(card) for card in cards))
        for group, label, sign in COUNTERS
    ]


def _has_card(card: Card, ended: list[Card], busy: set[int], now: datetime) -> bool:
    """Tell whether an ended turn still has a card: it just ended, or failed as the last of its channel."""
    turn = card.turn
    if turn.ended_at is None:
        return False
    if now - turn.ended_at <= LINGERS:
        return True
    if not card.attention.needs_you or turn.channel_id in busy or now - turn.ended_at > NEEDS_YOU_FOR:
        return False
    return next(other.turn.pk for other in ended if other.turn.channel_id == turn.channel_id) == turn.pk
