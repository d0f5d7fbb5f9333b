"""Which model, key and clocks a turn gets, and in which state the endpoints are."""

from datetime import timedelta

import pytest
from django.utils import timezone

from streamhub.catalog import selectors, services
from streamhub.catalog.key_health import note_success
from streamhub.catalog.models import ApiKey, ModelRoute
from streamhub.core.crypto import SecretStr
from tests.builders import (
    make_channel,
    make_endpoint,
    make_key,
    make_model,
    make_server,
    make_user,
)

pytestmark = pytest.mark.django_db


def test_a_channels_own_model_answers_before_the_servers():
    channel = make_channel()
    assert selectors.route_for(channel) is None
    shared = make_model(server=channel.server)
    assert selectors.route_for(channel) == shared
    own = make_model()
    services.set_channel_model(channel, own, actor=None)
    assert selectors.route_for(channel) == own
    assert selectors.route_for(make_channel(server=channel.server)) == shared


def test_what_is_switched_off_answers_nowhere():
    channel = make_channel()
    model = make_model(server=channel.server)
    services.update_model(model, actor=None, is_enabled=False)
    assert selectors.route_for(channel) is None
    services.update_model(model, actor=None, is_enabled=True)
    services.update_endpoint(model.endpoint, actor=None, is_enabled=False)
    assert selectors.route_for(channel) is None


def test_a_later_choice_answers_while_the_first_is_switched_off():
    channel = make_channel()
    make_model(server=channel.server, is_enabled=False)
    second = make_model()
    ModelRoute.objects.create(server=channel.server, model=second, position=1)
    assert selectors.route_for(channel) == second


def test_the_least_used_key_that_can_answer_is_taken():
    now, endpoint = timezone.now(), make_endpoint()
    make_key(endpoint=endpoint, is_enabled=False)
    make_key(endpoint=endpoint, cooling_until=now + timedelta(seconds=9))
    make_key(endpoint=endpoint, usage_count=5)
    rested = make_key(endpoint=endpoint, usage_count=2, cooling_until=now)
    make_key(endpoint=endpoint, usage_count=2)
    assert selectors.usable_key(endpoint, now) == rested


def test_an_unreadable_key_is_passed_over():
    endpoint = make_endpoint()
    broken = make_key(endpoint=endpoint)
    ApiKey.objects.filter(pk=broken.pk).update(ring_id="0badcafe")
    assert selectors.usable_key(endpoint, timezone.now()) is None
    whole = make_key(endpoint=endpoint, usage_count=100)
    assert selectors.usable_key(endpoint, timezone.now()) == whole


def test_clocks_come_from_the_server_then_the_last_rule_then_the_endpoint_then_the_settings(settings):
    settings.STREAM_FIRST_TOKEN_TIMEOUT_MS, settings.STREAM_SDK_CALL_TIMEOUT_MS = 300_000, 120_000
    model, server = make_model(), make_server(name="Harbour")
    seen = [_idle(model, server)]
    services.update_endpoint(model.endpoint, actor=None, idle_seconds=50, name="openai")
    seen.append(_idle(model, server))
    services.create_rule(actor=None, name="early", priority=1, idle_seconds=60)
    services.create_rule(actor=None, name="late", priority=2, idle_seconds=70)
    services.create_rule(actor=None, name="silent", priority=3, first_token_seconds=5)
    seen.append(_idle(model, server))
    server.idle_seconds = 80
    seen += [_idle(model, server), _idle(model, None)]
    assert seen == [
        (120, "setting STREAM_SDK_CALL_TIMEOUT_MS"),
        (50, "idle clock of endpoint openai"),
        (70, "idle clock of rule late"),
        (80, "idle clock of server Harbour"),
        (70, "idle clock of rule late"),
    ]
    first = selectors.clock_limits(model, server).first_token
    assert (first.seconds, first.source) == (5, "first-token clock of rule silent")


def _idle(model, server) -> tuple[float, str]:
    limit = selectors.clock_limits(model, server).idle
    return limit.seconds, limit.source


