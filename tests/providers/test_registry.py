import pytest

from providers.registry import adapter_for, kinds


def test_every_kind_has_an_adapter_that_knows_its_name():
    assert kinds()[0] == "openai_compatible"
    assert [adapter_for(kind).kind for kind in kinds()] == list(kinds())


def test_an_unknown_kind_is_refused_with_the_known_ones_named():
    with pytest.raises(ValueError, match=r"no dialect 'smoke'\. Known are: openai_compatible"):
        adapter_for("smoke")
