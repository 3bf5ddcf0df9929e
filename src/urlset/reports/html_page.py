"""A template and its values → an HTML page, in pieces; all text is made visible, shortened, and escaped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports import html_filters
from urlset.reports.audit_wording import (
    cause_consequences,
    cause_damage,
    cause_line,
    cause_places,
    interval,
    pages_of,
)
from urlset.reports.format import ReportOptions
from urlset.reports.html_style import STYLE, policy
from urlset.reports.uri import is_address
from urlset.reports.visible import visible
from urlset.reports.wording import (
    amount,
    fix_command,
    hidden_line,
    named,
    not_checked,
    place,
    rationale_of,
    sum_line,
    times,
)
from urlset.reports.wording import suppressed as suppressed_by
from urlset.spec.engines import ENGINES
from urlset.writing import templates

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LONGEST = 2_000
"""maximum characters of one text, elided in the middle, which limits the size of the file"""
_LABELS = ((Severity.ERROR, "errors"), (Severity.WARNING, "warnings"), (Severity.INFO, "notes"))


def page(template: str, verdict: Verdict, options: ReportOptions, **values: object) -> Iterator[str]:
    """The frame of all reports: title, summary, outcome, counts, gaps. `values` are for the template itself."""
    from markupsafe import Markup

    least = options.least(Severity.INFO)
    frame: dict[str, object] = {
        "options": options,
        "verdict": verdict,
        "title": f"urlset {options.command}: {sum_line(verdict, least)}",
        "summary": sum_line(verdict, least),
        "hidden": hidden_line(verdict, least),
        "severities": _LABELS,
        "skipped": list(not_checked(verdict).items()),
        "silenced": [
            f"{amount(sum(counts.values()), 'finding')} by {by} ({times(sorted(counts.items()))})"
            for by, counts in suppressed_by(verdict).items()
        ],
        "unread": (*verdict.troubled, *verdict.empty),
        "engines": ", ".join(ENGINES[engine].title for engine in options.engines),
        "policy": policy(),
        "style": Markup(STYLE),  # noqa: S704 - a constant of this package
    }
    yield from environment().get_template(template).generate(frame | values)


@cache
def environment() -> Environment:
    """Autoescape is on, and all values pass `_shown` before they are escaped."""
    made = templates.environment(Path(__file__).with_name("templates"), _shown)
    made.filters |= {
        "amount": amount,
        "anchor": lambda code: f"#{quote(visible(code))}",
        "cut": _shown,
        "fix_command": fix_command,
        "named": named,
        "number": lambda count: f"{count:,}",
        "place": place,
        "prose": _prose,
        "rationale": rationale_of,
        "cause_line": cause_line,
        "cause_damage": cause_damage,
        "cause_places": cause_places,
        "cause_consequences": cause_consequences,
        "interval": interval,
        "pages_of": pages_of,
        **html_filters.FILTERS,
    }
    made.tests["address"] = is_address
    return made


def _shown(value: object, longest: int = LONGEST) -> object:
    """Text on one line, with hidden characters escaped; markup is unchanged."""
    from markupsafe import Markup

    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    text = f"{value[: longest // 2]}…{value[-longest // 2 :]}" if len(value) > longest else str(value)
    return visible(text)


def _prose(text: str) -> Markup:
    """A sentence written by urlset, with the commands in backticks as code."""
    from markupsafe import Markup

    parts = [str(_shown(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return Markup("{}").format(_shown(text))
    return Markup().join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))
