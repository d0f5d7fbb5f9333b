"""Kind to adapter class: a literal table. Adding an adapter is one file and one row here."""

from collections.abc import Mapping

from providers.adapter import BaseStreamAdapter
from providers.adapters.custom import CustomAdapter
from providers.adapters.deepseek import DeepSeekAdapter
from providers.adapters.mistral import MistralAdapter
from providers.adapters.openai_compatible import OpenAICompatibleAdapter
from providers.adapters.openrouter import OpenRouterAdapter
from providers.adapters.zai import ZaiAdapter

_ADAPTERS: Mapping[str, type[BaseStreamAdapter]] = {
    "openai_compatible": OpenAICompatibleAdapter,
    "custom": CustomAdapter,
    "openrouter": OpenRouterAdapter,
    "deepseek": DeepSeekAdapter,
    "mistral": MistralAdapter,
    "zai": ZaiAdapter,
}


def kinds() -> tuple[str, ...]:
    """Return the ids of all dialects, the most general first."""
    return tuple(_ADAPTERS)


def adapter_for(kind: str) -> BaseStreamAdapter:
    """Return an adapter of `kind`. Raises ValueError, naming the known ones, for any other."""
    try:
        return _ADAPTERS[kind]()
    except KeyError:
        raise ValueError(f"There is no dialect '{kind}'. Known are: {', '.join(_ADAPTERS)}.") from None
