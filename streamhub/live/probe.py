"""Does the channel layer deliver: the question that readiness asks."""

import asyncio
from contextlib import suppress

from channels.layers import get_channel_layer


async def round_trip(seconds: float = 2.0) -> None:
    """Send a message to ourselves and receive it. Raises TimeoutError after `seconds`, or what the layer raises."""
    layer = get_channel_layer()
    assert layer is not None, "CHANNEL_LAYERS has a default"
    async with asyncio.timeout(seconds):
        channel = await layer.new_channel("probe")
        try:
            await layer.send(channel, {"type": "probe"})
            await layer.receive(channel)
        finally:
            await _forget(layer, channel)


async def _forget(layer: object, channel: str) -> None:
    """A receive that is cancelled is how layers learn that nobody listens any more."""
    with suppress(TimeoutError):
        await asyncio.wait_for(layer.receive(channel), 0.001)  # type: ignore[attr-defined]
