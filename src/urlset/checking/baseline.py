"""Known findings, each with a reason and an expiration date.

In the file, paths are relative to its folder; in memory, to the working directory. A check can be started from any
folder, and paths can be written in any form.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from hashlib import blake2b
from pathlib import Path

import msgspec

from urlset.findings.finding import Finding
from urlset.findings.verdict import Suppressed, Verdict
from urlset.model.errors import ArgumentValueError
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.writing.files import write_atomically

SCHEMA = 1
_NO_PATH = lazy_pattern(r"[a-z][a-z0-9+.-]*://|<|\Z", re.IGNORECASE)
"""a URL, standard input, bytes without a name"""


class Known(msgspec.Struct, frozen=True, omit_defaults=True):
    """One finding that is accepted for now."""

    code: str
    source: str
    fingerprint: str
    count: int = 1
    subject: str | None = None
    message: str = ""
    reason: str = ""
    expires: str | None = None


class BaselineError(ArgumentValueError):
    """An invalid baseline file."""


class Baseline(msgspec.Struct, frozen=True):
    """The accepted findings of a project."""

    schema: int
    findings: tuple[Known, ...]

    @classmethod
    def load(cls, path: Path) -> Baseline:
        try:
            baseline = msgspec.json.decode(path.read_bytes(), type=cls)
        except (OSError, msgspec.MsgspecError) as error:
            raise BaselineError(f"{path} is not a valid baseline: {error}") from error
        if baseline.schema != SCHEMA:
            raise BaselineError(f"{path} has baseline schema {baseline.schema}, but this version supports {SCHEMA}")
        return baseline.moved(path.parent, Path())

    @classmethod
    def of(cls, verdict: Verdict, *, reason: str, expires: str | None) -> Baseline:
        grouped: Counter[_Key] = Counter()
        first: dict[_Key, Finding] = {}
        paths = _paths(verdict.findings, Path(), Path())
        for finding in verdict.findings:
            key = (paths[finding.source], _hash_of(finding))
            grouped[key] += 1
            first.setdefault(key, finding)
        known = tuple(
            Known(each.code, key[0], key[1], grouped[key], each.subject, each.message, reason, expires)
            for key, each in first.items()
        )
        return cls(SCHEMA, known)

    def save(self, path: Path) -> None:
        moved = self.moved(Path(), path.parent)
        write_atomically(path, [msgspec.json.format(msgspec.json.encode(moved), indent=1), b"\n"])

    def moved(self, start: Path, to: Path) -> Baseline:
        """The same baseline with paths relative to another folder."""
        paths = _paths(self.findings, start, to)
        findings = (msgspec.structs.replace(known, source=paths[known.source]) for known in self.findings)
        return Baseline(self.schema, tuple(findings))

    def apply(self, verdict: Verdict, now: datetime) -> Verdict:
        """The verdict without known findings; expired ones count again."""
        left: Counter[_Key | str] = Counter()
        for known in self.findings:
            if not (known.expires is not None and date.fromisoformat(known.expires) < now.date()):
                left[known.source, known.fingerprint] += known.count
                left[known.fingerprint] += known.count
        findings: list[Finding] = []
        silenced: Counter[tuple[str, str]] = Counter()
        counts, severities = Counter(verdict.counts), Counter(verdict.severity_counts)
        fixable = verdict.fixable
        paths = _paths(verdict.findings, Path(), Path())
        for finding in verdict.findings:
            keys = ((paths[finding.source], _hash_of(finding)), fingerprint(finding))
            key = next((key for key in keys if left[key] > 0), None)
            if key is not None:
                left[key] -= 1
                silenced[finding.code, finding.source] += 1
                counts[finding.code] -= 1
                severities[finding.severity] -= 1
                fixable -= finding.fix is not None
            else:
                findings.append(finding)
        suppressed = [Suppressed(code, source, count, "the baseline") for (code, source), count in silenced.items()]
        return msgspec.structs.replace(
            verdict,
            findings=tuple(findings),
            counts={code: count for code, count in counts.items() if count},
            severity_counts={severity: count for severity, count in severities.items() if count},
            fixable=fixable,
            suppressed=(*verdict.suppressed, *suppressed),
        )


def fingerprint(finding: Finding) -> str:
    """With the path as typed: the fingerprint of older baselines."""
    return _hashed(finding.code, finding.source, finding.subject or "", _shown(finding))


_Key = tuple[str, str]
"""the path from here, and everything that stays the same when lines are added elsewhere"""


def _hash_of(finding: Finding) -> str:
    return _hashed(finding.code, finding.subject or "", _shown(finding))


def _shown(finding: Finding) -> str:
    return finding.excerpt.text[finding.excerpt.start :][: finding.excerpt.length] if finding.excerpt else ""


def _hashed(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _paths(items: Iterable[Finding | Known], start: Path, to: Path) -> dict[str, str]:
    """Each source once, because resolving links is slow."""
    return {source: _moved(source, start, to) for source in {item.source for item in items}}


def _moved(source: str, start: Path, to: Path) -> str:
    """A path relative to `start`, made relative to `to`, with forward slashes; a URL is unchanged."""
    if _NO_PATH.match(source):
        return source
    there = os.path.realpath(start / source)
    try:
        return Path(os.path.relpath(there, os.path.realpath(to))).as_posix()
    except ValueError:  # on another drive
        return Path(there).as_posix()
