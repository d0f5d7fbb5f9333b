"""Every page of the console, on a hub with the demo: where it is, and what makes it worth a look."""

from uuid import UUID

from tests.ops.hub_process import HubProcess, wait_until

PAGES = (
    "/",
    "/?show=ended&q=zzz",
    "/channels/{tavern}/",
    "/channels/{war-room}/",
    "/channels/{old-well}/",
    "/channels/{tavern}/?view=earlier",
    "/turns/{ended}/",
    "/turns/{running}/",
    "/servers/",
    "/servers/new/",
    "/servers/demo-lantern-guild/",
    "/endpoints/",
    "/endpoints/new/",
    "/endpoints/{endpoint}/",
    "/endpoints/{endpoint}/delete/",
    "/endpoints/{endpoint}/keys/new/",
    "/endpoints/{endpoint}/models/new/",
    "/models/{model}/",
    "/rules/",
    "/rules/new/",
    "/audit/",
)
OPEN_PAGES = ("/login/", "/setup/not-the-link/")


def play_until_some_ended(hub: HubProcess) -> None:
    """Wait until the demo has an ended turn beside running ones."""
    wait_until(lambda: hub.rows("SELECT 1 FROM turns_turn WHERE status = 'completed'"), 120)


def address(hub: HubProcess, page: str) -> str:
    """Return the path of one of PAGES on this hub."""
    names = dict(hub.rows("SELECT name, id FROM servers_channel"))
    ended = "SELECT id FROM turns_turn WHERE status = 'completed' ORDER BY ended_at DESC LIMIT 1"
    running = "SELECT id FROM turns_turn WHERE status = 'running' ORDER BY created_at LIMIT 1"
    for name, sql in (
        ("ended", ended),
        ("running", running),
        ("endpoint", "SELECT id FROM catalog_endpoint LIMIT 1"),
        ("model", "SELECT id FROM catalog_languagemodel LIMIT 1"),
    ):
        found = next((row[0] for row in hub.rows(sql)), "")
        names[name] = UUID(found) if isinstance(found, str) and found else found
    return page.format_map(names)
