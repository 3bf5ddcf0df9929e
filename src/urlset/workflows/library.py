"""The doors for Python programs: one document in, a verdict out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from urlset.checking import clock
from urlset.checking.context import Context
from urlset.checking.engine import check as check_document
from urlset.checking.select import select as choose
from urlset.findings.verdict import Verdict
from urlset.model.document import Document
from urlset.reading.read import Source, read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES, Engine


def check(
    source: Source | Document,
    *,
    at: str | None = None,
    engines: Iterable[str] = DEFAULT_ENGINES,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    now: datetime | None = None,
) -> Verdict:
    """Judge one sitemap by all rules that need no live page.

    `at` is the address the sitemap lives at; without it the rules about its location are listed as not checked.
    `select` and `ignore` take codes, family letters or names. Raises OSError for a file that cannot be opened
    and ValueError for an engine or a rule that does not exist; whatever is in the file is a finding.
    """
    document = source if isinstance(source, Document) else read(source)
    if at is not None:
        document = msgspec.structs.replace(document, url=at)
    chosen_engines = tuple(Engine(engine) for engine in engines)
    rules = choose(all_rules(), chosen_engines, chosen=tuple(select), ignored=tuple(ignore))
    return check_document(document, rules, Context(now=now or clock.now(), engines=chosen_engines))
