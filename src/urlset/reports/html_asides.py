"""Gaps of a verdict → sections: skipped rules, suppressed findings, unreadable files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from urlset.findings.verdict import Checked, Verdict
from urlset.reports.html_frame import UNREAD
from urlset.reports.html_text import Html, joined, lines, tag
from urlset.reports.wording import amount, named, not_checked, suppressed, times

_DOCUMENTS = 100
_ITEMS = 100


def asides(verdict: Verdict) -> Iterator[str]:
    """Skipped is not passed, so it is reported."""
    reasons = not_checked(verdict)
    yield from section(
        "Skipped rules",
        (
            tag("li", reason, tag("p", f"{amount(len(codes), 'rule')}: {', '.join(codes)}", class_="muted"))
            for reason, codes in reasons.items()
        ),
        len(reasons),
    )
    silenced = suppressed(verdict)
    yield from section(
        "Suppressed",
        (
            tag("li", f"{amount(sum(counts.values()), 'finding')} by {by} ({times(sorted(counts.items()))})")
            for by, counts in silenced.items()
        ),
        len(silenced),
    )
    unread = (*verdict.troubled, *verdict.empty)
    yield from section("Could not be read", (tag("li", line) for line in unread), len(unread), anchor=UNREAD)


def section(title: str, items: Iterable[Html], count: int, *, anchor: str = "") -> Iterator[str]:
    """A limited list with a heading; empty for an empty list."""
    if not count:
        return
    heading = tag("h2", title, id=anchor) if anchor else tag("h2", title)
    shown = [item for _, item in zip(range(_ITEMS), items, strict=False)]
    more = tag("p", f"and {count - len(shown):,} more") if count > len(shown) else ""
    yield f"{tag('section', lines(heading, tag('ul', lines('', *shown)), more))}\n"


def documents(found: Sequence[Checked]) -> Html | str:
    """A folded table of the checked files."""
    if not found:
        return ""
    names = ("file", "kind", "entries", "bytes")
    head = tag("tr", *(tag("th", name, scope="col", **_number(name)) for name in names))
    rows = (
        tag(
            "tr",
            tag("th", tag("code", named(each.source)), *_served(each), scope="row"),
            tag("td", each.kind),
            tag("td", f"{each.entries:,}", class_="number"),
            tag("td", f"{each.bytes:,}", class_="number"),
        )
        for each in found[:_DOCUMENTS]
    )
    left = len(found) - _DOCUMENTS
    table = tag("table", lines("", tag("thead", head), tag("tbody", lines("", *rows))))
    more = tag("p", f"and {left:,} more files") if left > 0 else ""
    return tag("details", lines(tag("summary", f"The {amount(len(found), 'file')}"), table, more))


def _served(each: Checked) -> tuple[str, ...]:
    if not each.url or each.url == each.source:
        return ()
    return (joined(" ", tag("span", f"served as {each.url}", class_="muted")),)


def _number(name: str) -> dict[str, str]:
    return {"class_": "number"} if name in ("entries", "bytes") else {}
