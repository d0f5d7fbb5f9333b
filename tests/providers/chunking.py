"""Ways to cut a body into reads. Whatever the cuts, the result must be the same."""

import random
from collections.abc import Iterator


def whole(data: bytes) -> list[bytes]:
    return [data]


def byte_by_byte(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


def every_split(data: bytes) -> Iterator[list[bytes]]:
    for at in range(1, len(data)):
        yield [data[:at], data[at:]]


def random_splits(data: bytes, seed: int) -> list[bytes]:
    dice = random.Random(seed)
    cuts = sorted(dice.randrange(len(data) + 1) for _ in range(dice.randrange(1, 12)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
