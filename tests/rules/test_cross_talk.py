"""Every example of every rule under all rules: what the others say of it is a golden table.

`URLSET_UPDATE_GOLDEN=1` writes the table anew. A line reads: the rule, which of its examples, and the rules that
speak of it with the first letter of the severity; a bad example's own rule is left out, silent examples too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.checking.transcripts import subject_of
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.engine import check
from urlset.checking.examples import build, context_of, document_of, unmark
from urlset.checking.live_engine import LiveTally
from urlset.checking.live_page import LIVE, Comparison, LivePage, MediaAsset
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.findings.finding import Finding
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules, find
from urlset.settings.check import CheckSettings
from urlset.spec.engines import DEFAULT_ENGINES
from urlset.workflows.check import check as check_targets

GOLDEN = Path(__file__).with_name("cross_talk.txt")
RULES = select(all_rules(), DEFAULT_ENGINES)
LARGE = 1 << 20
"""of bad examples above this only their own rule is asked: what else is said of 50,000 equal lines is no news"""
LEVELS = {level[0]: level for level in Severity}

UNAVOIDABLE: dict[str, set[str]] = {
    # a rule on the use of hints needs hints, of which Google and Bing say that they ignore them
    "F008": {"F009", "F010"},
    "F012": {"F009", "F010"},
    "F013": {"F008", "F009", "F010"},
    "F014": {"F009", "F010"},
    # a rule on the form of withdrawn fields needs such fields
    "M012": {"M004"},
    "N016": {"N015"},
    "V035": {"V024"},
    # pages with both schemes in one file, each listed once
    "L023": {"L016"},
    # I023 reports the size of every tree; examples of indexes have no dates
    "Q016": {"I023", "I026"},
    "I020": {"I026"},
    "I024": {"I026"},
    "Q009": {"I026"},
    # one line 45,000 times: as many different ones would make every start of the program slower
    "Q002": {"L020"},
}
"""rules whose good examples cannot be silent under a remark or two, and why"""


def findings(rule: AnyRule, example: Bad | Good, folder: Path) -> tuple[Finding, ...]:
    if rule.on in LIVE:
        return live_findings(rule, example)
    if not example.files:
        return check(document_of(example), RULES, context_of(example, DEFAULT_ENGINES)).findings
    folder.mkdir()
    for name, text in example.files.items():
        (folder / name).write_bytes(unmark(text).data)
    now = datetime.fromisoformat(example.now)
    settings = CheckSettings(root=str(folder), base_url="https://example.com/", now=now)
    start = str(folder / next(iter(example.files)))
    return check_targets([start], settings).findings


def live_findings(rule: AnyRule, example: Bad | Good) -> tuple[Finding, ...]:
    """Under all rules that look at the same kind of thing; how sitemaps are delivered is another table."""
    tally = LiveTally(RULES, context_of(example, DEFAULT_ENGINES))
    subject = subject_of(rule, example, DEFAULT_ENGINES)
    if isinstance(subject, LivePage):
        tally.judge(subject)
    elif isinstance(subject, MediaAsset):
        tally.judge_media(subject)
    elif isinstance(subject, Comparison):
        tally.compare(subject)
    return tally.verdict().findings


def of_an_example_host(finding: Finding) -> bool:
    """Every example is on example.com or the like, and of that L031 makes a note."""
    return finding.code == "L031" and finding.severity is Severity.INFO


def lines(rule: AnyRule, folder: Path) -> Iterator[str]:
    kinds: tuple[tuple[str, tuple[Bad | Good, ...]], ...] = (("bad", rule.bad), ("good", rule.good))
    for kind, examples in kinds:
        for number, example in enumerate(examples):
            if kind == "bad" and len(build(example).data) > LARGE:
                continue
            found = findings(rule, example, folder / f"{kind}{number}")
            spoke = {(each.code, each.severity[0]) for each in found if not of_an_example_host(each)}
            others = [f"{code}{level}" for code, level in sorted(spoke) if kind == "good" or code != rule.code]
            if others:
                yield f"{rule.code} {kind} {number}: {' '.join(others)}"


@pytest.mark.slow
def test_the_table_is_golden(tmp_path: Path) -> None:
    found: list[str] = []
    for rule in all_rules():
        (tmp_path / rule.code).mkdir()
        found += lines(rule, tmp_path / rule.code)
    text = "\n".join(found) + "\n"
    assert "T001" not in text
    if os.environ.get("URLSET_UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert text == GOLDEN.read_text()


def test_good_examples_are_silent_under_all_rules_of_their_severity_or_higher() -> None:
    """The golden table is what the test above found, so it is enough to read it.

    The near misses of a rule on live pages are pages in another state, of which the rule on that state tells.
    """
    loud: list[str] = []
    for line in GOLDEN.read_text().splitlines():
        head, _, spoken = line.partition(": ")
        code, kind, _ = head.split()
        rule = find(code)
        assert rule is not None
        if rule.on in LIVE:
            continue
        own = rule.card.severity_for(DEFAULT_ENGINES) or rule.card.severity
        heard = {each[:-1] for each in spoken.split() if LEVELS[each[-1]].at_least(own)}
        if kind == "good" and heard - UNAVOIDABLE.get(code, set()):
            loud.append(line)
    assert loud == []


def test_no_exception_is_out_of_date() -> None:
    table = GOLDEN.read_text()
    for code, others in UNAVOIDABLE.items():
        lines_of_it = [line for line in table.splitlines() if line.startswith(f"{code} good")]
        assert others <= {each[:-1] for line in lines_of_it for each in line.split()[3:]}


DIVIDED = {
    "a backslash ends the host": ("<url><loc>https://acme.shop\\a</loc></url>", {"L012"}),
    "the scheme of a second URL is not a port": (
        "<url><loc>https://acme.shophttps://acme.shop/a</loc></url>",
        {"L034"},
    ),
    "two URLs in a loc are reported once": ("<url><loc>https://acme.shop/ https://acme.shop/a</loc></url>", {"L007"}),
    "a missing loc is not an empty one": ("<url><lastmod>2026-11-15</lastmod></url>", {"S010"}),
    "an empty loc is not a missing one": ("<url><loc/></url>", {"L001"}),
    "a date in words is no stale date": (
        "<url><loc>https://example.com/a</loc><lastmod>1 May 2024</lastmod></url>",
        {"D021"},
    ),
    "a date in words beside an old one may be recent": (
        (
            "<url><loc>https://example.com/a</loc><lastmod>2024-01-01T10:00:00Z</lastmod></url>"
            "<url><loc>https://example.com/b</loc><lastmod>Sun, 01 Nov 2026 10:00:00 GMT</lastmod></url>"
        ),
        {"D021"},
    ),
    "a page twice in one file is not a page in two files": (
        "<url><loc>https://example.com/1</loc></url><url><loc>https://example.com/1</loc></url>",
        {"L020"},
    ),
    "an image outside every entry": (
        (
            "<url><loc>https://example.com/1</loc></url><image:image><image:loc>https://example.com/i.png</image:loc>"
            "</image:image>"
        ),
        {"M008"},
    ),
    "a raw < in an address": ("<loc>https://example.com/?q=a<b</loc>", {"X011"}),
    "an escaped < in an address": ("<loc>https://example.com/?q=a&lt;b</loc>", {"L012"}),
    "a raw < in an address in CDATA": ("<loc><![CDATA[https://example.com/?q=a<b]]></loc>", {"L012"}),
    "a raw > in an address": ("<loc>https://example.com/?q=a>b</loc>", {"L012"}),
    "a raw quotation mark in an address": ('<loc>https://example.com/?q="a"</loc>', {"L012"}),
    "an ampersand escaped twice by number": ("<loc>https://example.com/?a=1&amp;#38;b=2</loc>", {"X013"}),
    "a fragment behind an ampersand": ("<loc>https://example.com/?a=1&amp;#top</loc>", {"L013"}),
    "words behind x-default": (
        (
            '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'
            '<xhtml:link rel="alternate" hreflang="x-default-de" href="https://example.com/de"/>'
        ),
        {"H006"},
    ),
    "HTML in the place of a sitemap": ("<!doctype html><title>Not found</title>\n", {"X021"}),
}


@pytest.mark.parametrize("name", DIVIDED)
def test_one_fault_is_told_by_one_rule(name: str) -> None:
    text, wanted = DIVIDED[name]
    assert reported(Good(text)) == wanted


def test_a_web_page_in_the_place_of_robots_txt_is_told_once() -> None:
    page = "<!doctype html><title>Not found</title>\n"
    assert reported(Good(page, at="https://example.com/robots.txt")) == {"R011"}
    verdict = check(read(page.encode(), name="site/robots.txt"), RULES, context_of(Good(), DEFAULT_ENGINES))
    assert set(verdict.counts) == {"R011"}


def reported(example: Good) -> set[str]:
    """Codes at warning or above."""
    verdict = check(document_of(example), RULES, context_of(example, DEFAULT_ENGINES))
    return {finding.code for finding in verdict.findings if finding.severity.at_least(Severity.WARNING)}
