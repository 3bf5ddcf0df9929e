"""A folder or a sitemap → the files that list its pages, and the same files with other dates."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from urlset.checking.fixability import is_other
from urlset.checking.tree import newest
from urlset.fixing.fix import as_it_was, is_plain
from urlset.fixing.redate import RedateError, redated
from urlset.model.document import Document, Kind
from urlset.model.shown import few
from urlset.reading.disk import Missing, NoSitemap, SiteFolder, expand, folder_of, is_copy_of_one
from urlset.reading.read import read
from urlset.workflows.fix import is_inside, leads_outside
from urlset.writing.files import write_atomically
from urlset.writing.gzip import compress

MAX_DEPTH = 8
_OTHER_TWINS = (".br", ".zst")


class SitemapFile(msgspec.Struct):
    """One file, without its bytes."""

    path: Path
    kind: Kind
    locs: list[str]
    lastmods: list[str | None]
    children: dict[int, Path] = {}
    """rows of an index → the files they name"""
    twin: Path | None = None
    """the compressed copy beside it"""


class DatedSitemaps:
    """All sitemaps of a target, children before the index that lists them."""

    def __init__(self, target: str | None, root: Path, base_url: str | None) -> None:
        """Without a target, there are no files to write."""
        self.files: list[SitemapFile] = []
        self.troubles: list[str] = []
        """files that cannot be read or are left alone, and why"""
        self.notes: list[str] = []
        self._root = root
        self._folder = SiteFolder(root if base_url else None, base_url)
        self._seen: dict[str, SitemapFile | None] = {}
        base = folder_of(target) if target is not None else None
        for found in expand(target) if target is not None else ():
            if isinstance(found, NoSitemap):
                self.notes.append(f"{found.loc}: {found.reason}")
            elif isinstance(found, Missing):
                self.troubles.append(f"{found.loc}: {found.reason}")
            elif not isinstance(found, Path):
                self.troubles.append(f"{found}: objects cannot be dated in place: download the sitemap first")
            elif base is not None and not is_inside(found, base):
                self.notes.append(f"{found} is left as it is: it {leads_outside(base)}")
            else:
                self._take(found, 0)

    def _take(self, path: Path, depth: int) -> SitemapFile | None:
        identity = os.path.realpath(path)
        if identity in self._seen:
            return self._seen[identity]
        plain = path.with_name(path.name.removesuffix(".gz"))
        if plain != path and is_inside(plain, self._root) and is_copy_of_one(path, {os.path.realpath(plain)}):
            return self._take(plain, depth)  # which finds its twin
        self._seen[identity] = None
        document = self._read(path)
        if document is None:
            return None
        locs = [(loc or "").strip() for loc in document.columns.locs]
        texts: dict[str | None, str | None] = {}  # most pages share their dates
        lastmods = [texts.setdefault(text, text) for text in document.columns.lastmods]
        file = SitemapFile(path, document.kind, locs, lastmods)
        self._seen[identity] = file
        if document.kind.lists_sitemaps and depth < MAX_DEPTH:
            for row, loc in enumerate(locs):
                child = self._folder.find(loc, path.parent)
                if isinstance(child, Path) and is_inside(child, self._root):
                    taken = self._take(child, depth + 1)
                    file.children[row] = taken.path if taken is not None else child  # of a twin, the plain file
        twin = path.with_name(f"{path.name}.gz")
        if not path.name.endswith(".gz") and twin.is_file() and is_copy_of_one(twin, self._seen):
            file.twin = twin
            self._seen[os.path.realpath(twin)] = file
        self.notes += [
            f"{path.name}{ending} is not renewed: delete it, or compress {path.name} again"
            for ending in _OTHER_TWINS
            if path.with_name(f"{path.name}{ending}").exists()
        ]
        self.files.append(file)
        return file

    def _read(self, path: Path) -> Document | None:
        try:
            document = read(path)
        except OSError as error:
            self.troubles.append(f"{path}: cannot be read: {error.strerror or error}")
            return None
        if is_other(document):
            what = document.kind.refusal or "is the source of a template, not a sitemap"
            self.notes.append(f"{path} is left as it is: it {what}")
            return None
        if not (document.kind.is_protocol or document.kind is Kind.TEXT):
            self.troubles.append(f"{path}: {document.kind.refusal or f'is {document.kind.noun}, which has no dates'}")
            return None
        return document

    def locs(self) -> Iterator[str]:
        """All pages, in the order of the files; one that is listed twice comes twice."""
        for file in self.files:
            if file.kind.lists_pages:
                yield from file.locs

    def differing(self, date_of: Callable[[str], str | None]) -> dict[Path, dict[int, str | None]]:
        """The rows of each file whose date is another than `date_of` says, with that date."""
        found: dict[Path, dict[int, str | None]] = {}
        newest_of: dict[str, str | None] = {}
        for file in self.files:
            if file.kind.lists_sitemaps:
                wanted = [newest_of.get(os.path.realpath(file.children.get(row, ""))) for row in range(len(file.locs))]
                rows = {row: wanted[row] for row in file.children if os.path.realpath(file.children[row]) in newest_of}
            elif file.kind is Kind.TEXT:
                continue
            else:
                wanted = [date_of(loc) for loc in file.locs]
                rows = dict(enumerate(wanted))
            newest_of[os.path.realpath(file.path)] = newest(wanted)
            changes = {row: date for row, date in rows.items() if (file.lastmods[row] or "").strip() != (date or "")}
            if changes:
                found[file.path] = changes
        return found

    def rendered(self, changes: Mapping[Path, Mapping[int, str | None]]) -> Iterator[tuple[SitemapFile, list[bytes]]]:
        """Each file that changes, with its bytes on disk. A file that cannot be edited is a trouble."""
        for file in self.files:
            if rows := changes.get(file.path):
                try:
                    stored, skipped = _stored(file, rows)
                    if skipped:
                        named = few([f"{row + 1:,}" for row in skipped], 3)
                        self.troubles.append(
                            f"{file.path}: malformed, not dated: entry {named}; run `urlset fix` first"
                        )
                    if len(skipped) < len(rows):
                        yield file, stored
                except (OSError, RedateError) as error:
                    self.troubles.append(f"{file.path}: not changed: {error}")


def _stored(file: SitemapFile, rows: Mapping[int, str | None]) -> tuple[list[bytes], tuple[int, ...]]:
    """The bytes on disk, and the rows that were left alone."""
    document = read(file.path)
    if [(loc or "").strip() for loc in document.columns.locs] != file.locs:
        raise RedateError("it changed while its pages were read; run the command again")
    (data, skipped), envelope = redated(document, rows), document.envelope
    stored = data if is_plain(envelope) else as_it_was(envelope, data)
    if stored is None or not envelope.complete or envelope.layers > 1:
        raise RedateError("its encoding or compression cannot be kept; run `urlset fix` first")
    return [*compress([stored])] if envelope.compression == "gzip" else [stored], skipped


def write_sitemap(file: SitemapFile, chunks: list[bytes]) -> list[Path]:
    """The file and the copy beside it. Raises OSError."""
    write_atomically(file.path, chunks)
    if file.twin is None:
        return [file.path]
    write_atomically(file.twin, compress(chunks))
    return [file.path, file.twin]
