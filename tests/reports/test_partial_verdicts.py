"""A verdict on a part of what was named never reads like a verdict on all of it."""

from __future__ import annotations

import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.reports.verdicts import space
from tests.reports.written import written
from urlset.findings.verdict import Checked, PageCount, Verdict
from urlset.reports.wording import sum_line

ROBOTS = Checked("https://example.com/robots.txt", None, "robots", 40, 0, "ab" * 32)
SITEMAP = Checked("https://example.com/sitemap.xml", None, "urlset", 400, 4, "cd" * 32)
TIMEOUT = "https://example.com/a.xml: the response timed out"
NONE_FOUND = "https://example.com/: no sitemap found"
READ_BY_PEOPLE = ("text", "full", "concise", "github", "markdown")
CASES = {
    "robots.txt next to a sitemap that was not read": (
        Verdict(documents=(ROBOTS,), troubled=(TIMEOUT,)),
        "no sitemap was checked",
    ),
    "robots.txt of a site without a sitemap": (
        Verdict(documents=(ROBOTS,), empty=(NONE_FOUND,)),
        "no sitemap was checked",
    ),
    "nothing at all": (Verdict(troubled=(TIMEOUT,)), "nothing was checked"),
    "one of two sitemaps": (
        Verdict(documents=(SITEMAP,), troubled=(TIMEOUT,)),
        "no problems found in 1 file with 4 entries, but not everything could be read",
    ),
    "an audit that was blocked": (
        Verdict(documents=(SITEMAP,), pages=PageCount(listed=4, judged=0)),
        "nothing was checked",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_summary_covers_only_what_was_read(case: str) -> None:
    verdict, line = CASES[case]
    assert sum_line(verdict) == line


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", READ_BY_PEOPLE)
def test_every_format_for_people_has_that_summary(form: str, case: str) -> None:
    verdict, line = CASES[case]
    assert line in " ".join(written(form, verdict).split())


@pytest.mark.parametrize("case", CASES)
def test_html_does_not_pass(case: str) -> None:
    verdict, _ = CASES[case]
    assert "passed" not in "".join(each.text() for each in LexborHTMLParser(written("html", verdict)).css(".verdict"))


@pytest.mark.parametrize("verdict", [case for case, _ in CASES.values() if case.unread])
def test_formats_for_programs_have_what_was_not_read(verdict: Verdict) -> None:
    line = verdict.unread[0]
    assert line in json.loads(written("gitlab", verdict))[0]["description"]
    assert json.loads(written("sarif", verdict))["runs"][0]["invocations"][0]["executionSuccessful"] is False
    assert f'errors="{len(verdict.unread)}"' in written("junit", verdict)
    body = json.loads(written("json", verdict))
    assert [*body["troubled"], *body["empty"]] == [line]


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (Verdict(documents=(ROBOTS,)), "no problems found in 1 file with 0 entries"),
        (Verdict(documents=(SITEMAP,), pages=PageCount(listed=4, judged=4)), "no problems found on 4 pages"),
        (Verdict(documents=(SITEMAP,), pages=PageCount(listed=4, judged=3)), "no problems found on 3 of 4 pages"),
    ],
)
def test_an_all_clear_says_what_it_covers(verdict: Verdict, line: str) -> None:
    assert sum_line(verdict) == line


def test_a_finding_on_something_that_was_not_read_is_no_finding_in_a_file() -> None:
    locked = space("/a b", 3, source="https://example.com/locked.xml")
    verdict = Verdict(documents=(ROBOTS,), findings=(locked,), counts={locked.code: 1}, severity_counts={"error": 1})
    assert sum_line(verdict).startswith("1 error at 1 URL")
