"""What an earlier pass left in an entry that no edit touched is counted again without looking, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixing.broken_sitemaps import any_sitemap
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.examples import build, document_of, problems
from urlset.checking.select import select
from urlset.checking.subjects import Child, ImageItem, LinkSet, ListedPage, NewsItem, VideoItem
from urlset.findings.fix_result import FixResult
from urlset.fixing.collected_fixes import FixCollector, UnchangedRows
from urlset.fixing.fix import FixOptions, fix_document
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

CONTEXT = Context(datetime(2026, 11, 15, 12, tzinfo=UTC))
RULES = select(all_rules(), DEFAULT_ENGINES)
HEAD = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"{}>\n'
UNUSED = ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
ENTRY = "<url><loc>{}</loc></url>\n"


def fixed(data: bytes, *, unsafe: bool = False) -> FixResult:
    return fix_document(read(data, name="sitemap.xml"), RULES, CONTEXT, FixOptions(unsafe=unsafe))


def check_same_as_looking_again(data: bytes, *, unsafe: bool) -> None:
    known = fixed(data, unsafe=unsafe)
    with patch.object(UnchangedRows, "of", lambda *_: None):
        looked = fixed(data, unsafe=unsafe)
    assert known.data == looked.data
    assert list(known.applied) == list(looked.applied)
    assert (known.left, known.passes, known.refused) == (looked.left, looked.passes, looked.refused)
    assert (known.removed, known.renamed) == (looked.removed, looked.renamed)


@given(any_sitemap, st.booleans())
def test_the_result_is_the_same_as_if_each_pass_looked_at_everything(data: bytes, unsafe: bool) -> None:
    check_same_as_looking_again(data, unsafe=unsafe)


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.when is not None], ids=lambda rule: rule.code)
def test_the_same_for_what_each_rule_reports(rule: AnyRule) -> None:
    """Each example among entries with other faults, below a root with a fault of its own."""
    for example in (each for each in rule.bad if each.text):
        data = build(example).data.replace(b"<urlset ", f"<urlset{UNUSED} ".encode(), 1)
        relative = ENTRY.format("/a").encode() * 2
        check_same_as_looking_again(data.replace(b"</urlset>", relative + b"</urlset>"), unsafe=False)


ON_ENTRIES = (ListedPage, Child, ImageItem, VideoItem, NewsItem, LinkSet)


def reported_in(data: bytes, start: int, length: int, rule: AnyRule, example: Bad | Good) -> list[tuple[object, ...]]:
    return [
        (problem.place.offset - start, problem.message, problem.severity, problem.fix and problem.fix.safety)
        for problem in problems(rule, example, document_of(example, data))
        if start <= problem.place.offset <= start + length
    ]


@pytest.mark.parametrize(
    "rule",
    [rule for rule in all_rules() if any(issubclass(subject, rule.on) for subject in ON_ENTRIES)],
    ids=lambda rule: rule.code,
)
def test_what_a_rule_reports_in_an_entry_does_not_depend_on_other_entries(rule: AnyRule) -> None:
    """Otherwise a pass could not take over what an earlier one found."""
    examples: list[Bad | Good] = [*rule.bad, *rule.good]
    for example in examples:
        document = document_of(example)
        if not document.kind.is_protocol or not len(document):
            continue
        start, end = document.columns.starts[0], document.columns.ends[-1]
        entry = b"<sitemap><loc>%b</loc></sitemap>" if document.kind.lists_sitemaps else b"<url><loc>%b</loc></url>"
        first, last = entry % b"https://example.com/first", entry % b"https://example.com/last"
        behind = document.data[:end] + last + document.data[end:]  # one entry alone is never removed
        around = behind[:start] + first + behind[start:]
        expected = reported_in(behind, start, end - start, rule, example)
        assert reported_in(around, start + len(first), end - start, rule, example) == expected


def rows_looked_at(text: str) -> list[list[int]]:
    """In each pass."""
    passes: list[list[int]] = []
    ask = FixCollector.rows_to_judge

    def rows_to_judge(self: FixCollector, rows: Iterable[int], signals: Sequence[int]) -> Iterator[int]:
        passes.append([])
        for row in ask(self, rows, signals):
            passes[-1].append(row)
            yield row

    with patch.object(FixCollector, "rows_to_judge", rows_to_judge):
        fixed(text.encode())
    return passes


def test_only_the_first_entry_with_a_finding_is_looked_at_again() -> None:
    entries = "".join(ENTRY.format(f"/{number}") for number in range(5))
    assert rows_looked_at(f"{HEAD.format(UNUSED)}{entries}</urlset>") == [[0, 1, 2, 3, 4], [0]]


def test_an_entry_that_was_edited_is_looked_at_again() -> None:
    entries = "".join(ENTRY.format(loc) for loc in ("/0", "/1", "https://example.com/a é", "/3"))
    assert rows_looked_at(f"{HEAD.format('')}{entries}</urlset>")[1] == [0]
    entries = entries.replace("/3", "/3 b")
    assert rows_looked_at(f"{HEAD.format('')}{entries}</urlset>")[1] == [0, 3]


def test_all_entries_are_looked_at_again_where_a_declaration_was_added() -> None:
    image = "<image:image><image:loc>https://example.com/a.png</image:loc></image:image>"
    entries = "".join(f"<url><loc>/{number}</loc>{image}</url>\n" for number in range(3))
    assert rows_looked_at(f"{HEAD.format('')}{entries}</urlset>")[1] == [0, 1, 2]


def test_comments_that_suppress_findings_are_obeyed_in_each_pass() -> None:
    entries = ENTRY.format("/a") + "<!-- urlset: ignore L002 -->\n" + ENTRY.format("/b") + ENTRY.format("/c")
    assert rows_looked_at(f"{HEAD.format(UNUSED)}{entries}</urlset>")[1] == [0, 1, 2]
