"""Listed pages → what kind of page each is, with certainty and evidence, and the share of each kind by sitemap.

Archives, searches and page numbers show in the address. A filter shows by behavior: pages with that parameter name
another page as canonical, redirect to the page without it, or repeat the text of another page of the same path. An
expired product and a past event show by what the page says.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import datetime
from urllib.parse import urlsplit

import msgspec

from urlset.auditing.sample import wilson
from urlset.auditing.symptoms import NOT_CANONICAL, REDIRECTED, Symptom, parameter_kind
from urlset.model.page import ended
from urlset.model.visit import State, Visit
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.page_kinds import FACET, KIND_SIGNS

SURE = 0.5
_MOST_PATHS = 200_000
_MOST_QUERIES = 5_000
_FEWEST = 3


class PageKind(msgspec.Struct, frozen=True):
    kind: str
    certainty: float
    evidence: str


class KindShare(msgspec.Struct, frozen=True):
    """Pages of one kind in one sitemap."""

    source: str
    kind: str
    count: int
    listed: int
    """all pages that the sitemap lists"""
    certainty: float
    evidence: str

    @property
    def share(self) -> float:
        return self.count / self.listed


_SIGNS = tuple(
    (lazy_pattern(each.pattern, re.IGNORECASE), PageKind(each.kind, each.certainty, each.evidence))
    for each in KIND_SIGNS
)
_ANY_SIGN = lazy_pattern("|".join(f"(?:{each.words})" for each in KIND_SIGNS), re.IGNORECASE)


def kind_by_address(url: str) -> PageKind | None:
    if _ANY_SIGN.search(url) is None:  # nearly every page
        return None
    return next((kind for pattern, kind in _SIGNS if pattern.search(url)), None)


def kind_by_content(visit: Visit, now: datetime) -> PageKind | None:
    """An expired product or a past event, also with a low certainty."""
    over = ended(visit.lifetime, now) if visit.state is State.OK else None
    return None if over is None else PageKind(over.kind, over.certainty, over.evidence)


class KindTally:
    """Collects every page with an answer, then gives the kind of one page and the shares."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        """by parameter"""
        self._copies: Counter[str] = Counter()
        self._texts: defaultdict[int, set[int]] = defaultdict(set)
        self._listed: Counter[str] = Counter()
        self._by_address: dict[tuple[str, PageKind], int] = {}
        self._shown: dict[tuple[str, str], PageKind] = {}
        self._queries: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def add(
        self,
        url: str,
        source: str,
        symptom: Symptom | None,
        fingerprint: int | None,
        by_content: PageKind | None = None,
    ) -> None:
        self._listed[source] += 1
        found = kind_by_address(url)
        if found is None and by_content is not None and by_content.certainty >= SURE:
            # one example of the evidence for all of them: it names a day or a sentence of that page
            found = self._shown.setdefault((source, by_content.kind), by_content)
        if found is not None:
            self._by_address[source, found] = self._by_address.get((source, found), 0) + 1
        names = parameters_of(url)
        repeats = False
        path = hash(url.partition("?")[0])
        if fingerprint is not None and (path in self._texts or len(self._texts) < _MOST_PATHS):
            repeats = fingerprint in self._texts[path]  # another page of the same path had this text
            self._texts[path].add(fingerprint)
        if not names:
            return
        if found is None and (len(self._queries) < _MOST_QUERIES or (source, names) in self._queries):
            self._queries[source, names] += 1
        copied = symptom is not None and symptom.kind in (NOT_CANONICAL, REDIRECTED)
        for name in names:
            self._pages[name] += 1
            gone = symptom is not None and any(name in each.before.split(",") for each in symptom.features)
            self._copies[name] += repeats or (copied and gone)

    def facet(self, names: tuple[str, ...]) -> PageKind | None:
        """The parameter that most surely filters; the certainty is the lower end of a 95 % interval."""
        best: PageKind | None = None
        for name in names:
            count, copies = self._pages[name], self._copies[name]
            if count < _FEWEST or parameter_kind(name):
                continue
            certainty = round(wilson(copies / count, count)[0], 2)
            if certainty >= SURE and (best is None or certainty > best.certainty):
                said = f"{copies:,} of {count:,} pages with the parameter {name} repeat another page"
                best = PageKind(FACET, certainty, said)
        return best

    def kind_of(self, url: str, by_content: PageKind | None = None) -> PageKind | None:
        return kind_by_address(url) or by_content or self.facet(parameters_of(url))

    def shares(self) -> tuple[KindShare, ...]:
        """By sitemap and kind, the largest share first."""
        counts: Counter[tuple[str, str]] = Counter()
        best: dict[tuple[str, str], PageKind] = {}
        found = [(source, kind, count) for (source, kind), count in self._by_address.items()]
        for (source, names), count in self._queries.items():
            facet = self.facet(names)
            if facet is not None:
                found.append((source, facet, count))
        for source, kind, count in found:
            key = source, kind.kind
            counts[key] += count
            if key not in best or kind.certainty > best[key].certainty:
                best[key] = kind
        made = [
            KindShare(key[0], key[1], count, self._listed[key[0]], best[key].certainty, best[key].evidence)
            for key, count in counts.items()
        ]
        return tuple(sorted(made, key=lambda each: (-each.share, each.source, each.kind)))


def parameters_of(url: str) -> tuple[str, ...]:
    query = urlsplit(url).query if "?" in url else ""
    return tuple(sorted({piece.partition("=")[0] for piece in query.split("&") if piece}))
