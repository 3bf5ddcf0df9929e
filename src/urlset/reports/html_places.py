"""Findings → the list of their places: file, line, and byte, the marked source line, and the message."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from urlset.findings.finding import Excerpt, Finding
from urlset.findings.severity import Severity
from urlset.reports.html_text import Html, joined, lines, tag
from urlset.reports.snippet import snippet
from urlset.reports.wording import amount, place

_AROUND = 200
"""characters kept on either side of the marked text; the excerpts have fewer"""
_FAULT = 400
_ANY_WIDTH = 100_000
"""columns: the browser wraps lines here"""


def places(findings: Sequence[Finding], severities: Sequence[Severity]) -> Html:
    """`severities` of the rule: with several, each place shows its own."""
    return tag("ol", lines("", *(_item(finding, severities) for finding in findings)), class_="places")


def page_places(findings: Sequence[Finding], severities: Sequence[Severity]) -> Html:
    """Pages by message, the most common first; the sitemap line would only repeat the URL."""
    by_message: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_message[finding.message].append(finding)
    reported = (
        tag("li", lines(tag("p", message), tag("ul", lines("", *(_page(each, severities) for each in group)))))
        for message, group in sorted(by_message.items(), key=lambda item: -len(item[1]))
    )
    return tag("ul", lines("", *reported), class_="places")


def _item(finding: Finding, severities: Sequence[Severity]) -> Html:
    entries = f", for {amount(finding.count, 'entry', 'entries')}" if finding.count > 1 else ""
    badge = _badge(finding, severities)
    return tag(
        "li",
        lines(
            tag("p", tag("code", place(finding)), tag("span", f"{_byte(finding)}{entries}", class_="muted"), badge),
            tag("pre", tag("code", marked(finding.excerpt))) if finding.excerpt is not None else "",
            tag("p", finding.message) if finding.message else "",
        ),
    )


def _page(finding: Finding, severities: Sequence[Severity]) -> Html:
    where, badge = f"{place(finding)}{_byte(finding)}", _badge(finding, severities)
    if finding.subject is None:
        return tag("li", tag("code", where), badge)
    return tag("li", tag("code", finding.subject), tag("span", f" {where}", class_="muted"), badge)


def _badge(finding: Finding, severities: Sequence[Severity]) -> Html:
    if len(severities) < 2:
        return joined()
    return joined(" ", tag("span", finding.severity, class_=f"badge {finding.severity}"))


def _byte(finding: Finding) -> str:
    return f", byte {finding.offset:,}" if finding.offset is not None else ""


def marked(excerpt: Excerpt) -> Html:
    """The line with the problem marked; the mark is empty if something is missing at the end."""
    text = excerpt.text
    start = min(max(excerpt.start, 0), len(text))
    end = min(start + max(excerpt.length, 1), len(text))
    before, fault, after = text[:start], text[start:end], text[end:]
    cut_before, cut_fault, cut_after = before[-_AROUND:] if before else "", fault[:_FAULT], after[:_AROUND]
    return joined(
        "…" if excerpt.cut_left or cut_before != before else "",
        _outside(cut_before),
        tag("mark", _inside(cut_fault), "…" if cut_fault != fault else ""),
        _outside(cut_after),
        "…" if excerpt.cut_right or cut_after != after else "",
    )


def _outside(text: str) -> str:
    return snippet(Excerpt(text, 0, 0), _ANY_WIDTH).text


def _inside(text: str) -> str:
    """Whitespace inside a mark must be visible."""
    return snippet(Excerpt(text, 0, len(text)), _ANY_WIDTH).text
