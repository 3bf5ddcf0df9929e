"""A page → what a build takes from it, remembered until its bytes change."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from urlset.building.sources.cells import DateError, to_lastmod
from urlset.model.entry import Alternate, Marked, Video
from urlset.model.page import PageFacts, join
from urlset.reading.fingerprint import page_blocks
from urlset.version import __version__
from urlset.writing.files import make_state_folder, private_file

PAGE_MEMORY = "page-facts.db"
_READER = 6
"""grows when pages are read differently without a new version"""
_STAMP, _64_BITS = struct.Struct("<3Q2q"), (1 << 64) - 1
_HELD_BYTES = 8 << 20
_SPARE = 3
"""so many times what a build uses may be remembered"""
_TABLES = (
    "DROP TABLE IF EXISTS looks",  # of an earlier version
    "CREATE TABLE IF NOT EXISTS pages (file BLOB UNIQUE NOT NULL, digest BLOB NOT NULL, stamp BLOB, look BLOB)",
    "CREATE INDEX IF NOT EXISTS pages_by_digest ON pages (digest)",
)
_KEPT = "INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)"
_BY_FILE = "SELECT file, digest, stamp, look FROM pages WHERE file IN ({})"
_BY_DIGEST = "SELECT look FROM pages WHERE digest = ?"


# A file → what no write leaves as it was. Where times are those of the last tick, another write may leave them so too.


def stamp_of(found: os.stat_result) -> tuple[int, ...]:
    """On Windows the time of change is that of the file's birth by name, and another one of an open file."""
    changed = 0 if os.name == "nt" else found.st_ctime_ns
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, changed


def is_settled(stamp: tuple[int, ...], seen: int) -> bool:
    """Whether a later write shows, in a file that was looked at then; some file systems keep full seconds."""
    *_, written, changed = stamp
    tick = 50_000_000 if written % 1_000_000_000 else 2_000_000_000
    return seen - max(written, changed) > tick


WEB = ("http://", "https://")
_ANYWHERE = "https://example.com/"


def spelled(href: str | None) -> str | None:
    """An absolute address as parsers spell it, None where they accept none; a relative one as it is."""
    return join(_ANYWHERE, href) if href and href.startswith(WEB) else href


def absolute_video(video: Video, absolute: Callable[[str | None], str | None]) -> Video | None:
    thumbnail, content = absolute(video.thumbnail_loc), absolute(video.content_loc)
    player = absolute(video.player_loc.text) if video.player_loc else None
    if not thumbnail or not (content or player):
        return None
    return replace(
        video,
        thumbnail_loc=thumbnail,
        content_loc=content,
        player_loc=Marked(player) if player else None,
        publication_date=legal_date(video.publication_date, None),
    )


def legal_date(raw: str | None, timezone: str | None) -> str | None:
    try:
        return to_lastmod(raw, timezone)
    except DateError:
        return None


class PageLook(msgspec.Struct, frozen=True, array_like=True):
    """What a page says about itself, without its text."""

    facts: PageFacts
    """canonicals and media with addresses that are `spelled`, so only relative ones depend on where the page lives"""
    blocks: tuple[int, ...]
    """see `reading.fingerprint.page_blocks`"""
    is_empty: bool


class _Row(NamedTuple):
    digest: bytes
    stamp: bytes | None
    """None where it does not tell whether the file was written again"""
    look: bytes


