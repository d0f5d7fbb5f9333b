"""Forms of a server's settings. Each knows what it shows, how it saves and where on the page it stands."""

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator

from streamhub.accounts.models import User
from streamhub.catalog.models import LanguageModel
from streamhub.catalog.services import set_server_model
from streamhub.console.forms.base import StyledForm
from streamhub.servers import services
from streamhub.servers.models import Server
from streamhub.servers.tools import ToolsInvalid, format_tools, parse_tools

MONO = {"class": "input-mono", "autocapitalize": "off", "autocomplete": "off"}


class NewServerForm(StyledForm):
    """The name of a server to be made."""

    name = forms.CharField(
        max_length=80,
        help_text="One community with its channels. Its address is made from this name.",
        error_messages={"required": "Give the server a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class ChannelForm(StyledForm):
    """The name of a channel. A # in front is understood."""

    name = forms.CharField(
        label="Channel name",
        max_length=80,
        error_messages={"required": "Give the channel a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "#general"}),
    )


class SectionForm(StyledForm):
    """One part of a server's settings page. `key` is its anchor and prefixes its ids; a save says `said`."""

    key: ClassVar[str]
    said: ClassVar[str]

    def __init__(self, server: Server, data: Any = None) -> None:
        self.server = server
        super().__init__(data, initial=self.stored(server), auto_id=f"{self.key}-%s")

    def stored(self, server: Server) -> dict[str, Any]:
        """Return what the fields show of the stored server."""
        return {name: getattr(server, name) for name in self.base_fields}

    def write(self, actor: User) -> None:
        """Hand the values to the service that owns them."""
        services.update_server(
            self.server, actor=actor, action=f"changed the {self.key} of", **self.cleaned_data
        )

    def save(self, actor: User) -> bool:
        """Save, and tell whether the rules allowed it; if not, the errors stand beside their fields."""
        if not self.is_valid():
            return False
        try:
            self.write(actor)
        except ValidationError as error:
            self.add_error(None, error)
        return not self.errors


class NameForm(SectionForm):
    """The name of the server."""

    key, said = "name", "The server is renamed."
    name = forms.CharField(max_length=80, error_messages={"required": "A server needs a name."})

    def write(self, actor: User) -> None:
        services.rename_server(self.server, name=self.cleaned_data["name"], actor=actor)


class PersonaForm(SectionForm):
    """Who the bot is and what it is told before every conversation."""

    key, said = "persona", "Persona saved. It holds from the next turn on."
    persona = forms.CharField(
        label="Persona",
        max_length=80,
        required=False,
        help_text="The name the bot answers under.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    instructions = forms.CharField(
        max_length=20_000,
        required=False,
        strip=False,
        help_text="Sent as the system message of every turn. At most 20,000 characters.",
        widget=forms.Textarea(attrs={"rows": 6}),
    )


class ToolsForm(SectionForm):
    """The tools of the server as JSON. What was typed stays, right or wrong."""

    key, said = "tools", "Tools saved. The next turn may call them."
    tools = forms.CharField(
        label="Tools, as JSON",
        required=False,
        strip=False,
        help_text="A list in the OpenAI tools shape; empty for none. The switches decide which a turn sees.",
        widget=forms.Textarea(attrs={"rows": 12, **MONO}),
    )

    def stored(self, server: Server) -> dict[str, Any]:
        return {"tools": format_tools(server.tools)}

    def clean_tools(self) -> list[dict[str, Any]]:
        """Read the list; errors say line and column, or which tool and which field."""
        try:
            return parse_tools(self.cleaned_data["tools"])
        except ToolsInvalid as error:
            raise ValidationError(str(error)) from None


class SecondsField(forms.IntegerField):
    """A clock's limit in whole seconds; empty means inherited."""

    def __init__(self, *, label: str) -> None:
        words = "Write whole seconds from 1 to 86400, or nothing to inherit."
        checks = [MinValueValidator(1, words), MaxValueValidator(86_400, words)]
        widget = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
        messages = {"invalid": words}
        super().__init__(
            label=label, required=False, widget=widget, validators=checks, error_messages=messages
        )


class ClocksForm(SectionForm):
    """The server's own limits."""

    key, said = "clocks", "Clocks saved. Turns that run keep theirs."
    first_token_seconds = SecondsField(label="First token")
    idle_seconds = SecondsField(label="Idle")


class ModelField(forms.ModelChoiceField):  # type: ignore[type-arg]  # generic in the stubs only
    """The models that may answer, each with its endpoint."""

    def label_from_instance(self, model: LanguageModel) -> str:
        off = "" if model.is_enabled and model.endpoint.is_enabled else " (disabled)"
        return f"{model}, at {model.endpoint}{off}"


class RouteForm(SectionForm):
    """Which model answers."""

    key, said = "model", "Model saved. It answers from the next turn on."
    model = ModelField(
        queryset=LanguageModel.objects.select_related("endpoint").order_by("endpoint__name", "model_id"),
        required=False,
        empty_label="No model: turns fail at once and say so",
        error_messages={"invalid_choice": "That model is gone. Choose another."},
    )

    def stored(self, server: Server) -> dict[str, Any]:
        route = server.routes.filter(channel=None, position=0).first()
        return {"model": route.model_id if route else None}

    def write(self, actor: User) -> None:
        set_server_model(self.server, self.cleaned_data["model"], actor=actor)


class ChannelRouteForm(StyledForm):
    """Which model answers in one channel; none leaves it to the server's."""

    model = forms.ModelChoiceField(
        LanguageModel.objects.all(),
        required=False,
        error_messages={"invalid_choice": "That model is gone. Choose another."},
    )


SECTIONS: dict[str, type[SectionForm]] = {
    form.key: form for form in (NameForm, PersonaForm, ToolsForm, ClocksForm, RouteForm)
}
