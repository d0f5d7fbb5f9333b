"""Reading the tools of a server as a person typed them: a JSON list in the OpenAI tools shape.

Every message names the place: line and column where it is not JSON, else which tool and which field.
"""

import json
import re
from collections import Counter
from typing import Any, NoReturn

MAX_TOOLS = 128
MAX_TEXT = 200_000
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
TOOL_FIELDS = {"type", "function"}
FUNCTION_FIELDS = {"name", "description", "parameters", "strict"}


class ToolsInvalid(ValueError):
    """The text is not a list of tools; the message says where and why, for the person who typed it."""


def parse_tools(text: str) -> list[dict[str, Any]]:
    """Return the tools in `text`, none if it is blank. Raises ToolsInvalid."""
    if not text.strip():
        return []
    if len(text) > MAX_TEXT:
        raise ToolsInvalid(f"These are {len(text):,} characters; at most {MAX_TEXT:,} are allowed.")
    value = _parse(text)
    tools = value if isinstance(value, list) else _refuse(f"Write a list, [ ... ], not {_kind(value)}.")
    if len(tools) > MAX_TOOLS:
        raise ToolsInvalid(f"These are {len(tools)} tools; at most {MAX_TOOLS} are allowed.")
    for number, tool in enumerate(tools, start=1):
        _check_tool(tool, f"Tool {number}")
    names = Counter(tool["function"]["name"] for tool in tools)
    for name, times in names.items():
        if times > 1:
            raise ToolsInvalid(f"{times} tools are called {name}. A name may stand once.")
    return tools


def format_tools(tools: list[dict[str, Any]]) -> str:
    """Return tools as the editor shows them."""
    return json.dumps(tools, indent=2, ensure_ascii=False) if tools else ""


def _parse(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        text_in = json.dumps(value, ensure_ascii=False)
        text_in.encode()
    except json.JSONDecodeError as error:
        raise ToolsInvalid(f"Line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except UnicodeEncodeError:
        raise ToolsInvalid("A \\u escape stands for half a character (a lone surrogate).") from None
    except RecursionError:
        raise ToolsInvalid("The brackets are nested too deeply.") from None
    if "\\u0000" in text_in:
        raise ToolsInvalid("A text holds \\u0000, which a database cannot store.")
    return value


def _check_tool(tool: Any, where: str) -> None:
    if not isinstance(tool, dict):
        raise ToolsInvalid(f"{where}: write an object, {{ ... }}, not {_kind(tool)}.")
    if "name" in tool and "function" not in tool:
        raise ToolsInvalid(f'{where}: put name and parameters inside "function": {{ ... }}.')
    if tool.get("type") != "function":
        raise ToolsInvalid(f'{where}: "type" must be "function".')
    function = tool.get("function")
    if not isinstance(function, dict):
        raise ToolsInvalid(f'{where}: "function" must be an object, not {_kind(function)}.')
    _refuse_unknown(tool, TOOL_FIELDS, where)
    _check_function(function, where)


def _check_function(function: dict[str, Any], where: str) -> None:
    name = function.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        said = "is missing" if name is None else f"is {json.dumps(name, ensure_ascii=False)[:80]}"
        raise ToolsInvalid(f"{where}: function.name {said}; use 1 to 64 letters, digits, _ or -.")
    where = f"{where} ({name})"
    _refuse_unknown(function, FUNCTION_FIELDS, f"{where}: function")
    _expect(function, "description", str, where)
    _expect(function, "strict", bool, where)
    _expect(function, "parameters", dict, where)
    parameters = function.get("parameters", {})
    if parameters and parameters.get("type") != "object":
        raise ToolsInvalid(f'{where}: function.parameters must be a schema with "type": "object".')
    properties = parameters.get("properties", {})
    if not isinstance(properties, dict):
        raise ToolsInvalid(
            f"{where}: function.parameters.properties must be an object, not {_kind(properties)}."
        )


def _expect(function: dict[str, Any], field: str, kind: type, where: str) -> None:
    words = {str: "a text", bool: "true or false", dict: "an object"}
    if field in function and not isinstance(function[field], kind):
        raise ToolsInvalid(f"{where}: function.{field} must be {words[kind]}, not {_kind(function[field])}.")


def _refuse_unknown(value: dict[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(value.keys() - known)
    if unknown:
        raise ToolsInvalid(
            f"{where}: {unknown[0]!r} is not a field of it; known are {', '.join(sorted(known))}."
        )


def _refuse_constant(name: str) -> NoReturn:
    raise ToolsInvalid(f"{name} is not JSON; write a number or null.")


def _refuse(message: str) -> NoReturn:
    raise ToolsInvalid(message)


def _kind(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
    return "an object"
