"""The composer: starting a turn by hand."""

from django import forms

from streamhub.catalog.models import LanguageModel
from streamhub.console.forms.base import StyledForm
from streamhub.servers.models import Channel
from streamhub.turns.services import MAX_PROMPT


class ComposerForm(StyledForm):
    """A message to the bot of a channel, and which model answers it."""

    text = forms.CharField(
        label="Message",
        max_length=MAX_PROMPT,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "Your message starts a turn, like any other"}),
        error_messages={"required": "Write a message first."},
    )
    model = forms.ModelChoiceField(
        label="Answer with",
        queryset=LanguageModel.objects.none(),
        required=False,
        empty_label="The channel's model",
        error_messages={"invalid_choice": "This model is gone or switched off. Choose another one."},
    )

    def __init__(self, channel: Channel, data: dict[str, str] | None = None) -> None:
        super().__init__(data)
        self.channel = channel
        usable = LanguageModel.objects.filter(is_enabled=True, endpoint__is_enabled=True)
        choice = self.fields["model"]
        if isinstance(choice, forms.ModelChoiceField):
            choice.queryset = usable.select_related("endpoint")
        self.fields["text"].label = f"Ask the bot in {channel}"
