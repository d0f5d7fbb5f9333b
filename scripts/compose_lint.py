"""Read docker-compose.yml as a reviewer would: python -m scripts.compose_lint COMPOSE_FILE DEPLOY_DOC

Prints one problem a line and exits 1 if there is any. Knows no container engine; what it checks is what goes
wrong unseen: a service that nobody watches, a secret with a default, a setting that nothing reads, a document
that lies.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

type Service = dict[str, Any]

TOP_LEVEL = {"name", "services", "volumes", "networks", "secrets", "configs"}
SERVICE_KEYS = {
    "image",
    "build",
    "command",
    "restart",
    "healthcheck",
    "depends_on",
    "stop_grace_period",
    "init",
}
SERVICE_KEYS |= {"environment", "ports", "networks", "volumes", "tmpfs", "secrets"}
SERVICE_KEYS |= {"read_only", "cap_drop", "security_opt"}
CONDITIONS = {"service_healthy", "service_completed_successfully"}
SECRET_NAME = re.compile(r"PASSWORD|SECRET|KEYS?\b|TOKEN")
INTERPOLATION = re.compile(r"\$\{(\w+)(:?[?-])?([^}]*)\}")
SETTING_ROW = re.compile(r"^\| `(STREAM\w+)`", re.MULTILINE)
# Documented, but not for the containers: what only `make run` reads, where their data is, and tests' own.
NOT_IN_COMPOSE = re.compile(r"STREAMHUB_(ADMIN_\w+|DEMO|DATA_DIR|DEBUG|TEST_\w+)$")
COMMAND_ROW = re.compile(r"^\| `([a-z]+)` \| `([^`]+)` \|$", re.MULTILINE)


def problems(compose_text: str, deploy_text: str, settings_text: str) -> list[str]:
    """Return what is wrong with the compose file, in plain sentences. Raises YAMLError if it is not YAML."""
    compose = yaml.safe_load(compose_text)
    services: dict[str, Service] = compose.get("services", {})
    found = [
        f"unknown top-level key {key!r}" for key in compose.keys() - TOP_LEVEL if not key.startswith("x-")
    ]
    for name, service in services.items():
        found += [f"{name}: {text}" for text in _service_problems(service, compose)]
    found += _secret_problems(compose_text)
    found += _setting_problems(services, settings_text, deploy_text)
    found += _command_problems(services, deploy_text)
    return found


def _is_one_shot(service: Service) -> bool:
    return service.get("restart") == "no"


def _service_problems(service: Service, compose: dict[str, Any]) -> Iterator[str]:
    yield from (f"unknown key {key!r}" for key in service.keys() - SERVICE_KEYS)
    image = service.get("image", "")
    if not image and "build" not in service:
        yield "has neither image nor build"
    if "build" not in service and (":" not in image or image.endswith(":latest")):
        yield f"image {image!r} names no version"
    if not _is_one_shot(service) and not service.get("healthcheck", {}).get("test"):
        yield "has no healthcheck"
    if "restart" not in service:
        yield "does not say when to restart"
    yield from _reference_problems(service, compose)


def _reference_problems(service: Service, compose: dict[str, Any]) -> Iterator[str]:
    for needed, how in service.get("depends_on", {}).items():
        target = compose["services"].get(needed)
        if target is None:
            yield f"depends on {needed!r}, which does not exist"
        elif how.get("condition") not in CONDITIONS:
            yield f"does not say when {needed!r} is ready"
        elif (how["condition"] == "service_healthy") == _is_one_shot(target):
            yield f"waits for {needed!r} in a way that never comes true"
    for mount in service.get("volumes", []):
        source = mount.split(":")[0]
        if not source.startswith((".", "/")) and source not in compose.get("volumes", {}):
            yield f"volume {source!r} is not declared"
    for port in service.get("ports", []):
        if "127.0.0.1" not in str(port):
            yield f"port {port} is open to every network by default"


def _secret_problems(compose_text: str) -> Iterator[str]:
    for name, operator, _rest in INTERPOLATION.findall(compose_text):
        if SECRET_NAME.search(name) and operator != ":?":
            yield f"secret {name} must stop the start when it is not set (use ${{{name}:?reason}})"
    for name, value in re.findall(r"^\s+([A-Z_]+): (.*)$", compose_text, re.MULTILINE):
        if SECRET_NAME.search(name) and not value.startswith("${"):
            yield f"secret {name} is written into the file"


def _setting_problems(services: dict[str, Service], settings_text: str, deploy_text: str) -> Iterator[str]:
    names = {name for service in services.values() for name in service.get("environment", {})}
    for name in sorted(names):
        if name.startswith("STREAM") and f'"{name}"' not in settings_text:
            yield f"nothing reads the setting {name}"
    for name in SETTING_ROW.findall(deploy_text):
        if name not in names and not NOT_IN_COMPOSE.match(name):
            yield f"the setting {name} of docs/deploy.md reaches no container"


def _command_problems(services: dict[str, Service], deploy_text: str) -> Iterator[str]:
    documented = dict(COMMAND_ROW.findall(deploy_text))
    actual = {name: service["command"] for name, service in services.items() if "command" in service}
    for name in sorted(documented.keys() | actual.keys()):
        if documented.get(name) != actual.get(name):
            yield f"{name}: runs {actual.get(name)!r}, docs/deploy.md says {documented.get(name)!r}"


def main(compose_path: str, deploy_path: str) -> int:
    """Print the problems of the files at these paths and return the exit status."""
    settings_text = "".join(path.read_text() for path in Path("streamhub/settings").glob("*.py"))
    found = problems(Path(compose_path).read_text(), Path(deploy_path).read_text(), settings_text)
    print("\n".join(found) or "nothing to complain about")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
