"""Whether a call may go where its address leads, asked before a connection is opened.

A name is looked up for the check, and again by the connection: a resolver that answers differently the second time
gets past it. Names that cannot be looked up are let through, because behind an outgoing proxy only the proxy can.
"""

import asyncio
import ipaddress
import socket

from providers.errors import TransportFailure
from streamhub.catalog.addresses import is_forbidden_ip
from streamhub.turns.engine.ports import TransportError

LOOK_UP_SECONDS = 3.0
# Hundreds of turns start at once with one provider: they share an answer.
KEEP_SECONDS = 5.0
KEPT_HOSTS = 256


class Destinations:
    """Answers for one loop, kept for a few seconds."""

    def __init__(self) -> None:
        self._answers: dict[str, tuple[float, asyncio.Task[bool]]] = {}

    async def check(self, host: str) -> None:
        """Raise TransportError if `host` is, or leads to, a link-local or metadata address."""
        if await self._is_forbidden(host):
            message = f"{host} leads to a link-local or metadata address."
            raise TransportError(TransportFailure(kind="forbidden", message=message))

    async def aclose(self) -> None:
        """Ask no more."""
        for _, task in self._answers.values():
            task.cancel()
        await asyncio.gather(*(task for _, task in self._answers.values()), return_exceptions=True)
        self._answers.clear()

    async def _is_forbidden(self, host: str) -> bool:
        try:
            return is_forbidden_ip(ipaddress.ip_address(host))
        except ValueError:
            # Shielded, since one turn's kill must not take the answer from the others.
            return await asyncio.shield(self._answer(host))

    def _answer(self, host: str) -> asyncio.Task[bool]:
        now = asyncio.get_running_loop().time()
        until, task = self._answers.get(host, (0.0, None))
        if task is None or until < now:
            if len(self._answers) >= KEPT_HOSTS:
                self._answers = {name: kept for name, kept in self._answers.items() if kept[0] >= now}
            task = asyncio.create_task(_leads_astray(host), name=f"look up {host}")
            self._answers[host] = (now + KEEP_SECONDS, task)
        return task


async def _leads_astray(host: str) -> bool:
    try:
        async with asyncio.timeout(LOOK_UP_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError, UnicodeError):
        return False
    addresses = {str(address[0]).partition("%")[0] for *_, address in found}
    return any(is_forbidden_ip(ipaddress.ip_address(address)) for address in addresses)
