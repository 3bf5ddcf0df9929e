"""Before and after → the reason not to trust the result, or None when nothing was lost and nothing added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.findings.mended import Mended
from urlset.findings.severity import Severity
from urlset.model.address import Address
from urlset.model.document import Document


def prove(before: Document, after: Document, mended: Mended, rules: Sequence[AnyRule], context: Context) -> str | None:
    """Every address that was readable is still there or its removal is listed; no finding is new."""
    if not mended.edits:
        return None
    lost = lost_addresses(before, after, mended)
    if lost:
        return f"{len(lost):,} addresses would be lost, the first is {lost[0]!r}"
    new = new_findings(before, after, rules, context)
    if new:
        return f"the result would have new findings: {', '.join(sorted(new))}"
    return None


def lost_addresses(before: Document, after: Document, mended: Mended) -> list[str]:
    """Compared as a server would: a fix may respell an address, but not name another page."""
    removed = {item.loc for item in mended.removed}
    kept = {loc.strip() for loc in after.columns.locs if loc}
    missing = [loc.strip() for loc in before.columns.locs if loc and loc.strip() and loc.strip() not in kept | removed]
    if not missing:
        return []
    respelt = {_page(loc) for loc in kept}
    titles = {applied.subject for applied in mended.applied if applied.subject}
    return [loc for loc in missing if _page(loc) not in respelt and loc not in titles]


def _page(loc: str) -> str:
    return Address.parse(loc).key


def new_findings(before: Document, after: Document, rules: Sequence[AnyRule], context: Context) -> dict[str, int]:
    """Codes with more findings than before; notes do not count, for mending changes what there is to note."""
    old = _counts(before, rules, context)
    new = _counts(after, rules, context)
    return {code: count - old[code] for code, count in new.items() if count > old[code]}


def _counts(document: Document, rules: Sequence[AnyRule], context: Context) -> Counter[str]:
    tally = run(document, rules, context, cap=0)
    notes = {
        rule.code for rule in rules if (rule.card.severity_for(context.engines) or rule.card.severity) is Severity.INFO
    }
    return Counter({code: count for code, count in tally.counts.items() if code not in notes})
