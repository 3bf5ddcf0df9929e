"""Verdict → JUnit XML: one suite per document, one test case per rule with findings."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.format import ReportOptions
from urlset.reports.groups import FindingGroup, by_source, grouped
from urlset.reports.visible import snippet, visible
from urlset.reports.wording import named, place

PLACES = 20
"""listed in one failure"""
_WIDTH = 100


def render(verdict: Verdict, options: ReportOptions) -> Iterator[str]:
    """Failing findings are failures; milder ones pass with their findings as output; skipped is not passed."""
    suites = list(_suites(verdict, options))
    totals = {name: str(sum(numbers[name] for _, numbers in suites)) for name in _COUNTED}
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f"<testsuites{_attributes(name=f'urlset {options.command}', **totals)}>\n"
    yield from (xml for xml, _ in suites)
    yield "</testsuites>\n"


_COUNTED = ("tests", "failures", "errors", "skipped")


def _suites(verdict: Verdict, options: ReportOptions) -> Iterator[tuple[str, dict[str, int]]]:
    groups = by_source(grouped(verdict))
    for source in dict.fromkeys((*(document.source for document in verdict.documents), *groups)):
        cases, failures, seen = [], 0, set()
        for group in groups.get(source, []):
            name = f"{group.first.code} {group.first.name}"
            if group.first.code in seen:  # a rule with two severities is two test cases, and names must be unique
                name += f" ({group.first.severity})"
            seen.add(group.first.code)
            fails = group.first.severity.at_least(options.fail_on)
            failures += fails
            cases.append(_case_of(name, group, fails=fails))
        cases.append(_case("all other rules", named(source)))
        yield _suite(named(source), cases, failures=failures)
    if verdict.not_checked:
        cases = []
        for it in verdict.not_checked:
            card = verdict.cards.get(it.code)
            name = f"{it.code} {card.name}" if card else it.code
            cases.append(_case(name, it.source or "skipped rules", f"<skipped{_attributes(message=it.reason)}/>"))
        yield _suite("skipped rules", cases, skipped=len(cases))
    if verdict.unread:
        cases = [_case(line, "could not read", f"<error{_attributes(message=line)}/>") for line in verdict.unread]
        yield _suite("could not read", cases, errors=len(cases))


def _suite(name: str, cases: list[str], **more: int) -> tuple[str, dict[str, int]]:
    numbers = {**dict.fromkeys(_COUNTED, 0), "tests": len(cases), **more}
    opening = f"<testsuite{_attributes(name=name, **{each: str(count) for each, count in numbers.items()})}>"
    return "\n".join((opening, *cases, "</testsuite>\n")), numbers


def _case_of(name: str, group: FindingGroup, *, fails: bool) -> str:
    """The first message is shown in overviews; the places follow."""
    body = escape("\n".join(_lines(group)), quote=False)
    if not fails:
        return _case(name, named(group.first.source), f"<system-out>{body}</system-out>", group.first.line)
    count = f" ({'' if group.exact else 'at least '}{amount(group.total, 'time')})" if group.total > 1 else ""
    reported = _attributes(message=f"{group.first.message}{count}", type=str(group.first.severity))
    return _case(name, named(group.first.source), f"<failure{reported}>{body}</failure>", group.first.line)


def _case(name: str, classname: str, body: str = "", line: int | None = None) -> str:
    place_attributes = {} if line is None else {"file": classname, "line": str(line)}
    opening = f"  <testcase{_attributes(name=name, classname=classname, **place_attributes)}"
    return f"{opening}>{body}</testcase>" if body else f"{opening}/>"


def _lines(group: FindingGroup) -> Iterator[str]:
    for finding in group.findings[:PLACES]:
        yield visible(f"{place(finding)}: {finding.severity}: {finding.message}")
        if finding.excerpt is not None:
            cut = snippet(finding.excerpt, _WIDTH)
            yield f"    {cut.text}"
            yield f"    {' ' * cut.indent}{'^' * cut.carets}"
        if finding.fix is not None:
            yield visible(f"    fix: {finding.fix.title}")
    left = group.left_after(PLACES)
    if left:
        yield f"and {left:,} more"


def _attributes(**values: str) -> str:
    return "".join(f' {name}="{escape(visible(value))}"' for name, value in values.items())
