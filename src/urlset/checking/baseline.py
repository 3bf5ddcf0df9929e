"""Known findings, each with a reason and a day on which it stops being an excuse."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from hashlib import blake2b
from pathlib import Path

import msgspec

from urlset.findings.finding import Finding
from urlset.findings.verdict import Suppressed, Verdict

SCHEMA = 1


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


class BaselineError(ValueError):
    """A baseline file that cannot be used."""


class Baseline(msgspec.Struct, frozen=True):
    """The accepted findings of a project."""

    schema: int
    findings: tuple[Known, ...]

    @classmethod
    def load(cls, path: Path) -> Baseline:
        try:
            baseline = msgspec.json.decode(path.read_bytes(), type=cls)
        except (OSError, msgspec.MsgspecError) as error:
            raise BaselineError(f"{path}: not a baseline: {error}") from error
        if baseline.schema != SCHEMA:
            raise BaselineError(f"{path}: schema {baseline.schema}, but this version reads {SCHEMA}")
        return baseline

    @classmethod
    def of(cls, verdict: Verdict, *, reason: str, expires: str | None) -> Baseline:
        grouped: Counter[str] = Counter()
        first: dict[str, Finding] = {}
        for finding in verdict.findings:
            key = fingerprint(finding)
            grouped[key] += 1
            first.setdefault(key, finding)
        known = tuple(
            Known(each.code, each.source, key, grouped[key], each.subject, each.message, reason, expires)
            for key, each in first.items()
        )
        return cls(SCHEMA, known)

    def save(self, path: Path) -> None:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    def apply(self, verdict: Verdict, now: datetime) -> Verdict:
        """The verdict without what is known; what has expired counts again."""
        left = Counter({known.fingerprint: known.count for known in self.findings if not _expired(known, now.date())})
        findings: list[Finding] = []
        silenced: Counter[tuple[str, str]] = Counter()
        counts, severities = Counter(verdict.counts), Counter(verdict.severity_counts)
        fixable = verdict.fixable
        for finding in verdict.findings:
            key = fingerprint(finding)
            if left[key] > 0:
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
    """Stays the same when lines are added elsewhere."""
    shown = finding.excerpt.text[finding.excerpt.start :][: finding.excerpt.length] if finding.excerpt else ""
    parts = (finding.code, finding.source, finding.subject or "", shown)
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _expired(known: Known, today: date) -> bool:
    return known.expires is not None and date.fromisoformat(known.expires) < today
