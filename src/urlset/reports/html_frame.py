"""What every HTML report starts and ends with: the policy, the style, the title, and who made it."""

from __future__ import annotations

from collections.abc import Iterable

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports.format import ReportOptions
from urlset.reports.html_style import STYLE, policy
from urlset.reports.html_text import Html, joined, jump, lines, prose, shown, tag
from urlset.reports.wording import hidden_line, sum_line
from urlset.spec.engines import ENGINES

UNREAD = "unread"
"""the anchor of what could not be read"""
_LABELS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.INFO: "notes"}
_LONGEST_TITLE = 200
_TARGETS_NAMED = 20


def opening(title: str, options: ReportOptions) -> str:
    """Up to the start of the body."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{shown(policy())}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f'<meta name="generator" content="urlset {shown(options.version)}">\n'
        f"<title>{shown(title, _LONGEST_TITLE)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    )


def closing(options: ReportOptions) -> str:
    made = f" on {options.made:%Y-%m-%d} at {options.made:%H:%M} UTC" if options.made else ""
    return f"</main>\n{tag('footer', f'Made by urlset {options.version}{made}.')}\n</body>\n</html>\n"


def header(verdict: Verdict, options: ReportOptions, least: Severity, outcome: str, *more: str) -> Html:
    """The verdict in words, what the exit code says, what it is about, and how much of which severity."""
    hidden = hidden_line(verdict, least)
    return tag(
        "header",
        lines(
            tag("p", f"urlset {options.command}", class_="tool"),
            tag("h1", prose(sum_line(verdict, least))),
            tag("p", outcome, class_="verdict") if outcome else "",
            *more,
            _tiles(verdict),
            tag("p", hidden, class_="muted") if hidden else "",
        ),
    )


def targets(options: ReportOptions) -> list[Html]:
    """What was asked for, as typed."""
    named = [tag("code", target or "standard input") for target in options.target[:_TARGETS_NAMED]]
    left = len(options.target) - len(named)
    return [*named, shown(f"and {left:,} more")] if left else named


def engines(options: ReportOptions) -> str:
    return ", ".join(ENGINES[engine].title for engine in options.engines)


def next_step(said: str, *commands: str) -> Html:
    """What can be done about it, with commands to be copied."""
    copied = (tag("pre", tag("code", command)) for command in commands)
    return tag("div", lines(tag("p", tag("b", "Next:"), " ", said), *copied), class_="next")


def described(rows: Iterable[tuple[str, str]]) -> Html:
    """Names and what they stand for; those without a value are left out."""
    return tag("dl", *(joined(tag("dt", name), tag("dd", value)) for name, value in rows if value))


def outcome(verdict: Verdict, options: ReportOptions) -> str:
    """The exit code in words; nothing where nothing was looked at."""
    if verdict.troubled:
        return joined("incomplete: ", jump(UNREAD, f"{len(verdict.troubled):,} could not be read"))
    if verdict.at_or_above(options.fail_on):
        return f"failed: something is at {options.fail_on} or above"
    return f"passed: nothing is at {options.fail_on} or above" if verdict.documents else ""


def _tiles(verdict: Verdict) -> Html:
    counts = {severity: verdict.severity_counts.get(severity, 0) for severity in Severity}
    tiles = (
        tag("li", tag("b", f"{count:,}"), _LABELS[severity], class_=severity if count else "zero")
        for severity, count in counts.items()
    )
    return tag("ul", *tiles, class_="tiles")
