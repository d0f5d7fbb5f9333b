"""Takes secrets out of a provider's own words before anybody sees or stores them."""

import re

_SECRETS = re.compile(
    r"(?P<lead>\bbearer\s+"
    r"|\b(?:api[-_ ]?key|x-api-key|access[-_]token|token|key|password)[\"']?\s*[=:]\s*[\"']?)"
    r"(?P<value>[^\s\"'&,;]{6,})"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk|pplx|fw|tgp|AIza|ya29)[-_.]?[A-Za-z0-9][\w\-*.]{7,}",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """Return `text` with keys and bearer tokens replaced by `[redacted]`."""
    return _SECRETS.sub(lambda found: (found["lead"] or "") + "[redacted]", text)
