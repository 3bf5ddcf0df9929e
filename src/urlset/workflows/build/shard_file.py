"""The bytes of one sitemap → checked, packed and written next to the published ones; runs here or in a worker."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from functools import cache, partial
from pathlib import Path

import msgspec

from urlset.building.candidate import Corrected, EntryFault
from urlset.building.render import newest_of
from urlset.building.shards import FileForm
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.select import select
from urlset.findings.finding import Finding
from urlset.findings.severity import Severity
from urlset.model.document import Document, Kind
from urlset.reading.read import read_chunks
from urlset.rules.catalogue import may_have_media, rules_of
from urlset.workflows.check_file import judge
from urlset.writing.gzip import compress

SHOWN = 20
"""findings that a build reports"""


class ShardTask(msgspec.Struct, frozen=True):
    name: str
    url: str
    target: str
    """where to write it"""
    data: bytes
    now: datetime
    newest: str | None = None
    """for a text file, which says nothing of dates"""
    durable: bool = True


class Opinion(msgspec.Struct, frozen=True):
    """What urlset's own rules say of a file."""

    errors: int
    count: int
    """of errors and warnings"""
    findings: tuple[Finding, ...]
    """the worst ones"""
    sha256: str
    """of its bytes, unpacked"""


class ShardResult(msgspec.Struct, frozen=True):
    opinion: Opinion
    sha256: str
    bytes: int
    newest: str | None
    faults: tuple[EntryFault, ...] = ()
    """errors of entries that were corrected or omitted; the first ones"""
    fault_count: int = 0


def opinion_of(document: Document, now: datetime) -> Opinion:
    context = Context(now=now)
    verdict = judge(document, _rules(document.kind, media=may_have_media(document)), context)
    shown = sorted(
        (finding for finding in verdict.findings if finding.severity is not Severity.INFO),
        key=lambda finding: finding.severity.rank,
    )
    errors = verdict.severity_counts.get(Severity.ERROR, 0)
    count = sum(number for severity, number in verdict.severity_counts.items() if severity != Severity.INFO)
    return Opinion(errors, count, tuple(shown[:SHOWN]), verdict.documents[0].sha256)


@cache
def _rules(kind: Kind, *, media: bool) -> tuple[AnyRule, ...]:
    """Without those that only inform, since a build reports warnings and errors."""
    engines = Context().engines
    selected = select(rules_of(kind, media=media), engines)
    return tuple(rule for rule in selected if rule.can_be_more_than(Severity.INFO, engines))


def load_rules(form: FileForm, *, media: bool) -> None:
    """What every worker needs: those that are forked from this process do not load it again."""
    _rules(Kind.TEXT if form is FileForm.TEXT else Kind.URLSET, media=media)


def write_shard(task: ShardTask) -> ShardResult | str:
    """A text where it could not be written. Under a temporary name first, so a second try finds no half of it."""
    is_text = task.name.removesuffix(".gz").endswith(".txt")
    document = _read(task, task.data)
    opinion = opinion_of(document, task.now)
    corrected = Corrected(task.data)
    if opinion.errors and not is_text:
        from urlset.workflows.build.entry_faults import without_faults  # brings fixes along

        rules = _rules(document.kind, media=may_have_media(document))
        corrected = without_faults(task.data, partial(_read, task), rules, Context(now=task.now))
        document = _read(task, corrected.data)
        opinion = opinion_of(document, task.now)
    data = corrected.data
    newest = task.newest if is_text else newest_of(document.columns.different("lastmods"))
    del document
    packed = task.name.endswith(".gz")
    digest, size = hashlib.sha256(), 0
    target = Path(task.target)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            for chunk in compress([data]) if packed else (data,):
                file.write(chunk)
                size += len(chunk)
                if packed:
                    digest.update(chunk)
            if task.durable:
                file.flush()
                os.fsync(file.fileno())
        unfinished.replace(target)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        return error.strerror or str(error)
    sha256 = digest.hexdigest() if packed else opinion.sha256
    return ShardResult(opinion, sha256, size, newest, corrected.faults, corrected.count)


def _read(task: ShardTask, data: bytes) -> Document:
    return read_chunks([data], name=task.name.removesuffix(".gz"), url=task.url.removesuffix(".gz"))


def not_written(task: ShardTask, reason: str) -> ShardResult | str:
    del task
    return reason
