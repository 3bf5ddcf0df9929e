"""Two audits of one site → the findings that are new, that are resolved, and that stayed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import msgspec

from urlset.auditing.store import AuditStore
from urlset.model.errors import ArgumentValueError
from urlset.reading.fingerprint import hash_of
from urlset.reports.pages import AuditReport, ChangedRule, FindingChanges
from urlset.workflows.audit.rows import PageVerdict
from urlset.writing.sqlite_store import StateError

_EXAMPLES = 3
_SQLITE = b"SQLite format 3\x00"

Entry = tuple[str, str]
"""rule and page; the sitemap for a finding that is not on a page"""


class CompareError(ArgumentValueError):
    """The earlier audit cannot be read; the message says why and what to do."""


class _Page(msgspec.Struct, frozen=True):
    url: str
    codes: tuple[str, ...] = ()


class _Finding(msgspec.Struct, frozen=True):
    code: str
    source: str = ""
    subject: str | None = None


class _Report(msgspec.Struct, frozen=True):
    command: str
    pages: tuple[_Page, ...] | None = None
    findings: tuple[_Finding, ...] = ()
    target: str = ""


class EarlierAudit(msgspec.Struct, frozen=True):
    """What an earlier audit found; no page is kept but those with a finding."""

    name: str
    listed: frozenset[int]
    """hashes of all pages it listed"""
    entries: tuple[Entry, ...]


def earlier_audit(path: Path) -> EarlierAudit:
    """A JSON report or the state of an audit; raises CompareError."""
    try:
        with path.open("rb") as file:
            is_state = file.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        raise CompareError(f"could not read {path}: {error.strerror}") from error
    if is_state:
        return _of_state(path)
    try:
        report = msgspec.json.decode(path.read_bytes(), type=_Report)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise CompareError(
            f"{path} is not an audit report ({error}); create one with `urlset audit TARGET --format json`"
        ) from error
    if report.command != "audit" or report.pages is None:
        raise CompareError(f"{path} is a report of `urlset {report.command}`, not of an audit")
    found = dict.fromkeys((code, page.url) for page in report.pages for code in page.codes)
    found |= dict.fromkeys((each.code, each.subject or each.source) for each in report.findings)
    return EarlierAudit(str(path), frozenset(hash_of(page.url) for page in report.pages), tuple(found))


def _of_state(path: Path) -> EarlierAudit:
    """Only findings on pages: others are not kept in the state."""
    listed: set[int] = set()
    entries: list[Entry] = []
    try:
        with AuditStore(path) as store:
            if not store.recall():
                raise CompareError(f"{path} has no finished audit")
            for row in store.rows():
                listed.add(hash_of(row.listed.url))
                if row.verdict:
                    said = msgspec.msgpack.decode(row.verdict, type=PageVerdict)
                    entries += ((code, row.listed.url) for code in said.codes)
    except StateError as error:
        raise CompareError(str(error)) from error
    return EarlierAudit(str(path), frozenset(listed), tuple(entries))


def changes_since(earlier: EarlierAudit, report: AuditReport) -> FindingChanges:
    """Of rules that both audits could report: a rule that was not selected now has resolved nothing."""
    before = {hash_of(" ".join(entry)) for entry in earlier.entries}
    now: set[int] = set()
    listed: set[int] = set()
    new: defaultdict[str, list[str]] = defaultdict(list)
    counts: Counter[tuple[str, str]] = Counter()
    for code, url, is_page in _entries(report):
        if is_page:
            listed.add(hash_of(url))
        key = hash_of(f"{code} {url}")
        if not code or key in now:
            continue
        now.add(key)
        kind = "unchanged" if key in before else "new"
        counts[kind, code] += 1
        if kind == "new" and len(new[code]) < _EXAMPLES:
            new[code].append(url)
    gone: defaultdict[str, list[str]] = defaultdict(list)
    unlisted = 0
    for code, url in earlier.entries:
        if code not in report.verdict.cards or hash_of(f"{code} {url}") in now:
            continue
        counts["resolved", code] += 1
        unlisted += hash_of(url) in earlier.listed and hash_of(url) not in listed
        if len(gone[code]) < _EXAMPLES:
            gone[code].append(url)
    codes = sorted(
        {code for _, code in counts}, key=lambda code: (-counts["new", code], -counts["resolved", code], code)
    )
    return FindingChanges(
        since=earlier.name,
        rules=tuple(
            ChangedRule(
                code=code,
                name=report.verdict.cards[code].name if code in report.verdict.cards else "",
                new=counts["new", code],
                resolved=counts["resolved", code],
                unchanged=counts["unchanged", code],
                new_examples=tuple(new[code]),
                resolved_examples=tuple(gone[code]),
            )
            for code in codes
        ),
        unlisted=unlisted,
    )


def _entries(report: AuditReport) -> Iterator[tuple[str, str, bool]]:
    """Rule, page or sitemap, and whether it is a listed page; pages without a finding have an empty rule."""
    for row in report.pages():
        for code in row.codes or ("",):
            yield code, row.url, True
    for each in report.verdict.findings:
        yield each.code, each.subject or each.source, False