class PageMemory:
    """Looks by file and by a hash of the page, of what is taken from it, and of the reader.

    A file with the size, times and inode that it had is not read again; `touch`, a new checkout and a copy that keeps
    times have another inode or time of change, so the hash decides. They only save time: without a database, or where
    it cannot be used, every page is read.
    """

    def __init__(self, path: Path | None = None, *, images: bool, videos: bool, dry_run: bool = False) -> None:
        self._path, self._images, self._videos, self._dry_run = path, images, videos, dry_run
        self._key = hashlib.blake2b(repr((_READER, __version__, images, videos)).encode()).digest()
        self._decode = msgspec.msgpack.Decoder(PageLook).decode
        self._encode = msgspec.msgpack.Encoder().encode
        self._expected: dict[bytes, _Row] = {}
        self._new: dict[bytes, _Row] = {}
        """that are not in the database yet"""
        self._used = self._stored = self._held = 0
        self._is_filled = False

    def digest_of(self, data: bytes) -> bytes:
        return hashlib.blake2b(data, digest_size=16, key=self._key).digest()

    def expect(self, files: Iterable[str]) -> None:
        """Fetch what these said at once; `of_file` is called for them next."""
        self._expected.clear()
        if self._database is not None and self._is_filled:
            names = [os.fsencode(each) for each in files]
            with suppress(sqlite3.Error):
                rows = self._database.execute(_BY_FILE.format(",".join("?" * len(names))), names)
                self._expected = {row[0]: _Row(*row[1:]) for row in rows}

    def of_file(self, path: str, read: Callable[[], tuple[bytes, os.stat_result]]) -> PageLook:
        """What the file says, which is read only where it may have been written again. Raises OSError."""
        name = os.fsencode(path)
        known = self._new.get(name) or self._expected.get(name)
        if (
            known is not None
            and known.stamp is not None
            and known.stamp == self._packed(stamp_of(os.stat(path)))  # noqa: PTH116 - a folder has many
            and (look := self._decoded(known.look)) is not None
        ):
            self._used += 1
            return look
        seen = time.time_ns()
        data, found = read()
        digest, stamp = self.digest_of(data), stamp_of(found)
        row = _Row(digest, self._packed(stamp) if is_settled(stamp, seen) else None, b"")
        if known is not None and known.digest == digest and (look := self._decoded(known.look)) is not None:
            self._used += 1
            if known.stamp != row.stamp:
                self._keep(name, row._replace(look=known.look))
            return look
        return self.of(data, digest, name, row.stamp)

    def _packed(self, stamp: tuple[int, ...]) -> bytes:
        device, inode, size, written, changed = stamp
        return self._key[:16] + _STAMP.pack(device & _64_BITS, inode & _64_BITS, size, written, changed)

    def recall(self, digest: bytes) -> PageLook | None:
        """What the page with this digest said, where that is remembered."""
        self._used += 1
        new = self._new.get(digest)
        found = new.look if new is not None else None
        if found is None and self._database is not None and self._is_filled:
            with suppress(sqlite3.Error):
                row = self._database.execute(_BY_DIGEST, (digest,)).fetchone()
                found = row[0] if row is not None else None
        return self._decoded(found) if found is not None else None

    def _decoded(self, look: bytes) -> PageLook | None:
        try:
            return self._decode(look)
        except msgspec.MsgspecError:
            return None

    def of(
        self, data: bytes, digest: bytes | None = None, name: bytes | None = None, stamp: bytes | None = None
    ) -> PageLook:
        digest = digest or self.digest_of(data)
        found = self.recall(digest)
        if found is None:
            found = self._read(data)
        elif name is None:
            return found
        self._keep(name or digest, _Row(digest, stamp, self._encode(found)))
        return found

    def _read(self, data: bytes) -> PageLook:
        from urlset.reading.html import read_page  # lists of rows do not need it

        facts = read_page(data, images=self._images, videos=self._videos, links=False, facets=True)
        without_text = replace(facts, heading=None, blocks=(), frame=(), main=(), stated=None)
        has_text = facts.blocks or facts.stated or facts.heading is not None
        is_empty = not has_text and without_text == PageFacts(charset=facts.charset)
        taken = replace(
            without_text,
            canonicals=tuple([replace(each, href=href) for each in facts.canonicals if (href := spelled(each.href))]),
            alternates=tuple(
                [Alternate(each.hreflang, href) for each in facts.alternates if (href := spelled(each.href))]
            ),
            images=tuple([replace(each, src=src) for each in facts.images if (src := spelled(each.src))]),
            videos=tuple([video for each in facts.videos if (video := absolute_video(each, spelled))]),
        )
        return PageLook(taken, page_blocks(facts), is_empty)

    def close(self) -> None:
        """Keep what is new; forget everything when most of it is of no use any more."""
        self._store()
        database = vars(self).pop("_database", None)
        if database is None:
            return
        with suppress(sqlite3.Error), closing(database):
            if self._stored and database.execute("SELECT count(*) FROM pages").fetchone()[0] > _SPARE * self._used:
                database.execute("DELETE FROM pages")
            database.commit()

    @cached_property
    def _database(self) -> sqlite3.Connection | None:
        if self._path is None or (self._dry_run and not self._path.exists()):
            return None
        try:
            make_state_folder(self._path.parent)
            database = sqlite3.connect(private_file(self._path))
        except (OSError, sqlite3.Error):
            return None
        try:
            for table in () if self._dry_run else _TABLES:
                database.execute(table)
            self._is_filled = database.execute("SELECT 1 FROM pages LIMIT 1").fetchone() is not None
        except sqlite3.Error:
            database.close()
            return None
        return database

    def _keep(self, name: bytes, row: _Row) -> None:
        self._new[name] = row
        self._held += len(row.look)
        if self._held > _HELD_BYTES:
            self._store()

    def _store(self) -> None:
        if self._database is not None and not self._dry_run:
            with suppress(sqlite3.Error):
                self._database.executemany(_KEPT, [(name, *row) for name, row in self._new.items()])
                self._is_filled = True
        self._stored += len(self._new)
        self._new.clear()
        self._held = 0
