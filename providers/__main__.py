"""`python -m providers normalize|simulate`: what StreamHub makes of a stream, and a stand-in provider."""

import sys
from collections.abc import Sequence

_USAGE = "usage: python -m providers {normalize,simulate} ...\n"


def main(argv: Sequence[str]) -> int:
    """Run one command; return the exit status."""
    command, rest = (argv[0], argv[1:]) if argv else ("", [])
    if command == "normalize":
        from providers.normalize_command import run

        return run(rest)
    if command == "simulate":
        from providers.simulator.server import main as simulate

        return int(simulate(list(rest)) or 0)
    sys.stderr.write(_USAGE)
    return 0 if command in ("-h", "--help") else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
