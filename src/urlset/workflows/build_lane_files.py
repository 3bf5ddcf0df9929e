"""The plain rows of a build and the pages listed beside them → the files of the set, staged, judged and sealed."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from pathlib import Path

import msgspec

from urlset.building.ledger import Recording
from urlset.building.manifest import PublishedFile
from urlset.building.render import newest_of
from urlset.building.sealed import NOT_SEALED, SealedFile, pack_builds
from urlset.building.section_names import WITHOUT_SECTION
from urlset.building.shards import FRAME_BYTES, INDEX_NAME, ONLY_NAMES, Limits, TooManyFilesError, numbered
from urlset.building.spool import HELD_BYTES, Spool
from urlset.building.staging import Staging
from urlset.reading.read import read_chunks
from urlset.spec.protocol import MAX_INDEX_ENTRIES
from urlset.workflows.build_check import Judge
from urlset.workflows.build_files import remember
from urlset.workflows.build_lane import Lane
from urlset.workflows.build_lane_rows import LaneUnfit, Part
from urlset.workflows.build_pages import Listed, Pages
from urlset.writing.gzip import compress
from urlset.writing.urlset import CLOSING, opening

_LIMITS = Limits()
_HELD_IN_ALL = 16 << 20


class _File:
    """One file of the set, before it is written."""

    def __init__(self, number: int, former: int | None = None) -> None:
        self.number = number
        self.former = former
        """which of the sealed files it was in the last build"""
        self.entries, self.size = 0, FRAME_BYTES
        self.new: tuple[int, int] = (0, 0)
        """the new rows in it, from and to"""
        self.remembered = False
        """it had a number in the last build"""
        self.pages: Spool[Listed] | None = None

    def has_room(self, size: int, entries: int, most: int) -> bool:
        return self.entries < entries and self.size + size <= most

    def take(self, entries: int, size: int) -> None:
        self.entries += entries
        self.size += size


class LaneFiles:
    """Where every row and page goes, and then the files."""

    def __init__(
        self, lane: Lane, recording: Recording, staging: Staging, judge: Judge, temporary: Path, *, gzip: bool
    ) -> None:
        self._arranger, self._shifted, self._permuted = (
            lane.module.Arranger(),
            lane.module.shifted,
            lane.module.permuted,
        )
        self._lane, self._temporary, self._gzip = lane, temporary, gzip
        self._recording, self._staging, self._judge = recording, staging, judge
        self._files = [_File(_number_of(sealed.name) or 1, former) for former, sealed in enumerate(lane.sealed)]
        self._done: list[SealedFile] = []
        self.indexed = False
        self._builds_of_new: tuple[int, bytes] = (0, b"")
        """what is sealed of a file of so many new pages, most of which have the same number"""
        if not lane.knows_pages:
            lane.rows.hold(_LIMITS.fill_bytes - FRAME_BYTES, _LIMITS.fill_entries)
            lane.make_room = self._write_full

    def _write_full(self) -> None:
        """In a first build: the rows held fill a file, and there is one more row, so that there will be several."""
        self.indexed = True
        self._check_number(len(self._done) + 1)
        file = _File(len(self._done) + 1)
        data, file.entries = self._lane.rows.arranged(self._arranger, opening(()), CLOSING)
        self._done.append(self._stage(file, data, file.entries, self._new_builds(file.entries)))

    def _new_builds(self, entries: int) -> bytes:
        if self._builds_of_new[0] != entries:
            builds = array("I", (self._recording.build,)) * entries
            self._builds_of_new = entries, pack_builds(builds, builds)
        return self._builds_of_new[1]

    # where things go

    def _assign(self, pages: Pages) -> None:
        """Pages stay in their files; new rows fill the first files with room, then new pages do."""
        for file in self._files:
            if file.former is not None:
                again = self._lane.came_again(file.former)
                file.take(again.rows, again.kept_bytes + self._lane.shares[file.former].size)
                if file.size > _LIMITS.most_bytes or file.entries > _LIMITS.most_entries:
                    raise LaneUnfit  # dates that were not there before: some of its pages have to move
        by_name = self._former(pages)
        homes: list[_File | None] = []
        for size, former in zip(pages.sizes, pages.former_files(), strict=True):
            home = by_name.get(former) if former is not None else None
            if FRAME_BYTES + size > _LIMITS.most_bytes:
                raise LaneUnfit  # no file can hold it, which the ordinary way tells
            if home is not None and home.has_room(size, _LIMITS.most_entries, _LIMITS.most_bytes):
                home.take(1, size)
                homes.append(home)
            else:
                homes.append(None)
        self._fill()
        at = 0
        for ordinal, size in enumerate(pages.sizes):
            if homes[ordinal] is None:
                while at < len(self._files) and not self._files[at].has_room(
                    size, _LIMITS.fill_entries, _LIMITS.fill_bytes
                ):
                    at += 1
                home = self._files[at] if at < len(self._files) else self._add_file()
                home.take(1, size)
                homes[ordinal] = home
        self._deal(homes, pages)

    def _former(self, pages: Pages) -> dict[str, _File]:
        """The files of the last build by name, those included in which nothing is sealed."""
        by_number = {file.number: file for file in self._files}
        by_name = {self._lane.sealed[file.former].name: file for file in self._files if file.former is not None}
        for name, file in by_name.items():
            file.remembered = file.entries > 0 and name not in ONLY_NAMES
        names = {name for name in pages.former_files() if name is not None}
        for name in sorted(names - by_name.keys()):
            number = _number_of(name)
            if number is not None:
                by_name[name] = by_number.setdefault(number, _File(number))
        for name in names:
            if name in by_name:
                by_name[name].remembered |= name not in ONLY_NAMES
        self._files = [by_number[number] for number in sorted(by_number)]
        return by_name

    def _fill(self) -> None:
        new, low, at = self._lane.new, 0, 0
        while low < len(new):
            file = self._files[at] if at < len(self._files) else self._add_file()
            high = new.fitting(low, _LIMITS.fill_entries - file.entries, _LIMITS.fill_bytes - file.size)
            if high > low:
                file.new = (low, high)
                file.take(high - low, new.size_of(low, high))
                low = high
            at += 1

    def _add_file(self) -> _File:
        taken = {file.number for file in self._files}
        first = len(self._done) + 1
        number = next(number for number in range(first, first + len(taken) + 1) if number not in taken)
        self._check_number(len(self._done) + len(self._files) + 1)
        file = _File(number)
        self._files.append(file)
        return file

    def _check_number(self, files: int) -> None:
        if files > MAX_INDEX_ENTRIES:
            message = f"{files:,} or more files are needed, and an index lists at most {MAX_INDEX_ENTRIES:,}"
            raise TooManyFilesError(message)

    def _deal(self, homes: list[_File | None], pages: Pages) -> None:
        held = max(1 << 14, min(HELD_BYTES, _HELD_IN_ALL // max(1, len(self._files))))
        for home, raw in zip(homes, pages.spool.raw(), strict=True):
            assert home is not None
            if home.pages is None:
                home.pages = Spool(self._temporary / f"beside-{home.number}", Listed, held_bytes=held)
            home.pages.append_raw(raw)

    # the files

    def write(self, pages: Pages) -> int:
        """Every file, with the pages that came the ordinary way; gives the number of pages that are sealed no more."""
        if any(pages.has_news) or pages.has_sections:
            raise LaneUnfit
        self._lane.deal()
        self._assign(pages)
        files = sorted((file for file in self._files if file.entries), key=lambda file: file.number)
        self.indexed = self.indexed or len(files) > 1 or any(file.remembered for file in files)
        self._done += map(self._write, files)
        lost = self._recording.bury(self._lane.lost())
        self._recording.seal(each for each in self._done if each.count)
        self._recording.keep_ids(number for number in pages.kept if number)
        return lost

    def _write(self, file: _File) -> SealedFile:
        name = self._name(file)
        beside = list(file.pages) if file.pages is not None else []
        if file.pages is not None:
            file.pages.forget()
        remember(beside, name, self._recording)
        sealed = self._as_sealed(file, name, beside)
        if sealed is not None:
            return sealed
        extensions = {name for page in beside for name in page.extensions}
        data, first_seen, changed = self._arranged(file, beside, opening(extensions))
        return self._stage(file, data, file.entries - len(beside), pack_builds(first_seen, changed))

    def _as_sealed(self, file: _File, name: str, beside: list[Listed]) -> SealedFile | None:
        """The file of the last build, where all of it came again and nothing else, and it lies there still."""
        low, high = file.new
        if file.former is None or beside or high > low or not self._lane.is_whole(file.former):
            return None
        sealed = self._lane.sealed[file.former]
        if self._kept(sealed, name) is None:
            return None
        return msgspec.structs.replace(sealed, origin=self._lane.origin)

    def _stage(self, file: _File, data: bytes, sealed: int, builds: bytes) -> SealedFile:
        staging, name = self._staging, self._name(file)
        published, digest = self._as_before(file, name, data)
        if published is None:
            url = staging.proposed().url_of(name)
            document = read_chunks([data], name=name.removesuffix(".gz"), url=url.removesuffix(".gz"))
            digest = self._judge.judge(document, name)
            newest = newest_of(document.columns.different("lastmods"))
            del document
            packed = name.endswith(".gz")
            published = staging.add(
                name,
                compress([data]) if packed else [data],
                entries=file.entries,
                newest=newest,
                sha256=None if packed else digest,
            )
        return SealedFile(
            name=name,
            section="",
            sha256=published.sha256,
            unpacked=digest,
            origin=self._lane.origin,
            count=sealed,
            builds=builds,
        )

    def _as_before(self, file: _File, name: str, data: bytes) -> tuple[PublishedFile | None, str]:
        """The file of the last build, where it says the same and lies there still; and the hash of what it says."""
        if file.former is None:
            return None, ""
        sealed, digest = self._lane.sealed[file.former], hashlib.sha256(data).hexdigest()
        return (self._kept(sealed, name) if sealed.unpacked == digest else None), digest

    def _kept(self, sealed: SealedFile, name: str) -> PublishedFile | None:
        """A file of the last build, taken over where it lies there still under that name."""
        published = self._staging.as_published(name) if sealed.name == name else None
        # after a rollback the set published is not the one remembered
        same = published is not None and published.sha256 == sealed.sha256
        return self._staging.keep(name) if same else None

    def _name(self, file: _File) -> str:
        if not self.indexed:
            return INDEX_NAME
        return f"sitemap-{WITHOUT_SECTION}-{file.number}.xml" + (".gz" if self._gzip else "")

    def _arranged(self, file: _File, beside: list[Listed], head: bytes) -> tuple[bytes, array[int], array[int]]:
        """The file, its entries by address, and the builds each was met first and written last in."""
        parts: list[bytes | bytearray] = []
        ends, first_seen, changed = array("I"), array("I"), array("I")
        size = 0
        for part in self._parts(file):
            ends.extend(self._shifted(part.ends, size) if size else part.ends)
            first_seen.extend(part.first_seen)
            changed.extend(part.changed)
            parts.append(part.entries)
            size += len(part.entries)
        for page in beside:
            size += len(page.written)
            parts.append(page.written)
            ends.append(size)
            first_seen.append(NOT_SEALED)
            changed.append(NOT_SEALED)
        data, order = self._arranger.in_order(b"".join(parts), ends, head, CLOSING)
        return data, self._permuted(first_seen, order), self._permuted(changed, order)

    def _parts(self, file: _File) -> Iterator[Part]:
        if file.former is not None:
            if self._lane.came_again(file.former).kept:
                yield self._lane.kept_part(file.former)
            if len(self._lane.shares[file.former]):
                yield self._lane.shares[file.former].take()
        low, high = file.new
        if high > low:
            yield self._lane.new.cut(low, high)


def _number_of(name: str) -> int | None:
    """That of a file of pages without sections; what was the only file is the first."""
    return 1 if name in ONLY_NAMES else numbered(name, WITHOUT_SECTION)
