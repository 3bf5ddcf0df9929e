"""Bytes → nothing, or an AssertionError that says how the compiled scanner differs from what defines it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from unittest import mock

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import check
from urlset.checking.plain import plain_pattern_rows
from urlset.checking.select import select
from urlset.checking.subjects import Sitemap
from urlset.model.columns import TEXTS, Columns, Hint, Mark
from urlset.model.document import Document, Kind
from urlset.reading import scan
from urlset.reading.prefixes import Prefixes
from urlset.reading.read import read
from urlset.reading.scanner import COMPILED, PYTHON, VARIABLE, scanner
from urlset.reports.format import ReportOptions
from urlset.reports.json import render
from urlset.rules.catalogue import all_rules

CONTEXT = Context(now=datetime(2026, 11, 15, 12, tzinfo=UTC))
_WHOLLY = Hint.PLAIN_LOC | Hint.PLAIN_FIELDS


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
        mock.patch.object(scan, "open_lane", return_value=None),
        mock.patch.object(scan, "is_usual", return_value=False),
        mock.patch.object(scan, "prefixes", return_value=Prefixes(b"", (), b"")),
    ):
        return read(data)


def judge_reading(data: bytes) -> Document:
    """The same columns, offsets, troubles and media as the reference reader; hints that hold."""
    reference = _told(by_reference(data))
    with reading_with(COMPILED):
        compiled = read(data)
        with mock.patch.object(Columns, "few", 1):
            put_off = read(data)
    judge_put_off(put_off.columns)
    for document in (put_off, compiled):
        for ours, theirs in zip(_told(document), reference, strict=True):
            assert ours == theirs, f"{ours!r}\nis not\n{theirs!r}"
        judge_hints(document)
    return compiled


def judge_put_off(columns: Columns) -> None:
    """What can be told of texts before they are made is what they are then."""
    counts = {column: columns.counts(column) for column in TEXTS}
    listed_once = columns.listed_once()
    locs = [columns.loc(row) for row in range(len(columns))]
    assert locs == columns.locs
    assert not listed_once or len(set(locs)) == len(locs)
    for column, known in counts.items():
        assert known is None or known == Counter(getattr(columns, column)), column


def _told(document: Document) -> tuple[object, ...]:
    columns = document.columns
    return (
        document.kind,
        columns.locs,
        columns.lastmods,
        columns.changefreqs,
        columns.priorities,
        columns.starts.tolist(),
        columns.ends.tolist(),
        [mark & ~Mark.CANONICAL for mark in columns.marks],
        columns.comments,
        columns.edits,
        columns.outside,
        document.troubles,
        [document.media(row) for row in range(len(document))],
    )


def judge_hints(document: Document) -> None:
    """Whatever the scanner says of a row is true by the patterns that define it."""
    columns = document.columns
    hints = columns.hints
    assert len(hints) <= len(columns)
    if document.kind is not Kind.URLSET:
        return
    plain = plain_pattern_rows(Sitemap(document, Context(now=datetime(9999, 1, 1, tzinfo=UTC))))
    head, before = None, b""
    for row, hint in enumerate(hints):
        loc, lastmod = columns.locs[row] or "", columns.lastmods[row]
        if hint & _WHOLLY == _WHOLLY:
            assert plain[row], loc
            assert lastmod is None or int(lastmod[:10].replace("-", "")) <= columns.newest_day
        if hint & Hint.PLAIN_LOC:
            assert not hint & Hint.SAME_HEAD or loc.split("/", 3)[:3] == head, loc
            assert bool(hint & Hint.SLASHED) == loc.partition("?")[0].endswith("/"), loc
            written = loc.replace("&", "&amp;").encode()
            assert not hint & Hint.ASCENDING or before < written, loc
            head, before = loc.split("/", 3)[:3], written
    for start, end in columns.plain_ranges:
        rows = [row for row in range(len(columns)) if start <= columns.starts[row] < end]
        assert all(columns.hints[row] & _WHOLLY == _WHOLLY and not columns.marks[row] for row in rows)
        bare = bytearray(document.data[start:end])
        for row in reversed(rows):
            del bare[columns.starts[row] - start : columns.ends[row] - start]
        assert not bare.strip(), bytes(bare)


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
