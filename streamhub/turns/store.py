"""The record, as the engine uses it. Every write of a running turn is fenced by worker and token."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from streamhub.catalog import key_health
from streamhub.turns.database import DatabaseThreads
from streamhub.turns.engine.ports import Beat, RefusedPlan, TickAnswer, TurnOutcome, TurnPlan
from streamhub.turns.models import Attempt, ThoughtLog, Turn, Worker
from streamhub.turns.prepare import prepare
from streamhub.turns.rows import ProgressRows, SpanRows, compact, progress_fields
from streamhub.turns.state import EndReason, Status, check_move


class TurnStore:
    """Claims, records and finishes turns for one worker."""

    def __init__(
        self,
        *,
        worker_id: str,
        capacity: int,
        lease_seconds: float,
        threads: DatabaseThreads,
        now: Callable[[], datetime] = timezone.now,
    ) -> None:
        self._worker_id = worker_id
        self._capacity = capacity
        self._lease = timedelta(seconds=lease_seconds)
        self._threads = threads
        self._now = now
        self._started_at = now()

    async def claim(self, limit: int) -> Sequence[TurnPlan | RefusedPlan]:
        """Take up to `limit` queued turns, oldest first, one a channel, and return what each needs to run.

        Each is claimed and prepared in a transaction of its own; what was claimed before the database went away is
        returned, so that no turn is left claimed and not run.
        """
        return await self._threads.run(partial(self._claim, limit))

    async def tick(self, beats: Sequence[Beat]) -> TickAnswer:
        """Record chunks and progress and extend leases, in one transaction."""
        return await self._threads.run(partial(self._tick, beats))

    async def finish(self, outcome: TurnOutcome) -> bool:
        """Write how a turn ended; False if it was no longer ours."""
        return await self._threads.run(partial(self._finish, outcome))

    async def greet(self, live: int) -> None:
        """Write the worker's heartbeat."""
        await self._threads.run(partial(self._greet, live))

    async def leave(self) -> None:
        """Take the worker's heartbeat away."""
        await self._threads.run(lambda: Worker.objects.filter(pk=self._worker_id).delete())

    def _claim(self, limit: int) -> list[TurnPlan | RefusedPlan]:
        plans: list[TurnPlan | RefusedPlan] = []
        for turn_id in _candidates(limit):
            try:
                plan = self._claim_one(turn_id)
            except (
                IntegrityError
            ):  # another turn of the channel was first, or something was deleted meanwhile
                continue
            except (OperationalError, InterfaceError):
                if plans:
                    break
                raise
            if plan:
                plans.append(plan)
        return plans

    @transaction.atomic
    def _claim_one(self, turn_id: UUID) -> TurnPlan | RefusedPlan | None:
        """Claim and prepare one queued turn; None if somebody else was first."""
        now = self._now()
        claimed = Turn.objects.filter(pk=turn_id, status=Status.QUEUED, kill_requested_at=None).update(
            status=Status.RUNNING,
            phase="connecting",
            worker_id=self._worker_id,
            fencing_token=F("fencing_token") + 1,
            claimed_at=now,
            lease_expires_at=now + self._lease,
        )
        if not claimed:
            return None
        turns = Turn.objects.select_related("server__capabilities", "channel", "model__endpoint")
        return prepare(turns.get(pk=turn_id))

    def _tick(self, beats: Sequence[Beat]) -> TickAnswer:
        """The rows are encoded before the transaction begins: on SQLite a kill waits for whoever holds the lock."""
        tokens = {beat.turn_id: beat.fencing_token for beat in beats}
        spans, progress = SpanRows(beats, self._now()), ProgressRows(beats)
        with transaction.atomic():
            ours = Turn.objects.filter(pk__in=list(tokens), worker_id=self._worker_id, status=Status.RUNNING)
            # Locked in the same order as a kill of many turns locks them, or the two would wait for each other.
            locked = ours.select_for_update().order_by("pk")
            rows = list(locked.values_list("pk", "fencing_token", "kill_requested_at"))
            ours.update(lease_expires_at=self._now() + self._lease)
            mine = {str(pk): kill for pk, token, kill in rows if tokens[str(pk)] == token}
            spans.write(mine)
            progress.write(mine)
        return TickAnswer(owned=frozenset(mine), kills=frozenset(turn for turn, kill in mine.items() if kill))

    def _finish(self, outcome: TurnOutcome) -> bool:
        spans = SpanRows([outcome], self._now())
        with transaction.atomic():
            won = self._close(outcome)
            if won is None:
                return False
            spans.write({outcome.turn_id})
            _write_attempt(won)
            _write_thoughts(won)
            _note_key(won, self._now())
        compact(UUID(outcome.turn_id))
        return True

    def _close(self, outcome: TurnOutcome) -> TurnOutcome | None:
        """Write the final status and return the outcome that holds, None if the turn is no longer ours.

        Of a kill and a natural end, the one that was in the row first wins.
        """
        check_move(Status.RUNNING, Status(outcome.status))
        ours = Turn.objects.filter(
            pk=outcome.turn_id,
            worker_id=self._worker_id,
            fencing_token=outcome.fencing_token,
            status=Status.RUNNING,
        )
        over = {"ended_at": self._now(), "lease_expires_at": None, "phase": ""}
        if ours.filter(kill_requested_at=None).update(**{**_facts(outcome), **over}):
            return outcome
        killed = _killed(outcome)
        return killed if ours.update(**{**_facts(killed), **over}) else None

    def _greet(self, live: int) -> None:
        Worker.objects.update_or_create(
            pk=self._worker_id,
            defaults={"heartbeat_at": self._now(), "live_turns": live, "capacity": self._capacity},
            create_defaults={
                "started_at": self._started_at,
                "heartbeat_at": self._now(),
                "live_turns": live,
                "capacity": self._capacity,
            },
        )


