"""What the guards of one stream may do, decided by capabilities and model rules and handed in as a value."""

from dataclasses import dataclass

from providers.request import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardPolicy:
    """Switches and names for the guards; everything a guard knows beside the text itself."""

    think_tags: bool = True
    reasoning_tags: tuple[str, ...] = ("think", "thinking", "thought", "reasoning", "reason")
    starts_in_reasoning: bool = False
    verbatim_tool_calls: bool = False
    tools: tuple[Tool, ...] = ()
    persona: str = ""
    local_stop_strings: tuple[str, ...] = ()
