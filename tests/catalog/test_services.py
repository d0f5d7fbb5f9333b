"""What people do to endpoints, keys and models: saved and audited together, or neither."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from streamhub.audit.models import AuditEntry
from streamhub.catalog import services
from streamhub.catalog.models import ApiKey, Endpoint, LanguageModel
from streamhub.core.crypto import SecretStr
from tests.builders import make_channel, make_endpoint, make_key, make_model, make_server, make_user

pytestmark = pytest.mark.django_db
SECRET = "sk-lantern-4711-quay-0815"


def last_entry() -> AuditEntry:
    return AuditEntry.objects.order_by("-pk")[0]


def errors_of(call, **values) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as caught:
        call(**values)
    return caught.value.message_dict


def test_a_provider_is_connected_with_its_key_and_first_model():
    nina = make_user(name="Nina")
    endpoint = services.connect_provider(
        actor=nina,
        key=services.NewKey(secret=SecretStr(f" {SECRET}\n")),
        model_id="gpt-5-mini",
        name="openai",
        kind="openai_compatible",
        base_url="https://API.openai.com/v1/",
    )
    assert endpoint.base_url == "https://api.openai.com/v1"
    assert endpoint.keys.get().secret().reveal() == SECRET
    assert endpoint.models.get().model_id == "gpt-5-mini"
    told = list(AuditEntry.objects.order_by("pk").values_list("actor_label", "action", "target_label"))
    assert told == [
        ("Nina", "created", "openai"),
        ("Nina", "added", "main of openai"),
        ("Nina", "added", "gpt-5-mini"),
    ]
    assert SECRET not in str(list(AuditEntry.objects.values()))


def test_nothing_is_left_when_one_part_of_a_connection_is_wrong():
    wrong = errors_of(
        services.connect_provider,
        actor=None,
        key=services.NewKey(secret=SecretStr("two words")),
        model_id="m",
        name="openai",
        base_url="https://api.openai.com/v1",
    )
    assert "a space in this key" in wrong["secret"][0]
    assert (Endpoint.objects.count(), AuditEntry.objects.count()) == (0, 0)


def test_every_wrong_field_of_an_endpoint_is_told_at_once():
    wrong = errors_of(services.create_endpoint, actor=None, name="", kind="telegraph", base_url="ftp://x")
    assert set(wrong) == {"kind", "base_url"}
    assert set(errors_of(services.create_endpoint, actor=None)) >= {"base_url"}


def test_a_name_is_taken_in_any_case_and_the_message_stands_beside_it():
    make_endpoint(name="OpenAI")
    wrong = errors_of(services.create_endpoint, actor=None, name="openai", base_url="https://x.example")
    assert wrong == {"name": ["An endpoint has this name already."]}


def test_a_change_is_audited_with_what_was_and_what_is():
    endpoint = make_endpoint(name="one", base_url="https://one.example")
    assert services.update_endpoint(endpoint, actor=None, name="two", base_url="https://one.example/")
    entry = last_entry()
    assert (entry.action, entry.before, entry.after) == ("changed", {"name": "one"}, {"name": "two"})


def test_saving_what_is_there_already_changes_and_audits_nothing():
    endpoint = make_endpoint(name="one")
    assert not services.update_endpoint(endpoint, actor=None, name="one", base_url=endpoint.base_url)
    assert AuditEntry.objects.count() == 0


def test_a_refused_change_leaves_the_row_in_memory_as_it_was():
    endpoint = make_endpoint(name="one")
    errors_of(lambda: services.update_endpoint(endpoint, actor=None, name="x" * 100))
    assert endpoint.name == "one"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/v1", "http://one.example/v1", "https://one.example:8443/v1"]
)
def test_stored_keys_do_not_follow_to_another_origin(elsewhere):
    key = make_key(endpoint=make_endpoint(base_url="https://one.example/v1"))
    services.update_endpoint(key.endpoint, actor=None, base_url=elsewhere)
    key.refresh_from_db()
    assert not key.is_enabled
    assert (last_entry().action, last_entry().target_label) == ("disabled", str(key))
    services.replace_key(key, secret=SecretStr(SECRET), actor=None)
    key.refresh_from_db()
    assert key.is_enabled


@pytest.mark.parametrize("same", ["https://one.example/v2", "https://ONE.example:443/v1"])
def test_stored_keys_stay_while_the_origin_does(same):
    key = make_key(endpoint=make_endpoint(base_url="https://one.example/v1"))
    services.update_endpoint(key.endpoint, actor=None, base_url=same)
    key.refresh_from_db()
    assert key.is_enabled


def test_keys_that_are_said_to_belong_to_the_new_address_stay_and_the_audit_says_so():
    key = make_key(endpoint=make_endpoint(base_url="https://one.example/v1"))
    services.update_endpoint(key.endpoint, actor=None, keeps_keys=True, base_url="https://two.example/v1")
    key.refresh_from_db()
    assert key.is_enabled
    assert last_entry().action == "let follow to the new address"
    assert last_entry().after == {"base_url": "https://two.example/v1"}


def test_a_label_is_unique_among_the_keys_of_an_endpoint():
    key = make_key(label="main")
    wrong = errors_of(
        services.add_key, endpoint=key.endpoint, label="MAIN", secret=SecretStr(SECRET), actor=None
    )
    assert wrong == {"label": ["This endpoint has a key with that label already."]}
    assert services.add_key(make_endpoint(), label="main", secret=SecretStr(SECRET), actor=None).pk


def test_a_key_entered_anew_forgets_what_was_known_of_the_old_one():
    key = make_key(
        cooling_until=timezone.now() + timedelta(hours=1),
        error_count=3,
        last_error_type="rate_limit",
        last_error_message="slow down",
        usage_count=7,
    )
    ApiKey.objects.filter(pk=key.pk).update(usage_count=9)  # a worker used it meanwhile
    services.replace_key(key, secret=SecretStr(SECRET), actor=None)
    key.refresh_from_db()
    assert key.secret().reveal() == SECRET
    assert (key.cooling_until, key.error_count, key.last_error_type, key.usage_count) == (None, 0, "", 9)
    assert last_entry().action == "replaced the secret of"


def test_a_key_is_disabled_and_enabled_once_each():
    key = make_key()
    assert services.set_key_enabled(key, is_enabled=False, actor=None)
    assert not services.set_key_enabled(key, is_enabled=False, actor=None)
    assert services.set_key_enabled(key, is_enabled=True, actor=None)
    actions = AuditEntry.objects.order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["disabled", "enabled"]


def test_cooling_is_ended_once():
    key = make_key(cooling_until=timezone.now() + timedelta(hours=1))
    assert services.end_cooling(key, actor=None)
    assert not services.end_cooling(key, actor=None)
    assert key.cooling_until is None
    assert AuditEntry.objects.count() == 1


def test_a_model_is_unique_in_its_endpoint():
    model = make_model(model_id="gpt-5-mini")
    wrong = errors_of(services.add_model, endpoint=model.endpoint, model_id=" gpt-5-mini ", actor=None)
    assert wrong == {"model_id": ["This endpoint has that model already."]}


def test_deleting_is_audited_under_the_name_the_thing_had():
    key = make_key(label="spare", endpoint=make_endpoint(name="openai"))
    model = make_model(model_id="m", endpoint=key.endpoint)
    services.delete_key(key, actor=None)
    services.delete_model(model, actor=None)
    services.delete_endpoint(Endpoint.objects.get(), actor=None)
    told = AuditEntry.objects.order_by("pk").values_list("action", "target_label")
    assert list(told) == [("deleted", "spare of openai"), ("deleted", "m"), ("deleted", "openai")]
    assert not ApiKey.objects.exists()
    assert not LanguageModel.objects.exists()


def test_the_model_of_a_server_is_set_changed_and_taken_away():
    server, first, second = make_server(), make_model(), make_model()
    assert services.set_server_model(server, first, actor=None)
    assert not services.set_server_model(server, first, actor=None)
    assert services.set_server_model(server, second, actor=None)
    assert server.routes.get().model == second
    assert (last_entry().server_id, last_entry().after) == (server.pk, {"model": str(second)})
    assert services.set_server_model(server, None, actor=None)
    assert not server.routes.exists()


def test_the_model_of_a_channel_stands_beside_the_servers():
    channel, own, shared = make_channel(), make_model(), make_model()
    services.set_server_model(channel.server, shared, actor=None)
    services.set_channel_model(channel, own, actor=None)
    assert {route.model for route in channel.server.routes.all()} == {own, shared}
    services.set_channel_model(channel, None, actor=None)
    assert channel.server.routes.get().model == shared
