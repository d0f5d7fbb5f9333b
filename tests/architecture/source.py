"""The project's own source, parsed once, for the tests that read it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

type FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file: its path below the root, its text and its tree."""

    path: str
    text: str
    tree: ast.Module

    def functions(self) -> Iterator[FunctionNode]:
        """Yield every function and method, nested ones too."""
        return (
            node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        )

    def classes(self) -> Iterator[ast.ClassDef]:
        """Yield every class."""
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))

    def imported_packages(self) -> Iterator[str]:
        """Yield the top-level package of every import, wherever in the file it stands."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.partition(".")[0]

    def calls(self) -> Iterator[tuple[str, int]]:
        """Yield the dotted name and line of every call, as written: `transaction.on_commit`, `open`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield ast.unparse(node.func), node.lineno


@cache
def product_modules() -> tuple[Module, ...]:
    """Return every module of the product, without migrations, which are generated."""
    paths = [
        path for package in ("providers", "streamhub") for path in sorted((ROOT / package).rglob("*.py"))
    ]
    return tuple(_parse(path) for path in paths if "migrations" not in path.parts)


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Return how many lines `node` spans, from its name to its end, without its docstring."""
    doc = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
    doc_lines = (doc.end_lineno or doc.lineno) - doc.lineno + 1 if doc else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - doc_lines


def _parse(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    return Module(str(path.relative_to(ROOT)), text, ast.parse(text))
