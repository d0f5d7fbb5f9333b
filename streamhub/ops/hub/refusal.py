"""The one exception that a start-up may end with: a line for the operator, no traceback."""


class HubRefused(Exception):
    """The hub cannot start. The message is one clear line that says what to change."""
