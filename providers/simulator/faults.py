"""Scripts of what goes wrong with a provider: silence, stalls, errors, resets, endless trickles."""

from collections.abc import Iterator
from itertools import chain, cycle

from providers.simulator.dialect import ChatRequest
from providers.simulator.options import Options
from providers.simulator.prose import TAVERN, fitted, paragraphs
from providers.simulator.speech import MAX_LENGTH, Delivery, delivery, ending, spoken, told, wanted_text
from providers.simulator.steps import (
    Comment,
    Cut,
    EndMarker,
    Finish,
    InBandError,
    Open,
    Refuse,
    Step,
    Text,
    Wait,
)

RESET_GRACE_SECONDS = 0.05  # lets the client read the text: a reset may throw away what it has not read yet
STATUS_WORDS = {
    400: ("invalid_request_error", "invalid_request_error", "The request was not understood."),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    402: ("insufficient_quota", "insufficient_quota", "The account has no credit left."),
    403: ("permission_error", "permission_denied", "This key may not use this model."),
    404: ("invalid_request_error", "model_not_found", "The model does not exist."),
    408: ("timeout", "request_timeout", "The request took too long."),
    413: ("invalid_request_error", "request_too_large", "The request is too large."),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached, please slow down."),
    500: ("server_error", "server_error", "The server had an error."),
    502: ("server_error", "bad_gateway", "The backend gave no usable answer."),
    503: ("server_error", "overloaded", "The model is overloaded, try again later."),
    504: ("server_error", "gateway_timeout", "The backend did not answer in time."),
}


def silent(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Headers, then nothing, for ever or for `seconds` (then it talks: what talk has)."""
    wait = Wait(options.maybe_seconds("seconds"))
    return chain((Open(), wait), told(wanted_text(options), delivery(options)))


def hold(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Not even headers, for ever or for `seconds` (then it talks: what talk has)."""
    wait = Wait(options.maybe_seconds("seconds"))
    return chain((wait,), spoken(wanted_text(options), delivery(options)))


def stall(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Some text, then silence for ever with the socket open: after (characters), pace, chars."""
    return chain(_beginning(options), (Wait(None),))


def settle_slow(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Some text, a stall of `seconds` (3), then a late chunk and an orderly end: after, pace, chars."""
    seconds = options.number("seconds", 3)
    late = Text(" Sorry, I was miles away. Where were we?")
    return chain(_beginning(options), (Wait(seconds), late, *ending()))


def linger(request: ChatRequest, options: Options) -> Iterator[Step]:
    """A finished answer whose body stays open, for ever or for `seconds`: done (1: end marker too), after."""
    done = options.switch("done", default=False)
    wait = Wait(options.maybe_seconds("seconds"))
    last = (EndMarker(), wait) if done else (wait, EndMarker())
    return chain(
        _beginning(options),
        (
            Finish(),
            *last,
        ),
    )


def http_error(request: ChatRequest, options: Options) -> Iterator[Step]:
    """An HTTP error: status, message, code, type, retry_after (as sent in the header)."""
    status = options.count("status", 503, low=400, high=599)
    kind, code, message = STATUS_WORDS.get(status, ("server_error", "server_error", "Something went wrong."))
    refuse = Refuse(
        status,
        options.text("message", message),
        code=options.text("code", code),
        type=options.text("type", kind),
        retry_after=options.header_value("retry_after"),
    )
    return iter((refuse,))


def in_band_error(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Some text, then an error object in the 200 stream: message, code, type, done (1: end marker), after."""
    error = InBandError(
        options.text("message", "The model is overloaded, try again later."),
        code=options.text("code", "overloaded"),
        type=options.text("type", "server_error"),
    )
    end = (EndMarker(),) if options.switch("done", default=False) else ()
    return chain(_beginning(options), (error, *end))


def reset(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Some text, then a TCP reset: after, headers (0: reset before the headers), pace, chars."""
    beginning = _beginning(options)
    if not options.switch("headers", default=True):
        return iter((Cut("reset"),))
    return chain(beginning, (Wait(RESET_GRACE_SECONDS), Cut("reset")))


def eof(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Some text, then the body ends without a finish: after, cut (1: the connection closes inside it)."""
    last = (Cut("close"),) if options.switch("cut", default=False) else ()
    return chain(_beginning(options), last)


def trickle(request: ChatRequest, options: Options) -> Iterator[Step]:
    """One character every `interval` seconds (1), for ever."""
    text = wanted_text(options) or "."
    how = Delivery(pace=1 / options.number("interval", 1, low=0.001), chars=1)
    return _endless(text, how)


def keepalive(request: ChatRequest, options: Options) -> Iterator[Step]:
    """Comments only, every `interval` seconds (1), for ever or for `seconds` (then it talks): comment."""
    interval = options.number("interval", 1, low=0.001)
    comment = Comment(options.text("comment", "keep-alive").replace("\n", " ").replace("\r", " "))
    seconds = options.maybe_seconds("seconds")
    beats = None if seconds is None else int(seconds / interval)
    text, how = wanted_text(options), delivery(options)
    return _comments(comment, interval, beats, told(text, how))


def _beginning(options: Options) -> Iterator[Step]:
    """Return headers and the first `after` characters of some text; options are read at once."""
    after = options.count("after", 120, high=MAX_LENGTH)
    how = delivery(options)
    return chain((Open(),), how.say(fitted(paragraphs(TAVERN), after)))


def _endless(text: str, how: Delivery) -> Iterator[Step]:
    yield Open()
    for letter in cycle(text):
        yield from how.say(letter)


def _comments(comment: Comment, interval: float, beats: int | None, rest: Iterator[Step]) -> Iterator[Step]:
    yield Open()
    while beats is None or beats > 0:
        yield comment
        yield Wait(interval)
        beats = None if beats is None else beats - 1
    yield from rest
