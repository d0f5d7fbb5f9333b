"""The scripts by name, and how a request gets one."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from providers.simulator import calls, faults, speech
from providers.simulator.dialect import ChatRequest
from providers.simulator.options import Options, UnknownScript, split_selector
from providers.simulator.replay import PREFIX, Recordings
from providers.simulator.steps import Script, Step

type Play = Callable[[ChatRequest, Options], Iterator[Step]]

# A script reads all its options when it is called, before its first step: a slip is then an HTTP error.
SCRIPTS: Final[Mapping[str, Play]] = {
    "talk": speech.talk,
    "think": speech.think,
    "tool": calls.tool,
    "verbatim": calls.verbatim,
    "leaked": speech.leaked,
    "silent": faults.silent,
    "hold": faults.hold,
    "stall": faults.stall,
    "http_error": faults.http_error,
    "in_band_error": faults.in_band_error,
    "reset": faults.reset,
    "eof": faults.eof,
    "trickle": faults.trickle,
    "keepalive": faults.keepalive,
    "length": speech.length,
    "filtered": speech.filtered,
    "empty": speech.empty,
    "hostile": speech.hostile,
    "cut_call": calls.cut_call,
    "burst": speech.burst,
    "settle_slow": faults.settle_slow,
    "linger": faults.linger,
    "echo": speech.echo,
}


def find_script(selector: str, request: ChatRequest, recordings: Recordings) -> Script:
    """Return the script that `selector` names, ready to play.

    Raises UnknownScript for a name nobody knows, BadScript for options that make no sense.
    """
    name, given = split_selector(selector)
    options = Options(given)
    if name.startswith(PREFIX):
        script = recordings.script(name, options)
    elif name in SCRIPTS:
        script = Script(name, SCRIPTS[name](request, options))
    else:
        raise UnknownScript(name)
    options.refuse_leftovers(name)
    return script
