"""Rows for tests: keyword-only, valid by default, related rows made where none is given."""

from datetime import timedelta
from itertools import count
from typing import Any

from django.utils import timezone

from streamhub.accounts.models import User
from streamhub.catalog.models import ApiKey, Endpoint, LanguageModel, ModelRoute
from streamhub.core.crypto import SecretStr
from streamhub.servers.models import Channel, Server, ServerCapabilities
from streamhub.turns.models import Turn
from streamhub.turns.state import TERMINAL, EndReason, Status

_number = count(1)
PASSWORD = "a lantern on the quay"

# What ends a turn with a status, where a test does not care.
ENDINGS = {
    Status.COMPLETED: EndReason.NATURAL,
    Status.FAILED: EndReason.PROVIDER_ERROR,
    Status.TIMED_OUT: EndReason.IDLE_CLOCK,
    Status.KILLED: EndReason.USER_KILL,
    Status.LOST: EndReason.STALE_LEASE,
}


def make_user(*, email: str = "", password: str = PASSWORD, owner: bool = True, **fields: Any) -> User:
    """Return somebody who can log in; an owner unless told otherwise."""
    address = email or f"person{next(_number)}@example.org"
    return User.objects.create_user(address, password, is_superuser=owner, **fields)


def make_server(*, capabilities: dict[str, Any] | None = None, **fields: Any) -> Server:
    """Return a server with a row of capabilities, the defaults but for those given."""
    number = next(_number)
    values = {"name": f"Server {number}", "slug": f"server-{number}"} | fields
    server = Server.objects.create(**values)
    ServerCapabilities.objects.create(server=server, **(capabilities or {}))
    return server


def make_channel(*, server: Server | None = None, **fields: Any) -> Channel:
    """Return a channel, in a server of its own if none is given."""
    values = {"name": f"channel-{next(_number)}"} | fields
    return Channel.objects.create(server=server or make_server(), **values)


def make_endpoint(**fields: Any) -> Endpoint:
    """Return an endpoint on a loopback port where nothing answers."""
    values = {"name": f"Endpoint {next(_number)}", "base_url": "http://127.0.0.1:9/v1"} | fields
    return Endpoint.objects.create(**values)


def make_key(
    *, endpoint: Endpoint | None = None, secret: str = "test-key-0123456789-abcd", **fields: Any
) -> ApiKey:
    """Return an encrypted key."""
    values = {"label": f"key {next(_number)}"} | fields
    key = ApiKey(endpoint=endpoint or make_endpoint(), **values)
    key.set_secret(SecretStr(secret))
    key.save()
    return key


def make_model(
    *, endpoint: Endpoint | None = None, server: Server | None = None, **fields: Any
) -> LanguageModel:
    """Return a model, which answers for `server` if one is given."""
    values = {"model_id": f"model-{next(_number)}"} | fields
    model = LanguageModel.objects.create(endpoint=endpoint or make_endpoint(), **values)
    if server is not None:
        ModelRoute.objects.create(server=server, model=model)
    return model


def make_turn(*, channel: Channel | None = None, status: Status = Status.QUEUED, **fields: Any) -> Turn:
    """Return a turn as its status wants it: leased while it runs, ended for a reason when it is over."""
    channel = channel or make_channel()
    now = timezone.now()
    values: dict[str, Any] = {
        "server": channel.server,
        "channel": channel,
        "status": status,
        "prompt": "Where is the ferry?",
        "request": {"messages": [{"role": "user", "content": "Where is the ferry?"}]},
        "created_at": now,
    }
    if status is Status.RUNNING:
        lease = now + timedelta(seconds=15)
        values |= {"worker_id": "worker-1", "fencing_token": 1, "claimed_at": now, "lease_expires_at": lease}
    if status in TERMINAL:
        values |= {"ended_at": now, "end_reason": ENDINGS[status]}
    if status is Status.KILLED:
        values |= {"kill_requested_at": now, "kill_requested_label": "nina"}
    return Turn.objects.create(**values | fields)
