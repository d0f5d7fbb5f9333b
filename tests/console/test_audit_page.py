"""The audit record as people read it."""

from django.urls import reverse

from streamhub.audit.services import record
from streamhub.servers import services
from tests.builders import make_server

AUDIT = reverse("audit")


def test_acts_are_listed_newest_first_with_their_values(page, owner):
    server = services.create_server(name="Harbour", actor=owner)
    services.set_capability(server, "tool_use", False, actor=owner)
    text = page.get(AUDIT).content.decode()
    assert text.index("switched Tool use") < text.index("created <b>Harbour")
    assert "tool use on" in text
    assert "tool use off" in text
    assert "Nina" in text


def test_the_list_is_narrowed_to_a_server_and_to_words(page, owner):
    harbour, quay = (services.create_server(name=name, actor=owner) for name in ("Harbour", "Quay"))
    acts = page.get(AUDIT, {"server": harbour.slug}).context["acts"]
    assert [act.server for act in acts] == [harbour]
    assert [act.server for act in page.get(AUDIT, {"q": "QUAY"}).context["acts"]] == [quay]
    assert "No act fits" in page.get(AUDIT, {"q": "nothing like it"}).content.decode()


def test_long_lists_come_in_pages_that_keep_the_filter(page, owner):
    server = make_server()
    for _ in range(51):
        record(owner, "poked", server, server_id=server.pk)
    first = page.get(AUDIT, {"server": server.slug})
    assert f"?server={server.slug}&amp;page=2" in first.content.decode()
    assert len(page.get(AUDIT, {"server": server.slug, "page": "2"}).context["acts"]) == 1
    assert page.get(AUDIT, {"page": "nonsense"}).status_code == 200


def test_an_entry_of_a_deleted_server_is_still_there(page, owner):
    services.delete_server(services.create_server(name="Harbour", actor=owner), actor=owner)
    assert "deleted <b>Harbour" in page.get(AUDIT).content.decode()


def test_odd_input_is_not_an_error(page):
    for text in ("\0", "%", "x" * 5000, "<script>"):
        assert page.get(AUDIT, {"q": text}).status_code == 200


def test_only_owners_read_it(client, stranger, db):
    assert client.get(AUDIT).status_code == 302
    assert stranger.get(AUDIT).status_code == 403
    assert stranger.post(AUDIT).status_code == 403
