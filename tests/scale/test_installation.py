"""The commands of docker-compose.yml on PostgreSQL and Redis: each process does its part, and dies without harm."""

import signal
from itertools import count
from uuid import UUID

import pytest

from tests.e2e.desk import Desk, Guild
from tests.e2e.upstream import text_of_script
from tests.ops.hub_process import post
from tests.scale.installation import CAPACITY, Installation, Worker
from tests.scale.live_socket import LiveSocket, Transcript

pytestmark = [pytest.mark.e2e, pytest.mark.redis, pytest.mark.postgres, pytest.mark.timeout(400)]
TALK = "length=600,pace=100"
_seeds = count(1)


class Stage:
    """Turns of one test, on the channels of its own server."""

    def __init__(self, installation: Installation, desk: Desk, guild: Guild, provider: int) -> None:
        self.installation = installation
        self.desk = desk
        self.channels = guild.channels
        self._provider = provider

    def start(self, channel: str, script: str) -> UUID:
        """Start a turn that the provider answers with `script`."""
        return self.desk.start(self.channels[channel], self.desk.model(self._provider, script))

    def kill(self, turn: UUID) -> tuple[int, str]:
        """Post the kill button; return what the web process answers."""
        page = self.desk.client.get(f"/turns/{turn}/")
        answer = post(self.desk.client, f"/turns/{turn}/kill/", page)
        return answer.status_code, answer.headers["location"]

    def facts(self, turn: UUID, columns: str) -> tuple[object, ...]:
        """Return these columns of the turn's row."""
        (row,) = self.installation.rows(f"SELECT {columns} FROM turns_turn WHERE id = ?", turn)
        return row


def script(name: str, options: str = "") -> str:
    """Return a script that no other turn uses, so that the provider's connections can be told apart."""
    return f"{name}:seed={next(_seeds)}{options and f',{options}'}"


@pytest.fixture
def stage(installation: Installation, desk: Desk, guild: Guild, provider: int) -> Stage:
    """A server of the test's own."""
    return Stage(installation, desk, guild, provider)


def test_a_turn_posted_to_the_web_process_is_streamed_by_the_worker_and_recorded(stage, desk, upstream):
    talk = script("talk", TALK)
    turn = stage.start("tavern", talk)
    desk.wait_for(turn, "completed")
    assert desk.recorded_text(turn) == text_of_script(talk)
    assert stage.facts(turn, "end_reason, fencing_token, phase") == ("natural", 1, "")
    assert stage.installation.worker.runs(stage.installation.worker_of(turn))
    assert [entry.state for entry in upstream.connections(talk)] == ["completed"]


def test_a_kill_posted_to_the_web_process_closes_the_connection_of_a_stalled_turn(stage, desk, upstream):
    stall = "stall:after=60"
    turn = stage.start("tavern", stall)
    desk.wait_for_chars(turn, 60)
    first = stage.kill(turn)
    upstream.wait_for(stall, "closed_by_client")
    desk.wait_for(turn, "killed")
    assert stage.kill(turn) == first == (302, first[1])
    assert stage.facts(turn, "status, end_reason") == ("killed", "user_kill")
    assert [entry.state for entry in upstream.connections(stall)] == ["closed_by_client"]
    assert len(desk.recorded_text(turn)) >= 60


def test_a_viewer_of_the_web_process_sees_every_chunk_that_the_worker_receives(stage, desk):
    talk = script("talk", "length=3000,pace=100,chars=12")
    with LiveSocket(stage.installation.url, desk.client.cookies["streamhub_session"]) as viewer:
        viewer.watch(stage.channels["tavern"])
        turn = stage.start("tavern", talk)
        transcript = Transcript(turn)
        while desk.status(turn) in ("queued", "running") and transcript.text != text_of_script(talk):
            transcript.take(viewer.items())
        assert transcript.cards
        assert transcript.pieces > 3
        assert transcript.text == text_of_script(talk)
        desk.wait_for(turn, "completed")
        recorded = Transcript(turn)
        recorded.take([viewer.catch_up(turn, 0)])
    assert recorded.text == transcript.text


def test_two_workers_share_the_queue_and_run_each_turn_once(stage, desk, upstream):
    with stage.installation.another_worker():
        first = {name: script("silent", f"seconds=4,{TALK}") for name in stage.channels}
        second = {name: script("talk", TALK) for name in stage.channels}
        turns = [(stage.start(name, scripts[name]), name) for scripts in (first, second) for name in first]
        for turn, _ in turns:
            desk.wait_for(turn, "completed")
    assert len(stage.channels) > CAPACITY
    assert len({stage.installation.worker_of(turn) for turn, _ in turns}) == 2
    for turn, _ in turns:
        attempts = stage.installation.rows("SELECT number FROM turns_attempt WHERE turn_id = ?", turn)
        assert (attempts, stage.facts(turn, "fencing_token")) == ([(1,)], (1,))
    for name in stage.channels:
        (before,), (after,) = upstream.connections(first[name]), upstream.connections(second[name])
        assert after.request_at >= before.closed_at


def test_turns_of_a_worker_that_is_killed_are_lost_and_their_channel_goes_on(stage, desk):
    talk = script("talk", TALK)
    with stage.installation.another_worker(STREAMHUB_LEASE_SECONDS="3") as worker:
        turn = _start_on(worker, stage, script("trickle", "interval=0.1"))
        waiting = stage.start("tavern", talk)
        assert desk.status(waiting) == "queued"
        worker.send(signal.SIGKILL)
        desk.wait_for(turn, "lost")
    assert stage.facts(turn, "end_reason, error_code, lease_expires_at") == ("stale_lease", "lost", None)
    assert desk.recorded_text(turn)
    desk.wait_for(waiting, "completed")
    assert desk.recorded_text(waiting) == text_of_script(talk)


def test_a_worker_that_is_asked_to_stop_says_so_in_its_turns_and_leaves_the_queue_to_others(
    stage, desk, upstream
):
    trickle, talk = script("trickle", "interval=0.1"), script("talk", TALK)
    with stage.installation.another_worker() as worker:
        turn = _start_on(worker, stage, trickle)
        waiting = stage.start("tavern", talk)
        worker.send(signal.SIGTERM)
        assert worker.wait() == 0, worker.text
    assert stage.facts(turn, "status, end_reason") == ("failed", "shutdown")
    assert [entry.state for entry in upstream.connections(trickle)] == ["closed_by_client"]
    assert not any(worker.runs(name) for (name,) in stage.installation.rows("SELECT id FROM turns_worker"))
    desk.wait_for(waiting, "completed")
    assert stage.installation.worker.runs(stage.installation.worker_of(waiting))


def _start_on(worker: Worker, stage: Stage, name: str) -> UUID:
    """Start a turn that this worker takes, since the other one sleeps meanwhile."""
    stage.installation.worker.pause()
    try:
        turn = stage.start("tavern", name)
        stage.desk.wait_for_chars(turn, 3)
    finally:
        stage.installation.worker.go_on()
    assert worker.runs(stage.installation.worker_of(turn))
    return turn
