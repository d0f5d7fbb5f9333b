"""Turns and what became of them. The database is the record of truth; messages and frames are only wake-ups.

`Turn.status` is written by `turns.services` and `turns.store` alone, by filtered UPDATEs (see `turns.state`).
"""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from streamhub.catalog.models import ApiKey, LanguageModel
from streamhub.servers.models import Channel, Server
from streamhub.turns.state import KILLABLE, TERMINAL, EndReason, Phase, Status


class Worker(models.Model):
    """A process that runs turns. Its heartbeat is what readiness and the status line look at."""

    id = models.CharField(max_length=60, primary_key=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(db_index=True)
    capacity = models.PositiveIntegerField()
    live_turns = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.id


class Source(models.TextChoices):
    """Where a turn came from. Only an API client can run tools and send their results back."""

    CONSOLE = "console", "Console"
    API = "api", "API"
    DEMO = "demo", "Demo"


class Turn(models.Model):
    """One answer of a bot: a request, a lease while it runs, and how it ended.

    `fencing_token` grows with each claim; every write of a running turn carries it, so a worker that lost its lease
    can write nothing. `last_seq` is the highest recorded chunk.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="turns")
    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="turns")
    status = models.CharField(max_length=12, choices=[(s, s) for s in Status], default=Status.QUEUED)
    phase = models.CharField(max_length=12, blank=True)
    source = models.CharField(max_length=12, choices=Source, default=Source.CONSOLE)
    author = models.CharField(max_length=80, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    model = models.ForeignKey(
        LanguageModel, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    request = models.JSONField()
    prompt = models.CharField(max_length=300, blank=True)

    created_at = models.DateTimeField(db_index=True)
    claimed_at = models.DateTimeField(null=True, blank=True)
    first_token_at = models.DateTimeField(null=True, blank=True)
    progress_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    worker_id = models.CharField(max_length=60, blank=True)
    fencing_token = models.PositiveBigIntegerField(default=0)
    lease_expires_at = models.DateTimeField(null=True, blank=True)

    kill_requested_at = models.DateTimeField(null=True, blank=True)
    kill_requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    kill_requested_label = models.CharField(max_length=120, blank=True)
    kill_reason = models.CharField(max_length=200, blank=True)

    end_reason = models.CharField(max_length=20, blank=True)
    error_type = models.CharField(max_length=30, blank=True)
    error_code = models.CharField(max_length=80, blank=True)
    error_message = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=20, blank=True)
    raw_finish_reason = models.CharField(max_length=80, blank=True)
    stop_string = models.CharField(max_length=200, blank=True)

    model_label = models.CharField(max_length=300, blank=True)
    key_label = models.CharField(max_length=60, blank=True)
    serving_provider = models.CharField(max_length=120, blank=True)
    last_seq = models.PositiveBigIntegerField(default=0)
    text_chars = models.PositiveBigIntegerField(default=0)
    thought_chars = models.PositiveBigIntegerField(default=0)
    tail = models.CharField(max_length=600, blank=True)
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    clocks = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-created_at"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["status", "created_at"], name="turn_by_status"),
            models.Index(fields=["channel", "-created_at"], name="turn_by_channel"),
            models.Index(fields=["server", "-created_at"], name="turn_by_server"),
            models.Index(fields=["server", "-ended_at"], name="turn_by_server_end"),
            models.Index(fields=["-ended_at"], name="turn_by_end"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(condition=Q(status__in=[*Status]), name="turn_status_known"),
            models.CheckConstraint(condition=Q(source__in=Source.values), name="turn_source_known"),
            models.CheckConstraint(condition=Q(phase="") | Q(phase__in=[*Phase]), name="turn_phase_known"),
            models.CheckConstraint(
                condition=Q(end_reason="") | Q(end_reason__in=[*EndReason]), name="turn_end_reason_known"
            ),
            models.UniqueConstraint(
                fields=["channel"], condition=Q(status=Status.RUNNING), name="turn_one_running_in_channel"
            ),
            models.CheckConstraint(
                condition=Q(status=Status.RUNNING, lease_expires_at__isnull=False, claimed_at__isnull=False)
                & ~Q(worker_id="")
                & Q(fencing_token__gt=0)
                | ~Q(status=Status.RUNNING) & Q(lease_expires_at=None),
                name="turn_lease_exactly_while_running",
            ),
            models.CheckConstraint(
                condition=Q(status__in=sorted(TERMINAL), ended_at__isnull=False) & ~Q(end_reason="")
                | ~Q(status__in=sorted(TERMINAL)) & Q(ended_at=None, end_reason=""),
                name="turn_end_exactly_when_terminal",
            ),
            models.CheckConstraint(
                condition=~Q(status=Status.KILLED, end_reason=EndReason.USER_KILL)
                | Q(kill_requested_at__isnull=False),
                name="turn_killed_only_on_request",
            ),
            models.CheckConstraint(
                condition=~Q(status__in=[Status.COMPLETED, Status.TOOL_CALLS]) | Q(kill_requested_at=None),
                name="turn_completed_only_without_kill",
            ),
        ]

    def __str__(self) -> str:
        return f"turn {self.short_id}"

    def get_absolute_url(self) -> str:
        return reverse("turn", args=[self.pk])

    @property
    def short_id(self) -> str:
        """The first eight digits, for people."""
        return self.id.hex[:8]

    @property
    def is_terminal(self) -> bool:
        """Whether the turn has ended for good."""
        return self.status in TERMINAL

    @property
    def is_killable(self) -> bool:
        """Whether a kill would still do something."""
        return self.status in KILLABLE and self.kill_requested_at is None

    @property
    def is_stopping(self) -> bool:
        """Whether a kill was requested and the upstream is not yet known to be closed."""
        return self.status in KILLABLE and self.kill_requested_at is not None


class Attempt(models.Model):
    """One provider call of a turn: on which model and key, how long each stretch took, how it ended."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    model = models.ForeignKey(
        LanguageModel, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    model_label = models.CharField(max_length=300)
    endpoint_label = models.CharField(max_length=80)
    key = models.ForeignKey(ApiKey, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    key_label = models.CharField(max_length=60, blank=True)
    started_at = models.DateTimeField()
    headers_at = models.DateTimeField(null=True, blank=True)
    first_token_at = models.DateTimeField(null=True, blank=True)
    first_text_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=24, blank=True)
    end_reason = models.CharField(max_length=20, blank=True)
    http_status = models.PositiveIntegerField(null=True, blank=True)
    error_type = models.CharField(max_length=30, blank=True)
    error_code = models.CharField(max_length=80, blank=True)
    error_message = models.TextField(blank=True)
    finish_reason = models.CharField(max_length=20, blank=True)
    serving_provider = models.CharField(max_length=120, blank=True)
    usage = models.JSONField(default=dict, blank=True)
    guard_counts = models.JSONField(default=dict, blank=True)
    dropped_parameters = models.JSONField(default=list, blank=True)
    upstream_closed_ms = models.FloatField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["turn_id", "number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["turn", "number"], name="attempt_number_unique_in_turn"),
            models.CheckConstraint(
                condition=Q(ended_at=None, outcome="") | Q(ended_at__isnull=False) & ~Q(outcome=""),
                name="attempt_outcome_exactly_when_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.turn}"


class TurnChunk(models.Model):
    """A span of normalized chunks: seq `first_seq` to `last_seq`, as the list `providers.serialization` writes."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="spans")
    first_seq = models.PositiveBigIntegerField()
    last_seq = models.PositiveBigIntegerField()
    chunks = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["turn_id", "first_seq"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["turn", "first_seq"], name="span_unique_in_turn"),
            models.CheckConstraint(
                condition=Q(first_seq__gte=1) & Q(last_seq__gte=F("first_seq")), name="span_range_forward"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.turn} {self.first_seq}-{self.last_seq}"


class ThoughtLog(models.Model):
    """The reasoning of a turn and everything a guard took out of its text, so that nothing disappears silently."""

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="thought_log", primary_key=True)
    summary = models.TextField(blank=True)
    raw = models.TextField(blank=True)
    firings = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"thoughts of {self.turn}"
