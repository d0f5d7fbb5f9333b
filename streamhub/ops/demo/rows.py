"""The demo in the database: its server, endpoint and models, its turns, and how all of it goes away again."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import DateTimeField, Max
from django.db.models.functions import Coalesce
from django.utils import timezone

from streamhub.accounts.models import User
from streamhub.audit.services import record
from streamhub.catalog.models import Endpoint, LanguageModel, ModelRoute
from streamhub.ops.demo import script
from streamhub.ops.demo.script import SCENES, Scene
from streamhub.servers.models import Channel, Server, ServerCapabilities
from streamhub.turns import services
from streamhub.turns.models import Turn
from streamhub.turns.state import LIVE, Status

KEPT_TURNS = 50  # in each channel; a demo that runs for weeks must not fill the database


def demo_server() -> Server | None:
    """Return the demo's server, or None while there is no demo."""
    return Server.objects.filter(is_demo=True).first()


def exists() -> bool:
    """Tell whether anything of a demo is there that would need its simulator."""
    return Endpoint.objects.filter(is_demo=True).exists()


@transaction.atomic
def ensure(url: str, actor: User | None) -> Server:
    """Make what the demo lacks, pointed at the simulator at `url`; the rest stays as people set it."""
    endpoint = _ensure_endpoint(url)
    server = demo_server()
    if server is None:
        server = _create_server()
        record(actor, "started demo", server, server_id=server.pk)
    for scene in SCENES:
        _ensure_scene(server, endpoint, scene)
    return server


def point_at(url: str) -> None:
    """Tell the demo's endpoint where the simulator listens now."""
    Endpoint.objects.filter(is_demo=True).update(base_url=url)


def play(now: datetime, *, at_once: bool = False) -> int:
    """Start a turn in every channel whose last one ended long enough ago; return how many.

    `at_once` does not wait for the pause. A channel that somebody deleted or renamed is left alone.
    """
    server = demo_server()
    if server is None:
        return 0
    channels = {channel.name: channel for channel in server.channels.all()}
    busy = set(Turn.objects.filter(server=server, status__in=LIVE).values_list("channel_id", flat=True))
    ended = _last_ends(server)
    due = [
        (scene, channel)
        for scene in SCENES
        if (channel := channels.get(scene.channel))
        and channel.pk not in busy
        and (at_once or _rested(ended.get(channel.pk), scene, now))
    ]
    for scene, channel in due:
        _start(scene, channel)
    return len(due)


def play_now(*, at_once: bool = False) -> int:
    """Play at the present time."""
    return play(timezone.now(), at_once=at_once)


def kill_turns(actor: User | None) -> None:
    """Ask every turn of the demo to end."""
    server = demo_server()
    if server:
        services.kill_server(server, actor=actor, reason="The demo was removed.")


def is_running() -> bool:
    """Tell whether an engine still runs a turn of the demo."""
    return Turn.objects.filter(server__is_demo=True, status=Status.RUNNING).exists()


@transaction.atomic
def delete(actor: User | None) -> bool:
    """Delete the demo's server and endpoint with all that hangs on them; False if there was none."""
    server = demo_server()
    endpoints = Endpoint.objects.filter(is_demo=True)
    if server is None and not endpoints.exists():
        return False
    if server:
        record(actor, "removed demo", server, server_id=server.pk)
        server.delete()
    endpoints.delete()
    return True


def _ensure_endpoint(url: str) -> Endpoint:
    endpoint = Endpoint.objects.filter(is_demo=True).first()
    if endpoint is None:
        name = _free_name(script.ENDPOINT_NAME, Endpoint.objects.values_list("name", flat=True))
        return Endpoint.objects.create(name=name, kind=script.ENDPOINT_KIND, base_url=url, is_demo=True)
    endpoint.base_url = url
    endpoint.save(update_fields=["base_url"])
    return endpoint


def _create_server() -> Server:
    server = Server.objects.create(
        name=_free_name(script.SERVER_NAME, Server.objects.values_list("name", flat=True)),
        slug=_free_name(script.SERVER_SLUG, Server.objects.values_list("slug", flat=True), joint="-"),
        persona=script.PERSONA,
        instructions=script.INSTRUCTIONS,
        tools=script.TOOLS,
        first_token_seconds=script.CLOCK_SECONDS,
        idle_seconds=script.CLOCK_SECONDS,
        is_demo=True,
    )
    ServerCapabilities.objects.create(server=server)
    return server


def _ensure_scene(server: Server, endpoint: Endpoint, scene: Scene) -> None:
    model, _ = LanguageModel.objects.get_or_create(
        endpoint=endpoint, model_id=scene.model_id, defaults={"label": scene.model_label}
    )
    channel, _ = Channel.objects.get_or_create(server=server, name=scene.channel)
    if not channel.routes.exists():
        ModelRoute.objects.create(server=server, channel=channel, model=model)


def _start(scene: Scene, channel: Channel) -> None:
    said = Turn.objects.filter(channel=channel).count()
    services.start_turn(channel=channel, text=scene.lines[said % len(scene.lines)], author=scene.author)
    old = Turn.objects.filter(channel=channel).exclude(status__in=LIVE).order_by("-created_at")[KEPT_TURNS:]
    Turn.objects.filter(pk__in=list(old.values_list("pk", flat=True))).delete()


def _last_ends(server: Server) -> dict[int, datetime]:
    """Return when each channel's last turn ended; one that waits for tool results, when it last moved."""
    over = Coalesce("ended_at", "progress_at", "created_at", output_field=DateTimeField())
    turns = Turn.objects.filter(server=server).exclude(status__in=LIVE).order_by()
    return dict(turns.values_list("channel_id").annotate(last=Max(over)))


def _rested(ended: datetime | None, scene: Scene, now: datetime) -> bool:
    return ended is None or now - ended >= timedelta(seconds=scene.pause)


def _free_name(wanted: str, taken: Iterable[str], joint: str = " ") -> str:
    """Return `wanted`, or with a number behind it if somebody has a thing of that name."""
    lowered = {name.lower() for name in taken}
    candidates = (
        wanted if number == 1 else f"{wanted}{joint}{number}" for number in range(1, len(lowered) + 2)
    )
    return next(name for name in candidates if name.lower() not in lowered)
