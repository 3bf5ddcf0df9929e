"""Before and after → the reason not to use the result, or None if nothing was lost and nothing added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from urlset.checking.declare import AnyRule
from urlset.findings.fix_result import Removed, Renamed
from urlset.findings.severity import Severity
from urlset.fixing.pages import page_of
from urlset.model.document import Document
from urlset.spec.engines import Engine

_ABOUT_ALL_DATES = frozenset({"D016", "D017", "D018", "N018"})
"""problems of all dates in a file: a fix makes dates readable, or removes empty ones, and so uncovers them"""


def lost_addresses(
    before: Document,
    after: Iterable[Document],
    removed: Sequence[Removed],
    renamed: Sequence[Renamed],
    respelled: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """URLs that were lost unintentionally; compared in normal form, because a fix may rewrite them."""
    kept = {loc.strip() for document in after for loc in document.columns.locs if loc}
    kept.update(item.loc for item in removed)
    listed = {loc.strip() for loc in before.columns.locs if loc and loc.strip()}
    missing = {loc for loc in listed - kept if _spelling(loc, respelled) not in kept}
    if renamed:
        spellings = {**respelled, **{item.loc: item.to for item in renamed}}
        missing = {loc for loc in missing if _spelling(loc, spellings) not in kept}
    if not missing:
        return []
    now = {page_of(item.loc): item.to for item in renamed}
    pages = set(map(page_of, kept - listed))
    lost = [loc for loc in missing if not _leads_to(loc, now, pages)]
    if lost:
        pages.update(map(page_of, kept))
    return sorted(loc for loc in lost if not _leads_to(loc, now, pages))


def _spelling(loc: str, respelled: Mapping[str, str]) -> str:
    """The text of a URL after all passes."""
    for _ in range(len(respelled)):
        if loc not in respelled:
            break
        loc = respelled[loc]
    return loc


def _leads_to(loc: str, now: Mapping[str, str], pages: set[str]) -> bool:
    """Follow a URL through its replacements to one that still exists."""
    for _ in range(len(now) + 1):
        page = page_of(loc)
        if page in pages:
            return True
        if page not in now:
            return False
        loc = now[page]
    return False


def too_many_removed(document: Document, after: Document, removed: Sequence[Removed]) -> dict[str, str]:
    """The rule that removes most, and why it must not, if more than half of the pages would no longer be listed."""
    half = len(document) // 2
    if len(removed) <= half:
        return {}
    was, listed = ({without_scheme(loc) for loc in each.columns.locs if loc} for each in (document, after))
    counts = Counter(item.code for item in removed if without_scheme(item.loc) in was - listed)
    if counts.total() <= half:
        return {}
    [(code, count)] = counts.most_common(1)
    return {code: f"it would remove {count:,} of {len(document):,} entries; use --allow-shrink to apply it"}


def without_scheme(loc: str) -> str:
    """The page of a URL, whether it is listed with http or https."""
    return page_of(loc.strip()).partition("://")[2]


def new_findings(
    document: Document,
    before: Mapping[str, int],
    after: Mapping[str, int],
    rules: Sequence[AnyRule],
    engines: tuple[Engine, ...],
) -> dict[str, int]:
    """Codes with more findings than before; notes do not count, because fixes change them, nor what fixes uncover."""
    more = {code: count - before.get(code, 0) for code, count in after.items() if count > before.get(code, 0)}
    for rule in rules if more else ():
        if rule.code in more and (rule.card.severity_for(engines) or rule.card.severity) is Severity.INFO:
            del more[rule.code]
    exempt = _ABOUT_ALL_DATES
    if not more.keys().isdisjoint(exempt) and all(each is None for each in document.columns.lastmods):
        exempt = frozenset()  # there was no date that could be made readable, or removed
    return {code: count for code, count in more.items() if code not in exempt}
