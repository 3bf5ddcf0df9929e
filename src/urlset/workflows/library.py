"""The doors for Python programs: one document or address in, a verdict out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.engine import check as check_document
from urlset.checking.select import select as choose
from urlset.findings.verdict import Verdict, join
from urlset.model.document import Document
from urlset.reading.read import Source, read
from urlset.reports.uri import is_address
from urlset.rules.catalogue import all_rules
from urlset.settings.options import Settings
from urlset.spec.engines import DEFAULT_ENGINES, Engine
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.web.options import ALLOW_PRIVATE, PRIVATE_HOST, WebOptions
from urlset.workflows.check import Live, check_targets
from urlset.workflows.check_task import left_to_others

_HOST_OPTION = lazy_pattern(rf"; {PRIVATE_HOST} (\S+) ")
_IN_PYTHON = "web=urlset.WebOptions(allow_private=True)"


def check(
    source: Source | Document,
    *,
    at: str | None = None,
    engines: Iterable[str] = DEFAULT_ENGINES,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    now: datetime | None = None,
    web: WebOptions | None = None,
) -> Verdict:
    """Judge one sitemap, or all sitemaps of a site, by all rules that need no live page.

    `source` is a file, bytes, a document, or an http(s) address: of a sitemap, an index or a site. Addresses are
    fetched with what they lead to, as `web` says; what could not be read is in `Verdict.troubled`.
    `at` is the address a file lives at; without it the rules about its location are listed as not checked.
    `select` and `ignore` take codes, family letters or names. Raises OSError for a file that cannot be opened
    and ValueError for an engine or a rule that does not exist; whatever is in the file is a finding.
    """
    chosen_engines = tuple(Engine(engine) for engine in engines)
    if isinstance(source, str) and is_address(source):
        if at is not None:
            raise ValueError("at is the address of a file; an address has its own")
        settings = Settings(engines=chosen_engines, select=tuple(select), ignore=tuple(ignore))
        return in_python(check_targets([source], settings, now=now, live=Live(web or WebOptions())))
    document = source if isinstance(source, Document) else read(source)
    if at is not None:
        document = msgspec.structs.replace(document, url=at)
    selected = tuple(select)
    rules = choose(all_rules(), chosen_engines, chosen=selected, ignored=tuple(ignore))
    verdict = check_document(document, rules, Context(now=now or clock.now(), engines=chosen_engines))
    return join([verdict, left_to_others(rules, selected, fetched=False)])


def in_python(verdict: Verdict) -> Verdict:
    """Advice that names an option of the command line names that of the library."""
    return msgspec.structs.replace(verdict, troubled=tuple(map(_python_advice, verdict.troubled)))


def _python_advice(line: str) -> str:
    line = line.replace(f"; {ALLOW_PRIVATE} ", f"; {_IN_PYTHON} ")
    return _HOST_OPTION.sub(r'; web=urlset.WebOptions(private_hosts=frozenset({"\1"})) ', line)
