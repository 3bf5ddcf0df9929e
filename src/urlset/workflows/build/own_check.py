"""A staged set → the findings of urlset's own rules, before it is published."""

from __future__ import annotations

from datetime import datetime

from urlset.building.manifest import FileRole, Manifest
from urlset.building.staging import Staging
from urlset.findings.finding import Finding
from urlset.reading.read import read
from urlset.workflows.build.shard_file import SHOWN, Opinion, opinion_of


class BuildChecker:
    """Counts errors and findings, and keeps the first findings."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._judged: set[str] = set()
        self._shown: list[tuple[str, Finding]] = []
        self.errors = self.count = 0

    def take(self, name: str, opinion: Opinion) -> None:
        """What the rules say of one file, under the name it will have."""
        self.errors += opinion.errors
        self.count += opinion.count
        self._shown += [(name, finding) for finding in opinion.findings]
        self._shown.sort(key=lambda shown: shown[1].severity.rank)
        del self._shown[SHOWN:]
        self._judged.add(name)

    def judge_files(self, staging: Staging, proposed: Manifest) -> None:
        """Every file that would be touched and was not judged yet; the others were judged in an earlier build."""
        files = {file.name: file for file in proposed.files}
        for name in staging.changes().touched:
            file = files.get(name)
            if file is not None and file.role is not FileRole.EXTRA and name not in self._judged:
                document = read(staging.path(name), name=name, url=proposed.url_of(name))
                self.take(name, opinion_of(document, self._now))

    @property
    def findings(self) -> tuple[str, ...]:
        """In words, errors first."""
        return tuple(
            f"{name}:{finding.line}: {finding.severity}[{finding.code}] {finding.message}"
            for name, finding in self._shown
        )
