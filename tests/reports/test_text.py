"""What people read in the terminal: carets, windows, counts, sums."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reports.verdicts import (
    CAPPED_IN_TWO_FILES,
    CLEAN,
    EMPTY,
    HUGE,
    NASTY,
    ONLY_NOTES,
    ONLY_TROUBLE,
    ORDINARY,
    fragment,
    space,
    verdict_of,
)
from tests.reports.written import written
from urlset.findings.card import Severity
from urlset.findings.finding import Excerpt, Finding, FixNote, Safety
from urlset.findings.verdict import Checked, Verdict
from urlset.reports.groups import grouped
from urlset.reports.visible import Snippet, cells, json_safe, middle_out, snippet, visible, whole, wrap
from urlset.reports.wording import in_a_sentence, sum_line


@pytest.mark.parametrize(
    ("excerpt", "text", "indent", "carets"),
    [
        (Excerpt("ab cd", 2, 1), "ab cd", 2, 1),
        (Excerpt("\tab", 1, 1), "    ab", 4, 1),
        (Excerpt("a\tb", 1, 1), "a\\tb", 1, 2),
        (Excerpt("日本x", 2, 1), "日本x", 4, 1),
        (Excerpt("日本x", 0, 2), "日本x", 0, 4),
        (Excerpt("e\u0301x", 2, 1), "e\u0301x", 1, 1),
        (Excerpt("\x1bx", 1, 1), "\\x1bx", 4, 1),
        (Excerpt("a\u00a0b", 1, 1), "a\\xa0b", 1, 4),
        (Excerpt("a\u00a0b", 2, 1), "a\u00a0b", 2, 1),
        (Excerpt("\u202eab", 1, 2), "\\u202eab", 6, 2),
        (Excerpt("", 0, 0), "", 0, 1),
        (Excerpt("ab", 2, 0), "ab", 2, 1),
        (Excerpt("ab", 9, 9), "ab", 2, 1),
        (Excerpt("ab", 0, 2, cut_left=True, cut_right=True), "…ab…", 1, 2),
    ],
)
def test_carets_stand_under_the_fault(excerpt: Excerpt, text: str, indent: int, carets: int) -> None:
    assert snippet(excerpt, 100) == Snippet(text, indent, carets)


@given(
    before=st.text("ab日\u0301\t\x1b ", max_size=80),
    after=st.text("cd語\u0301\t\x1b ", max_size=80),
    length=st.integers(1, 60),
    room=st.integers(24, 120),
)
def test_a_window_fits_and_keeps_the_fault(before: str, after: str, length: int, room: int) -> None:
    cut = snippet(Excerpt(f"{before}{'Z' * length}{after}", len(before), length), room)
    assert cells(cut.text) <= room
    columns = [char for char in cut.text for _ in range(cells(char))]
    shown = "".join(columns[cut.indent : cut.indent + cut.carets])
    assert shown == "Z" * cut.carets
    assert cut.carets == length or cut.text.endswith(f"{'Z' * cut.carets}…")


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_visible_is_harmless_and_stays_so(text: str) -> None:
    shown = visible(text)
    assert shown.isascii() or "\u202e" not in shown
    assert visible(shown) == shown
    assert len(shown.splitlines()) <= 1
    whole(text).encode()


def test_json_keeps_its_values() -> None:
    assert json_safe('"\u202e\U000e0041\x7f"') == '"\\u202e\\udb40\\udc41\\u007f"'


@given(st.text("ab 日\u0301", max_size=200), st.integers(12, 60))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int) -> None:
    lines = wrap(text, width, elide=False)
    assert " ".join(lines) == " ".join(text.split())
    assert all(cells(line) <= width for line in wrap(text, width))


def test_a_long_word_loses_its_middle() -> None:
    assert middle_out("https://example.com/a/b/c", 11) == "https…a/b/c"
    assert middle_out("日本語日本語", 6) == "日…語"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_lines_fit_the_terminal(width: int) -> None:
    lines = written("text", NASTY, width=width).splitlines()
    too_wide = [line for line in lines if cells(line) > width and "-->" not in line]
    assert too_wide == []


def test_a_rule_is_shown_once_per_document_with_its_first_places() -> None:
    text = written("text", ORDINARY)
    assert text.count("warning[L013]") == 1
    assert "fragment-in-loc: a page URL has a `#fragment` (5 times)" in text
    assert re.findall(r"--> (\S+)", text) == [
        "public/sitemap.xml:5:31",
        "public/sitemap.xml:1207:14",
        "public/sitemap.xml:12:35",
        "public/sitemap.xml:16:35",
        "public/sitemap.xml:20:35",
        "public/sitemap-2.xml:7:31",
    ]
    assert "= and 2 more\n" in text
    assert "= fix: remove the fragment (`urlset fix --unsafe`)" in text
    assert "= help: `urlset explain D001`" in text
    assert "= for the protocol (error), Google (warning): crawlers ignore the date" in text


def test_the_reason_is_given_once() -> None:
    assert written("text", ORDINARY).count("an unescaped space is illegal in a URL") == 1


def test_yet_another_document_gets_a_line() -> None:
    sources = [f"{number}.xml" for number in range(1, 6)]
    verdict = Verdict(findings=tuple(space("/a b", 5, source=source) for source in sources))
    text = written("text", verdict)
    assert "error[L007] space-in-loc\n --> 5.xml:5:31\n" in text
    assert text.count("^") == 3
    assert written("full", verdict).count("^") == 5


def _in_many_files(count: int) -> Verdict:
    sources = [f"{number}.xml" for number in range(1, count + 1)]
    found = [
        finding for source in sources for finding in (fragment("x", 1, source=source), fragment("y", 2, source=source))
    ]
    return Verdict(findings=(*found, space("/a b", 5, source=sources[-1])))


def test_what_is_said_of_very_many_files_is_counted() -> None:
    """A tree of 2,000 files brought 6,000 lines, all but twenty the same."""
    verdict = _in_many_files(2000)
    text = written("text", verdict)
    assert text.count("[L013]") == 3
    assert re.findall(r"--> (\S+)", text) == [
        *(f"{n}.xml:{at}:35" for n in (1, 2, 3) for at in (1, 2)),
        "2000.xml:5:31",
    ]
    assert "= and in 1,997 more files (3,994 times); use --format concise to list them\n" in text
    assert len(text.splitlines()) < 50


def test_one_that_is_worse_than_very_many_is_shown() -> None:
    worse = msgspec.structs.replace(fragment("z", 9, source="1500.xml"), severity=Severity.ERROR)
    found = _in_many_files(2000).findings
    text = written("text", Verdict(findings=(*found[:3000], worse, *found[3000:])))
    assert text.count("error[L013]") == 1
    assert "--> 1500.xml:9:35" in text


@pytest.mark.parametrize("form", ["full", "concise", "csv", "json"])
def test_other_formats_name_every_one_of_many_files(form: str) -> None:
    text = written(form, _in_many_files(300))
    assert all(f"{number}.xml" in text for number in range(1, 301))
    assert "more files" not in text


def test_ten_files_still_get_a_line_each() -> None:
    assert written("text", _in_many_files(10)).count("[L013]") == 10
    assert "more file" not in written("text", _in_many_files(10))
    assert written("text", _in_many_files(11)).count("[L013]") == 3


def test_full_has_every_place_reason_and_source() -> None:
    text = written("full", ORDINARY)
    assert text.count("-->") == len(ORDINARY.findings)
    assert "Nothing breaks." in text
    assert "source: Google Search Central, URL structure" in text
    assert "source: no-such-citation" in text
    assert "info[Q001] priority-ignored" in text


def test_notes_are_counted_where_they_are_not_shown() -> None:
    text = written("text", ORDINARY)
    assert "Q001" not in text
    assert "1 note not shown; use --show info" in text
    assert "Q001" in written("text", ORDINARY, show=Severity.INFO)
    assert "5 warnings, 1 note not shown; use --show info" in written("text", ORDINARY, show=Severity.ERROR)


@pytest.mark.parametrize(
    ("verdict", "least", "line"),
    [
        (
            ORDINARY,
            Severity.WARNING,
            "3 errors, 5 warnings in 2 of 3 files; 2 fixable with `urlset fix`, 5 more with `--unsafe`",
        ),
        (CLEAN, Severity.WARNING, "no problems found in 1 file with 4,812 entries"),
        (ONLY_NOTES, Severity.WARNING, "no problems at warning or above in 1 file with 3 entries"),
        (ONLY_NOTES, Severity.INFO, "1 note in 1 file"),
        (EMPTY, Severity.WARNING, "nothing was checked"),
        (ONLY_TROUBLE, Severity.WARNING, "nothing was checked"),
        (
            HUGE,
            Severity.INFO,
            ("1 error, 4,812,345 warnings in 1 file; 4,812,346 fixable with `urlset fix`, some only with `--unsafe`"),
        ),
    ],
)
def test_the_last_line_sums_up(verdict: Verdict, least: Severity, line: str) -> None:
    assert sum_line(verdict, least) == line
    assert written("concise", verdict, show=least).splitlines()[-1] == line


def test_counts_beyond_the_cap_are_exact_where_they_can_be() -> None:
    assert "and 4,812,342 more" in written("text", HUGE)
    totals = {group.first.source: (group.total, group.exact) for group in grouped(CAPPED_IN_TWO_FILES)}
    assert totals == {"a.xml": (5, False), "b.xml": (5, False), "c.xml": (1, True)}
    assert "489 more of L013" in written("concise", CAPPED_IN_TWO_FILES)


def test_what_was_not_looked_at_is_said() -> None:
    text = written("text", ORDINARY)
    assert "skipped 2 rules (L015, L016): sitemap URL unknown (set --at URL)" in text
    assert "suppressed: 4 findings by a comment in the file (D016, L013 ×3)" in text
    assert "could not read: gone.xml: no such file" in written("text", ONLY_TROUBLE)


def test_documents_keep_their_order_and_the_worst_comes_first() -> None:
    documents = tuple(Checked(source, None, "urlset", 1, 1, "") for source in ("b.xml", "a.xml"))
    found = (fragment("x", 1, source="a.xml"), space("/a b", 9, source="a.xml"), fragment("x", 1, source="b.xml"))
    groups = grouped(Verdict(documents=documents, findings=found))
    assert [(group.first.source, group.first.code) for group in groups] == [
        ("b.xml", "L013"),
        ("a.xml", "L007"),
        ("a.xml", "L013"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A page has no date.", "a page has no date"),
        ("Google ignores it.", "Google ignores it"),
        ("XML forbids it.", "XML forbids it"),
        ("URLs are cut.", "URLs are cut"),
        ("", ""),
    ],
)
def test_a_sentence_joins_another(text: str, expected: str) -> None:
    assert in_a_sentence(text) == expected


def hint(code: str, severity: Severity, safety: Safety = Safety.SAFE) -> Finding:
    return msgspec.structs.replace(space("/a b", 3), code=code, severity=severity, fix=FixNote("drop it", safety))


class TestFixableIsWhatTheCommandWouldMend:
    def test_fixes_that_must_be_named_are_not_promised(self) -> None:
        verdict = verdict_of(hint("L007", Severity.ERROR), hint("F013", Severity.INFO))
        assert sum_line(verdict) == "1 error, 1 note in 1 file; 1 fixable with `urlset fix`"
        assert sum_line(verdict_of(hint("F013", Severity.INFO))) == "1 note in 1 file"

    def test_they_say_how_to_name_them(self) -> None:
        verdict = verdict_of(hint("F013", Severity.INFO), hint("F009", Severity.INFO, Safety.REVIEW))
        text = written("full", verdict)
        assert "fix: drop it (`urlset fix --only F013`)" in text
        assert "fix: drop it (`urlset fix --unsafe --only F009`)" in text

    def test_what_is_not_shown_is_not_counted(self) -> None:
        verdict = verdict_of(hint("L030", Severity.INFO), hint("L007", Severity.ERROR))
        assert sum_line(verdict, Severity.WARNING) == "1 error in 1 file; 1 fixable with `urlset fix`"
