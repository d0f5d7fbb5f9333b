"""What can go wrong with a provider, told apart by what an operator or the rotation can do about it.

ProviderError            a value and an exception: type, code, message, retryable, retry_after, original
  api_error              our request, key, billing or the address is at fault: not retryable
  model_error            the model id is wrong, gone or not allowed: not retryable, details kept
  content_blocked        the prompt or the answer was filtered: not retryable
  rate_limit             throttled; another key or a later try may work
  timeout                a gateway or request timed out
  provider_overloaded    the provider is busy or broken
  incomplete             the stream ended before the provider said it was done
  unknown                none of these could be told
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

type ErrorType = Literal[
    "api_error",
    "model_error",
    "content_blocked",
    "rate_limit",
    "timeout",
    "provider_overloaded",
    "incomplete",
    "unknown",
]


@dataclass(kw_only=True, unsafe_hash=True)
class ProviderError(Exception):
    """A provider failure in one shape (seed 03).

    `retryable` is what rotation and fallback look at; `retry_after` is in seconds, None if the provider gave
    no hint; `original` is the provider's own text, for logs only, already redacted. Not frozen, because the
    interpreter and contextlib set the traceback on an exception; treat it as a value all the same.
    """

    type: ErrorType
    message: str
    code: str = ""
    retryable: bool = False
    retry_after: float | None = None
    original: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.type} {self.code}: {self.message}".replace(" :", ":")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFailure:
    """An HTTP answer with status 400 or above.

    Header names are lower case; the body is bounded by the reader.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportFailure:
    """The connection failed before or while the answer came: `kind` says where. A forbidden one was never tried."""

    kind: Literal["connect", "dns", "forbidden", "tls", "reset", "read", "protocol"]
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InBandFailure:
    """An error object inside a stream whose HTTP status was 200."""

    payload: object


type Failure = HttpFailure | TransportFailure | InBandFailure
