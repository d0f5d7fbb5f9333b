"""A browser's outgoing side: merged frames, a bounded window, and an honest word when frames were dropped."""

import asyncio
import json
from typing import Any

import pytest

from streamhub.live.viewer import WINDOW, Viewer


class Browser:
    """What a viewer sent, frame by frame."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []

    async def send(self, frame: str) -> None:
        self.frames.append(json.loads(frame))

    @property
    def items(self) -> list[Any]:
        return [item for frame in self.frames for item in frame["items"]]


@pytest.fixture
async def browser():
    return Browser()


@pytest.fixture
async def viewer(browser):
    viewer = Viewer(browser.send)
    task = asyncio.create_task(viewer.run())
    yield viewer
    task.cancel()


async def passes() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_items_offered_together_travel_in_one_frame(viewer, browser):
    viewer.offer(['"a"'])
    viewer.offer(['"b"', '"c"'])
    await passes()
    assert [frame["items"] for frame in browser.frames] == [["a", "b", "c"]]
    assert browser.frames[0]["n"] == 1


async def test_frames_stop_at_the_window_and_go_on_with_an_acknowledgement(viewer, browser):
    for number in range(WINDOW + 3):
        viewer.offer([str(number)])
        await passes()
    assert len(browser.frames) == WINDOW
    viewer.acknowledge(1)
    await passes()
    assert browser.items == list(range(WINDOW + 3))


async def test_an_acknowledgement_of_a_frame_never_sent_opens_nothing(viewer, browser):
    for number in range(WINDOW):
        viewer.offer([str(number)])
        await passes()
    viewer.acknowledge(10_000)
    for number in range(WINDOW, WINDOW * 2 + 1):
        viewer.offer([str(number)])
        await passes()
    assert len(browser.frames) == WINDOW * 2


async def test_a_viewer_that_lost_frames_is_told_once_and_gets_what_comes_after(viewer, browser):
    viewer.offer(['"before"'])
    viewer.lose()
    viewer.offer(['"while lagging"'])
    await passes()
    viewer.offer(['"after"'])
    await passes()
    assert browser.items == [{"k": "resync"}, "after"]
