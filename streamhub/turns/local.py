"""The engine of this process, if it has one: how threads of the same process reach it without the layer."""

from typing import Protocol


class LocalEngine(Protocol):
    """What other threads may ask of an engine; both return at once and are safe from any thread."""

    worker_id: str

    def wake_from_thread(self) -> None:
        """Look for queued turns soon."""

    def kill_from_thread(self, turn_id: str, fencing_token: int) -> None:
        """End a turn that this engine runs under that token."""


_engines: list[LocalEngine] = []


def register(engine: LocalEngine) -> None:
    """Make `engine` reachable from this process."""
    _engines.append(engine)


def unregister(engine: LocalEngine) -> None:
    """Forget `engine`."""
    _engines.remove(engine)


def wake() -> bool:
    """Wake the engines of this process; False if there is none."""
    for engine in _engines:
        engine.wake_from_thread()
    return bool(_engines)


def kill(worker_id: str, turn_id: str, fencing_token: int) -> bool:
    """Pass a kill to the engine `worker_id`; False if it does not run in this process."""
    for engine in _engines:
        if engine.worker_id == worker_id:
            engine.kill_from_thread(turn_id, fencing_token)
            return True
    return False
