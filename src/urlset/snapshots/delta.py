"""What can differ between two states of a site's sitemaps, as values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import msgspec

from urlset.spec.page_facets import SAID, Facet


class Summary(msgspec.Struct, frozen=True):
    """Every URL of either state is counted in exactly one of these.

    OLD has removed + renamed + changed + moved + unchanged URLs, NEW has added + renamed + changed + moved + unchanged.
    """

    added: int = 0
    removed: int = 0
    changed: int = 0
    moved: int = 0
    """listed in another file, otherwise the same"""
    renamed: int = 0
    unchanged: int = 0

    @property
    def old(self) -> int:
        return self.removed + self.renamed + self.changed + self.moved + self.unchanged

    @property
    def new(self) -> int:
        return self.added + self.renamed + self.changed + self.moved + self.unchanged

    @property
    def differs(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.moved or self.renamed)


class Loose(NamedTuple):
    """A URL that only one of the two states lists, with what may tell where it went or came from."""

    loc: str
    lastmod: str | None = None
    images: str | None = None
    alternates: str | None = None
    final_url: str | None = None
    """where it redirected to, if an audit saw it"""
    canonical: str | None = None
    """what it named as canonical, if that is another URL"""
    fingerprint: int | None = None
    """of its main text"""


class Changed(msgspec.Struct, frozen=True):
    loc: str
    fields: dict[str, tuple[str | None, str | None]]
    """name → old and new value; lists as JSON texts"""
    files: tuple[str, str] | None = None
    """where it was and is listed, if that differs too"""
    page: tuple[str, ...] | None = None
    """the parts of the page that changed, as audits saw it: text, images, data …; None where that is unknown"""

    @property
    def evidence(self) -> str | None:
        """For a new lastmod: what changed on the page with it."""
        if self.page is None or "lastmod" not in self.fields:
            return None
        changed = ", ".join(SAID[Facet(each)] for each in self.page)
        return f"changed: {changed}" if changed else "page unchanged"


class Moved(msgspec.Struct, frozen=True):
    loc: str
    old: str
    new: str


class RenamedUrl(msgspec.Struct, frozen=True):
    old: str
    new: str
    evidence: str
    """`redirect`, `canonical`, `content` or `path`"""
    detail: str = ""
    """what exactly was seen"""


class Delta(Protocol):
    """Two states compared; URLs come in their order, whatever the order in the files."""

    @property
    def counts(self) -> Summary:
        """Without renames."""

    def added(self) -> Iterator[Loose]: ...

    def removed(self) -> Iterator[Loose]: ...

    def changed(self) -> Iterator[Changed]: ...

    def moved(self) -> Iterator[Moved]: ...

    def close(self) -> None: ...
