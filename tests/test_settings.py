"""What the environment turns into: addresses of databases, and secrets that are made once."""

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from streamhub.settings import env

URL = "postgresql://hub:p%40ss@db.example:5433/hub"


def database(url: str) -> dict[str, Any]:
    return env.database("DB", Path("/data"), environ={"DB": url})


def test_a_postgres_address_becomes_settings():
    values = database(URL)
    assert (values["NAME"], values["USER"], values["PASSWORD"]) == ("hub", "hub", "p@ss")
    assert (values["HOST"], values["PORT"]) == ("db.example", "5433")


def test_a_request_keeps_no_connection_since_its_thread_never_comes_back():
    assert database(URL)["CONN_MAX_AGE"] == 0


def test_nothing_waits_for_a_silent_postgres_without_end():
    options = database(URL)["OPTIONS"]
    assert {"connect_timeout", "keepalives_idle", "tcp_user_timeout"} <= options.keys()
    assert "statement_timeout" in options["options"]
    assert "idle_in_transaction_session_timeout" in options["options"]


def test_what_the_address_says_after_a_question_mark_is_heeded():
    options = database(f"{URL}?sslmode=verify-full&connect_timeout=2")["OPTIONS"]
    assert (options["sslmode"], options["connect_timeout"]) == ("verify-full", "2")


def test_an_address_of_another_kind_is_refused():
    with pytest.raises(ImproperlyConfigured, match="write postgresql://"):
        database("mysql://hub@db/hub")
