"""Which base addresses are taken, in which form, and what is said about the rest."""

import ipaddress

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from providers.urls import join_url
from streamhub.catalog.addresses import clean_base_url, is_forbidden_ip, is_local_host, plain_http_warning


def refusal(text: str) -> str:
    with pytest.raises(ValidationError) as caught:
        clean_base_url(text)
    return caught.value.messages[0]


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        ("  https://api.openai.com/v1/ \n", "https://api.openai.com/v1"),
        ("HTTPS://API.OpenAI.com/V1", "https://api.openai.com/V1"),
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://gpu-box:8000", "http://gpu-box:8000"),
        ("http://vllm_server/v1", "http://vllm_server/v1"),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example/v1"),
        ("https://api.openai.com./v1", "https://api.openai.com/v1"),
        ("https://example.com/a/completions-proxy", "https://example.com/a/completions-proxy"),
    ],
)
def test_an_address_is_kept_in_its_usual_form(typed, kept):
    assert clean_base_url(typed) == kept
    assert clean_base_url(kept) == kept


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Enter the address"),
        ("api.openai.com/v1", "Start the address with https://"),
        ("localhost:8000", "Start the address with https://"),
        ("ftp://example.com", "Start the address with https://"),
        ("https:/example.com", "Start the address with https://"),
        ("javascript:alert(1)", "Start the address with https://"),
        ("https://", "host is missing"),
        ("https:///v1", "host is missing"),
        ("https://exa mple.com", "a space in this address, at position 12"),
        ("https://example.com/\x00", "U+0000"),
        ("https://example.com/\u200bv1", "U+200B"),
        ("https://example.com\\v1", "The character \\ at position 20"),
        ("https://user:secret@example.com", "Leave the user name and password out"),
        ("https://example.com/v1?key=1", "everything from ?"),
        ("https://example.com/v1#top", "everything from #"),
        ("https://example.com:0/", "number from 1 to 65535"),
        ("https://example.com:99999/", "number from 1 to 65535"),
        ("https://example.com:http/", "number from 1 to 65535"),
        ("https://[::1/v1", "[brackets]"),
        ("https://exam!ple.com", "not a host name"),
        ("https://a..b", "not a host name"),
        ("https://" + "a" * 600, "at most 500"),
    ],
)
def test_a_bad_address_gets_a_reason(typed, said):
    assert said in refusal(typed)


@pytest.mark.parametrize(
    "call", ["/chat/completions", "/chat/completions/", "/models", "/responses", "/messages"]
)
def test_the_full_address_of_a_call_is_answered_with_what_to_keep(call):
    message = refusal(f"https://openrouter.ai/api/v1{call}")
    assert (
        message
        == f"This is the address of one call. Cut off {call.rstrip('/')}: https://openrouter.ai/api/v1"
    )


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "169.254.170.2",
        "2852039166",  # the same as one number
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "169.254.43518",
        "１６９.254.169.254",  # full-width digits, which IDNA folds
        "169。254。169。254",
        "[fe80::1]",
        "[fe80::1%25eth0]",
        "[fd00:ec2::254]",
        "[::ffff:169.254.169.254]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::]",
        "100.100.100.200",
        "metadata.google.internal",
        "METADATA.google.internal.",
    ],
)
def test_metadata_and_link_local_addresses_are_refused_in_every_spelling(host):
    assert "link-local or metadata" in refusal(f"http://{host}/v1")


def test_what_a_name_resolved_to_can_be_asked_again():
    assert is_forbidden_ip(ipaddress.ip_address("169.254.169.254"))
    assert is_forbidden_ip(ipaddress.ip_address("::ffff:169.254.0.1"))
    assert not is_forbidden_ip(ipaddress.ip_address("192.168.1.20"))
    assert not is_forbidden_ip(ipaddress.ip_address("2606:4700::1111"))


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "192.168.1.20", "::1", "gpu-box", "nas.lan"])
def test_hosts_of_the_own_network_are_not_warned_about(host):
    assert is_local_host(host)
    assert plain_http_warning(f"http://{f'[{host}]' if ':' in host else host}/v1") == ""


def test_plain_http_to_a_foreign_host_is_warned_about_only():
    assert clean_base_url("http://api.example.com/v1") == "http://api.example.com/v1"
    assert "unencrypted" in plain_http_warning("http://api.example.com/v1")
    assert plain_http_warning("https://api.example.com/v1") == ""


@given(st.text(max_size=60) | st.builds("http://{}".format, st.text(max_size=60)))
def test_any_text_gives_a_usable_address_or_a_reason(text):
    try:
        address = clean_base_url(text)
    except ValidationError:
        return
    assert clean_base_url(address) == address
    assert join_url(address, "chat/completions").endswith("/chat/completions")
