"""The commands of docker-compose.yml, so that what the tests start is what an operator starts."""

import shlex
import sys
from pathlib import Path

import yaml

from tests.ops.hub_process import ROOT


def command_of(service: str, **changed: str) -> list[str]:
    """Return a service's command with the programs of this environment.

    `changed` gives other values by option (`p="0"` for -p, `schedule=...` for --schedule): ports and paths are
    shared here, in containers they are not. Raises ValueError for an option that the command does not have.
    """
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    program, *arguments = shlex.split(services[service]["command"])
    for option, value in changed.items():
        flag = f"--{option}" if len(option) > 1 else f"-{option}"
        arguments[arguments.index(flag) + 1] = value
    return [_here(program), *arguments]


def _here(program: str) -> str:
    return sys.executable if program == "python" else str(Path(sys.executable).with_name(program))
