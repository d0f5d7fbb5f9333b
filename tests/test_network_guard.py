"""The guard that keeps tests on the machine."""

import asyncio
import socket

import pytest

from tests.network_guard import NetworkBlocked


def test_a_connection_to_another_machine_fails_the_test():
    with socket.socket() as sock, pytest.raises(NetworkBlocked, match="192\\.0\\.2\\.1:443"):
        sock.connect(("192.0.2.1", 443))


async def test_an_async_connection_is_guarded_too():
    with pytest.raises(NetworkBlocked):
        await asyncio.open_connection("192.0.2.1", 443)


def test_a_look_up_of_a_real_name_fails_the_test():
    with pytest.raises(NetworkBlocked, match="provider\\.com"):
        socket.getaddrinfo("provider.com", 443)


def test_a_name_that_can_never_exist_answers_as_a_resolver_would():
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("provider.invalid", 443)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_is_open(host):
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection((host, server.getsockname()[1]), timeout=5).close()
