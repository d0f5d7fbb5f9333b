"""Scripts that talk: plain, after reasoning, with leaked reasoning, cut off, hostile, echoing."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice

from providers.simulator.dialect import ChatRequest
from providers.simulator.options import Options
from providers.simulator.prose import (
    ANSWER,
    HOSTILE,
    REASONING,
    TAVERN,
    TOPICS,
    counted,
    fitted,
    paragraphs,
    slices,
    tokens,
)
from providers.simulator.steps import (
    EndMarker,
    Finish,
    Open,
    Reasoning,
    ReasoningField,
    Split,
    Step,
    StopReason,
    Text,
    Wait,
)

MAX_LENGTH = 5_000_000
MAX_REPEAT = 100
FIELDS: dict[str, ReasoningField] = {
    "reasoning_content": "reasoning_content",
    "reasoning": "reasoning",
    "reasoning_details": "reasoning_details",
    "openrouter": "openrouter",
}
STOPS: dict[str, StopReason] = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_calls",
}


@dataclass(frozen=True, slots=True)
class Delivery:
    """How text is handed out: chunks per second (0: no pause) and characters a chunk (0: like tokens)."""

    pace: float
    chars: int

    def say(self, text: str, make: Callable[[str], Step] = Text) -> Iterator[Step]:
        """Yield `text` in paced pieces."""
        return self.paced(make(piece) for piece in slices(text, self.chars))

    def paced(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Yield the steps with the pause of this pace after each."""
        for step in steps:
            yield step
            if self.pace:
                yield Wait(1 / self.pace)


def delivery(options: Options, *, pace: float = 20, chars: int = 0) -> Delivery:
    """Read `pace` and `chars`."""
    return Delivery(options.number("pace", pace, high=100_000), options.count("chars", chars, high=1_000_000))


def wanted_text(options: Options, default: str = "") -> str:
    """Read `text`, or `topic` and `seed`; then `repeat`, `words` and `length`, the last one exact."""
    topic = options.choice("topic", "tavern", {name: name for name in TOPICS})
    seed = options.count("seed", 0)
    text = options.text("text", default or paragraphs(TOPICS[topic], seed))
    text = "\n\n".join([text] * options.count("repeat", 1, low=1, high=MAX_REPEAT))
    if "words" in options:
        text = counted(text, options.count("words", 0, high=MAX_LENGTH // 10))
    if "length" in options:
        text = fitted(text, options.count("length", 0, high=MAX_LENGTH))
    return text


def ending(reason: StopReason = "stop") -> Iterator[Step]:
    """Yield the orderly end of an answer."""
    yield Finish(reason)
    yield EndMarker()


def spoken(text: str, how: Delivery, reason: StopReason = "stop") -> Iterator[Step]:
    """Yield a whole answer that is only text."""
    yield Open()
    yield from told(text, how, reason)


def told(text: str, how: Delivery, reason: StopReason = "stop") -> Iterator[Step]:
    """Yield the rest of an answer whose headers are out already."""
    yield from how.say(text)
    yield from ending(reason)


def talk(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Plain text: topic, text, seed, repeat, words, length, pace, chars, finish."""
    return spoken(wanted_text(options), delivery(options), options.choice("finish", "stop", STOPS))


def echo(request: ChatRequest, options: Options) -> Iterator[Step]:
    """The last user message, said back: pace, chars."""
    return spoken(request.last_user_text or "You have not said anything yet.", delivery(options))


def empty(request: ChatRequest, options: Options) -> Iterator[Step]:
    """An orderly answer without a word in it."""
    return spoken("", delivery(options))


def length(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Text that the token limit ends in mid-sentence: after (characters), pace, chars."""
    after = options.count("after", 400, high=MAX_LENGTH)
    return spoken(fitted(paragraphs(TAVERN), after), delivery(options), "length")


def filtered(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Text that a content filter ends: after (characters), pace, chars."""
    after = options.count("after", 200, high=MAX_LENGTH)
    return spoken(fitted(paragraphs(TAVERN), after), delivery(options), "content_filter")


def burst(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Chunks as fast as the socket takes them: n."""
    pieces = islice(cycle(list(tokens(paragraphs(TAVERN)))), options.count("n", 1000, high=10_000_000))
    return answered(map(Text, pieces))


def think(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Reasoning in its own field, then the answer: field, think_length, and what talk has."""
    field = options.choice("field", "reasoning_content", FIELDS)
    thoughts = paragraphs(REASONING)
    if "think_length" in options:
        thoughts = fitted(thoughts, options.count("think_length", 0, high=MAX_LENGTH))
    how = delivery(options)
    answer = wanted_text(options, paragraphs(ANSWER))
    return answered(how.say(thoughts, lambda piece: Reasoning(piece, field)), how.say(answer))


def leaked(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Reasoning between split tags inside the text: tag, open (0: only the closing tag), thoughts, talk's."""
    tag = options.text("tag", "think")
    opening = f"<{tag}>" if options.switch("open", default=True) else ""
    how = delivery(options)
    thoughts = options.text("thoughts", paragraphs(REASONING[:2]))
    answer = wanted_text(options, paragraphs(ANSWER))
    return answered(
        how.paced(map(Text, _torn(opening))),
        how.say(thoughts),
        how.paced(map(Text, _torn(f"</{tag}>"))),
        how.say("\n\n" + answer),
    )


def hostile(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Markup, escapes, direction marks, emoji cut in two: text, split (bytes), size (of an endless word)."""
    how = delivery(options, pace=0, chars=16)
    split = options.count("split", 5, low=1, high=10_000)
    block = "W" * options.count("size", 0, high=MAX_LENGTH)
    torn = how.say(options.text("text", HOSTILE), lambda piece: Split(Text(piece), split))
    return answered(torn, how.paced(map(Text, slices(block, 4096))))


def _torn(tag: str) -> list[str]:
    """Cut a tag where it hurts: inside its name and before its last character."""
    return [piece for piece in (tag[:3], tag[3:-1], tag[-1:]) if piece]


def answered(*parts: Iterator[Step]) -> Iterator[Step]:
    yield Open()
    for part in parts:
        yield from part
    yield from ending()
