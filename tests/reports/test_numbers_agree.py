"""All formats tell the same numbers of one run: entries by rule, findings by severity, places of what is grouped."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.reports.written import written
from tests.rules.schema_documents import generated, mutated
from urlset.checking.context import Context
from urlset.checking.declare import wrap
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES

CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*/input.xml"))
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
RULES = select(all_rules(), DEFAULT_ENGINES)
AT = "https://www.acme.shop/sitemap.xml"


def verdict_of(data: bytes, at: str | None = None) -> Verdict:
    return check(read(data, name="sitemap.xml", url=at), RULES, Context(now=NOW))


def many(count: int, loc: str = "https://www.acme.shop/{} {}") -> bytes:
    return wrap("\n".join(f"<url>\n<loc>{loc.format(n, n)}</loc>\n</url>" for n in range(count))).encode()


def number(text: str) -> int:
    return int(text.replace(",", ""))


def in_json(verdict: Verdict) -> Any:
    return json.loads(written("json", verdict))


def entries_in_text(verdict: Verdict) -> Counter[str]:
    """`error[L007] space-in-loc: … (12 times)`; a rule may appear once for each severity."""
    found: Counter[str] = Counter()
    for line in written("text", verdict, show=Severity.INFO).replace("\n  ", " ").splitlines():
        if head := re.match(r"(?:error|warning|info)\[([A-Z]\d{3})\]", line):
            times = re.search(r"\(([\d,]+) times\)", line)
            found[head[1]] += number(times[1]) if times else 1
    return found


def entries_in_html(verdict: Verdict) -> dict[str, int]:
    tree = LexborHTMLParser(written("html", verdict, show=Severity.INFO))
    found = {}
    for section in tree.css("section.rule"):
        said = section.css_first("p.muted")
        text = said.text() if said else ""
        often = re.search(r"covering ([\d,]+) entries", text) or re.match(r"([\d,]+) finding", text)
        found[section.attributes["id"] or ""] = number(often[1]) if often else 0
    return found


def agree(verdict: Verdict) -> None:
    reported = in_json(verdict)
    counts = {code: count for code, count in reported["counts"].items() if count}
    assert dict(entries_in_text(verdict)) == counts
    assert entries_in_html(verdict) == counts
    by_rule: Counter[str] = Counter()
    severities: Counter[str] = Counter()
    for finding in reported["findings"]:
        by_rule[finding["code"]] += finding["count"]
        severities[finding["severity"]] += 1
    if not verdict.beyond:
        assert dict(by_rule) == counts
        assert dict(severities) == {level: reported["summary"][level] for level in severities}
        rows = list(csv.DictReader(io.StringIO(written("csv", verdict))))
        assert Counter(row["severity"] for row in rows) == severities
        assert sum(int(row["count"]) for row in rows) == sum(counts.values())
        sarif = json.loads(written("sarif", verdict))["runs"][0]
        assert sum(result.get("occurrenceCount", 1) for result in sarif["results"]) == sum(counts.values())
    assert sarif_counts(verdict) == reported["counts"]
    assert set(cases_in_junit(verdict)) >= {code for code, level in worst_of(reported).items() if level == "error"}
    places_are_right(verdict, reported)


def sarif_counts(verdict: Verdict) -> Any:
    return json.loads(written("sarif", verdict))["runs"][0]["properties"]["counts"]


def cases_in_junit(verdict: Verdict) -> list[str]:
    root = ET.fromstring(written("junit", verdict))
    return [(case.get("name") or "")[:4] for case in root.iter("testcase")]


def worst_of(reported: Any) -> dict[str, str]:
    return {finding["code"]: finding["severity"] for finding in reported["findings"]}


def places_are_right(verdict: Verdict, reported: Any) -> None:
    del verdict
    for finding in reported["findings"]:
        places = finding["places"]
        most = 100 if finding["severity"] == "info" else 1000
        assert len(places) in (0, min(finding["count"], most)), finding["code"]
        assert [place["offset"] for place in places] == sorted(place["offset"] for place in places)


@pytest.mark.parametrize("path", [pytest.param(path, id=path.parent.name) for path in CORPUS])
def test_formats_agree_on_the_corpus(path: Path) -> None:
    agree(verdict_of(path.read_bytes()))


@pytest.mark.parametrize("seed", range(40))
def test_formats_agree_on_generated_files(seed: int) -> None:
    agree(verdict_of(generated(seed * 31), AT if seed % 2 else None))
    agree(verdict_of(mutated(seed * 31)))


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 20, 1001])
def test_formats_agree_beyond_the_cap(count: int) -> None:
    agree(verdict_of(many(count), AT))
    agree(verdict_of(many(count, "http://other.acme.shop/page-{}"), AT))


def test_a_grouped_finding_names_its_places() -> None:
    """The line is that of the address, not of its <url>."""
    reported = in_json(verdict_of(many(3, "https://other.acme.shop/page-{}"), AT))
    found = next(finding for finding in reported["findings"] if finding["code"] == "L015")
    assert found["count"] == 3
    assert [(place["line"], place["subject"]) for place in found["places"]] == [
        (4, "https://other.acme.shop/page-0"),
        (7, "https://other.acme.shop/page-1"),
        (10, "https://other.acme.shop/page-2"),
    ]
    assert reported["counts"]["L015"] == 3
    assert reported["summary"]["error"] == 1


def test_messages_name_the_line_of_the_address() -> None:
    """L020 named the line of the <url>, one above."""
    reported = in_json(verdict_of(many(2, "https://www.acme.shop/page"), AT))
    found = next(finding for finding in reported["findings"] if finding["code"] == "L020")
    assert "listed on line 4" in found["message"]
    assert found["line"] == 7
