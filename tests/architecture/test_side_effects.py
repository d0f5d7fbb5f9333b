"""Each side effect has one owner; import contracts cannot see calls, so these are read from the source."""

import ast

import pytest

from tests.architecture.source import product_modules

# What is called (the end of its dotted name): the only files that may.
OWNERS = {
    ".delay": {"streamhub/turns/dispatch.py"},
    ".apply_async": {"streamhub/turns/dispatch.py"},
    ".send_task": {"streamhub/turns/dispatch.py"},
    ".group_send": {"streamhub/live/publish.py"},
    "get_channel_layer": {"streamhub/live/", "streamhub/turns/signals.py"},
    "os.getenv": set(),
    "os.environ.get": {"streamhub/settings/"},
    "pickle.loads": set(),
    "mark_safe": set(),
    "SafeString": set(),
    "csrf_exempt": {"streamhub/api/"},
    "time.sleep": {"providers/simulator/", "streamhub/ops/"},
}


@pytest.mark.parametrize("call", OWNERS)
def test_a_side_effect_happens_only_where_its_owner_is(call):
    owners = tuple(OWNERS[call])
    strangers = [
        f"{module.path}:{line}"
        for module in product_modules()
        for name, line in module.calls()
        if (name == call or name.endswith(call if call.startswith(".") else f".{call}"))
        and not module.path.startswith(owners)
    ]
    assert strangers == []


def test_only_settings_and_entry_points_read_the_environment():
    allowed = ("streamhub/settings/", "streamhub/celery.py", "streamhub/asgi.py", "streamhub/ops/management/")
    readers = [
        module.path
        for module in product_modules()
        if "os.environ" in module.text and not module.path.startswith(allowed)
    ]
    assert readers == []


def test_no_module_is_named_for_what_it_happens_to_hold():
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}
    assert [module.path for module in product_modules() if vague & set(module.path[:-3].split("/"))] == []


def test_every_module_with_code_says_what_it_owns():
    silent = [m.path for m in product_modules() if m.tree.body and ast.get_docstring(m.tree) is None]
    assert [path for path in silent if not path.endswith("/apps.py")] == []
