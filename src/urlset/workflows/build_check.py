"""A staged set → what our own rules say of it, before anybody else sees it."""

from __future__ import annotations

from datetime import datetime

from urlset.building.manifest import Manifest, Role
from urlset.building.staging import Staging
from urlset.checking.context import Context
from urlset.checking.engine import check
from urlset.checking.select import select
from urlset.findings.finding import Finding
from urlset.findings.severity import Severity
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules

_SHOWN = 20


def judge_files(staging: Staging, proposed: Manifest, now: datetime) -> tuple[int, tuple[str, ...]]:
    """The number of errors, and the first findings in words; files that will not be touched were judged before."""
    context = Context(now=now)
    rules = select(all_rules(), context.engines)
    errors = 0
    shown: list[Finding] = []
    touched = {*staging.changes().touched}
    for file in proposed.files:
        if file.role is Role.EXTRA or file.name not in touched:
            continue
        document = read(staging.path(file.name), name=file.name, url=proposed.url_of(file.name))
        verdict = check(document, rules, context)
        errors += verdict.severity_counts.get(Severity.ERROR, 0)
        shown += [finding for finding in verdict.findings if finding.severity is not Severity.INFO]
    shown.sort(key=lambda finding: finding.severity.rank)
    return errors, tuple(
        f"{finding.source}:{finding.line}: {finding.severity}[{finding.code}] {finding.message}"
        for finding in shown[:_SHOWN]
    )
