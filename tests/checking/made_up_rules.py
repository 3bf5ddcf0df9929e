"""Rules made up for tests of the engine: each fires in a way that is easy to predict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, rule, wrap
from urlset.checking.subjects import Child, ListedPage, Sitemap
from urlset.findings.card import Severity
from urlset.findings.finding import Problem
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.spec.engines import Engine

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
ALL = (Engine.PROTOCOL, Engine.GOOGLE, Engine.BING)


def made_up(code: str, name: str, on: type[Any], check: Callable[[Any], Iterable[Problem]], **facts: Any) -> AnyRule:
    check.__doc__ = "Says something.\n\nFor a test."
    facts = {
        "severity": Severity.WARNING,
        "engines": ALL,
        "cites": ("general-knowledge",),
        "bad": (),
        "good": (),
    } | facts
    return rule(code, name, on=on, **facts)(cast("Callable[[Any], Iterator[Problem]]", check))


def on_every_row(row: ListedPage | Child) -> Iterator[Problem]:
    yield Problem(row.place, f"row {row.row}")


def on_the_file(sitemap: Sitemap) -> Iterator[Problem]:
    yield Problem(sitemap.root_tag, "the file")


def breaks_down(sitemap: Sitemap) -> Iterator[Problem]:
    yield Problem(sitemap.root_tag, "said before")
    raise RuntimeError("out of order")


ROWS = made_up("L901", "row-seen", ListedPage, on_every_row)
MORE_ROWS = made_up("D901", "row-seen-again", ListedPage, on_every_row, severity=Severity.ERROR)
FILE = made_up("X901", "file-seen", Sitemap, on_the_file, severity=Severity.INFO)
BROKEN = made_up("Q901", "broken-rule", Sitemap, breaks_down)


def document(entries: str, *, root: str = "urlset", name: str = "sitemap.xml") -> Document:
    """Entries that no screen lets pass unseen."""
    return read(wrap(entries, root).encode(), name=name)


def urls(*names: str) -> str:
    return "\n".join(f"<url><loc>https://example.com/#{name}</loc></url>" for name in names)


def context(**values: Any) -> Context:
    return msgspec.structs.replace(Context(now=NOW, engines=ALL), **values)
