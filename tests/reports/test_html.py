"""The HTML of a check: well-formed, self-contained, bounded, right in its numbers, and deaf to what it quotes."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from tests.cli.commands import run
from tests.reports.html_reading import Report, one
from tests.reports.verdicts import CAPPED_IN_TWO_FILES, HUGE, ORDINARY, VERDICTS, fragment, space, verdict_of
from tests.reports.written import written
from urlset.findings.card import Card, Severity
from urlset.findings.finding import Excerpt, Finding, FixNote
from urlset.findings.verdict import Checked, NotChecked, Suppressed, Verdict
from urlset.reports.format import ReportOptions, reporter
from urlset.reports.html_page import asset, environment
from urlset.reports.visible import visible
from urlset.spec.citations import CITATIONS
from urlset.spec.engines import Engine

PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>",
    "</title><b>",
    "</code></pre></li></ol></section>",
    "<!-- ",
    "--><svg onload=alert(1)>",
    "]]><?php ?>",
    "&lt;b&gt;&#60;b&#62;&amp",
    "javascript:alert(1)",
    "\x00<\x1b[31m>\u202e\u2066\ud800\t\n\r",
    "{{constructor}}${7*7}",
)
payloads = st.sampled_from(PAYLOADS) | st.text(max_size=30) | st.text("<>&\"'/=`! scriptb-", max_size=30)


def marked(excerpt: Excerpt) -> str:
    """As a template shows it."""
    source = '{% import "findings.html" as findings %}{{ findings.excerpt(excerpt | marked) }}'
    return environment().from_string(source).render(excerpt=excerpt)


def hostile(payload: str) -> Verdict:
    """`payload` in every text that a verdict has; the letter before it keeps every text from being empty."""
    text = f"x{payload}"
    card = Card(
        text, text, text.replace("`", ""), text.replace("`", ""), {Engine.GOOGLE: Severity.ERROR}, (text,), True
    )
    finding = Finding(
        code=text,
        name=text,
        severity=Severity.ERROR,
        engines=(Engine.GOOGLE,),
        message=text,
        source=text,
        line=1,
        column=2,
        offset=3,
        subject=text,
        fix=FixNote(text, "safe"),
        excerpt=Excerpt(f"{text}{text}{text}", len(text), len(text)),
    )
    without_place = Finding(text, text, Severity.WARNING, (), text, text, fix=FixNote(text, text))
    return Verdict(
        documents=(Checked(text, f"y{text}", text, 1, 2, text),),
        findings=(finding, without_place),
        counts={text: 2},
        severity_counts={"error": 1, "warning": 1},
        fixable=2,
        not_checked=(NotChecked(text, text, text),),
        suppressed=(Suppressed(text, text, 1, text),),
        cards={text: card},
        troubled=(text,),
        empty=(text,),
    )


def rendered(verdict: Verdict, target: str = "https://example.com/") -> str:
    return "".join(reporter("html")(verdict, ReportOptions(version="0.0.0", target=(target,))))


@pytest.mark.parametrize("case", VERDICTS)
def test_it_is_well_formed_and_its_headings_are_in_order(case: str) -> None:
    report = Report(written("html", VERDICTS[case]))
    assert report.declarations == ["doctype html"]
    assert report.named("html") == [{"lang": "en"}]
    levels = [int(element.tag[1]) for element in report.elements if re.fullmatch("h[1-6]", element.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(cell.get("scope") in ("row", "col") for cell in report.named("th"))
    assert len(set(report.values("id"))) == len(report.values("id"))


@pytest.mark.parametrize("case", VERDICTS)
def test_it_asks_nobody_for_anything(case: str) -> None:
    text = written("html", VERDICTS[case])
    report = Report(text)
    assert not {tag for tag, _ in report.elements} & {"link", "img", "iframe", "object", "base"}
    assert not any(name.startswith("on") or name in ("src", "style") for _, names in report.skeleton for name in names)
    assert report.named("form") == [{"method": "dialog"}] * len(report.named("form"))
    known = {citation.url for citation in CITATIONS.values()}
    for attributes in report.named("a"):
        href = attributes["href"] or ""
        assert href.startswith("#") or (href in known and attributes["rel"] == "noopener noreferrer")
    assert "url(" not in text.partition("</style>")[0]
    assert "@import" not in text.partition("</style>")[0]


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_the_style_and_the_scripts_as_they_stand_and_nothing_else() -> None:
    text = written("html", ORDINARY)
    policy = next(each for each in Report(text).named("meta") if "http-equiv" in each)
    style = text.partition("<style>")[2].partition("</style>")[0]
    scripts = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 2
    assert policy["http-equiv"] == "Content-Security-Policy"
    run = " ".join(map(_hash, scripts))
    said = f"default-src 'none'; script-src {run}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    assert policy["content"] == said


@given(payload=payloads)
def test_nothing_that_is_quoted_becomes_markup(payload: str) -> None:
    text = rendered(hostile(payload), f"x{payload}")
    report = Report(text)
    assert {tag for tag, _ in report.elements} <= {tag for tag, _ in Report(written("html", ORDINARY)).elements}
    assert report.text.count(visible(f"x{payload}")) >= 10
    browser = LexborHTMLParser(text.encode())
    assert len(browser.css("*")) == len(report.elements), "a lenient parser sees the same"


@given(payload=payloads)
def test_the_structure_does_not_depend_on_what_is_quoted(payload: str) -> None:
    assert Report(rendered(hostile(payload))).skeleton == Report(rendered(hostile("plain"))).skeleton


@pytest.mark.parametrize("case", ["ordinary", "huge", "capped", "notes", "clean", "nasty"])
def test_numbers_are_those_of_json(case: str) -> None:
    verdict = VERDICTS[case]
    reported = json.loads(written("json", verdict))
    tree = LexborHTMLParser(written("html", verdict))
    tiles = [int(each.text().replace(",", "")) for each in tree.css(".tiles b")]
    assert tiles == [reported["summary"][severity] for severity in ("error", "warning", "info")]
    counted = {}
    for section in tree.css("section.rule"):
        text = one(section, "p.muted").text()
        said = re.search(r"covering ([\d,]+) entries", text) or re.match(r"([\d,]+) finding", text)
        assert said is not None
        counted[section.attributes["id"]] = int(said[1].replace(",", ""))
    assert counted == reported["counts"]
    rows = [
        (one(row, "a").attributes["href"], row.css("td")[1].text())
        for row in tree.css("#findings ~ table.grid tbody tr")
    ]
    assert rows == [] or rows == [(f"#{code}", f"{count:,}") for code, count in counted.items()]


def test_errors_come_first_then_what_is_frequent() -> None:
    tree = LexborHTMLParser(written("html", ORDINARY))
    order = [(each.attributes["id"], one(each, ".badge").text()) for each in tree.css("section.rule")]
    assert order == [("L007", "error"), ("D001", "error"), ("L013", "warning"), ("Q001", "info")]


def test_the_headline_is_the_last_line_of_the_full_text() -> None:
    for case in ("ordinary", "huge", "capped", "notes", "clean", "empty", "trouble"):
        last = written("full", VERDICTS[case], width=120).splitlines()[-1]
        assert one(LexborHTMLParser(written("html", VERDICTS[case])), "h1").text() == last.replace("`", "")


def test_a_place_has_its_line_with_the_fault_marked_and_the_fix_its_safety() -> None:
    section = one(LexborHTMLParser(written("html", ORDINARY)), "#L007")
    first = one(section, "ol.places > li")
    assert first.css("p")[0].text() == "public/sitemap.xml:5:31"
    assert one(first, "pre").text() == "<loc>https://example.com/a b</loc>"
    assert one(first, "mark").text() == " "
    assert "Fix: percent-encode the space (urlset fix); safe: does not change the meaning of the file" in section.text()
    drop = one(LexborHTMLParser(written("html", ORDINARY)), "#L013").text()
    assert "remove the fragment (urlset fix --unsafe); needs review" in drop


@pytest.mark.parametrize(
    ("excerpt", "said"),
    [
        (Excerpt("a\tb", 1, 1), "a<mark>\\t</mark>b"),
        (Excerpt("\tab", 1, 1), "    <mark>a</mark>b"),
        (Excerpt("a\u00a0b", 1, 1), "a<mark>\\xa0</mark>b"),
        (Excerpt("<a>", 1, 0), "&lt;<mark>a</mark>&gt;"),
        (Excerpt("ab", 2, 0), "ab<mark></mark>"),
        (Excerpt("ab", 99, 5), "ab<mark></mark>"),
        (Excerpt("ab", -3, 1, cut_left=True, cut_right=True), "…<mark>a</mark>b…"),
        (Excerpt("", 0, 0), "<mark></mark>"),
    ],
)
def test_the_mark_is_where_the_fault_is(excerpt: Excerpt, said: str) -> None:
    assert marked(excerpt) == said


@given(st.text("ab <>&\"'é日/=", max_size=60), st.integers(0, 70), st.integers(1, 70))
def test_an_excerpt_is_shown_as_it_is(text: str, start: int, length: int) -> None:
    line = one(LexborHTMLParser(f"<pre>{marked(Excerpt(text, start, length))}</pre>"), "pre")
    assert line.text() == text
    assert one(line, "mark").text() == text[start : start + length]


def test_what_is_embedded_is_bounded_and_what_is_left_is_counted() -> None:
    text = written("html", HUGE)
    section = one(LexborHTMLParser(text), "#L013")
    assert len(section.css("ol.places > li")) == 20
    assert "and 4,812,325 more" in section.text()
    assert len(text) < 250_000


def test_a_rule_in_many_files_shows_each_before_any_twice() -> None:
    found = [fragment(f"f{file}-{at}", at + 1, source=f"{file}.xml") for file in range(7) for at in range(50)]
    section = one(LexborHTMLParser(written("html", verdict_of(*found))), "#L013")
    places = [one(each, "code").text() for each in section.css("ol.places > li")]
    assert len(places) == 20
    assert [len([place for place in places if place.startswith(f"{file}.xml")]) for file in range(7)] == [3] * 6 + [2]
    assert places[0] == "0.xml:1:35"
    assert "350 findings in 7 files" in section.text()
    assert "and 330 more" in section.text()


def test_neither_many_findings_nor_long_texts_make_pieces_large() -> None:
    long = "y" * 1_000_000
    found = [space(f"/{at} b", at, source=f"{at % 3000}{long if at == 1 else ''}.xml") for at in range(1, 20_000)]
    odd = Finding("L007", "space-in-loc", Severity.ERROR, (), long + "\u0301" * 100_000, "0.xml", subject=long)
    pieces = list(reporter("html")(verdict_of(odd, *found), ReportOptions(target=(long,))))
    assert max(map(len, pieces)) < 300_000
    assert sum(map(len, pieces)) < 4_000_000


def test_a_rule_of_two_severities_is_one_section_and_each_place_says_its_own() -> None:
    mixed = verdict_of(space("/a b", 1), space("/c d", 2, severity=Severity.INFO), fragment("x", 3))
    section = LexborHTMLParser(written("html", mixed)).css("section#L007")
    assert len(section) == 1
    assert [each.text() for each in section[0].css("h3 .badge")] == ["error", "info"]
    assert [each.text() for each in section[0].css("li .badge")] == ["error", "info"]


def test_show_narrows_it_and_says_what_is_left_out() -> None:
    tree = LexborHTMLParser(written("html", ORDINARY, show=Severity.ERROR))
    assert [each.attributes["id"] for each in tree.css("section.rule")] == ["L007", "D001"]
    assert one(tree, "header .muted").text() == "5 warnings, 1 note not shown"
    mixed = verdict_of(
        space("/a b", 1), space("/c d", 2, severity=Severity.INFO), counts={"L007": 9}, severity_counts={"error": 8}
    )
    section = one(LexborHTMLParser(written("html", mixed, show=Severity.ERROR)), "#L007")
    assert "at least 1 finding in 1 file" in section.text()


def test_files_that_hold_the_rest_are_listed_with_their_share() -> None:
    section = LexborHTMLParser(written("html", verdict_of(*CAPPED_IN_TWO_FILES.findings, counts={"L013": 500})))
    listed = [each.text() for each in section.css("#L013 details")[0].css("li")]
    assert listed == ["a.xml at least 5", "b.xml at least 5", "c.xml 1"]


def test_what_was_left_out_is_told() -> None:
    tree = LexborHTMLParser(written("html", ORDINARY))
    headings = [each.text() for each in tree.css("h2")]
    assert headings == ["Overview", "Findings", "All findings", "What was checked", "Skipped rules", "Suppressed"]
    trouble = LexborHTMLParser(written("html", VERDICTS["trouble"]))
    assert one(trouble, ".verdict").text() == "incomplete: not everything could be read"
    assert one(trouble, ".verdict a").attributes["href"] == "#unread"
    assert one(trouble, "#unread").text() == "Could not be read"


@pytest.mark.parametrize(
    ("fail_on", "said"),
    [
        (Severity.ERROR, "passed: no problems at error or above"),
        (Severity.WARNING, "failed: problems at warning or above"),
    ],
)
def test_the_exit_code_in_words(fail_on: Severity, said: str) -> None:
    tree = LexborHTMLParser(written("html", verdict_of(fragment("x", 1)), fail_on=fail_on))
    assert one(tree, ".verdict").text() == said


@pytest.mark.parametrize(
    ("target", "command"),
    [
        ("a b's.xml", "urlset fix 'a b'\"'\"'s.xml' --diff"),
        ("-", None),
        ("https://example.com/", None),
        ("a\u202eb.xml", None),
    ],
)
def test_the_next_step_can_be_copied_or_is_not_offered(target: str, command: str | None) -> None:
    step = one(LexborHTMLParser(rendered(verdict_of(space("/a b", 1)), target)), ".next")
    assert [each.text() for each in step.css("pre")] == ([command] if command else [])
    assert "1 fixable with urlset fix" in step.text()


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


COLORS = dict(re.findall(r"--([\w-]+): light-dark\((#\w{6}, #\w{6})\)", asset("report.css")))


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_has_the_contrast_that_wcag_aa_asks_for(theme: int) -> None:
    colours = {name: both.split(", ")[theme] for name, both in COLORS.items()}
    pairs = [(text, ground) for text in ("text", "muted", "link") for ground in ("page", "panel", "sunken")]
    pairs += [("on-badge", severity) for severity in Severity] + [("mark-text", "mark")]
    poor = {pair: _contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}
    shapes = ("ok", "redirected", "gone", "failed", "blocked", "login", "unknown", "accent", "edge")
    assert [shape for shape in shapes if _contrast(colours[shape], colours["panel"]) < 3] == []


def test_the_command_writes_the_same_bytes_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    file = tmp_path / "sitemap.xml"
    file.write_text("<urlset><url><loc>https://example.com/<script></loc></url></urlset>")
    ran = run("check", file, "--format", "html", "--engine", "bing")
    assert ran.code == 1
    assert ran.out == run("check", file, "--format", "html", "--engine", "bing").out
    text = Report(ran.text).text
    assert "on 2026-01-01 at 00:00 UTC" in text
    assert "enginesBing" in text
