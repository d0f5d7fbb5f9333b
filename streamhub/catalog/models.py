"""Where answers come from: endpoints, their keys and models, rules for models, and routes to them."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.urls import reverse

from streamhub.core.crypto import SecretStr, decrypt, encrypt
from streamhub.servers.models import CLOCK_RANGE, Channel, Server


class Endpoint(models.Model):
    """A configured connection to a provider. `kind` names the adapter that speaks its dialect."""

    name = models.CharField(max_length=80)
    kind = models.CharField(max_length=40, default="openai_compatible")
    base_url = models.CharField(max_length=500)
    is_enabled = models.BooleanField(default=True)
    first_token_seconds = models.PositiveIntegerField(null=True, blank=True, validators=CLOCK_RANGE)
    idle_seconds = models.PositiveIntegerField(null=True, blank=True, validators=CLOCK_RANGE)
    is_demo = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                Lower("name"),
                name="endpoint_name_unique",
                violation_error_message="An endpoint has this name already.",
            ),
            models.CheckConstraint(
                condition=Q(base_url__startswith="https://") | Q(base_url__startswith="http://"),
                name="endpoint_url_is_http",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("endpoint", args=[self.pk])


class ApiKey(models.Model):
    """A provider's key: encrypted at rest, write-only, shown never beyond its last four characters."""

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="keys")
    label = models.CharField(max_length=60)
    position = models.PositiveIntegerField(default=0)
    is_enabled = models.BooleanField(default=True)
    ring_id = models.CharField(max_length=8, editable=False)
    ciphertext = models.BinaryField(editable=False)
    last_four = models.CharField(max_length=4, blank=True, editable=False)
    cooling_until = models.DateTimeField(null=True, blank=True)
    usage_count = models.PositiveBigIntegerField(default=0)
    error_count = models.PositiveIntegerField(default=0)
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_error_at = models.DateTimeField(null=True, blank=True)
    last_error_type = models.CharField(max_length=30, blank=True)
    last_error_message = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["endpoint_id", "position", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                "endpoint",
                Lower("label"),
                name="key_label_unique_in_endpoint",
                violation_error_message="This endpoint has a key with that label already.",
            ),
            models.CheckConstraint(condition=~Q(ring_id=""), name="key_is_encrypted"),
        ]

    def __str__(self) -> str:
        return f"{self.label} of {self.endpoint}"

    def set_secret(self, secret: SecretStr) -> None:
        """Encrypt `secret` into this row; save() is the caller's."""
        self.ring_id, self.ciphertext = encrypt(secret)
        clear = secret.reveal()
        self.last_four = clear[-4:] if len(clear) >= 12 else ""

    def secret(self) -> SecretStr:
        """Return the key for building a request. Raises SecretUnreadable."""
        return decrypt(self.ring_id, bytes(self.ciphertext))


class LanguageModel(models.Model):
    """A model an endpoint serves. `model_id` is the provider's own name for it."""

    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="models")
    model_id = models.CharField(max_length=300)
    label = models.CharField(max_length=120, blank=True)
    is_enabled = models.BooleanField(default=True)
    has_tools = models.BooleanField(default=True)
    max_output_tokens = models.PositiveIntegerField(null=True, blank=True, validators=[MinValueValidator(1)])
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["endpoint_id", "model_id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["endpoint", "model_id"],
                name="model_unique_in_endpoint",
                violation_error_message="This endpoint has that model already.",
            ),
            models.CheckConstraint(condition=~Q(model_id=""), name="model_has_id"),
        ]

    def __str__(self) -> str:
        return self.label or self.model_id


class ModelRule(models.Model):
    """What to do differently for some models: patterns over endpoint kind and model id, with `*` and `?`.

    Rules apply in order of priority, lowest first; a later one wins where two set the same thing.
    """

    name = models.CharField(max_length=120)
    kind_pattern = models.CharField(max_length=60, default="*")
    model_pattern = models.CharField(max_length=300, default="*")
    priority = models.IntegerField(
        default=100, validators=[MinValueValidator(-10_000), MaxValueValidator(10_000)]
    )
    is_enabled = models.BooleanField(default=True)
    reasoning_tags = models.JSONField(default=list, blank=True)
    starts_in_reasoning = models.BooleanField(null=True, blank=True)
    extra_parameters = models.JSONField(default=dict, blank=True)
    dropped_parameters = models.JSONField(default=list, blank=True)
    first_token_seconds = models.PositiveIntegerField(null=True, blank=True, validators=CLOCK_RANGE)
    idle_seconds = models.PositiveIntegerField(null=True, blank=True, validators=CLOCK_RANGE)

    class Meta:
        ordering: ClassVar[list[str]] = ["priority", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                Lower("name"),
                name="rule_name_unique",
                violation_error_message="A rule has this name already.",
            ),
            models.CheckConstraint(
                condition=~Q(kind_pattern="") & ~Q(model_pattern=""), name="rule_has_patterns"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("rule", args=[self.pk])


class StopMode(models.TextChoices):
    """What is done with a stop string."""

    SEND = "send", "Send to the provider"
    LOCAL = "local", "Enforce here"
    DROP = "drop", "Never use"


class StopString(models.Model):
    """A text at which the visible reply ends. It belongs to one rule or to one server, never to both."""

    rule = models.ForeignKey(
        ModelRule, null=True, blank=True, on_delete=models.CASCADE, related_name="stop_strings"
    )
    server = models.ForeignKey(
        Server, null=True, blank=True, on_delete=models.CASCADE, related_name="stop_strings"
    )
    text = models.CharField(max_length=200)
    mode = models.CharField(max_length=8, choices=StopMode, default=StopMode.SEND)
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["position", "id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(rule=None, server__isnull=False) | Q(rule__isnull=False, server=None),
                name="stop_string_has_one_owner",
            ),
            models.UniqueConstraint(
                fields=["rule", "text"], condition=Q(server=None), name="stop_unique_in_rule"
            ),
            models.UniqueConstraint(
                fields=["server", "text"], condition=Q(rule=None), name="stop_unique_in_server"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="stop_string_has_text"),
            models.CheckConstraint(condition=Q(mode__in=StopMode.values), name="stop_mode_known"),
        ]

    def __str__(self) -> str:
        return self.text


class ModelRoute(models.Model):
    """Which model answers: the server's, or a channel's own, in order; position 0 is the first choice."""

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="routes")
    channel = models.ForeignKey(
        Channel, null=True, blank=True, on_delete=models.CASCADE, related_name="routes"
    )
    model = models.ForeignKey(LanguageModel, on_delete=models.CASCADE, related_name="routes")
    position = models.PositiveIntegerField(default=0)

    class Meta:
        ordering: ClassVar[list[str]] = ["server_id", "position"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["server", "position"],
                condition=Q(channel=None),
                name="route_position_unique_in_server",
            ),
            models.UniqueConstraint(
                fields=["channel", "position"],
                condition=Q(channel__isnull=False),
                name="route_position_unique",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.server} {self.position}: {self.model}"
