"""A site, sitemap or file → candidates for inspection, by section and stratum."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from urlset.model.document import Document, Kind
from urlset.reading.tree import DocumentTree
from urlset.reports.uri import is_address
from urlset.submitting.sampling import SampleUrl
from urlset.workflows.engines.index_options import IndexOptions
from urlset.workflows.live.setup import Live
from urlset.workflows.live.tree import LiveTree

_MOST_SEGMENTS = 50
_BETWEEN = "\t"


class ListedSample:
    """Iterate once to get the candidates; afterwards `section_of` names the section of each stratum."""

    def __init__(self, options: IndexOptions) -> None:
        self._options = options
        self.missing: list[str] = []
        self._files: set[str] = set()
        self._indexes: set[str] = set()
        self._segments: set[str] = set()

    def __iter__(self) -> Iterator[SampleUrl]:
        seen: set[int] = set()
        tree: LiveTree | DocumentTree
        if is_address(self._options.target):
            tree = LiveTree([self._options.target], Live(self._options.web))
        else:
            tree = DocumentTree([self._options.target])
        for document in tree:
            if document.kind.lists_pages:
                yield from self._pages(document, seen)
            elif document.kind is Kind.SITEMAPINDEX:
                self._indexes.add(document.url or document.name)
        self.missing = [f"{missing.loc}: {missing.reason}" for missing in tree.missing]

    def _pages(self, document: Document, seen: set[int]) -> Iterator[SampleUrl]:
        name = document.url or document.name
        self._files.add(name)
        columns = document.columns
        for raw, lastmod in zip(columns.locs, columns.lastmods, strict=True):
            url = (raw or "").strip()
            if not is_address(url) or hash(url) in seen:
                continue
            seen.add(hash(url))
            segment = urlsplit(url).path.lstrip("/").partition("/")
            part = f"/{segment[0]}/" if segment[1] else "/"
            if part not in self._segments and len(self._segments) >= _MOST_SEGMENTS:
                part = "/…"
            self._segments.add(part)
            yield SampleUrl(url, f"{name}{_BETWEEN}{part}", lastmod and lastmod.strip())

    @property
    def whole(self) -> frozenset[str]:
        """The only sitemap or the only index: what lists everything."""
        found = self._indexes or self._files
        return frozenset(found) if len(found) == 1 else frozenset()

    def section_of(self, stratum: str) -> str:
        """The sitemap; the first folder of the path where there is only one sitemap."""
        name, _, part = stratum.partition(_BETWEEN)
        return name if len(self._files) > 1 else part


def source_of(stratum: str) -> str:
    return stratum.partition(_BETWEEN)[0]
