"""Does the channel layer deliver: the question that readiness asks."""

import asyncio
from contextlib import suppress
from typing import Any

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer

from streamhub.live import loops

LIMIT_SECONDS = 2.0


def delivers() -> None:
    """Send a message through the layer and receive it, from any thread.

    Runs on the loop that owns the layer in this process, if one does. Raises TimeoutError, or what the layer
    raises.
    """
    home = loops.home()
    if home is None:
        async_to_sync(round_trip)()
    else:
        asyncio.run_coroutine_threadsafe(round_trip(), home).result(LIMIT_SECONDS)


async def round_trip() -> None:
    """Send a message to ourselves and receive it. Raises TimeoutError, or what the layer raises."""
    layer: Any = get_channel_layer()
    async with asyncio.timeout(LIMIT_SECONDS):
        channel = await layer.new_channel("probe")
        try:
            await layer.send(channel, {"type": "probe"})
            await layer.receive(channel)
        finally:
            await _forget(layer, channel)


async def _forget(layer: Any, channel: str) -> None:
    """A receive that is cancelled is how layers learn that nobody listens any more."""
    with suppress(TimeoutError):
        await asyncio.wait_for(layer.receive(channel), 0.001)
