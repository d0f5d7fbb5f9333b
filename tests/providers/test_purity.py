"""The library knows no framework and opens no socket: proved by taking both away."""

import subprocess
import sys

_SCRIPT = """
import pkgutil, sys
for name in ("django", "channels", "celery", "httpx", "socket", "_socket", "asyncio", "ssl", "subprocess"):
    sys.modules[name] = None
import providers
impure = ("providers.simulator", "providers.__main__")
for module in pkgutil.walk_packages(providers.__path__, "providers."):
    if not module.name.startswith(impure):
        __import__(module.name)
from providers.normalizer import Normalizer
from providers.registry import adapter_for, kinds
call = '{"index":0,"function":{"name":"f","arguments":"{"}}'
delta = '{"content":"<think>a</think>b","tool_calls":[%s]}' % call
body = ('data: {"choices":[{"delta":%s}]}' % delta).encode() + bytes([10, 10])
for kind in kinds():
    normalizer = Normalizer(adapter_for(kind))
    assert normalizer.feed(body) and normalizer.finish()[-1].type == "error"
"""


def test_the_library_works_without_framework_and_socket():
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
