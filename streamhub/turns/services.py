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
from streamhub.turns.state import EndReason, Status

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
    now = timezone.now()
    asked = {
        "kill_requested_at": now,
        "kill_requested_by": actor,
        "kill_requested_label": actor.short_name if actor else SYSTEM,
        "kill_reason": reason[:200],
    }
    ended = {"status": Status.KILLED, "end_reason": EndReason.USER_KILL, "ended_at": now}
    unasked = Turn.objects.filter(pk=turn_id, kill_requested_at=None)
    if unasked.filter(status__in=[Status.QUEUED, Status.TOOL_CALLS]).update(**asked, **ended):
        return _killed(turn_id, actor)
    if unasked.filter(status=Status.RUNNING).update(**asked):
        outcome = _killed(turn_id, actor)
        turn = outcome.turn
        dispatch.signal_kill(str(turn.pk), turn.worker_id, turn.fencing_token)
        return outcome
    turn = Turn.objects.get(pk=turn_id)
    return KillOutcome(turn, accepted=turn.kill_requested_at is not None)


def kill_server(server: Server, *, actor: User | None, reason: str = "") -> int:
    """Kill every queued and running turn of a server, queued ones first; return how many were still unasked."""
    return _kill_each(Turn.objects.filter(server=server), actor, reason)


def kill_channel(channel: Channel, *, actor: User | None, reason: str = "") -> int:
    """Kill the running turn of a channel and clear its queue; return how many turns that was."""
    return _kill_each(Turn.objects.filter(channel=channel), actor, reason)


@transaction.atomic
def _kill_each(turns: QuerySet[Turn], actor: User | None, reason: str) -> int:
    """Queued turns go first, so that none of them starts when the running one makes room.

    In one transaction: all signals leave together, and on SQLite the write lock is waited for once.
    """
    killed = 0
    for status in (Status.QUEUED, Status.RUNNING):
        for turn_id in turns.filter(status=status, kill_requested_at=None).values_list("pk", flat=True):
            killed += request_kill(turn_id, actor=actor, reason=reason).accepted
    return killed


def _killed(turn_id: UUID, actor: User | None) -> KillOutcome:
    turn = Turn.objects.select_related("channel").get(pk=turn_id)
    record(
        actor,
        "killed",
        turn,
        server_id=turn.server_id,
        after={"channel": turn.channel.name, "reason": turn.kill_reason},
    )
    publish.turn_changed(turn.server_id, turn.pk)
    if turn.status == Status.KILLED:
        dispatch.wake_workers()
    return KillOutcome(turn, accepted=True)
