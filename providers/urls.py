"""Joins an endpoint's base address with the path of a dialect."""

from urllib.parse import urlsplit, urlunsplit


def join_url(base_url: str, path: str) -> str:
    """Return `base_url` + `path`. A trailing slash, or a base that holds the path already, is fine.

    Raises ValueError, with a message for a person, where the address cannot be used.
    """
    text = base_url.strip()
    if any(ord(char) <= 32 or ord(char) == 127 for char in text):
        raise ValueError("The address must not contain blanks or control characters.")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"The address is not valid: {error}.") from error
    if parts.scheme not in ("http", "https"):
        raise ValueError("The address must begin with http:// or https://.")
    if not host:
        raise ValueError("The address has no host name.")
    if parts.username or parts.password:
        raise ValueError("The address must not contain a user name or password; use the key field.")
    root = parts.path.rstrip("/")
    whole = root if root.endswith(f"/{path}") else f"{root}/{path}"
    return urlunsplit((parts.scheme, parts.netloc, whole, parts.query, ""))