def test_the_overview_says_which_endpoint_cannot_answer_and_why(settings):
    settings.TIME_ZONE = "UTC"
    now = timezone.now()
    nina = make_user(name="Nina")
    cooling = make_endpoint(name="cooling")
    make_model(endpoint=cooling)
    make_key(endpoint=cooling, cooling_until=now + timedelta(seconds=90))
    services.set_key_enabled(make_key(endpoint=cooling), is_enabled=False, actor=nina)
    make_endpoint(name="empty")
    well = make_endpoint(name="well")
    make_model(endpoint=well)
    make_key(endpoint=well, last_used_at=now - timedelta(minutes=5))
    short = make_endpoint(name="short")
    make_model(endpoint=short)
    make_key(endpoint=short)
    make_key(endpoint=short, cooling_until=now + timedelta(seconds=90))
    local = make_endpoint(name="local")
    make_model(endpoint=local)
    make_endpoint(name="off", is_enabled=False)
    states = {state.endpoint.name: state for state in selectors.endpoints_overview(now)}
    assert states["cooling"].title.startswith("No key can answer until ")
    assert states["cooling"].detail == "1 cooling, 1 disabled"
    assert states["empty"].title == "No model to answer with"
    assert states["short"].title == "One key cools, one answers"
    assert states["local"].title == "Ready, without a key"
    assert states["off"].title == "Switched off"
    cannot = [name for name, state in states.items() if state.phase in ("failed", "killed")]
    assert cannot == ["cooling", "empty", "off"]
    assert states["well"].keys[0].detail.startswith("last used 5")
    assert [key.detail for key in states["cooling"].keys][1].startswith("by Nina on ")


def test_an_endpoint_that_no_call_has_used_is_not_called_well():
    endpoint = make_endpoint(base_url="https://api.example.com")
    make_model(endpoint=endpoint)
    key = make_key(endpoint=endpoint)
    state = selectors.endpoint_overview(endpoint)
    assert (state.title, state.phase) == ("Not tried yet", "queued")
    assert (state.keys[0].title, state.keys[0].is_usable) == ("not used yet", True)
    note_success(key.pk, timezone.now())
    assert selectors.endpoint_overview(endpoint).title == "Well"
    key.refresh_from_db()
    services.replace_key(key, secret=SecretStr("another-key-0123456789"), actor=None)
    state = selectors.endpoint_overview(endpoint)
    assert (state.title, state.keys[0].title) == ("Not tried yet", "not used yet")


def test_an_unreadable_key_asks_to_be_entered_anew_and_breaks_nothing():
    endpoint = make_endpoint(base_url="https://api.example.com")
    make_model(endpoint=endpoint)
    key = make_key(endpoint=endpoint)
    ApiKey.objects.filter(pk=key.pk).update(ring_id="0badcafe")
    state = selectors.endpoint_overview(endpoint)
    assert (state.title, state.detail) == ("No key can answer", "1 to be entered anew")
    assert (state.keys[0].title, state.keys[0].condition) == ("enter anew", "unreadable")
    assert "0badcafe" in state.keys[0].detail


def test_a_key_that_failed_last_time_says_how_without_what_looks_like_a_key():
    endpoint = make_endpoint()
    make_model(endpoint=endpoint)
    make_key(
        endpoint=endpoint,
        error_count=1,
        last_error_type="api_error",
        last_error_message="Incorrect API key provided: sk-abcdefgh12345678",
    )
    (key,) = selectors.endpoint_overview(endpoint).keys
    assert (key.title, key.is_usable) == ("failed last time", True)
    assert key.detail.startswith("api error")
    assert "sk-abcdefgh" not in key.detail


def test_where_models_answer_is_told_in_words():
    channel = make_channel(name="quay", server=make_server(name="Harbour"))
    model = make_model(server=channel.server)
    services.set_channel_model(channel, model, actor=None)
    assert selectors.users_of([model]) == ["Harbour", "Harbour #quay"]
    assert selectors.users_of([make_model()]) == []


def test_the_overview_takes_the_same_queries_for_one_endpoint_and_for_twenty(django_assert_max_num_queries):
    for _ in range(20):
        model = make_model(server=make_server())
        make_key(endpoint=model.endpoint)
    with django_assert_max_num_queries(8):
        for state in selectors.endpoints_overview():
            [route.server.name for model in state.models for route in model.routes.all()]
