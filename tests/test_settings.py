"""What the environment turns into: addresses of databases, and secrets that are made once."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from streamhub.settings import env, secrets

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


def test_a_secret_is_made_once_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "secret.key"
    secret = secrets.read_or_create(path)
    assert len(secret) >= 48
    assert secrets.read_or_create(path) == secret
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", ["", "\n"])
def test_an_empty_secret_is_none(tmp_path, content):
    path = tmp_path / "secret.key"
    path.write_text(content)
    with pytest.raises(ImproperlyConfigured, match="is empty"):
        secrets.read_or_create(path)


def test_a_data_directory_that_cannot_be_used_is_said_in_words(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(ImproperlyConfigured, match="cannot be made: File exists"):
        secrets.private_directory(file)
    with pytest.raises(ImproperlyConfigured, match="neither read nor made"):
        secrets.read_or_create(tmp_path / "missing" / "secret.key")


def test_of_two_processes_that_start_together_the_first_makes_the_secret(tmp_path, monkeypatch):
    path = tmp_path / "secret.key"
    link = os.link

    def late(draft: str, name: Path) -> None:
        path.write_text("the first one")
        link(draft, name)

    monkeypatch.setattr("os.link", late)
    assert secrets.read_or_create(path) == "the first one"
    assert list(tmp_path.iterdir()) == [path]
