"""Bytes → nothing, or an AssertionError that says how the compiled scanner differs from what defines it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from unittest import mock

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.model.columns import TEXTS, Columns
from urlset.model.document import Document
from urlset.reading import scan
from urlset.reading.limits import COMPILED, PYTHON, VARIABLE, scanner
from urlset.reading.read import read
from urlset.reading.signals import loc_signals
from urlset.reading.vocabulary import Prefixes
from urlset.reports.format import ReportOptions
from urlset.reports.json import render
from urlset.rules.catalogue import all_rules
from urlset.spec.signals import Signal

_HEAD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*")
_TWICE = re.compile(rb"&(?:amp|#38|#x26);(?:#|[A-Za-z]+;)")
CONTEXT = Context(now=datetime(2026, 11, 15, 12, tzinfo=UTC))


@contextmanager
def reading_with(name: str) -> Iterator[None]:
    """Everything inside is read by this scanner."""
    with mock.patch.dict(os.environ, {VARIABLE: name}):
        scanner.cache_clear()
        yield
    scanner.cache_clear()


def by_reference(data: bytes) -> Document:
    """Read by expat alone."""
    with (
        mock.patch.object(scan, "open_scanner", return_value=None),
        mock.patch.object(scan, "prefixes", return_value=Prefixes(b"", (), b"")),
    ):
        return read(data)


def judge_reading(data: bytes) -> Document:
    """The same columns, offsets, troubles and media as the reference reader; signals that hold.

    Without compiled modules the reference reader is all there is.
    """
    if find_spec("urlset.reading.compiled") is None and not os.environ.get("REQUIRE_COMPILED_SCANNER"):
        return read(data)
    reference = _describe(by_reference(data))
    with reading_with(COMPILED):
        compiled = read(data)
        with mock.patch.object(Columns, "few", 1):
            put_off = read(data)
    judge_put_off(put_off.columns)
    for document in (put_off, compiled):
        for ours, theirs in zip(_describe(document), reference, strict=True):
            assert ours == theirs, f"{ours!r}\nis not\n{theirs!r}"
        judge_signals(document)
    return compiled


def judge_put_off(columns: Columns) -> None:
    """What can be told of texts before they are made is what they are then."""
    counts = {column: columns.counts(column) for column in TEXTS}
    listed_once = columns.listed_once()
    texts = {column: [columns.text(column, row) for row in range(len(columns))] for column in TEXTS}
    assert not listed_once or len(set(texts["locs"])) == len(columns)
    for column, known in counts.items():
        assert texts[column] == getattr(columns, column), column
        assert known == Counter(texts[column]), column


def _describe(document: Document) -> tuple[object, ...]:
    columns = document.columns
    return (
        document.kind,
        columns.locs,
        columns.lastmods,
        columns.changefreqs,
        columns.priorities,
        columns.starts.tolist(),
        columns.ends.tolist(),
        bytes(columns.marks),
        columns.comments,
        columns.edits,
        columns.outside,
        document.troubles,
        [document.media(row) for row in range(len(document))],
    )


def judge_signals(document: Document) -> None:
    """The scanner raises the signals that Python raises, and what is escaped twice is in none of its ranges."""
    columns = document.columns
    assert len(columns.signals) <= len(columns)
    before = None
    for loc, found in zip(columns.locs, columns.signals, strict=False):
        if found == Signal.UNKNOWN:
            continue
        assert found & ~Signal.OTHER_HEAD == loc_signals(loc), loc
        head = _HEAD.match((loc or "").strip())
        if head is not None:
            assert found & Signal.OTHER_HEAD or head.group() == before, loc
            before = head.group()
    for span in columns.once_ranges:
        assert _TWICE.search(document.data, *span) is None


def judge_report(data: bytes) -> None:
    """The same report, byte for byte, from both scanners."""
    texts = []
    for name in (COMPILED, PYTHON):
        with reading_with(name):
            verdict = check(read(data, name="sitemap.xml"), _rules(), CONTEXT)
            texts.append("".join(render(verdict, ReportOptions())))
    assert texts[0] == texts[1]


def _rules() -> tuple[AnyRule, ...]:
    return select(all_rules(), CONTEXT.engines)
