"""Verdict → the sentences that several formats share: amounts, engines, places, summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from urlset.findings.card import Card, Severity
from urlset.findings.finding import ON_REQUEST, Finding, FixNote, Safety
from urlset.findings.verdict import Verdict
from urlset.model.shown import amount
from urlset.spec.engines import ENGINES, Engine
from urlset.spec.lazy_pattern import lazy_pattern

_DOCUMENTS = {Engine.PROTOCOL: "the protocol", Engine.XSD_STRICT: "the XML schema"}
_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_NAMES = frozenset(word for spec in ENGINES.values() for word in spec.title.split()) | {
    "Googlebot",
    "Bingbot",
    "Search",
    "Unicode",
    "Latin",
    "Python",
}
_TIMES = "\N{MULTIPLICATION SIGN}"
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z<])")


def percent(share: float) -> str:
    return "<0.1%" if 0 < share < 0.001 else f"{share * 100:.1f}%"


def named(source: str) -> str:
    """Input given as bytes has no name."""
    return source or "standard input"


def place(finding: Finding) -> str:
    """file:line:column, as far as known."""
    parts = [named(finding.source)]
    if finding.line is not None:
        parts += [str(part) for part in (finding.line, finding.column) if part is not None]
    return ":".join(parts)


def summary_of(card: Card) -> str:
    return " ".join(card.summary.split()).removesuffix(".")


def in_a_sentence(text: str) -> str:
    """Without its capital letter, unless that belongs to a name, and without its period."""
    first = text.split(" ", 1)[0]
    if first.istitle() and first.isalpha() and first not in _NAMES:
        text = text[0].lower() + text[1:]
    return text.removesuffix(".")


def rationale_of(card: Card) -> str:
    return " ".join(card.rationale.split())


def gist_of(card: Card) -> str:
    """The first sentence of the rationale."""
    return _SENTENCE_END.split(rationale_of(card), maxsplit=1)[0]


def engines_of(finding: Finding, card: Card | None) -> str:
    """The affected engines, with severities if they differ."""
    severities = {engine: card.severities.get(engine) if card else None for engine in finding.engines}
    if len(set(severities.values())) < 2:
        return ", ".join(_engine(engine) for engine in severities)
    return ", ".join(f"{_engine(engine)} ({severity})" for engine, severity in severities.items())


def _engine(engine: Engine) -> str:
    return _DOCUMENTS.get(engine) or ENGINES[engine].title


def fix_command(fix: FixNote, code: str) -> str:
    named = f" --only {code}" if code in ON_REQUEST else ""
    return f"urlset fix{named}" if fix.safety == Safety.SAFE else f"urlset fix --unsafe{named}"


def severity_counts(verdict: Verdict, least: Severity = Severity.INFO) -> str:
    """3 errors, 1 warning; empty without findings."""
    counts = ((severity, verdict.severity_counts.get(severity, 0)) for severity in Severity)
    return ", ".join(
        amount(count, _NOUNS[severity]) for severity, count in counts if count and severity.at_least(least)
    )


def sum_line(verdict: Verdict, least: Severity = Severity.INFO) -> str:
    """The last line of the reports for people."""
    counts = severity_counts(verdict, least)
    if counts:
        said = f"{counts} {_files_concerned(verdict, least)}" if verdict.pages is None else counts
        looked = f"{_pages(verdict)} checked" if verdict.pages is not None else ""
        incomplete = INCOMPLETE if verdict.is_partial else ""
        return "; ".join(filter(None, (said, looked, incomplete, fixable(verdict, least))))
    if verdict.covers_nothing:
        return "no sitemap was checked" if verdict.documents and verdict.pages is None else "nothing was checked"
    nothing = f"no problems at {least} or above" if hidden_line(verdict, least) else "no problems found"
    # an all-clear counts only for what was looked at
    scope = f"in {amount(len(verdict.documents), 'file')} with {amount(verdict.entries, 'entry', 'entries')}"
    scope = scope if verdict.pages is None else f"on {_pages(verdict)}"
    return f"{nothing} {scope}" + (f", but {INCOMPLETE}" if verdict.is_partial else "")


INCOMPLETE = "not everything could be read"


def _pages(verdict: Verdict) -> str:
    assert verdict.pages is not None
    judged, listed = verdict.pages.judged, amount(verdict.pages.listed, "page")
    return listed if judged == verdict.pages.listed else f"{judged:,} of {listed}"


def _files_concerned(verdict: Verdict, least: Severity) -> str:
    """Of the files that were checked; a sitemap that was found but not read is another URL."""
    files = {document.source for document in verdict.documents}
    concerned = {finding.source for finding in verdict.findings if finding.severity.at_least(least)}
    inside, others = len(concerned & files), len(concerned - files)
    count = len(verdict.documents)
    where = f"{inside:,} of {amount(count, 'file')}" if inside < count else amount(count, "file")
    if not others:
        return f"in {where}"
    return f"in {where} and {amount(others, 'other URL')}" if inside else f"at {amount(others, 'URL')}"


def fixable(verdict: Verdict, least: Severity = Severity.INFO) -> str:
    """How many of those shown can be fixed without naming a rule, and with which option."""
    noted = [finding for finding in verdict.findings if finding.fix is not None]
    meant = [finding for finding in noted if finding.severity.at_least(least) and finding.code not in ON_REQUEST]
    total = verdict.fixable - (len(noted) - len(meant))
    safe = sum(1 for finding in meant if finding.fix and finding.fix.safety == Safety.SAFE)
    review = len(meant) - safe
    if not meant:
        return ""
    if not review:
        return f"{total:,} fixable with `urlset fix`"
    if not safe:
        return f"{total:,} fixable with `urlset fix --unsafe`"
    if is_capped(verdict):
        return f"{total:,} fixable with `urlset fix`, some only with `--unsafe`"
    return f"{safe:,} fixable with `urlset fix`, {review:,} more with `--unsafe`"


def hidden_line(verdict: Verdict, least: Severity) -> str:
    """The findings that the selected severity hides; empty if there are none."""
    below = {
        severity: count
        for severity in Severity
        if not severity.at_least(least) and (count := verdict.severity_counts.get(severity, 0))
    }
    if not below:
        return ""
    counted = ", ".join(amount(count, _NOUNS[severity]) for severity, count in below.items())
    return f"{counted} not shown; use --show {max(below, key=lambda severity: severity.rank)}"


def not_checked(verdict: Verdict) -> dict[str, list[str]]:
    """Reason → the codes of skipped rules."""
    reasons: dict[str, dict[str, None]] = {}
    for item in verdict.not_checked:
        reasons.setdefault(item.reason, {})[item.code] = None
    return {reason: sorted(codes) for reason, codes in reasons.items()}


def suppressed(verdict: Verdict) -> dict[str, dict[str, int]]:
    """Who suppressed them → codes and counts."""
    silenced: dict[str, dict[str, int]] = {}
    for item in verdict.suppressed:
        codes = silenced.setdefault(item.by, {})
        codes[item.code] = codes.get(item.code, 0) + item.count
    return silenced


def kept(verdict: Verdict) -> Counter[str]:
    """Findings in memory, by code."""
    return Counter(finding.code for finding in verdict.findings)


def is_capped(verdict: Verdict) -> bool:
    at_hand = kept(verdict)
    return any(count > at_hand[code] for code, count in verdict.counts.items())


def some(codes: Sequence[str], most: int | None) -> str:
    """The first codes of a list, and the number of the others."""
    if most is None or len(codes) <= most:
        return ", ".join(codes)
    return f"{', '.join(codes[:most])} and {len(codes) - most:,} more"


def times(counts: Iterable[tuple[str, int]]) -> str:
    return ", ".join(code if count == 1 else f"{code} {_TIMES}{count:,}" for code, count in counts)
