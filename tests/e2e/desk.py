"""What the owner does beside the browser under test: sets things up and starts turns, through the same forms."""

import json
import re
from itertools import count
from typing import Any, Protocol
from urllib.parse import quote
from uuid import UUID

import httpx

from tests.ops.hub_process import log_in, post, wait_until

EMAIL, PASSWORD = "owner@example.org", "a lantern on the quay"
OWNER = {"STREAMHUB_ADMIN_EMAIL": EMAIL, "STREAMHUB_ADMIN_PASSWORD": PASSWORD}
_numbers = count(1)


class Hub(Protocol):
    """A hub as a desk needs it: in one process or in many."""

    @property
    def url(self) -> str:
        """Its address."""

    def browser(self) -> httpx.Client:
        """Return a client that keeps cookies."""

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what the database says; `values` take the place of `?`."""


class Desk:
    """A logged-in client of a hub."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.client = hub.browser()
        log_in(self.client, EMAIL, PASSWORD)

    def close(self) -> None:
        """Close the client."""
        self.client.close()

    @property
    def cookies(self) -> list[Any]:
        """Return the session, as a browser context takes it."""
        return [
            {"name": name, "value": value, "url": self.hub.url} for name, value in self.client.cookies.items()
        ]

    def connect(self, base_url: str) -> int:
        """Make an endpoint at this address and return its row's key."""
        name = f"Provider {next(_numbers)}"
        self._send("/endpoints/new/", name=name, kind="custom", base_url=base_url, model_id="talk")
        return int(self._one("SELECT id FROM catalog_endpoint WHERE name = ?", name))

    def server(self, *channels: str) -> "Guild":
        """Make a server with these channels."""
        name = f"Guild {next(_numbers)}"
        answer = self._send("/servers/new/", name=name)
        slug = answer.headers["location"].strip("/").split("/")[-1]
        for channel in channels:
            self._send(f"/servers/{slug}/channels/", page=f"/servers/{slug}/", name=channel)
        rows = self.hub.rows(
            "SELECT c.name, c.id FROM servers_channel c JOIN servers_server s ON s.id = c.server_id "
            "WHERE s.slug = ?",
            slug,
        )
        return Guild(slug, dict(rows))

    def model(self, endpoint: int, model_id: str) -> int:
        """Return a model of the endpoint, made if need be."""
        found = "SELECT id FROM catalog_languagemodel WHERE endpoint_id = ? AND model_id = ?"
        if not self._all(found, endpoint, model_id):
            where = f"/endpoints/{endpoint}/models/new/"
            self._send(where, model_id=model_id, has_tools="on", is_enabled="on")
        return int(self._one(found, endpoint, model_id))

    def start(self, channel: int, model: int, text: str = "Tell me a story.") -> UUID:
        """Start a turn and return its id."""
        before = self._turns(channel)
        self._send(f"/channels/{channel}/start/", page=f"/channels/{channel}/", text=text, model=str(model))
        (new,) = self._turns(channel) - before
        return UUID(new)

    def offer_tools(self, slug: str, tools: list[dict[str, Any]]) -> None:
        """Give a server these tools."""
        self._send(f"/servers/{slug}/save/tools/", page=f"/servers/{slug}/", tools=json.dumps(tools))

    def status(self, turn: UUID) -> str:
        """Return the recorded status."""
        return str(self._one("SELECT status FROM turns_turn WHERE id = ?", turn.hex))

    def wait_for(self, turn: UUID, *statuses: str) -> None:
        """Wait until the turn has one of these statuses."""
        wait_until(lambda: self.status(turn) in statuses, 60)

    def wait_for_chars(self, turn: UUID, at_least: int) -> None:
        """Wait until this much text is recorded."""
        wait_until(
            lambda: self._one("SELECT text_chars FROM turns_turn WHERE id = ?", turn.hex) >= at_least, 60
        )

    def recorded_text(self, turn: UUID) -> str:
        """Return the visible text as the record has it."""
        spans = self._all("SELECT chunks FROM turns_turnchunk WHERE turn_id = ? ORDER BY first_seq", turn.hex)
        chunks = (chunk for (span,) in spans for _, chunk in json.loads(span))
        return "".join(chunk.get("content", "") for chunk in chunks)

    def _turns(self, channel: int) -> set[str]:
        return {row[0] for row in self._all("SELECT id FROM turns_turn WHERE channel_id = ?", channel)}

    def _send(self, path: str, page: str = "", **fields: str) -> httpx.Response:
        answer = post(self.client, path, self.client.get(page or path), **fields)
        assert answer.status_code == 302, f"{answer.status_code} {re.sub('<[^>]+>', '', answer.text)[-3000:]}"
        return answer

    def _all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self.hub.rows(sql, *values)

    def _one(self, sql: str, *values: object) -> Any:
        ((value,),) = self._all(sql, *values)
        return value


class Guild:
    """A server under test: its slug and its channels by name."""

    def __init__(self, slug: str, channels: dict[str, int]) -> None:
        self.slug = slug
        self.channels = channels
        self.wall = f"/?server={quote(slug)}"
        self.settings = f"/servers/{slug}/"

    def path(self, channel: str) -> str:
        """Return the address of a channel's page."""
        return f"/channels/{self.channels[channel]}/"
