"""A provider that repeats the key it was called with shows it to nobody."""

import pytest
from asgiref.sync import sync_to_async

from streamhub.catalog.models import ApiKey
from streamhub.turns.models import Attempt, Turn, TurnChunk
from tests.builders import make_key

# No pattern fits it: keys of several providers look like this.
KEY = "quaylantern.harbourferry"


def all_words(turn: Turn) -> str:
    """Return what is on record of the error; the model's name holds the key, since it tells the simulator."""
    words = ("error_type", "error_code", "error_message")
    rows = [
        *Turn.objects.filter(pk=turn.pk).values_list(*words),
        *Attempt.objects.filter(turn=turn).values_list(*words),
        *(chunk.get("error") for span in TurnChunk.objects.filter(turn=turn) for _, chunk in span.chunks),
        *ApiKey.objects.values_list("last_error_message"),
    ]
    return str(rows)


@pytest.mark.parametrize(
    "script",
    [f"http_error:status=401,message=no such key {KEY},code={KEY}", f"in_band_error:message=bad {KEY}"],
)
async def test_an_error_that_repeats_the_key_is_stored_and_shown_without_it(stage, script):
    await sync_to_async(make_key)(endpoint=stage.endpoint, secret=KEY)
    turn = await stage.ended(await stage.start(script))
    assert turn.status == "failed"
    assert "[redacted]" in turn.error_message
    assert KEY not in await sync_to_async(all_words)(turn)
