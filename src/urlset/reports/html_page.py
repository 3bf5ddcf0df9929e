"""A template and its values → an HTML page, in pieces; all text is made visible, shortened, and escaped."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict
from urlset.reports import html_filters
from urlset.reports.audit_wording import (
    HINT,
    cause_consequences,
    cause_damage,
    cause_line,
    cause_places,
    interval,
    pages_of,
)
from urlset.reports.charts import Stack, stack
from urlset.reports.format import ReportOptions
from urlset.reports.html_style import asset, policy
from urlset.reports.page_numbers import EngineTotals
from urlset.reports.table_data import TableData
from urlset.reports.uri import is_address
from urlset.reports.visible import cut, visible
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
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.writing import escaping

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_ODD = lazy_pattern(r"[\s\\]")
LONGEST = 2_000
"""maximum characters of one text, elided in the middle, which limits the size of the file"""
_LABELS = ((Severity.ERROR, "errors"), (Severity.WARNING, "warnings"), (Severity.INFO, "notes"))


class KeyNumber(msgspec.Struct, frozen=True):
    """One of the numbers at the top."""

    count: int
    label: str
    note: str = ""
    shape: str = ""
    """the CSS class of its color"""


class Page(Iterator[str]):
    """The pieces of a page, and whether its table has only a sample of the rows."""

    def __init__(self, pieces: Iterator[str], table: TableData | None) -> None:
        self._pieces, self._table = pieces, table

    def __next__(self) -> str:
        return next(self._pieces)

    @property
    def is_sample(self) -> bool:
        return self._table is not None and self._table.is_sample


def page(
    template: str, verdict: Verdict, options: ReportOptions, *, table: TableData | None = None, **values: object
) -> Page:
    """The frame of all reports: title, summary, outcome, counts, gaps. `values` are for the template itself."""
    from markupsafe import Markup

    least = options.least(Severity.INFO)
    severities = [
        KeyNumber(verdict.severity_counts.get(severity, 0), label, shape=severity) for severity, label in _LABELS
    ]
    frame: dict[str, object] = {
        "options": options,
        "verdict": verdict,
        "title": f"urlset {options.command}: {sum_line(verdict, least)}",
        "summary": sum_line(verdict, least),
        "hidden": hidden_line(verdict, least).partition(";")[0],
        "severity_numbers": severities,
        "key_numbers": severities,
        "skipped": list(not_checked(verdict).items()),
        "silenced": [
            f"{amount(sum(counts.values()), 'finding')} by {by} ({times(sorted(counts.items()))})"
            for by, counts in suppressed_by(verdict).items()
        ],
        "unread": verdict.unread,
        "engines": ", ".join(ENGINES[engine].title for engine in options.engines),
        "engine_names": [(engine.value, ENGINES[engine].title) for engine in options.engines],
        "beside": options.beside,
        "hint": HINT,
        "table": table,
        "style": Markup(asset("report.css")),  # noqa: S704 - a file of this package
    }
    scripts = [asset(name) for name in ("report.js", *(["table.js"] if table is not None else []))]
    frame["policy"] = policy(*scripts)
    frame["scripts"] = [Markup(script) for script in scripts]  # noqa: S704 - files of this package
    return Page(environment().get_template(template).generate(frame | values), table)


@cache
def environment(*folders: Path) -> Environment:
    """Autoescape is on, and all values pass `_shown` before they are escaped. `folders` have further templates."""
    made = escaping.environment(*folders, Path(__file__).with_name("templates"), finalize=_shown)
    made.filters |= {
        "amount": amount,
        "able_stack": _able_stack,
        "anchor_path": lambda name: quote(visible(name)),
        "anchor": lambda code: f"#{quote(visible(code))}",
        "cut": _shown,
        "fix_command": fix_command,
        "named": named,
        "number": lambda count: f"{count:,}",
        "place": place,
        "prose": _prose,
        "rationale": rationale_of,
        "without": lambda text, start: text.removeprefix(start) or text,
        "cause_line": cause_line,
        "cause_damage": cause_damage,
        "cause_places": cause_places,
        "cause_consequences": cause_consequences,
        "interval": interval,
        "pages_of": pages_of,
        **html_filters.FILTERS,
    }
    made.tests["address"] = is_address
    made.tests["openable"] = _openable
    return made


def _openable(url: str) -> bool:
    """Whether a link to it is what it says: http or https, nothing hidden, and shown in full."""
    return is_address(url) and len(url) <= LONGEST and visible(url) == url and not _ODD.search(url)


def _able_stack(each: EngineTotals) -> Stack:
    return stack(
        [
            ("indexable", each.indexable, "ok"),
            ("not indexable", each.not_indexable, "gone"),
            ("unknown", each.unknown, "unknown"),
        ]
    )


def _shown(value: object, longest: int = LONGEST) -> object:
    """Text on one line, with hidden characters escaped; markup is unchanged."""
    from markupsafe import Markup

    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return cut(str(value), longest)


def _prose(text: str) -> Markup:
    """A sentence written by urlset, with the commands in backticks as code."""
    from markupsafe import Markup

    parts = [str(_shown(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return Markup("{}").format(_shown(text))
    return Markup().join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))
