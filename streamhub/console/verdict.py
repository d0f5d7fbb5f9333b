"""How a turn ended and why, in one sentence and one explanation."""

from django.conf import settings

from streamhub.accounts.models import User
from streamhub.console.cards import CLOCK_NAMES, CLOCK_WORDS, kill_seconds, killer_of, limit_of
from streamhub.console.templatetags.live import lasted, thousands
from streamhub.turns.models import Turn
from streamhub.turns.state import EndReason, Status

CLOCK_SETTINGS = {
    EndReason.FIRST_TOKEN_CLOCK: "STREAM_FIRST_TOKEN_TIMEOUT_MS",
    EndReason.IDLE_CLOCK: "STREAM_SDK_CALL_TIMEOUT_MS",
    EndReason.TOTAL_CLOCK: "STREAM_TOTAL_TIMEOUT_MS",
}


def headline(turn: Turn, viewer: User | None) -> str:
    """Return the sentence at the top of a turn's page."""
    took = _took(turn)
    match turn.status:
        case Status.QUEUED:
            return "Waits in its channel's queue"
        case Status.RUNNING:
            return (
                "Stopping: the upstream connection is being closed" if turn.kill_requested_at else "Runs now"
            )
        case Status.TOOL_CALLS:
            return "Waits for the client's tool results"
        case Status.COMPLETED:
            return f"Completed in {took}"
        case Status.KILLED if turn.end_reason == EndReason.USER_KILL:
            return f"Killed by {killer_of(turn, viewer)} after {took}"
        case Status.KILLED:
            return f"Stopped after {took}: its client went away"
        case Status.TIMED_OUT:
            reason = EndReason(turn.end_reason)
            limit = limit_of(turn, CLOCK_NAMES[reason])
            return f"Timed out after {took}: the {CLOCK_WORDS[reason]} fired at {limit:g} s"
        case Status.LOST:
            return f"Lost after {took}: {turn.worker_id or 'its worker'} went away"
    return f"Failed after {took}: {turn.error_code or turn.error_type or turn.end_reason}"


def explanation(turn: Turn) -> str:
    """Return what lies behind the headline: the cause, the value, and what to do."""
    text, thoughts = thousands(turn.text_chars), thousands(turn.thought_chars)
    got = f"{text} characters of text and {thoughts} of reasoning arrived."
    match turn.status:
        case Status.COMPLETED:
            return f"{_finish(turn)} {got}"
        case Status.KILLED:
            return f"{_kill(turn)} {got} What was received is kept."
        case Status.LOST:
            return f"No heartbeat came for {settings.ENGINE_LEASE_SECONDS} s, so the channel was freed. {got}"
        case Status.TIMED_OUT:
            return f"{turn.error_message or _clock(turn)} {got}"
        case Status.FAILED:
            return f"{turn.error_message} {got}".strip()
    return ""


def _took(turn: Turn) -> str:
    if turn.ended_at is None:
        return ""
    return lasted((turn.ended_at - (turn.claimed_at or turn.created_at)).total_seconds())


def _finish(turn: Turn) -> str:
    if turn.stop_string:
        return f"It ended on the stop string “{turn.stop_string}”."
    words = {"stop": "The model came to its end.", "length": "The model reached its output limit."}
    return words.get(
        turn.finish_reason, f"The provider gave the finish reason {turn.finish_reason or 'none'}."
    )


def _kill(turn: Turn) -> str:
    seconds = kill_seconds(turn)
    reason = f" Reason: {turn.kill_reason}." if turn.kill_reason else ""
    if turn.claimed_at is None:
        return f"It was still queued and never connected.{reason}"
    return f"The upstream connection was closed {lasted(seconds)} after the request.{reason}"


def _clock(turn: Turn) -> str:
    reason = EndReason(turn.end_reason)
    return f"Change the limit with {CLOCK_SETTINGS[reason]}, or for one server under its Clocks."
