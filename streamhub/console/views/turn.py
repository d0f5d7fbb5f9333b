"""A turn: how it ended and why, where its time went, what came chunk by chunk, what guards took out."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import prefetch_related_objects
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from streamhub.console.access import turn_or_404
from streamhub.console.cards import card_of
from streamhub.console.people import person
from streamhub.console.plot import plot_of
from streamhub.console.typed import asked
from streamhub.console.verdict import explanation, headline
from streamhub.turns import selectors
from streamhub.turns.frames import Op
from streamhub.turns.models import ThoughtLog, Turn

TEXT_CHARS = 200_000
OPS_A_PAGE = 1_000
CLIP = 400
FOLDED = frozenset("trs")
FOLD_CHARS = 240

OP_WORDS = {
    "t": ("speaking", "text"),
    "r": ("thinking", "thought"),
    "s": ("thinking", "summary"),
    "c": ("tool", "tool call"),
    "g": ("late", "guard"),
    "m": ("completed", "metadata"),
    "e": ("failed", "error"),
}


@require_GET
@never_cache
def turn(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Show one turn. `?after=SEQ` is where its table of chunks begins."""
    viewer = person(request)
    shown = turn_or_404(request, pk)
    prefetch_related_objects([shown], "attempts")
    attempts = list(shown.attempts.all())
    card = card_of(shown, timezone.now(), viewer=viewer)
    said = selectors.transcript_of(shown, TEXT_CHARS)
    context = {
        "turn": shown,
        "card": card,
        "headline": headline(shown, viewer),
        "explanation": explanation(shown),
        "said": said,
        "caught": _caught(said),
        "thoughts": _thoughts(shown),
        "attempts": attempts,
        "provider": attempts[-1].endpoint_label if attempts else "none",
        **_plot(shown),
        **_chunks(shown, asked(request, "after", "0")),
    }
    return render(request, "live/turn.html", context)


def _thoughts(shown: Turn) -> dict[str, Any]:
    """Return the beginnings of both logs of reasoning: the record holds megabytes of them, a page does not."""
    beginnings = ThoughtLog.objects.filter(turn=shown).values_list(
        Left("summary", TEXT_CHARS + 1), Left("raw", TEXT_CHARS + 1)
    )
    summary, raw = beginnings.first() or ("", "")
    is_cut = max(len(summary), len(raw)) > TEXT_CHARS
    return {"summary": summary[:TEXT_CHARS], "raw": raw[:TEXT_CHARS], "is_cut": is_cut}


def _caught(said: selectors.Transcript) -> list[dict[str, str]]:
    """List what guards took out and which tools were called."""
    guards = [
        {"name": firing["guard"], "what": f"guard, at chunk {firing['seq']}", "text": firing["text"]}
        for firing in said.firings
    ]
    calls = [
        {
            "name": call["name"],
            "what": "tool call, arguments cut: not run" if call["truncated"] else "tool call",
            "text": json.dumps(call["args"], ensure_ascii=False),
        }
        for call in said.calls
    ]
    return [*guards, *calls]


def _plot(shown: Turn) -> dict[str, Any]:
    until = shown.ended_at or timezone.now()
    return {"plot": plot_of(shown, until), "first_text": _first_text(shown)}


def _first_text(shown: Turn) -> float | None:
    """Seconds from the claim to the first visible text."""
    firsts = [attempt.first_text_at for attempt in shown.attempts.all() if attempt.first_text_at]
    if not firsts or shown.claimed_at is None:
        return None
    return (min(firsts) - shown.claimed_at).total_seconds()


def _chunks(shown: Turn, after: str) -> dict[str, Any]:
    start = int(after) if after.isdecimal() and len(after) < 16 else 0
    answer = selectors.ops_after(shown.pk, start, OPS_A_PAGE)
    rows = [_row(run) for run in _folded(answer.ops)]
    return {"rows": rows, "after": start, "next_after": answer.last if answer.more else None}


def _folded(ops: list[Op]) -> Iterator[list[Op]]:
    """Group neighbours that are text of one kind, so that a row is a phrase and not a token."""
    run: list[Op] = []
    size = 0
    for op in ops:
        if run and (op[1] != run[0][1] or op[1] not in FOLDED or size >= FOLD_CHARS):
            yield run
            run, size = [], 0
        run.append(op)
        size += len(op[2])
    if run:
        yield run


def _row(run: list[Op]) -> dict[str, Any]:
    kind = run[0][1]
    phase, word = OP_WORDS[kind]
    text = "".join(value if isinstance(value, str) else _flat(kind, value) for _, _, value in run)
    first, last = run[0][0], run[-1][0]
    return {
        "seq": str(first) if first == last else f"{first}\u2013{last}",
        "phase": phase,
        "word": word,
        "text": text[:CLIP],
        "cut": max(0, len(text) - CLIP),
        "sign": "guard" if kind == "g" else phase,
    }


def _flat(kind: str, value: dict[str, Any]) -> str:
    """Write a value that is no text in one line."""
    if kind == "c":
        return f"{value['name']} {json.dumps(value['args'], ensure_ascii=False)}"
    if kind == "g":
        return f"{value['guard']}: {value['text']}"
    return ", ".join(f"{name} {what}" for name, what in value.items() if what is not None)