def _killed(outcome: TurnOutcome) -> TurnOutcome:
    """Return `outcome` as the kill that was registered before it."""
    attempt = dict(outcome.attempt)
    if attempt:
        attempt |= {"outcome": "stopped_by_user", "end_reason": EndReason.USER_KILL}
    return replace(outcome, status=Status.KILLED, end_reason=EndReason.USER_KILL, error=None, attempt=attempt)


def _candidates(limit: int) -> list[UUID]:
    """Return the heads of the queues of free channels, oldest first."""
    busy = Turn.objects.filter(channel=OuterRef("channel"), status=Status.RUNNING)
    ahead = Turn.objects.filter(
        Q(created_at__lt=OuterRef("created_at"))
        | Q(created_at=OuterRef("created_at"), pk__lt=OuterRef("pk")),
        channel=OuterRef("channel"),
        status=Status.QUEUED,
        kill_requested_at=None,
    )
    heads = Turn.objects.filter(~Exists(busy), ~Exists(ahead), status=Status.QUEUED, kill_requested_at=None)
    return list(heads.order_by("created_at", "pk").values_list("pk", flat=True)[:limit])


def _facts(outcome: TurnOutcome) -> dict[str, Any]:
    error = outcome.error
    progress = progress_fields(outcome.progress) if outcome.progress else {}
    return {
        **progress,
        "status": outcome.status,
        "end_reason": outcome.end_reason,
        "error_type": error.type if error else "",
        "error_code": error.code[:80] if error else "",
        "error_message": error.message[:10_000] if error else "",
        "finish_reason": outcome.finish_reason,
        "raw_finish_reason": outcome.raw_finish_reason[:80],
        "stop_string": outcome.stop_string[:200],
        "input_tokens": outcome.usage.get("input_tokens"),
        "output_tokens": outcome.usage.get("output_tokens"),
    }


def _note_key(outcome: TurnOutcome, now: datetime) -> None:
    """Tell the catalog what this turn says about its key."""
    attempt = Attempt.objects.filter(turn_id=outcome.turn_id, number=outcome.fencing_token)
    key_id = attempt.values_list("key_id", flat=True).first()
    if key_id is None:
        return
    if outcome.end_reason is EndReason.NATURAL:
        key_health.note_success(key_id, now)
    elif outcome.error and key_health.is_about_the_key(outcome.error, outcome.attempt.get("http_status")):
        key_health.note_failure(key_id, outcome.error, now)
    else:
        key_health.note_use(key_id, now)


def _write_thoughts(outcome: TurnOutcome) -> None:
    if any(outcome.thoughts.values()) or outcome.firings:
        firings = list(outcome.firings)
        ThoughtLog.objects.create(turn_id=UUID(outcome.turn_id), firings=firings, **dict(outcome.thoughts))


def _write_attempt(outcome: TurnOutcome) -> None:
    """A turn that was refused before it had a plan has no attempt."""
    error = outcome.error
    Attempt.objects.filter(turn_id=outcome.turn_id, number=outcome.fencing_token).update(
        **outcome.attempt,
        error_type=error.type if error else "",
        error_code=error.code[:80] if error else "",
        error_message=error.message[:10_000] if error else "",
        finish_reason=outcome.finish_reason,
        serving_provider=outcome.progress.serving_provider if outcome.progress else "",
        usage=dict(outcome.usage),
    )


def reap(*, now: datetime, everything: bool = False) -> list[tuple[int, UUID]]:
    """Mark running turns whose lease ran out as lost; return (server id, turn id) of each.

    What was recorded stays. With `everything`, leases are not waited for: the caller knows that no worker lives
    (the embedded hub at start-up, which holds the lock on the data directory).
    """
    running = Turn.objects.filter(status=Status.RUNNING)
    due = running if everything else running.filter(lease_expires_at__lt=now)
    reaped = [
        (server_id, turn_id)
        for turn_id, server_id, token in due.values_list("pk", "server_id", "fencing_token")
        if _reap_one(turn_id, token, now=now, everything=everything)
    ]
    for _, turn_id in reaped:
        compact(turn_id)
    return reaped


@transaction.atomic
def _reap_one(turn_id: UUID, token: int, *, now: datetime, everything: bool) -> bool:
    """A kill that was registered holds also when it came while we were looking."""
    turn = Turn.objects.filter(pk=turn_id, status=Status.RUNNING, fencing_token=token)
    due = turn if everything else turn.filter(lease_expires_at__lt=now)
    over = {"ended_at": now, "lease_expires_at": None, "phase": ""}
    if due.filter(kill_requested_at=None).update(**_END_LOST, **over):
        end = _END_LOST
    elif due.update(**_END_KILLED, **over):
        end = _END_KILLED
    else:
        return False
    Attempt.objects.filter(turn_id=turn_id, ended_at=None).update(
        ended_at=now,
        outcome="error",
        end_reason=end["end_reason"],
        error_message=str(end.get("error_message", "")),
    )
    return True


# A turn that somebody killed and whose worker died is killed: nothing runs any more, as was asked.
_END_KILLED: dict[str, Any] = {"status": Status.KILLED, "end_reason": EndReason.USER_KILL}
_END_LOST: dict[str, Any] = {
    "status": Status.LOST,
    "end_reason": EndReason.STALE_LEASE,
    "error_type": "unknown",
    "error_code": "lost",
    "error_message": "The worker that ran this turn stopped answering. What it had recorded is kept.",
}
