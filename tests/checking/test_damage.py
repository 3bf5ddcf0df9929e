"""One byte of one entry is damaged → every new finding points there, and no rule breaks down."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.rules.clean_addresses import NOW
from tests.rules.clean_files import EXTENSIONS, CleanFile, atom, indexes, rss, texts, translated, urlsets
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.checking.select import select
from urlset.checking.subjects import Sitemap
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

pytestmark = pytest.mark.slow

RULES = select(all_rules(), DEFAULT_ENGINES)
BYTES = b"<>&\"'/ =\x00\xff\xc3%#:;AZaz09\n\r\t-.?["


def without_sections(file: CleanFile) -> bool:
    """A CDATA section whose end is damaged goes on to the next one: where it ends is not where it broke."""
    return b"<![CDATA[" not in file.data


FILES = st.one_of(
    *(urlsets(), urlsets("image"), urlsets("video", most=3), urlsets("xhtml"), urlsets(*EXTENSIONS, most=3)),
    *(translated(), indexes(), texts(), rss(), rss(media=True), atom()),
).filter(without_sections)


class Damaged(NamedTuple):
    """A file with one byte changed, put in or taken out inside one entry."""

    before: bytes
    after: bytes
    url: str
    at: int
    entry: Place
    """of the entry before the damage"""

    @property
    def grown(self) -> int:
        return len(self.after) - len(self.before)

    def moved(self, offset: int) -> int:
        return offset + self.grown if offset > self.at else offset

    def hit(self, finding: Finding) -> bool:
        assert finding.offset is not None
        return self.entry.offset <= finding.offset <= self.entry.end + self.grown


@st.composite
def damaged(draw: st.DrawFn) -> Damaged:
    file = draw(FILES)
    document = read(file.data, name="example", url=file.url)
    entry = document.place(draw(st.integers(0, len(document) - 1)))
    at = draw(st.integers(entry.offset, entry.end - 1))
    new = bytes([draw(st.one_of(st.sampled_from(BYTES), st.integers(0, 255)))])
    how: Callable[[bytes], bytes] = draw(
        st.sampled_from(
            (
                lambda data: data[:at] + new + data[at:],
                lambda data: data[:at] + new + data[at + 1 :],
                lambda data: data[:at] + data[at + 1 :],
            )
        )
    )
    return Damaged(file.data, how(file.data), file.url, at, entry)


def findings(data: bytes, url: str) -> tuple[Document, list[tuple[AnyRule, Finding]]]:
    document = read(data, name="example", url=url)
    tally = run(document, RULES, Context(now=NOW))
    assert [crash.message for crash in tally.crashes] == []
    return document, [(rule, finding.made()) for rule, _, finding in tally.problems]


@given(damaged())
@settings(max_examples=120)
@example(Damaged(b"https://a.com/\n", b"https://a.com/\xff\n", "https://a.com/sitemap.txt", 14, Place(0, 14)))
def test_new_findings_point_at_the_damage(file: Damaged) -> None:
    assume(file.before != file.after)
    _, old = findings(file.before, file.url)
    known = {(finding.code, file.moved(finding.offset or 0)) for _, finding in old}
    document, now = findings(file.after, file.url)
    new = [(rule, finding) for rule, finding in now if (finding.code, finding.offset) not in known]
    size = document.envelope.size
    for rule, finding in new:
        assert finding.offset is not None
        assert 0 <= finding.offset <= finding.offset + finding.length <= size
        assert finding.line == file.after.count(b"\n", 0, finding.offset) + lone_returns(file.after, finding.offset) + 1
        if rule.on is not Sitemap:
            assert file.hit(finding), (finding.code, finding.message)
    broken = [finding for _, finding in new if finding.code[0] == "X" and finding.severity is Severity.ERROR]
    assert not broken or any(file.hit(finding) for _, finding in new), [finding.message for finding in broken]


def lone_returns(data: bytes, end: int) -> int:
    """Carriage returns without a line feed end a line as well."""
    part = data[: end + 1]
    return part[:end].count(b"\r") - part.count(b"\r\n")


@given(FILES, st.lists(st.tuples(st.integers(0, 2**20), st.binary(min_size=1, max_size=4)), max_size=8))
@settings(max_examples=60)
def test_no_damage_breaks_a_rule(file: CleanFile, blows: list[tuple[int, bytes]]) -> None:
    data = file.data
    for at, new in blows:
        where = at % len(data)
        data = data[:where] + new + data[where + len(new) :]
    document, found = findings(data, file.url)
    for _, finding in found:
        assert finding.offset is not None
        assert 0 <= finding.offset <= finding.offset + finding.length <= document.envelope.size


def test_brackets_that_hold_no_address_break_no_rule() -> None:
    found = findings(b"User-agent: *\nSitemap: //[example/sitemap.xml\n", "https://example.com/robots.txt")[1]
    assert [finding.code for _, finding in found] == ["R002"]
