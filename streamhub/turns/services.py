"""What people and programs may do to turns: start one, kill one or many. A status is written by a filtered UPDATE."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from streamhub.accounts.models import User
from streamhub.audit.services import SYSTEM, record
from streamhub.catalog.models import LanguageModel
from streamhub.live import publish
from streamhub.servers.models import Channel, Server
from streamhub.turns import dispatch
from streamhub.turns.models import Turn
from streamhub.turns.state import KILLABLE, LIVE, EndReason, Status

MAX_QUEUE = 100
MAX_PROMPT = 100_000


class TurnRefused(Exception):
    """A turn cannot be started; the message says why, for the person who asked."""


@dataclass(frozen=True, slots=True)
class KillOutcome:
    """What a kill request found. `accepted` is True also for a repeated request: the answer is the same."""

    turn: Turn
    accepted: bool


@transaction.atomic
def start_turn(
    *,
    channel: Channel,
    text: str,
    actor: User | None = None,
    author: str = "",
    model: LanguageModel | None = None,
    extra: dict[str, Any] | None = None,
) -> Turn:
    """Queue a turn that answers `text`. Raises TurnRefused for an empty or oversized text or a full queue.

    `extra` holds request fields beside the messages (tools, sampling), as an API client would send them.
    """
    if not text.strip():
        raise TurnRefused("Write a message first.")
    if len(text) > MAX_PROMPT:
        raise TurnRefused(f"The message has {len(text):,} characters; at most {MAX_PROMPT:,} are allowed.")
    if Turn.objects.filter(channel=channel, status=Status.QUEUED).count() >= MAX_QUEUE:
        raise TurnRefused(f"{MAX_QUEUE} turns wait in {channel} already.")
    turn = Turn.objects.create(
        server_id=channel.server_id,
        channel=channel,
        author=author or (actor.short_name if actor else ""),
        requested_by=actor,
        model=model,
        request={"messages": [{"role": "user", "content": text}], **(extra or {})},
        prompt=text[:300],
        created_at=timezone.now(),
    )
    publish.turn_changed(turn.server_id, turn.pk)
    dispatch.wake_workers()
    return turn


@transaction.atomic
def request_kill(turn_id: UUID, *, actor: User | None, reason: str = "") -> KillOutcome:
    """Register a kill, whatever the turn is doing, and tell its worker. Raises Turn.DoesNotExist.

    A queued turn ends here and never connects. A second request changes nothing and gets the same answer; a turn that
    ended first stays as it is.
    """
    asked = _kill(Turn.objects.filter(pk=turn_id, status__in=sorted(KILLABLE)), actor, reason)
    turn = asked[0] if asked else Turn.objects.select_related("channel").get(pk=turn_id)
    return KillOutcome(turn, accepted=turn.kill_requested_at is not None)


@transaction.atomic
def kill_server(server: Server, *, actor: User | None, reason: str = "") -> int:
    """Kill every queued and running turn of a server; return how many were still unasked."""
    return len(_kill(Turn.objects.filter(server=server, status__in=sorted(LIVE)), actor, reason))


@transaction.atomic
def kill_channel(channel: Channel, *, actor: User | None, reason: str = "") -> int:
    """Kill the running turn of a channel and clear its queue; return how many turns that was."""
    return len(_kill(Turn.objects.filter(channel=channel, status__in=sorted(LIVE)), actor, reason))


def _kill(turns: QuerySet[Turn], actor: User | None, reason: str) -> list[Turn]:
    """Register a kill on those of `turns` that have none yet, and return them as they are then.

    All in the caller's transaction, rows locked in the order in which the recorder locks them, so that no queued turn
    starts when a running one makes room. The signals to the workers leave first, before anything else is told.
    """
    locked = turns.filter(kill_requested_at=None).select_for_update().order_by("pk")
    keys = list(locked.values_list("pk", flat=True))
    asked: dict[str, Any] = {
        "kill_requested_at": timezone.now(),
        "kill_requested_by": actor,
        "kill_requested_label": actor.short_name if actor else SYSTEM,
        "kill_reason": _printable(reason)[:200],
    }
    ended = {
        "status": Status.KILLED,
        "end_reason": EndReason.USER_KILL,
        "ended_at": asked["kill_requested_at"],
    }
    found = Turn.objects.filter(pk__in=keys)
    found.filter(status__in=sorted(KILLABLE - {Status.RUNNING})).update(**asked, **ended)
    found.filter(status=Status.RUNNING).update(**asked)
    killed = list(found.select_related("channel").defer("request"))
    _signal(killed)
    for turn in killed:
        after = {"channel": turn.channel.name, "reason": turn.kill_reason}
        record(actor, "killed", turn, server_id=turn.server_id, after=after)
        publish.turn_changed(turn.server_id, turn.pk)
    return killed


def _signal(killed: list[Turn]) -> None:
    for turn in killed:
        if turn.status == Status.RUNNING:
            dispatch.signal_kill(str(turn.pk), turn.worker_id, turn.fencing_token)
    if any(turn.status == Status.KILLED for turn in killed):
        dispatch.wake_workers()


def _printable(text: str) -> str:
    """Return `text` without control characters: a kill must never fail on its reason."""
    return "".join(char if char.isprintable() else " " for char in text)
