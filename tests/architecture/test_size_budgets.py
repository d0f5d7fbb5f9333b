"""Hard stops on size. A thing that reaches one is split by who owns what, not by counting lines.

OVER may only shrink: an entry that is no longer needed, or larger than what it excuses, fails too.
"""

import ast
from collections.abc import Iterator

from tests.architecture.source import ROOT, FunctionNode, Module, lines_of, product_modules

FUNCTION, MODULE, ADAPTER, VIEW, TASK, CONSUMER, SCRIPT, POSITIONAL = 60, 400, 300, 40, 10, 200, 250, 4

OVER: dict[str, int] = {}


def test_nothing_is_past_its_hard_stop():
    over = {name: size for name, size, stop in _measured() if size > stop}
    assert over == OVER


def _measured() -> Iterator[tuple[str, int, int]]:
    for module in product_modules():
        stop = ADAPTER if module.path.startswith("providers/adapters/") else MODULE
        yield module.path, len(module.text.splitlines()), stop
        yield from _measured_functions(module)
        for node in module.classes():
            if any("Consumer" in ast.unparse(base) for base in node.bases):
                yield f"{module.path}:{node.name}", lines_of(node), CONSUMER
    for path in sorted((ROOT / "static").rglob("*.js")):
        yield str(path.relative_to(ROOT)), len(path.read_text(encoding="utf-8").splitlines()), SCRIPT


def _measured_functions(module: Module) -> Iterator[tuple[str, int, int]]:
    methods = {id(item) for node in module.classes() for item in node.body}
    for node in module.functions():
        name = f"{module.path}:{node.name}"
        yield name, lines_of(node), _stop(module, node)
        implied = 1 if id(node) in methods else 0  # self or cls
        positional = len(node.args.posonlyargs) + len(node.args.args) - implied
        yield f"{name}()", positional, POSITIONAL


def _stop(module: Module, node: FunctionNode) -> int:
    if any(
        ast.unparse(decorator).split("(")[0].endswith(("task", "shared_task"))
        for decorator in node.decorator_list
    ):
        return TASK
    takes_request = any(argument.arg == "request" for argument in node.args.args)
    return VIEW if takes_request and "views" in module.path else FUNCTION
