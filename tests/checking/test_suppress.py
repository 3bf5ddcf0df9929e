"""Comments in a file → which findings they silence, and which they leave alone."""

from __future__ import annotations

import pytest

from tests.checking.made_up_rules import FILE, MORE_ROWS, ROWS, context, document
from urlset.checking.engine import check
from urlset.checking.placing import misspelt
from urlset.findings.card import Severity
from urlset.findings.verdict import Suppressed

RULES = (ROWS, MORE_ROWS, FILE)
A, B = "<loc>https://example.com/#a</loc>", "<loc>https://example.com/#b</loc>"


def left(entries: str) -> list[str]:
    """Code and row of what is still said; the file itself has no row."""
    verdict = check(document(entries), RULES, context())
    return [f"{each.code} {each.message.removeprefix('row ')}" for each in verdict.findings]


EVERYTHING = ["X901 the file", "D901 0", "L901 0", "D901 1", "L901 1"]


def without(*silenced: str) -> list[str]:
    return [line for line in EVERYTHING if line not in silenced]


CASES = {
    "no comment": (f"<url>{A}</url><url>{B}</url>", EVERYTHING),
    "inside an entry": (f"<url><!-- urlset: ignore L901 -->{A}</url><url>{B}</url>", without("L901 0")),
    "at the end of an entry": (f"<url>{A}<!-- urlset: ignore L901 --></url><url>{B}</url>", without("L901 0")),
    "before the first entry": (f"<!-- urlset: ignore L901 --><url>{A}</url><url>{B}</url>", without("L901 0")),
    "between entries": (f"<url>{A}</url>\n<!-- urlset: ignore L901 -->\n<url>{B}</url>", without("L901 1")),
    "after the last entry": (f"<url>{A}</url><url>{B}</url><!-- urlset: ignore L901 -->", EVERYTHING),
    "by family": (f"<url>{A}</url><url><!-- urlset: ignore D -->{B}</url>", without("D901 1")),
    "by prefix": (f"<url>{A}</url><url><!-- urlset: ignore L9 -->{B}</url>", without("L901 1")),
    "by name": (f"<url><!-- urlset: ignore row-seen -->{A}</url><url>{B}</url>", without("L901 0")),
    "in small letters": (f"<url><!-- urlset: ignore l901 -->{A}</url><url>{B}</url>", without("L901 0")),
    "several with commas": (
        f"<url><!-- urlset: ignore L901, D901 -->{A}</url><url>{B}</url>",
        without("L901 0", "D901 0"),
    ),
    "several with spaces": (
        f"<url><!-- urlset: ignore L901 D901 -->{A}</url><url>{B}</url>",
        without("L901 0", "D901 0"),
    ),
    "all": (f"<url><!-- urlset: ignore -->{A}</url><url>{B}</url>", without("L901 0", "D901 0")),
    "two comments": (
        f"<url><!-- urlset: ignore L901 -->{A}<!--urlset:ignore D901--></url><url>{B}</url>",
        without("L901 0", "D901 0"),
    ),
    "the file, by code": (
        f"<!-- urlset: ignore-file L901 --><url>{A}</url><url>{B}</url>",
        without("L901 0", "L901 1"),
    ),
    "the file, from inside an entry": (
        f"<url>{A}</url><url><!-- urlset: ignore-file D -->{B}</url>",
        without("D901 0", "D901 1"),
    ),
    "the file, at the end": (f"<url>{A}</url><url>{B}</url><!-- urlset: ignore-file X -->", without("X901 the file")),
    "the file, altogether": (f"<!-- urlset: ignore-file --><url>{A}</url><url>{B}</url>", []),
    "another rule": (f"<url><!-- urlset: ignore L902 -->{A}</url><url>{B}</url>", EVERYTHING),
    "an entry does not silence the file": (f"<url><!-- urlset: ignore X901 -->{A}</url><url>{B}</url>", EVERYTHING),
    "a remark": (f"<url><!-- ignore L901 -->{A}</url><url>{B}</url>", EVERYTHING),
    "a word too long": (f"<url><!-- urlset: ignored L901 -->{A}</url><url>{B}</url>", EVERYTHING),
}


@pytest.mark.parametrize("case", CASES)
def test_comments(case: str) -> None:
    entries, wanted = CASES[case]
    assert sorted(left(entries)) == sorted(wanted)


def test_what_is_silenced_is_counted_and_told() -> None:
    verdict = check(document(f"<!-- urlset: ignore-file L --><url>{A}</url><url>{B}</url>"), RULES, context())
    assert verdict.suppressed == (Suppressed("L901", "sitemap.xml", 2, "a comment in the file"),)
    assert "L901" not in verdict.counts
    assert verdict.severity_counts == {"error": 2, "info": 1}


MISSPELT = {
    "known": ("<!-- urlset: ignore L901, row-seen D, x9 -->", []),
    "none named": ("<!-- urlset: ignore-file -->", []),
    "unknown code": (
        "<!-- urlset: ignore L999 -->",
        [("L999", "unknown rule 'L999'; run `urlset explain rules` for the list")],
    ),
    "code too long": ("<!-- urlset: ignore l9011 -->", [("l9011", "unknown rule 'l9011'; did you mean 'L901'?")]),
    "unknown name": (
        "<!-- urlset: ignore-file D901,row-sen -->",
        [("row-sen", "unknown rule 'row-sen'; did you mean 'row-seen'?")],
    ),
    "two of three": (
        "<!-- urlset: ignore zzz D901\n\u00fcber -->",
        [(text, f"unknown rule '{text}'; run `urlset explain rules` for the list") for text in ("zzz", "\u00fcber")],
    ),
    "a remark": ("<!-- ignore L999 -->", []),
}


@pytest.mark.parametrize("case", MISSPELT)
def test_a_comment_that_silences_an_unknown_rule_is_told_at_its_place(case: str) -> None:
    comment, wanted = MISSPELT[case]
    read_from = document(f"{comment}<url>{A}</url>")
    reported = misspelt(read_from, lambda: RULES, context())
    lines = read_from.data.decode().splitlines()
    assert [(each.code, each.severity, each.message) for each in reported.findings] == [
        ("T002", Severity.WARNING, message) for _, message in wanted
    ]
    for each, (text, _) in zip(reported.findings, wanted, strict=True):
        assert lines[(each.line or 0) - 1][(each.column or 0) - 1 :].startswith(text)
        assert each.engines == ()
    assert reported.counts == ({"T002": len(wanted)} if wanted else {})


def test_a_comment_before_the_root_silences_the_file() -> None:
    text = document(f"<url>{A}</url>").data.replace(b"<urlset", b"<!-- urlset: ignore-file --><urlset")
    from urlset.reading.read import read

    verdict = check(read(text, name="sitemap.xml"), RULES, context())
    assert verdict.findings == ()


def test_an_index_can_be_silenced_too() -> None:
    from tests.checking.made_up_rules import made_up, on_every_row
    from urlset.checking.subjects import Child

    children = made_up("I901", "child-seen", Child, on_every_row)
    index = document(f"<sitemap><!-- urlset: ignore I -->{A}</sitemap><sitemap>{B}</sitemap>", root="sitemapindex")
    assert [each.message for each in check(index, (children,), context()).findings] == ["row 1"]
