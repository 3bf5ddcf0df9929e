"""A staged set → the findings of urlset's own rules, before it is published."""

from __future__ import annotations

from datetime import datetime

from urlset.building.manifest import FileRole, Manifest
from urlset.building.staging import Staging
from urlset.checking.context import Context
from urlset.checking.select import select
from urlset.findings.finding import Finding
from urlset.findings.severity import Severity
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules.catalogue import file_rules
from urlset.workflows.check.document import judge

_SHOWN = 20


class BuildChecker:
    """Counts errors, and keeps the first findings."""

    def __init__(self, now: datetime) -> None:
        self._context = Context(now=now)
        self._rules = select(file_rules(), self._context.engines)
        self._judged: set[str] = set()
        self._shown: list[tuple[str, Finding]] = []
        self.errors = 0

    def judge(self, document: Document, name: str) -> str:
        """One file, under the name it will have; gives the SHA-256 of its bytes, unpacked."""
        verdict = judge(document, self._rules, self._context)
        self.errors += verdict.severity_counts.get(Severity.ERROR, 0)
        self._shown += [(name, finding) for finding in verdict.findings if finding.severity is not Severity.INFO]
        self._shown.sort(key=lambda shown: shown[1].severity.rank)
        del self._shown[_SHOWN:]
        self._judged.add(name)
        return verdict.documents[0].sha256

    def judge_files(self, staging: Staging, proposed: Manifest) -> None:
        """Every file that would be touched and was not judged yet; the others were judged in an earlier build."""
        for name in staging.changes().touched:
            file = proposed.named(name)
            if file is not None and file.role is not FileRole.EXTRA and name not in self._judged:
                self.judge(read(staging.path(name), name=name, url=proposed.url_of(name)), name)

    @property
    def findings(self) -> tuple[str, ...]:
        """In words, errors first."""
        return tuple(
            f"{name}:{finding.line}: {finding.severity}[{finding.code}] {finding.message}"
            for name, finding in self._shown
        )
