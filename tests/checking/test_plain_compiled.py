"""What the compiled scanner calls plain is plain by the patterns too: on every example of every rule, and damaged."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.judge import judge_hints, reading_with
from tests.checking.risky_values import mutations
from tests.checking.test_plain_is_sound import EXAMPLES
from tests.reading.scanners import needs_compiled
from urlset.checking.context import Context
from urlset.checking.declare import Good
from urlset.checking.examples import build, wrap
from urlset.checking.plain import plain_rows
from urlset.checking.subjects import Listed, Sitemap
from urlset.model.columns import Hint
from urlset.model.document import Document
from urlset.reading.read import read

pytestmark = needs_compiled
WHOLLY = Hint.PLAIN_LOC | Hint.PLAIN_FIELDS


def compiled(data: bytes, url: str | None = None) -> Document:
    with reading_with("compiled"):
        return read(data, name="example", url=url)


def test_hints_hold_on_every_example() -> None:
    hinted = 0
    for _, example in EXAMPLES:
        document = compiled(build(example).data, example.at)
        judge_hints(document)
        hinted += sum(hint & WHOLLY == WHOLLY for hint in document.columns.hints)
    assert hinted > 100  # else they would hold because there are none


def test_no_bad_entry_is_hinted_plain() -> None:
    """Directly: the row of a mark has no hint, unless it is the clock that makes it bad."""
    for rule, example in EXAMPLES:
        if rule.on is not Listed or isinstance(example, Good):
            continue
        built = build(example)
        document = compiled(built.data, example.at)
        sitemap = Sitemap(document, Context(now=datetime.fromisoformat(example.now)))
        plain = plain_rows(sitemap)
        for mark in built.marks:
            for row in range(len(document)):
                if document.place(row).offset <= mark.offset < document.place(row).end:
                    assert not plain[row], (rule.code, example)


@given(st.data())
@settings(max_examples=250)
def test_hints_hold_on_damaged_examples(data: st.DataObject) -> None:
    _, example = data.draw(st.sampled_from(EXAMPLES))
    judge_hints(compiled(data.draw(mutations(build(example).data)), example.at))


def test_dates_are_held_against_the_clock() -> None:
    dated = "<url><loc>https://example.com/{0}</loc><lastmod>{0}</lastmod></url>"
    document = compiled(wrap("".join(map(dated.format, ("2026-11-13", "2026-11-20", "2026-11-14")))).encode())
    now = datetime(2026, 11, 15, 12, tzinfo=UTC)
    assert [hint & WHOLLY for hint in document.columns.hints] == [WHOLLY] * 3
    assert list(plain_rows(Sitemap(document, Context(now=now)))) == [1, 0, 1]


def test_rows_without_hints_are_judged_by_the_patterns() -> None:
    text = wrap(
        "<url><loc>https://example.com/a</loc></url>"
        "<url><loc>https://example.com/searching</loc></url>"
        "<url><loc>https://example.com/nanotubes</loc></url>"  # the scanner leaves this one open
        "<url ><loc>https://example.com/b</loc></url>"  # not its shape
        "<url><loc>https://example.com/nan</loc></url>"
    )
    document = compiled(text.encode())
    assert [bool(hint & Hint.PLAIN_LOC) for hint in document.columns.hints] == [True, True, False, False, False]
    assert list(plain_rows(Sitemap(document, Context()))) == [1, 1, 1, 1, 0]
