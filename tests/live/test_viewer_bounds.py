"""A frame never outgrows what the server sends: beyond that, a viewer is told to fetch the state anew."""

import asyncio
import json

from streamhub.live.viewer import MAX_PENDING_CHARS, Viewer
from streamhub.ops.hub.web import MAX_MESSAGE_BYTES


async def frames_after(offered: list[list[str]]) -> list[str]:
    """Return the frames that a viewer which acknowledges nothing gets."""
    sent: list[str] = []

    async def send(frame: str) -> None:
        sent.append(frame)

    viewer = Viewer(send)
    task = asyncio.create_task(viewer.run())
    for items in offered:
        viewer.offer(items)
    for _ in range(5):
        await asyncio.sleep(0)
    task.cancel()
    return sent


async def test_items_that_would_outgrow_a_frame_become_a_resync():
    (frame,) = await frames_after([['"a"'], ["x" * MAX_PENDING_CHARS]])
    assert json.loads(frame)["items"] == [{"k": "resync"}]


async def test_the_longest_frame_is_shorter_than_the_server_allows():
    item = json.dumps("\N{GRINNING FACE}" * (MAX_PENDING_CHARS - 2), ensure_ascii=False)
    (frame,) = await frames_after([[item]])
    assert len(frame.encode()) < MAX_MESSAGE_BYTES
