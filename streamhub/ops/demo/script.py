"""What the demo plays: six channels, the simulator script behind each, what people say. Only data."""

from dataclasses import dataclass
from typing import Any

SERVER_NAME = "Demo: Lantern Guild"
SERVER_SLUG = "demo-lantern-guild"
ENDPOINT_NAME = "Demo simulator"
ENDPOINT_KIND = "custom"
PERSONA = "Lantern"
INSTRUCTIONS = (
    "You are Lantern, who keeps the book of a small adventurers' guild. Be warm, be brief, invent freely."
)
# Long enough to look at the two stuck channels in peace; short enough to see a clock fire.
CLOCK_SECONDS = 600

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "look_up_lore",
            "description": "Look a topic up in the guild's records.",
            "parameters": {
                "type": "object",
                "properties": {"topic": {"type": "string", "description": "What to look up."}},
                "required": ["topic"],
            },
        },
    }
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One channel. `pause` is how many seconds after a turn's end the next one starts."""

    channel: str
    model_id: str
    model_label: str
    author: str
    lines: tuple[str, ...]
    pause: int = 5


SCENES: tuple[Scene, ...] = (
    Scene(
        channel="tavern",
        model_id="talk:pace=18",
        model_label="Storyteller (plain talk)",
        author="Wren",
        lines=(
            "What is on the notice board today?",
            "Who is free for the bridge job?",
            "Is the road safe?",
        ),
    ),
    Scene(
        channel="war-room",
        model_id="think:pace=24",
        model_label="Strategist (long reasoning)",
        author="Osk",
        lines=(
            "How do we get the mules across before dark?",
            "Plan a watch for five people.",
        ),
    ),
    Scene(
        channel="lore-archive",
        model_id="verbatim:pace=10,args=%7B%22topic%22%3A%20%22the%20north%20bridge%22%7D",
        model_label="Archivist (tool call written as text)",
        author="Juno",
        lines=("What do our records say about the north bridge?", "Look the bridge up once more, please."),
    ),
    Scene(
        channel="scriptorium",
        model_id="leaked:pace=16",
        model_label="Scribe (leaks think tags)",
        author="Quill",
        lines=("Write the notice for the candle escort.", "Word the apology to the miller."),
    ),
    Scene(
        channel="gatehouse",
        model_id="silent",
        model_label="Sleeper (never says a first word)",
        author="Tam",
        lines=("Is anybody at the gate?",),
        pause=60,
    ),
    Scene(
        channel="old-well",
        model_id="stall:after=180,pace=14",
        model_label="Wanderer (stalls for ever)",
        author="Ysolde",
        lines=("What is humming down there?",),
        pause=60,
    ),
)
