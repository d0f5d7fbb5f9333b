"""The channel page: its stream, its queue, the composer, and the turns of before."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from providers.chunks import FunctionCall, GuardFiring, ProcessedChunk, ThoughtLogEntry
from streamhub.servers.models import Channel
from streamhub.turns.models import Turn
from streamhub.turns.services import MAX_PROMPT, MAX_QUEUE
from streamhub.turns.state import Status
from tests.builders import make_channel, make_endpoint, make_model, make_turn
from tests.support.records import attempt, record, say

pytestmark = pytest.mark.django_db
SCRIPT = {"HX-Request": "true"}


def address(channel: Channel) -> str:
    return reverse("channel", args=[channel.pk])


def start_address(channel: Channel) -> str:
    return reverse("channel-start", args=[channel.pk])


def test_a_channel_asks_for_a_login_rights_and_a_get(client, page, stranger):
    channel = make_channel()
    assert client.__class__().get(address(channel)).status_code == 302
    assert stranger.get(address(channel)).status_code == 404
    assert page.post(address(channel)).status_code == 405
    assert page.get("/channels/999/").status_code == 404


def test_a_quiet_channel_says_so_and_offers_the_composer(page):
    html = page.get(address(make_channel())).text
    assert "no turn has run here yet" in html
    assert 'id="composer"' in html


def test_the_running_turn_is_shown_with_what_it_said_so_far(page):
    turn = make_turn(status=Status.RUNNING, phase="speaking", serving_provider="deepseek", model_label="r1")
    attempt(turn)
    call = FunctionCall(name="look_up", args={"topic": "the bridge"}, id="1")
    record(
        turn,
        [
            ProcessedChunk(type="text", thoughts=(ThoughtLogEntry(kind="raw", content="Hm, the road."),)),
            say("She wipes "),
            say("the counter."),
            ProcessedChunk(type="function_call", function_call=call),
        ],
    )
    html = page.get(address(turn.channel)).text
    assert "She wipes the counter." in html
    assert "Hm, the road." in html
    assert "look_up" in html
    assert "{&quot;topic&quot;: &quot;the bridge&quot;}" in html
    assert 'data-seq="4"' in html
    assert 'aria-busy="true"' in html
    assert "Provider: <span data-provider-name>openrouter via deepseek</span>" in html
    assert reverse("turn-kill", args=[turn.pk]) in html


@pytest.mark.parametrize("headers", [{}, SCRIPT])
@pytest.mark.parametrize("status", [Status.FAILED, Status.TIMED_OUT, Status.LOST])
def test_a_turn_that_failed_says_why_and_leads_to_its_page(page, status, headers):
    turn = make_turn(
        status=status, error_code="invalid_api_key", error_message="The key was <b>not</b>\x1b accepted."
    )
    html = page.get(address(turn.channel), headers=headers).text
    failure = html.partition('id="failure"')[2].partition("</div>")[0]
    assert "The key was &lt;b&gt;not&lt;/b&gt;" in failure
    assert "\x1b" not in failure
    assert f'href="{turn.get_absolute_url()}"' in failure


@pytest.mark.parametrize("status", [Status.RUNNING, Status.COMPLETED, Status.KILLED])
def test_a_turn_that_did_not_fail_has_no_failure_to_tell(page, status):
    html = page.get(address(make_turn(status=status).channel)).text
    assert 'id="failure" hidden' in html


def test_streaming_text_is_no_live_region(page):
    turn = make_turn(status=Status.RUNNING, phase="speaking")
    html = page.get(address(turn.channel)).text
    assert "aria-live" not in html
    assert html.count('role="status"') == 1


def test_a_long_stream_is_left_to_the_script_and_says_so(page):
    turn = make_turn(status=Status.RUNNING, phase="speaking")
    record(turn, [say("x" * 50_000)] * 8)
    answer = page.get(address(turn.channel))
    assert "data-cut" in answer.text
    assert len(answer.content) < 400_000


def test_what_a_model_wrote_stays_text(page):
    turn = make_turn(status=Status.RUNNING, phase="speaking", prompt="<em>hi</em>")
    hostile = "<script>alert(1)</script>\x1b[2J\N{RIGHT-TO-LEFT OVERRIDE}abc"
    guard = ProcessedChunk(type="text", firings=(GuardFiring(guard="think_tags", text=hostile),))
    call = FunctionCall(name=hostile, args={"x": hostile}, id="1")
    record(turn, [say(hostile), guard, ProcessedChunk(type="function_call", function_call=call)])
    for path in (address(turn.channel), turn.get_absolute_url()):
        html = page.get(path).text
        assert "<script>alert" not in html
        assert "\x1b" not in html
        assert "<em>hi" not in html
        assert "\N{SYMBOL FOR ESCAPE}[2J" in html


def test_the_queue_is_listed_in_order_each_with_its_kill(page):
    turn = make_turn(status=Status.RUNNING, phase="speaking")
    waiting = [make_turn(channel=turn.channel, prompt=f"question {number}") for number in (1, 2)]
    html = page.get(address(turn.channel)).text
    assert html.index("question 1") < html.index("question 2")
    for entry in waiting:
        assert reverse("turn-kill", args=[entry.pk]) in html
    assert 'Kill and clear queue <span class="count-dot">2</span>' in html


def test_a_script_gets_head_and_queue_alone_and_how_the_last_turn_ended(page):
    channel = make_channel()
    last = make_turn(channel=channel, status=Status.COMPLETED, finish_reason="stop")
    turn = make_turn(channel=channel, status=Status.RUNNING, phase="waiting")
    html = page.get(address(channel), headers=SCRIPT).text
    assert f'data-turn="{turn.pk}"' in html
    assert 'id="queue"' in html
    assert f'data-turn="{last.pk}"' in html
    assert "Completed stop" in html
    assert "<html" not in html
    assert 'id="composer"' not in html


def test_sending_a_message_queues_a_turn_under_the_persons_name(page, owner):
    channel = make_channel()
    answer = page.post(start_address(channel), {"text": "Where is the ferry?", "model": ""})
    assert (answer.status_code, answer.url) == (302, address(channel))
    turn = Turn.objects.get()
    assert (turn.status, turn.author, turn.prompt) == (Status.QUEUED, "Nina", "Where is the ferry?")
    assert "1 in line" in page.get(address(channel)).text


def test_a_model_can_be_chosen_and_only_one_that_is_on(page):
    channel = make_channel()
    model, off = make_model(), make_model(is_enabled=False)
    gone = make_model(endpoint=make_endpoint(is_enabled=False))
    page.post(start_address(channel), {"text": "Hello", "model": model.pk})
    assert Turn.objects.get().model == model
    for wrong in (off.pk, gone.pk, 999, "x"):
        answer = page.post(start_address(channel), {"text": "Keep me", "model": wrong})
        assert answer.status_code == 422
        assert "This model is gone or switched off" in answer.text
        assert "Keep me" in answer.text


@pytest.mark.parametrize("headers", [{}, SCRIPT], ids=["form", "script"])
@pytest.mark.parametrize(
    ("text", "error"), [("", "Write a message first."), ("  \n ", "Write a message first.")]
)
def test_an_empty_message_is_refused_beside_the_field(page, headers, text, error):
    answer = page.post(start_address(make_channel()), {"text": text}, headers=headers)
    assert answer.status_code == 422
    assert error in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert ("<html" in answer.text) == (not headers)


def test_a_message_that_is_too_long_is_refused_and_kept(page):
    answer = page.post(start_address(make_channel()), {"text": "y" * (MAX_PROMPT + 1)})
    assert answer.status_code == 422
    assert str(MAX_PROMPT) in answer.text
    assert "y" * 1_000 in answer.text
    assert not Turn.objects.exists()


def test_a_full_queue_is_said_and_the_message_kept(page):
    channel = make_channel()
    for _ in range(MAX_QUEUE):
        make_turn(channel=channel)
    answer = page.post(start_address(channel), {"text": "One more"})
    assert answer.status_code == 422
    assert f"{MAX_QUEUE} turns wait" in answer.text
    assert "One more" in answer.text


def test_a_script_gets_an_empty_composer_back(page):
    answer = page.post(start_address(make_channel()), {"text": "Hello there"}, headers=SCRIPT)
    assert answer.status_code == 200
    assert 'id="composer"' in answer.text
    assert "Hello there" not in answer.text


def test_starting_needs_a_login_rights_and_a_post(client, page, stranger):
    channel = make_channel()
    assert client.__class__().post(start_address(channel), {"text": "x"}).status_code == 302
    assert stranger.post(start_address(channel), {"text": "x"}).status_code == 404
    assert page.get(start_address(channel)).status_code == 405
    assert not Turn.objects.exists()


def test_earlier_turns_come_in_pages_newest_first(page, django_assert_max_num_queries):
    channel = make_channel()
    now = timezone.now()
    for number in range(65):
        make_turn(
            channel=channel,
            status=Status.COMPLETED,
            created_at=now - timedelta(minutes=number),
            finish_reason=f"stop{number}",
        )
    with django_assert_max_num_queries(12):
        first = page.get(f"{address(channel)}?view=earlier").text
    assert first.index("stop0") < first.index("stop29")
    assert "stop30" not in first
    last = page.get(f"{address(channel)}?view=earlier&page=3").text
    assert "stop64" in last
    assert "Page 3 of 3" in last
    assert page.get(f"{address(channel)}?view=earlier&page=x").status_code == 200


def test_a_channel_page_costs_a_fixed_number_of_queries(page, django_assert_max_num_queries):
    turn = make_turn(status=Status.RUNNING, phase="speaking")
    for _ in range(20):
        make_turn(channel=turn.channel)
    record(turn, [say("word ")] * 90)
    with django_assert_max_num_queries(16):
        page.get(address(turn.channel))
