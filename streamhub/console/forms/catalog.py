"""Forms for endpoints, keys, models and rules. What is right is the catalog's to say."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from streamhub.catalog import validators
from streamhub.catalog.addresses import clean_base_url
from streamhub.catalog.kinds import WELL_KNOWN_ADDRESSES, kind_choices
from streamhub.catalog.models import Endpoint, LanguageModel, ModelRule
from streamhub.console.forms.base import StyledForm
from streamhub.core.crypto import SecretStr
from streamhub.servers.models import Server

MONO = {"class": "input-mono", "autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
_ADDRESSES = "well-known-addresses"


class CheckedField(forms.CharField):
    """A text that a validator of the catalog turns into a value; `show` turns a stored value back."""

    def __init__(
        self,
        check: Callable[[str], Any],
        *,
        show: Callable[[Any], str] = str,
        optional: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(required=False, **kwargs)
        self.check, self.show, self.optional = check, show, optional

    def clean(self, value: Any) -> Any:
        """Return the checked value; None for an optional field that was left empty."""
        text = super().clean(value)
        return None if self.optional and not text else self.check(text)

    def prepare_value(self, value: Any) -> Any:
        """Return what the input shows."""
        return value if value is None or isinstance(value, str) else self.show(value)


def _words(items: Iterable[str] | None) -> str:
    return ", ".join(items or ())


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) if value else ""


def _name_field(what: str, size: int, **kwargs: Any) -> forms.CharField:
    messages = {"required": f"Give the {what} a name."}
    return forms.CharField(max_length=size, error_messages=messages, **kwargs)


def _seconds(label: str) -> forms.IntegerField:
    widget = forms.NumberInput(attrs={"inputmode": "numeric", "placeholder": "as set for the installation"})
    return forms.IntegerField(label=label, min_value=1, max_value=86_400, required=False, widget=widget)


class _SecretBound(forms.BoundField):
    """hx-preserve leaves what was typed in place while a script redraws the form; a wrong key is pasted anew."""

    def build_widget_attrs(self, attrs: dict[str, Any], widget: forms.Widget | None = None) -> dict[str, Any]:
        """Return the attributes of the input."""
        built: dict[str, Any] = super().build_widget_attrs(attrs, widget)
        return built | {"hx-preserve": False if self.errors else "true"}


class SecretField(CheckedField):
    """A key: typed, never shown, so a page that comes back leaves it empty."""

    def __init__(self, *, optional: bool = False, **kwargs: Any) -> None:
        kwargs.setdefault("label", "Key")
        widget = forms.PasswordInput(attrs={**MONO, "autocomplete": "new-password"})
        super().__init__(validators.clean_secret, optional=optional, widget=widget, **kwargs)

    def prepare_value(self, _value: Any) -> str:
        """A secret is never put into a page."""
        return ""

    def get_bound_field(self, form: forms.BaseForm, field_name: str) -> forms.BoundField:
        """Return the field as the page draws it."""
        return _SecretBound(form, self, field_name)


class ConnectionFields(StyledForm):
    """Where a provider answers and which dialect it speaks."""

    kind = forms.ChoiceField(label="Dialect", choices=kind_choices)
    base_url = CheckedField(
        clean_base_url,
        label="Base address",
        widget=forms.TextInput(attrs={**MONO, "list": _ADDRESSES, "inputmode": "url"}),
        help_text="Up to and including /v1, as the provider names it; without /chat/completions.",
    )
    addresses = WELL_KNOWN_ADDRESSES


class TestForm(ConnectionFields):
    """The values of a connection that is tried before it is saved."""

    key = SecretField(optional=True)
    model_id = CheckedField(validators.clean_model_id, label="Model", optional=True)


def _first_model_id(text: str) -> str:
    """An endpoint without a model answers nothing, so the first one is part of connecting it."""
    if not text.strip():
        raise ValidationError("Name one model, as the provider calls it.")
    return validators.clean_model_id(text)


class ConnectForm(ConnectionFields):
    """A new endpoint with its first key and model on one page."""

    name = _name_field("provider", 80, help_text="What people here call it.")
    key = SecretField(
        optional=True,
        help_text="Encrypted at rest, never shown again. Leave it empty if the provider asks for none.",
    )
    model_id = CheckedField(
        _first_model_id,
        label="First model (required)",
        widget=forms.TextInput(attrs={**MONO, "aria-required": "true"}),
        help_text="Its id as the provider writes it, such as gpt-5-mini. More can be added later.",
    )
    field_order = ("name", "kind", "base_url", "key", "model_id")


class EndpointForm(ConnectionFields):
    """A saved endpoint. Its keys and models have pages of their own."""

    name = _name_field("endpoint", 80)
    is_enabled = forms.BooleanField(label="Turns may use this endpoint", required=False)
    first_token_seconds = _seconds("First-token clock, seconds")
    idle_seconds = _seconds("Idle clock, seconds")
    keeps_keys = forms.BooleanField(label="The stored keys belong to a new address as well", required=False)
    field_order = ("name", "kind", "base_url", "keeps_keys")

    @classmethod
    def initial_of(cls, endpoint: Endpoint) -> dict[str, Any]:
        """Return the saved values."""
        return {name: getattr(endpoint, name) for name in cls.base_fields if name != "keeps_keys"}


class KeyForm(StyledForm):
    """A new key."""

    label = _name_field("key", 60, help_text="Turns and the audit name the key by it.")
    secret = SecretField(help_text="Encrypted at rest, never shown again.")


class ReplaceKeyForm(StyledForm):
    """A key entered anew."""

    secret = SecretField(label="New key", help_text="Takes the place of the stored one, which is forgotten.")


class LanguageModelForm(StyledForm):
    """A model of an endpoint."""

    model_id = CheckedField(
        validators.clean_model_id,
        label="Model id",
        widget=forms.TextInput(attrs=MONO),
        help_text="As the provider writes it, such as gpt-5-mini or deepseek/deepseek-v3.",
    )
    label = forms.CharField(max_length=120, required=False, help_text="Shown instead of the id, if you like.")
    max_output_tokens = forms.IntegerField(
        label="Most tokens in an answer", min_value=1, max_value=2_000_000_000, required=False
    )
    has_tools = forms.BooleanField(label="It can call tools", required=False)
    is_enabled = forms.BooleanField(label="Turns may use this model", required=False)

    @classmethod
    def initial_of(cls, model: LanguageModel) -> dict[str, Any]:
        """Return the saved values."""
        return {name: getattr(model, name) for name in cls.base_fields}


def _starts(value: str) -> bool | None:
    return {"yes": True, "no": False}.get(value)


class RuleForm(StyledForm):
    """A model rule, beside its stop strings (see `StopRows`)."""

    name = _name_field("rule", 120)
    kind_pattern = CheckedField(
        validators.clean_pattern,
        label="Dialect fits",
        max_length=60,
        widget=forms.TextInput(attrs={**MONO, "list": "kinds"}),
        help_text="* stands for anything, ? for one character.",
    )
    model_pattern = CheckedField(
        validators.clean_pattern,
        label="Model id fits",
        max_length=300,
        widget=forms.TextInput(attrs=MONO),
        help_text="Case does not matter: glm-4* fits GLM-4.6.",
    )
    priority = forms.IntegerField(
        min_value=-10_000,
        max_value=10_000,
        help_text="Lower ones apply first; where two set the same thing, the later one wins.",
    )
    is_enabled = forms.BooleanField(label="This rule applies", required=False)
    reasoning_tags = CheckedField(
        validators.parse_reasoning_tags,
        show=_words,
        widget=forms.TextInput(attrs=MONO),
        help_text="Names only, such as think, seed:think. They take the place of the usual ones.",
    )
    starts_in_reasoning = forms.TypedChoiceField(
        label="Answer starts inside reasoning",
        choices=[("", "Not known"), ("yes", "Yes, hold text until the closing tag"), ("no", "No")],
        coerce=_starts,
        empty_value=None,
        required=False,
        help_text="Yes for models whose template opens the tag itself, so that only the closing tag arrives.",
    )
    extra_parameters = CheckedField(
        validators.parse_parameters,
        show=_json,
        label="Set parameters",
        widget=forms.Textarea(attrs={**MONO, "rows": 4}),
        help_text='A JSON object that is merged into the request, such as {"temperature": 0.6}.',
    )
    dropped_parameters = CheckedField(
        validators.parse_parameter_names,
        show=_words,
        label="Leave out parameters",
        widget=forms.TextInput(attrs=MONO),
        help_text="Names with commas between, such as temperature, top_p.",
    )
    first_token_seconds = _seconds("First-token clock, seconds")
    idle_seconds = _seconds("Idle clock, seconds")

    @classmethod
    def initial_of(cls, rule: ModelRule) -> dict[str, Any]:
        """Return the saved values."""
        values = {name: getattr(rule, name) for name in cls.base_fields}
        starts = {True: "yes", False: "no", None: ""}[rule.starts_in_reasoning]
        return {**values, "starts_in_reasoning": starts}


class _ModelField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not generic at run time
    """Two endpoints may serve a model of one name, so each is named with its endpoint."""

    def label_from_instance(self, obj: LanguageModel) -> str:
        """Return the words of one option."""
        return f"{obj.endpoint}: {obj}"


class PreviewForm(StyledForm):
    """Which model, and in which server, the preview is about."""

    model = _ModelField(
        LanguageModel.objects.select_related("endpoint"), required=False, empty_label="Choose a model"
    )
    server = forms.ModelChoiceField(
        Server.objects.all(), required=False, empty_label="No server: rules alone"
    )


def secret_of(form: forms.Form, name: str) -> SecretStr | None:
    """Return the key typed into a valid form, None if none was."""
    value = form.cleaned_data.get(name)
    return value if isinstance(value, SecretStr) else None
