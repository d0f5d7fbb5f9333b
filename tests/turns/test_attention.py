"""The rule of phases, held against one table of cases; the browser's copy of it is held against the same table."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from streamhub.turns.attention import SHOWN, Situation, attention_of
from streamhub.turns.state import Phase, Status

HERE = Path(__file__).parent
CASES = json.loads((HERE / "attention_cases.json").read_text(encoding="utf-8"))
NAMES = {
    "killRequested": "kill_requested",
    "quietMs": "quiet_ms",
    "clockMs": "clock_ms",
    "limitMs": "limit_ms",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_situation_is_shown_as_the_table_says(case):
    situation = Situation(**{NAMES.get(name, name): value for name, value in case["now"].items()})
    shown = asdict(attention_of(situation))
    assert {name: shown[name] for name in case["is"]} == case["is"]


def test_every_status_and_phase_has_a_look():
    assert set(SHOWN) == {*Status, *Phase} - {Status.RUNNING}


def test_every_look_has_a_sign_of_the_sprite():
    sprite = (HERE.parent.parent / "static" / "img" / "icons.svg").read_text(encoding="utf-8")
    assert [look.icon for look in SHOWN.values() if f'id="{look.icon}"' not in sprite] == []
