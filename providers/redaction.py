"""Takes secrets out of words before anybody sees or stores them: by their shape, and those we know by themselves.

One table for everything that comes from outside: what providers say, and every line of the log.
"""

import re
from dataclasses import replace

from providers.errors import ProviderError

MARK = "[redacted]"
# Shorter ones are placeholders that servers without keys are given; replacing those would garble every message.
_SHORTEST = 4
_SECRETS = re.compile(
    r"""(?ix)
    (?P<lead>
        \bbearer\s+(?=[^\s"'&,;]{6})
        # "basic plan" and "basic authentication" must stay readable
        | \bbasic\s+(?=[a-z0-9+/]{0,200}[0-9+/=])(?=[a-z0-9+/=]{8})
        # a value behind an equals sign, or of a name that only secrets have
        | \b(?:[a-z]{1,20}[-_]){0,3}(?:api[-_]?key|token|key|password|passwd|secret)=["']?
        | \b(?:x-)?(?:goog-)?(?:api[-_]key|apikey|password|passwd|secret)["']?\s*[=:]\s*["']?(?!bearer\b)
        # else it counts as one if it has a digit: "unknown key: temperature" must stay readable
        | \b(?:api[ ]key|access[-_]token|token|key)["']?\s*[=:]\s*["']?(?!bearer\b)
          (?=[^\s"'&,;]{0,200}\d)(?=[^\s"'&,;]{6})
    )
    [^\s"'&,;]+
    | (?P<user>://[^\s:/@]{0,100}:)[^\s/@]{1,300}(?=@)
    | \b(?:sk|pk|rk|gsk|xai|hf|nvapi|csk|pplx|fw|tgp)[-_.][a-z0-9][\w\-*.]{7,}
    | \bkey-(?=[\w\-]{0,200}\d)[\w\-]{8,}
    | \b(?:AIza|ya29[._-]|eyJ)[\w\-*.]{16,}
    """
)


def redact(text: str) -> str:
    """Return `text` with everything that looks like a key, token or password replaced by `[redacted]`."""
    return _SECRETS.sub(lambda found: f"{found['lead'] or found['user'] or ''}{MARK}", text)


def hide(text: str, secret: str) -> str:
    """Return `text` without `secret`, which may look like anything."""
    return text.replace(secret, MARK) if len(secret) >= _SHORTEST else text


def without_secret(error: ProviderError, secret: str) -> ProviderError:
    """Return `error` as it was, but for a provider's words that repeat the key it was called with."""
    return replace(
        error,
        message=hide(error.message, secret),
        code=hide(error.code, secret),
        original=hide(error.original, secret),
    )
