"""Findings → their parts in a template: messages with pages, marked source lines, fixes, sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from urlset.findings.card import Card
from urlset.findings.finding import Excerpt, Finding, FixNote
from urlset.reports.snippet import snippet
from urlset.spec.citations import Citation, cited

if TYPE_CHECKING:
    from markupsafe import Markup

_AROUND = 200
"""characters kept on either side of the marked text; the excerpts have fewer"""
_FAULT = 400
_ANY_WIDTH = 100_000
"""columns: the browser wraps lines here"""


class MarkedLine(NamedTuple):
    """A source line, split where its problem starts and ends; `fault` is empty if something is missing at the end."""

    before: str
    fault: str
    after: str


def marked(excerpt: Excerpt) -> MarkedLine:
    """Cut to a bounded length. Whitespace inside the fault is made visible."""
    text = excerpt.text
    start = min(max(excerpt.start, 0), len(text))
    end = min(start + max(excerpt.length, 1), len(text))
    before, fault, after = text[:start], text[start:end], text[end:]
    cut_before, cut_fault, cut_after = before[-_AROUND:] if before else "", fault[:_FAULT], after[:_AROUND]
    return MarkedLine(
        f"{'…' if excerpt.cut_left or cut_before != before else ''}{_outside(cut_before)}",
        f"{_inside(cut_fault)}{'…' if cut_fault != fault else ''}",
        f"{_outside(cut_after)}{'…' if excerpt.cut_right or cut_after != after else ''}",
    )


def _outside(text: str) -> str:
    return snippet(Excerpt(text, 0, 0), _ANY_WIDTH).text


def _inside(text: str) -> str:
    return snippet(Excerpt(text, 0, len(text)), _ANY_WIDTH).text


def _source_text(text: str) -> Markup:
    """Already visible; leading and trailing spaces must stay."""
    from markupsafe import escape

    return escape(text)


def by_message(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """Pages by message, the most common first; the sitemap line would only repeat the URL."""
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        found[finding.message].append(finding)
    return sorted(found.items(), key=lambda item: -len(item[1]))


def fix_notes(findings: Sequence[Finding]) -> list[FixNote]:
    """Each fix once."""
    return list(dict.fromkeys(finding.fix for finding in findings if finding.fix is not None))


def citations(card: Card) -> list[Citation]:
    return [cited(key) for key in card.cites]


def _cell(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.1%}"
        case int():
            return f"{value:,}"
        case _:
            return str(value)


FILTERS: dict[str, Callable[..., object]] = {
    "by_message": by_message,
    "cell": _cell,
    "citations": citations,
    "fix_notes": fix_notes,
    "marked": marked,
    "source_text": _source_text,
}
