"""A community ("server"), its channels, and the switches that decide what its bot may do."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Lower
from django.urls import reverse

CLOCK_RANGE = [MinValueValidator(1), MaxValueValidator(86_400)]


class Server(models.Model):
    """A community with its own channels, capabilities, tools and clocks.

    `tools` is a list in the OpenAI tools shape; a clock of None is inherited.
    """

    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=80, unique=True)
    persona = models.CharField(max_length=80, blank=True)
    instructions = models.TextField(max_length=20_000, blank=True)
    tools = models.JSONField(default=list, blank=True)
    first_token_seconds = models.PositiveIntegerField(null=True, blank=True, validators=CLOCK_RANGE)
    idle_seconds = models.PositiveIntegerField(null=True, blank=True, validators=CLOCK_RANGE)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                Lower("name"),
                name="server_name_unique",
                violation_error_message="A server has this name already.",
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="server_has_name"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("server-settings", args=[self.slug])


class Channel(models.Model):
    """A place in a server where one turn runs at a time."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="channels")
    name = models.CharField(max_length=80)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["server_id", "name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                "server",
                Lower("name"),
                name="channel_name_unique_in_server",
                violation_error_message="This server has a channel of that name already.",
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="channel_has_name"),
        ]

    def __str__(self) -> str:
        return f"#{self.name}"

    def get_absolute_url(self) -> str:
        return reverse("channel", args=[self.pk])


class ThoughtLogLevel(models.TextChoices):
    """How much of a model's reasoning is kept."""

    OFF = "off", "Off"
    SUMMARY = "summary", "Summaries only"
    RAW = "raw", "Everything"


class ServerCapabilities(models.Model):
    """One row per server; each toggle changes what the next turn does. See `servers.capabilities`."""

    server = models.OneToOneField(
        Server, on_delete=models.CASCADE, related_name="capabilities", primary_key=True
    )
    tool_use = models.BooleanField(default=True)
    verbatim_tool_calling = models.BooleanField(default=False)
    think_tag_guard = models.BooleanField(default=True)
    spill_guard = models.BooleanField(default=True)
    speaker_guard = models.BooleanField(default=False)
    overlap_guard = models.BooleanField(default=True)
    thought_log = models.CharField(max_length=8, choices=ThoughtLogLevel, default=ThoughtLogLevel.RAW)
    raw_recording = models.BooleanField(default=False)
    fallback = models.BooleanField(default=True)
    key_rotation = models.BooleanField(default=True)
    model_randomizer = models.BooleanField(default=False)
    user_error_notices = models.BooleanField(default=True)
    emoji_usage = models.BooleanField(default=True)
    time_awareness = models.BooleanField(default=True)
    web_search = models.BooleanField(default=True)
    image_generation = models.BooleanField(default=True)
    video_generation = models.BooleanField(default=False)
    voice_message = models.BooleanField(default=True)
    sticker = models.BooleanField(default=True)
    message_management = models.BooleanField(default=True)
    thread_creation = models.BooleanField(default=True)
    user_blocking = models.BooleanField(default=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(thought_log__in=ThoughtLogLevel.values),
                name="capabilities_thought_log_known",
            )
        ]

    def __str__(self) -> str:
        return f"capabilities of {self.server}"
