"""The engine's tests that lean on what databases do differently, once more with PostgreSQL as their database."""

import subprocess
import sys

import pytest

from tests.ops.hub_process import ROOT, clean_environment

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(400)]

# Claims, fencing, races between an end and a kill, leases, recorded spans. All of tests/turns runs there by hand:
# STREAMHUB_TEST_DATABASE_URL=postgresql://... pytest tests/turns
SCENARIOS = (
    "completes_and_its_text_is_on_record or follow_in_order or sent_three_times or while_the_engine_drains"
    " or honestly_and_leaves_the_queue or races_the_natural_end or second_kill or killed_queued"
    " or channel_with_its_queue or found_by_the_heartbeat or lease or lost"
)


def test_claims_races_leases_and_recorded_text_are_the_same_on_postgresql(database_url):
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/turns", "-q", "-p", "no:cacheprovider", "-k", SCENARIOS],
        cwd=ROOT,
        env={**clean_environment(), "STREAMHUB_TEST_DATABASE_URL": database_url},
        capture_output=True,
        text=True,
        timeout=380,
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    assert " passed" in run.stdout
    assert "skipped" not in run.stdout
