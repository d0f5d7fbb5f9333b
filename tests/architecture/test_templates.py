"""Every template compiles, and none needs what the content security policy forbids."""

import re

import pytest
from django.template.loader import get_template

from tests.architecture.source import ROOT

TEMPLATES = ROOT / "templates"
NAMES = [str(path.relative_to(TEMPLATES)) for path in sorted(TEMPLATES.rglob("*.html"))]

# What a strict policy refuses in the browser, where no server-side test would see it.
FORBIDDEN = {
    "an inline script": re.compile(
        r"<script(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")[^>]*>", re.IGNORECASE
    ),
    "an inline style": re.compile(r"<style\b|\sstyle=", re.IGNORECASE),
    "an event attribute": re.compile(r"\s(on[a-z]+|hx-on[:-][\w:-]*)=", re.IGNORECASE),
    "a script address": re.compile(r"javascript:", re.IGNORECASE),
    "code that htmx evaluates": re.compile(r"hx-(vals|headers)=[\"'](js|javascript):", re.IGNORECASE),
    "another site": re.compile(r"\s(src|href)=[\"'](https?:)?//", re.IGNORECASE),
    "unescaped output": re.compile(r"\|\s*safe\b|autoescape off|safeseq"),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_template_compiles(name):
    get_template(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_template_keeps_to_the_content_security_policy(name):
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    assert [what for what, pattern in FORBIDDEN.items() if pattern.search(text)] == []
