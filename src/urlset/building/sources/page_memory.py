"""The bytes of a page → what a build takes from it, remembered until the bytes change."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path

import msgspec

from urlset.model.page import PageFacts
from urlset.reading.fingerprint import page_blocks
from urlset.version import __version__
from urlset.writing.files import make_state_folder, private_file

PAGE_MEMORY = "page-facts.db"
_READER = 5
"""grows when pages are read differently without a new version"""
_HELD_BYTES = 8 << 20
_SPARE = 3
"""so many times what a build uses may be remembered"""
_TABLE = "CREATE TABLE IF NOT EXISTS looks (digest BLOB PRIMARY KEY, look BLOB NOT NULL) WITHOUT ROWID"


class PageLook(msgspec.Struct, frozen=True, array_like=True):
    """What a page says about itself, without its text."""

    facts: PageFacts
    blocks: tuple[int, ...]
    """see `reading.fingerprint.page_blocks`"""
    is_empty: bool


class PageMemory:
    """Looks by a hash of the page, of what is taken from it, and of the reader.

    They only save time: without a file, or where the file cannot be used, every page is read.
    """

    def __init__(self, path: Path | None = None, *, images: bool, videos: bool, dry_run: bool = False) -> None:
        self._path, self._images, self._videos, self._dry_run = path, images, videos, dry_run
        self._key = hashlib.blake2b(repr((_READER, __version__, images, videos)).encode()).digest()
        self._decode = msgspec.msgpack.Decoder(PageLook).decode
        self._encode = msgspec.msgpack.Encoder().encode
        self._new: dict[bytes, bytes] = {}
        """that are not in the file yet"""
        self._used = self._stored = self._held = 0
        self._is_filled = False

    def digest_of(self, data: bytes) -> bytes:
        return hashlib.blake2b(data, digest_size=16, key=self._key).digest()

    def recall(self, digest: bytes) -> PageLook | None:
        """What the page with this digest said, where that is remembered."""
        self._used += 1
        found = self._new.get(digest)
        if found is None and self._database is not None and self._is_filled:
            with suppress(sqlite3.Error):
                row = self._database.execute("SELECT look FROM looks WHERE digest = ?", (digest,)).fetchone()
                found = row[0] if row is not None else None
        try:
            return self._decode(found) if found is not None else None
        except msgspec.MsgspecError:
            return None

    def of(self, data: bytes, digest: bytes | None = None) -> PageLook:
        digest = digest or self.digest_of(data)
        known = self.recall(digest)
        if known is not None:
            return known
        from urlset.reading.html import read_page  # lists of rows do not need it

        facts = read_page(data, images=self._images, videos=self._videos, links=False, facets=True)
        without_text = msgspec.structs.replace(facts, heading=None, blocks=(), frame=(), main=(), stated=None)
        has_text = facts.blocks or facts.stated or facts.heading is not None
        is_empty = not has_text and without_text == PageFacts(charset=facts.charset)
        found = PageLook(without_text, page_blocks(facts), is_empty)
        self._new[digest] = packed = self._encode(found)
        self._held += len(packed)
        if self._held > _HELD_BYTES:
            self._store()
        return found

    def close(self) -> None:
        """Keep what is new; forget everything when most of it is of no use any more."""
        self._store()
        database = vars(self).pop("_database", None)
        if database is None:
            return
        with suppress(sqlite3.Error), closing(database):
            if self._stored and database.execute("SELECT count(*) FROM looks").fetchone()[0] > _SPARE * self._used:
                database.execute("DELETE FROM looks")
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
            if not self._dry_run:
                database.execute(_TABLE)
            self._is_filled = database.execute("SELECT 1 FROM looks LIMIT 1").fetchone() is not None
        except sqlite3.Error:
            database.close()
            return None
        return database

    def _store(self) -> None:
        if self._database is not None and not self._dry_run:
            with suppress(sqlite3.Error):
                self._database.executemany("INSERT OR REPLACE INTO looks VALUES (?, ?)", sorted(self._new.items()))
                self._is_filled = True
        self._stored += len(self._new)
        self._new.clear()
        self._held = 0
