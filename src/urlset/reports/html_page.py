"""A template and its values → an HTML page, in pieces; all text is made visible, shortened, and escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import msgspec

from urlset.findings.card import Severity
from urlset.findings.finding import Excerpt
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.reports.audit_wording import (
    HINT,
    cause_consequences,
    cause_damage,
    cause_line,
    cause_places,
    interval,
    pages_of,
)
from urlset.reports.charts import stack
from urlset.reports.format import ReportOptions
from urlset.reports.groups import by_message
from urlset.reports.table import TableData, cell_text
from urlset.reports.visible import cut, snippet, visible
from urlset.reports.wording import fix_command, hidden_line, named, not_checked, place, rationale_of, sum_line, times
from urlset.reports.wording import suppressed as suppressed_by
from urlset.spec.citations import cited
from urlset.spec.engines import ENGINES
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import is_address
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
        "problem_table": None,
        "style": Markup(asset("report.css")),  # noqa: S704 - a file of this package
    }
    scripts = [asset(name) for name in ("report.js", *(["table.js"] if table is not None else []))]
    frame["policy"] = policy(*scripts)
    frame["scripts"] = [Markup(script) for script in scripts]  # noqa: S704 - files of this package
    return Page(environment().get_template(template).generate(frame | values), table)


@cache
def environment(*folders: Path) -> Environment:
    """Autoescape is on, and all values pass `_shown` before they are escaped. `folders` have further templates."""
    from markupsafe import escape

    made = escaping.environment(*folders, Path(__file__).with_name("templates"), finalize=_shown)
    made.filters |= {
        "amount": amount,
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
        "by_message": by_message,
        "cell": cell_text,
        "citations": lambda card: [cited(key) for key in card.cites],
        "fix_notes": lambda findings: list(dict.fromkeys(each.fix for each in findings if each.fix is not None)),
        "marked": marked,
        "stack": stack,
        "source_text": escape,  # already visible; leading and trailing spaces must stay
    }
    made.tests["address"] = is_address
    made.tests["openable"] = _openable
    return made


def _openable(url: str) -> bool:
    """Whether a link to it is what it says: http or https, nothing hidden, and shown in full."""
    return is_address(url) and len(url) <= LONGEST and visible(url) == url and not _ODD.search(url)


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


# Findings → their parts in a template: messages with pages, marked source lines, fixes, sources.

_AROUND = 200
"""characters kept on either side of the marked text; the excerpts have fewer"""
_FAULT = 400
_ANY_WIDTH = 100_000
"""columns: the browser wraps lines here"""


class MarkedLine(NamedTuple):
    """A source line, split where its problem starts and ends; `fault` is empty if something is missing at the end."""

    before: str
    fault: str
    after: str


def marked(excerpt: Excerpt) -> MarkedLine:
    """Cut to a bounded length. Whitespace inside the fault is made visible."""
    text = excerpt.text
    start = min(max(excerpt.start, 0), len(text))
    end = min(start + max(excerpt.length, 1), len(text))
    before, fault, after = text[:start], text[start:end], text[end:]
    cut_before, cut_fault, cut_after = before[-_AROUND:] if before else "", fault[:_FAULT], after[:_AROUND]
    return MarkedLine(
        f"{'…' if excerpt.cut_left or cut_before != before else ''}{_outside(cut_before)}",
        f"{snippet(Excerpt(cut_fault, 0, len(cut_fault)), _ANY_WIDTH).text}{'…' if cut_fault != fault else ''}",
        f"{_outside(cut_after)}{'…' if excerpt.cut_right or cut_after != after else ''}",
    )


def _outside(text: str) -> str:
    return snippet(Excerpt(text, 0, 0), _ANY_WIDTH).text


# The style sheet and the script of HTML reports, and the policy that allows nothing else, by their hashes.


@cache
def asset(name: str) -> str:
    """A file of templates/ that is embedded as it is; a style sheet comes behind what all pages share."""
    names = ("base.css", name) if name.endswith(".css") else (name,)
    folder = files("urlset.reports").joinpath("templates")
    return "\n" + "".join(folder.joinpath(each).read_text(encoding="utf-8") for each in names)


def policy(*scripts: str) -> str:
    """Nothing may be loaded or sent; only the style sheet and the scripts are allowed."""
    run = f"script-src {' '.join(map(_digest, scripts))}; " if scripts else ""
    return f"default-src 'none'; {run}style-src {_digest(asset('report.css'))}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
