"""What CI services read: annotations, Code Quality, JUnit, CSV and comments, each with its own traps."""

from __future__ import annotations

import csv
import io
import json
from xml.etree import ElementTree as ET

import pytest

from tests.reports.verdicts import CLEAN, HUGE, NASTY, ONLY_TROUBLE, ORDINARY, fragment, space
from tests.reports.written import written
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.github import PER_TYPE
from urlset.reports.markdown import LONGEST, code_block, code_span, markdown_text


def annotated(verdict: Verdict, kind: str) -> list[str]:
    return [line for line in written("github", verdict).splitlines() if line.startswith(f"::{kind} ")]


def test_an_annotation_names_file_line_and_columns() -> None:
    assert annotated(ORDINARY, "error")[0] == (
        "::error file=public/sitemap.xml,line=5,endLine=5,col=31,endColumn=32,title=L007 space-in-loc"
        "::unescaped space in '/a b'; write %2520%0Afix: percent-encode the space"
    )
    assert len(annotated(ORDINARY, "notice")) == 1


def test_no_more_annotations_than_are_shown() -> None:
    assert len(annotated(HUGE, "warning")) == PER_TYPE
    assert "990 more findings without annotation; use --format json" in written("github", HUGE)


def test_every_rule_is_annotated_before_any_rule_twice() -> None:
    many = tuple(fragment(f"x{number}", number) for number in range(1, 30))
    other = fragment("y", 99, source="other.xml")
    assert "file=other.xml" in annotated(Verdict(findings=(*many, other)), "warning")[1]


def test_content_cannot_give_commands() -> None:
    commands = [line for line in written("github", NASTY).splitlines() if line.startswith("::")]
    kinds = {line[2:].split(" ", 1)[0].split(":", 1)[0] for line in commands}
    assert kinds == {"error", "warning", "notice"}
    assert len([line for line in commands if line.startswith("::error")]) == PER_TYPE


def test_columns_are_left_out_where_a_fault_spans_lines() -> None:
    over = space("/a b", 5, end_line=7, end_column=2)
    assert annotated(Verdict(findings=(over,)), "error")[0].startswith(
        "::error file=public/sitemap.xml,line=5,endLine=7,title=L007"
    )


def test_what_is_not_a_file_of_the_repository_is_named_in_the_message() -> None:
    web = space("/a b", 5, source="https://example.com/sitemap.xml")
    assert annotated(Verdict(findings=(web,)), "error")[0].startswith(
        "::error title=L007 space-in-loc::https://example.com/sitemap.xml:5:31: unescaped space"
    )


def test_code_quality_has_what_gitlab_requires() -> None:
    issues = json.loads(written("gitlab", NASTY))
    assert len(issues) == len(NASTY.findings) + len(NASTY.troubled)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["severity"] for issue in issues} == {"major", "minor", "info"}
    assert all(issue["location"]["lines"]["begin"] >= 1 for issue in issues)
    assert all({"description", "check_name", "fingerprint", "severity", "location"} <= issue.keys() for issue in issues)
    assert json.loads(written("gitlab", CLEAN)) == []


def suites(verdict: Verdict, fail_on: Severity = Severity.ERROR) -> ET.Element:
    return ET.fromstring(written("junit", verdict, fail_on=fail_on))


@pytest.mark.parametrize(("fail_on", "failures"), [(Severity.ERROR, 3), (Severity.WARNING, 4), (Severity.INFO, 5)])
def test_junit_fails_what_fails_the_run(fail_on: Severity, failures: int) -> None:
    root = suites(ORDINARY, fail_on)
    assert len(root.findall(".//failure")) == failures
    assert root.attrib["failures"] == str(failures)


@pytest.mark.parametrize("verdict", [ORDINARY, NASTY, CLEAN, ONLY_TROUBLE, HUGE])
def test_junit_counts_add_up(verdict: Verdict) -> None:
    root = suites(verdict)
    for suite in (root, *root.findall("testsuite")):
        assert suite.attrib["tests"] == str(len(list(suite.iter("testcase"))))
        assert suite.attrib["failures"] == str(len(list(suite.iter("failure"))))
        assert suite.attrib["errors"] == str(len(list(suite.iter("error"))))
        assert suite.attrib["skipped"] == str(len(list(suite.iter("skipped"))))
        if suite is not root:
            names = [(case.attrib["classname"], case.attrib["name"]) for case in suite.iter("testcase")]
            assert len(names) == len(set(names))


def test_a_clean_document_is_a_passed_test() -> None:
    cases = suites(CLEAN).findall(".//testcase")
    assert [(case.attrib["classname"], list(case)) for case in cases] == [("public/sitemap.xml", [])]


def test_not_checked_is_skipped_and_not_read_is_an_error() -> None:
    assert suites(ORDINARY).findall(".//skipped")[0].attrib["message"].startswith("sitemap URL unknown")
    assert [case.attrib["message"] for case in suites(ONLY_TROUBLE).iter("error")] == ["gone.xml: no such file"]


def test_csv_holds_a_row_per_finding_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", NASTY))))
    assert len(rows) == len(NASTY.findings)
    assert not [value for row in rows for value in row.values() if value[:1] in "=+-@" and len(value) > 1]
    assert rows[20]["subject"] == "'=1+1"
    assert rows[7]["message"] == NASTY.findings[7].message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a|b", "a\\|b"),
        ("`x`", "\\`x\\`"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[a](b)", "\\[a\\]\\(b\\)"),
        ("@someone", "@<!-- -->someone"),
        ("#12", "\\#<!-- -->12"),
        ("https://x.example", "https:<!-- -->//x.example"),
        ("www.x.example", "www.<!-- -->x.example"),
        ("a\nb\x1b", "a\\\\nb\\\\x1b"),
        ("*_~", "\\*\\_\\~"),
    ],
)
def test_markdown_shows_text_and_does_nothing(text: str, expected: str) -> None:
    assert markdown_text(text) == expected


def test_code_in_markdown_outlives_backticks() -> None:
    assert code_span("a`b") == "`` a`b ``"
    assert code_block(["a```b"]) == "````text\na```b\n````"


def test_a_table_row_has_as_many_cells_as_its_head() -> None:
    rows = [line for line in written("markdown", NASTY).splitlines() if line.startswith("|")]
    assert rows
    assert {line.replace("\\|", "").count("|") for line in rows} == {6}


def test_a_comment_never_becomes_too_long() -> None:
    many = tuple(fragment(f"{'x' * 90}{number}", number, source=f"{'s' * 50}{number}.xml") for number in range(1, 400))
    text = written("markdown", Verdict(findings=many))
    assert len(text) < LONGEST + 500
    assert "#### `" in text
    assert "299 more rows not shown because of the comment size limit" in text
