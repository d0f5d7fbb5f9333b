"""Logging with redaction: no secret reaches a log line, whoever wrote it."""

import logging
from collections.abc import MutableMapping
from typing import Any

import structlog

from providers.redaction import redact


def redact_event(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Structlog processor: redact every string of an event."""
    return {key: redact(value) if isinstance(value, str) else value for key, value in event.items()}


def configure(config: dict[str, Any]) -> None:
    """Set up the standard library's root logger to render through structlog (Django's LOGGING_CONFIG hook)."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact_event,
    ]
    renderer = (
        structlog.processors.JSONRenderer()
        if config.get("json")
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, redact_event, renderer],
    )
    handler = logging.StreamHandler()
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(config.get("level", "INFO"))
    for noisy in ("httpx", "httpcore", "daphne", "celery", "kombu", "amqp", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
