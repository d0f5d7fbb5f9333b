"""What all forms of the console share: their fields look like the design's."""

from typing import Any

from django import forms

CLASSES: tuple[tuple[type[forms.Widget], str], ...] = (
    (forms.CheckboxInput, ""),
    (forms.RadioSelect, ""),
    (forms.CheckboxSelectMultiple, ""),
    (forms.Select, "select"),
    (forms.Textarea, "area"),
    (forms.Widget, "input"),
)


class Styled:
    """Mix-in: gives widgets the class of their kind beside those they have. `tall` is for first-run pages."""

    tall = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: dict[str, forms.Field] = getattr(self, "fields", {})
        for field in fields.values():
            own = field.widget.attrs.get("class", "")
            kind = next(name for widget, name in CLASSES if isinstance(field.widget, widget))
            tall = "input-tall" if self.tall and kind == "input" else ""
            field.widget.attrs["class"] = " ".join(name for name in (kind, tall, own) if name)
            if isinstance(field.widget, forms.Textarea):
                field.widget.attrs.setdefault("spellcheck", "false")

    def full_clean(self) -> None:
        """Check as usual, then put the cursor where the first thing is wrong."""
        super().full_clean()  # type: ignore[misc]
        self._focus_first_error()

    def add_error(self, field: str | None, error: Any) -> None:
        """Note an error that a service found, and put the cursor there."""
        super().add_error(field, error)  # type: ignore[misc]
        self._focus_first_error()

    def _focus_first_error(self) -> None:
        fields: dict[str, forms.Field] = getattr(self, "fields", {})
        errors: dict[str, Any] = getattr(self, "_errors", None) or {}
        wrong = next((name for name in fields if name in errors), None)
        for name, field in fields.items():
            if name == wrong:
                field.widget.attrs["autofocus"] = True
            elif errors:
                field.widget.attrs.pop("autofocus", None)


class StyledForm(Styled, forms.Form):
    """A plain form of the console."""
