"""Exit 0 when the web process of this container answers GET /healthz. Needs nothing but Python."""

import http.client
import os
import sys

PORT = 8000
TIMEOUT_SECONDS = 4.0


def host_header() -> str:
    """Return a name the hub answers to: the first allowed host, without its leading dot."""
    first = os.environ.get("STREAMHUB_ALLOWED_HOSTS", "localhost").split(",")[0].strip().lstrip(".")
    return "localhost" if first in ("", "*") else first


def is_healthy(port: int = PORT) -> bool:
    """Return whether /healthz answers 200 within a few seconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/healthz", headers={"Host": host_header()})
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(0 if is_healthy() else 1)
