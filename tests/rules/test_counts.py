"""What a rule counts beyond the cap is what it would have said."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings

from tests.checking.risky_values import entries
from tests.checking.test_signals_are_sound import EXAMPLES, NOW
from tests.reading.scanners import BOTH, chosen
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import _on, run
from urlset.checking.examples import context_of, document_of, wrap
from urlset.checking.subjects import ListedPage, Sitemap
from urlset.findings.finding import Problem
from urlset.fixing.harvest import brief_changes
from urlset.model.columns import Edit
from urlset.model.document import Document, Kind
from urlset.model.place import between
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules

COUNTING = [rule for rule in _on(all_rules(), ListedPage) if rule.count is not None]
FAMILIES = {rule.code[0] for rule in COUNTING}


def assert_counted(rule: AnyRule, document: Document, context: Context) -> int:
    """With signals and, as for a schema, without."""
    sitemap, counted = Sitemap(document, context), 0
    if document.kind is Kind.SITEMAPINDEX or (rule.kinds is not None and document.kind not in rule.kinds):
        return 0
    for row in range(len(document)):
        number = rule.count(sitemap, [row])[0] if rule.count is not None else None
        if number is not None:
            said = list(rule.check(ListedPage(sitemap, row)))
            assert number == len(said), document.data
            assert all(each.severity in (None, rule.card.severity) for each in said), document.data
            assert all((each.fix is not None) == rule.card.fixable for each in said), document.data
            counted += number
            if number:
                assert_brief(rule, ListedPage(sitemap, row), said)
    return counted


def assert_brief(rule: AnyRule, listed: ListedPage, said: list[Problem]) -> None:
    """The brief fix is the fix of the rule: same title, same safety, same edits at the same place."""
    brief = next((each for each in rule.briefs if each.fits is None or each.fits([listed.loc])[0]), None)
    if brief is None:
        return
    fixes = [each.fix for each in said if each.fix is not None]
    assert {fix.safety for fix in fixes} == {brief.safety}, listed.loc
    changes = brief_changes(listed.document, brief, [listed.row])[0]
    if changes:
        written = [Edit(between(start, end), text) for start, end, text in changes]
        assert (fixes[0].title, list(fixes[0].edits)) == (brief.title, written), listed.loc
        assert said[0].place.offset == written[0].place.offset, listed.loc


@pytest.mark.parametrize("scanner", BOTH)
def test_examples(scanner: str) -> None:
    counted: Counter[str] = Counter()
    with chosen(scanner):
        for _, example in (each for each in EXAMPLES if each[0].code[0] in FAMILIES):
            document, context = document_of(example), context_of(example, Context().engines)
            for rule in COUNTING:
                counted[rule.code] += assert_counted(rule, document, context)
    assert [rule.code for rule in COUNTING if not counted[rule.code]] == []


@settings(max_examples=300)
@given(entries())
def test_risky_values(entry: str) -> None:
    document = read(wrap(entry).encode("utf-8", "surrogatepass"))
    for rule in COUNTING:
        assert_counted(rule, document, Context())


REPAIRED = {
    "an entity of HTML": "/p?a=1&eacute;",
    "a bare ampersand": "/é?a=1&b=2",
    "a bare bracket": "/é?a<1",
    "a byte that is not UTF-8": "/\udcff?a&b=é",
    "a placeholder": "/{{é}}/&uuml;",
    "a space and an unknown entity": "/a é/&uuml;&nope;",
    "a fragment": "/é&copy;#&eacute;",
}


WRITTEN = {
    "escaped": "/[a]&lt;b?c=1&amp;d",
    "in a section": "<![CDATA[https://example.com/[a]<b&lt;c]]>",
    "escaped twice": "/[a]&amp;lt;b",
}


@pytest.mark.parametrize("path", WRITTEN.values(), ids=WRITTEN)
def test_ways_to_write_a_bracket(path: str) -> None:
    loc = path if path.startswith("<") else f"https://example.com{path}"
    rule = next(rule for rule in COUNTING if rule.code == "L012")
    document = read(wrap(f"<url><loc>{loc}</loc></url>").encode())
    assert assert_counted(rule, document, Context()) == 1
    lines = read(b"https://example.com/\nhttps://example.com/[a]<b&lt;c\n", name="sitemap.txt")
    assert assert_counted(rule, lines, Context()) == 1


def test_a_fragment_of_two_lines_is_left_to_the_rule() -> None:
    rule = next(rule for rule in COUNTING if any(brief.in_fragment for brief in rule.briefs))
    document = read(wrap("<url><loc>https://example.com/a#b\nc</loc></url>").encode())
    assert brief_changes(document, rule.briefs[0], [0]) == [[]]


@pytest.mark.parametrize("scanner", BOTH)
@pytest.mark.parametrize("path", REPAIRED.values(), ids=REPAIRED)
def test_entries_that_the_reader_repaired(path: str, scanner: str) -> None:
    entry = f"<url><loc>https://example.com{path}</loc></url>"
    with chosen(scanner):
        document = read(wrap(entry).encode("utf-8", "surrogateescape"))
        for rule in COUNTING:
            assert_counted(rule, document, Context())


def joined_examples() -> bytes:
    """The entries of all examples in one file, each twice, with different URLs."""
    rows = []
    for _, example in EXAMPLES:
        document = document_of(example)
        if document.kind is Kind.URLSET and document.envelope.size == len(document.data) and len(document) < 9:
            places = [document.place(row) for row in range(len(document))]
            rows += [place.cut(document.data).decode("utf-8", "surrogateescape") for place in places]
    changed = [row.replace("example.com/", f"example.com/{word}") for word in ("", "a-b/Word9") for row in rows]
    return wrap("\n".join(changed)).encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("scanner", BOTH)
def test_the_cap_changes_no_count(scanner: str) -> None:
    """Beyond the cap rules count, or check one entry for all that are alike."""
    with chosen(scanner):
        document = read(joined_examples(), name="sitemap.xml")
        each_checked = [msgspec.structs.replace(rule, alike=None, count=None) for rule in all_rules()]
        few = run(document, all_rules(), Context(now=NOW), cap=2)
        all_of_them = run(document, each_checked, Context(now=NOW), cap=10**9)
    assert few.counts == all_of_them.counts
    assert few.severities == all_of_them.severities
    assert few.fixable == all_of_them.fixable
    assert not few.crashes
    assert sum(count > 2 for count in few.counts.values()) > 100
