"""Takes secrets out of a provider's own words before anybody sees or stores them."""

import re

_SECRETS = re.compile(
    r"(?P<bearer>\bbearer\s+)[^\s\"'&,;]{6,}"
    # a named value counts as a secret if it has a digit: "unknown key: temperature" must stay readable
    r"|(?P<named>\b(?:api[-_ ]?key|access[-_]token|token|key|password)[\"']?\s*[=:]\s*[\"']?)"
    r"(?!bearer\b)(?=[^\s\"'&,;]*\d)[^\s\"'&,;]{6,}"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk|pplx|fw|tgp|AIza|ya29)[-_.]?[A-Za-z0-9][\w\-*.]{7,}",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """Return `text` with keys and bearer tokens replaced by `[redacted]`."""
    return _SECRETS.sub(lambda found: f"{found['bearer'] or found['named'] or ''}[redacted]", text)
