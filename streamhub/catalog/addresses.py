"""Which addresses an endpoint may have. Metadata and link-local addresses are refused in any spelling.

A name may still lead to such an address, so `turns.destinations` asks `is_forbidden_ip` of what it resolves to.
"""

import ipaddress
import socket
import unicodedata
from urllib.parse import SplitResult, urlsplit, urlunsplit

from django.core.exceptions import ValidationError

MAX_ADDRESS = 500

type IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# Where clouds answer questions about the machine itself, credentials among them.
_METADATA_IPS = frozenset(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254")
)
_METADATA_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"}
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".home.arpa", ".test")

# Ends of full addresses that people paste from a provider's examples, longest first.
_CALLS = ("/chat/completions", "/completions", "/responses", "/messages", "/embeddings", "/models")


def clean_base_url(text: str) -> str:
    """Return the base address in its usual form, without a slash at the end.

    Raises ValidationError with a reason for everything but a plain http or https address of an allowed host.
    """
    text = text.strip()
    if not text:
        raise ValidationError(
            "Enter the address at which the provider answers, such as https://api.openai.com/v1."
        )
    if len(text) > MAX_ADDRESS:
        raise ValidationError(f"This address has {len(text)} characters; at most {MAX_ADDRESS} are allowed.")
    _refuse_odd_characters(text)
    parts = _split(text)
    _refuse_extras(parts, text)
    host = _clean_host(parts)
    path = parts.path.rstrip("/")
    _refuse_call_path(parts, path)
    port = f":{parts.port}" if parts.port is not None else ""
    return urlunsplit((parts.scheme.lower(), f"[{host}]{port}" if ":" in host else host + port, path, "", ""))


def plain_http_warning(base_url: str) -> str:
    """Return what to warn of when keys and texts would cross a foreign network unencrypted, else ''."""
    parts = urlsplit(base_url)
    if parts.scheme != "http" or is_local_host(parts.hostname or ""):
        return ""
    return (
        "Plain http: the key and every text cross the network unencrypted. Use https if the provider has it."
    )


def origin_of(base_url: str) -> str:
    """Return scheme, host and port: who gets what is sent there. The usual port is left out."""
    parts = urlsplit(base_url)
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    host = parts.netloc.lower()
    return f"{parts.scheme}://{host.removesuffix(f':{parts.port}') if parts.port == usual else host}"


def is_local_host(host: str) -> bool:
    """Tell whether `host` is this machine or looks like one in its own network."""
    address = _as_ip(host)
    if address is not None:
        return address.is_loopback or address.is_private
    return "." not in host or host == "localhost" or host.endswith(_LOCAL_SUFFIXES)


def is_forbidden_ip(address: IPAddress) -> bool:
    """Tell whether no endpoint may be there: link-local or a metadata service, also inside an IPv6 one."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = _embedded(address)
        if inner is not None:
            return is_forbidden_ip(inner)
    return address.is_link_local or address in _METADATA_IPS


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def _refuse_odd_characters(text: str) -> None:
    for position, character in enumerate(text, start=1):
        if character.isspace() or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cn", "Cs"}:
            what = "a space" if character == " " else f"the invisible character U+{ord(character):04X}"
            raise ValidationError(f"There is {what} in this address, at position {position}.")
        if character in "\\<>\"'`{}|^":
            raise ValidationError(
                f"The character {character} at position {position} cannot be part of an address."
            )


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        if "port" in str(error).lower():
            raise ValidationError("The port after the host must be a number from 1 to 65535.") from None
        raise ValidationError(
            "The host of this address cannot be read; an IPv6 address goes in [brackets]."
        ) from None
    if parts.scheme.lower() not in {"http", "https"} or not text.lower().startswith(("http://", "https://")):
        raise ValidationError("Start the address with https:// or http://.")
    if port == 0:
        raise ValidationError("The port after the host must be a number from 1 to 65535.")
    return parts


def _refuse_extras(parts: SplitResult, text: str) -> None:
    if "@" in parts.netloc:
        raise ValidationError(
            "Leave the user name and password out of the address; the key has a field of its own."
        )
    for sign in "?#":
        if sign in text:
            raise ValidationError(f"Leave out everything from {sign} on; StreamHub adds what a call needs.")


def _clean_host(parts: SplitResult) -> str:
    typed = (parts.hostname or "").rstrip(".")
    if not typed:
        raise ValidationError("The host is missing: write it after http:// or https://.")
    # IDNA folds full-width digits and dots, so a name may turn out to be an address.
    host = typed if _as_ip(typed) is not None else _clean_name(typed)
    address = _as_ip(host)
    host = str(address) if address is not None else host
    if (address is not None and is_forbidden_ip(address)) or host in _METADATA_NAMES:
        raise ValidationError(
            f"{host} is a link-local or metadata address. It could hand out this machine's credentials, "
            "so it is never used as an endpoint."
        )
    return host


def _clean_name(typed: str) -> str:
    try:
        ascii_name = typed.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise ValidationError(f"{typed[:80]} is not a host name.") from None
    labels = ascii_name.split(".")
    fine = all(label and label.replace("-", "").replace("_", "").isalnum() for label in labels)
    if not fine or len(ascii_name) > 253:
        raise ValidationError(f"{typed[:80]} is not a host name.")
    return ascii_name


def _as_ip(host: str) -> IPAddress | None:
    """Read an address as a resolver would: 2852039166 and 0xa9.254.43518 are IPv4 addresses too."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    if host[:1].isdigit() and host.isascii():
        try:
            return ipaddress.IPv4Address(socket.inet_aton(host))
        except OSError:
            pass
    return None


def _refuse_call_path(parts: SplitResult, path: str) -> None:
    for call in _CALLS:
        if path.lower().endswith(call):
            base = f"{parts.scheme}://{parts.netloc}{path[: -len(call)]}"
            raise ValidationError(f"This is the address of one call. Cut off {path[-len(call) :]}: {base}")
