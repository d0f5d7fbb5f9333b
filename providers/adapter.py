"""The contract of a dialect.

An adapter is stateless; what a stream needs to remember lives in its decoder.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol

from providers.chunks import ProcessedChunk, RawStreamChunk
from providers.errors import Failure, ProviderError
from providers.request import EndpointConfig, GenerationRequest, HttpRequest


class Decoder(Protocol):
    """Bytes of one response body to raw chunks: framing, JSON, and assembly of tool-call fragments.

    Neither method raises anything; what goes wrong is an error chunk. Memory is bounded whatever the bytes.

    `progress` counts pieces of content so far (text, thought, tool-call delta), never comments, pings or
    empty deltas. `finishing` is true once the provider named its finish reason: only usage and the end marker
    may follow, so a reader need not wait long for them.
    """

    progress: int
    finishing: bool

    def feed(self, data: bytes) -> list[RawStreamChunk]:
        """Return the raw chunks that `data` completed."""

    def finish(self) -> list[RawStreamChunk]:
        """The body ended.

        Return what is left; an end before the provider said `done` is an `incomplete` error.
        """


class BaseStreamAdapter(ABC):
    """One dialect. `kind` is its id in the registry."""

    kind: ClassVar[str]

    @abstractmethod
    def build_request(self, request: GenerationRequest, endpoint: EndpointConfig) -> HttpRequest:
        """Return the streaming HTTP request. Raises ValueError for an address that cannot be used."""

    @abstractmethod
    def decoder(self) -> Decoder:
        """Return a fresh decoder for one response body."""

    @abstractmethod
    def process_chunk(self, raw: RawStreamChunk) -> ProcessedChunk:
        """Return exactly one processed chunk. Synchronous and pure (seed 03)."""

    @abstractmethod
    def handle_provider_error(self, failure: Failure) -> ProviderError:
        """Classify a failure: by status, then by the provider's exact code, never by words inside a text."""

    @abstractmethod
    def create_error_description(self, error: ProviderError) -> str:
        """Say in plain words what happened and what to do; a model error keeps the provider's own details."""
