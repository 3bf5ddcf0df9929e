"""`sitemap.lock` ↔ the date, its evidence and the content fingerprint of each page; merged by git, repaired here.

    # urlset lock 1
    # changes: text, images, data
    # path date evidence fingerprint
    /blog/lamps/ 2026-03-02 git kqPm1Yd0TzXvUe3A

One line for each page, sorted, so a change of one page is one changed line, and most merges have no conflict. A lock
has no time of a run and no text of a page: the same pages give the same bytes. Beyond `MOST_IN_ONE` pages, the sections
of a site have files of their own in a folder beside it.

Whatever a merge leaves can be read. Lines in conflict are all kept, and the content of the page decides which of them
is right.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from struct import Struct as Packing
from typing import NamedTuple

import msgspec

from urlset.building.candidate import Evidence, EvidenceKind
from urlset.model.address import key_of
from urlset.model.moment import Moment
from urlset.reading.fingerprint import PageFingerprint, hash_of
from urlset.spec.page_facets import DATED_BY, Facet
from urlset.writing.files import write_atomically
from urlset.writing.sqlite_store import StateError

LOCK_NAME = "sitemap.lock"
FORMAT = 1
MOST_IN_ONE = 50_000
_STAY_APART = 40_000
"""a set of files becomes one file again below this"""
_LEAST_OF_SECTION = 500
_LONGEST_LINE = 5_000
_LARGEST = 512 << 20
_TITLE = f"# urlset lock {FORMAT}"
_ANY_TITLE = re.compile(r"# urlset lock (\d{1,4})")
_CHANGES = "# changes: "
_COLUMNS = "# path date evidence fingerprint"
_NONE = "-"
_LINE = re.compile(r"(/[!-~]*|https?://[!-~]+) (-|\d{4}(?:-[0-9T:Z.+-]{2,30})?) (-|[a-z-]{2,12}) (-|[A-Za-z0-9_-]{16})")
_PACKED = Packing(">qI")
_PRINTABLE = re.compile(r"[!-~]+")
_ORIGIN = re.compile(r"https?://[^/?#]+")
_SAFE_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

FIRST_SEEN_DETAIL = "the first run that saw the page"
LIVE_DETAIL = "the live sitemap"
_SAID = {"first-seen": (EvidenceKind.OBSERVED, FIRST_SEEN_DETAIL), "live": (EvidenceKind.HTTP, LIVE_DETAIL)}
"""what is written instead of the kind, where there is more to say"""
_TOKENS = {said: token for token, said in _SAID.items()}


class LockedPage(msgspec.Struct, frozen=True, order=True, gc=False):
    """One line."""

    lastmod: str | None = None
    token: str = _NONE
    fingerprint: PageFingerprint | None = None

    @property
    def evidence(self) -> Evidence | None:
        if self.lastmod is None:
            return None
        kind, detail = _SAID.get(self.token, (None, ""))
        return Evidence(kind or EvidenceKind(self.token), self.lastmod, detail)

    @classmethod
    def of(cls, evidence: Evidence | None, fingerprint: PageFingerprint | None) -> LockedPage:
        if evidence is None:
            return cls(fingerprint=fingerprint)
        token = _TOKENS.get((evidence.kind, evidence.detail), evidence.kind.value)
        return cls(evidence.lastmod, token, fingerprint)

    def written(self, path: str) -> str:
        made, spelled = self.fingerprint, _NONE
        if made is not None:
            spelled = urlsafe_b64encode(_PACKED.pack(made.content, made.prose)).decode()
        return f"{path} {self.lastmod or _NONE} {self.token} {spelled}\n"


class Conflict(NamedTuple):
    """What two branches say of one page."""

    sides: tuple[LockedPage, ...]
    base: LockedPage | None = None

    @property
    def newest(self) -> LockedPage:
        def instant(page: LockedPage) -> float:
            interval = Moment.parse(page.lastmod).interval() if page.lastmod else None
            return interval[0].timestamp() if interval is not None else float("-inf")

        return max(self.sides, key=lambda page: (instant(page), page.written("")))

    @property
    def is_of_both(self) -> bool:
        """Whether both changed the page, as far as that is known."""
        return len(self.sides) > 1 and self.base not in self.sides


class Lock:
    """All lines, by path. `conflicts` has the pages of which there are several, `notes` what was repaired."""

    def __init__(self) -> None:
        self.pages: dict[str, LockedPage] = {}
        self.conflicts: dict[str, Conflict] = {}
        self.counted = tuple(DATED_BY)
        self.notes: list[str] = []
        self.files: dict[Path, bytes] = {}
        """as they were read"""

    @property
    def is_new(self) -> bool:
        return not self.files


class LockError(StateError):
    """A lock that must not be replaced; the message says what to do."""


def is_valid_date(text: str) -> bool:
    moment = Moment.parse(text)
    return bool(moment.w3c_valid and not moment.faults and not moment.padded)


class LockPaths:
    """URL → what a lock calls its page: the path, or the whole URL where it is of another host than most pages."""

    def __init__(self, locs: Iterable[str]) -> None:
        origins = Counter(found[0] for loc in locs if (found := _ORIGIN.match(loc)) is not None)
        self.origin = min(origins, key=lambda origin: (-origins[origin], origin), default="")

        self._head = key_of(f"{self.origin}/")[:-1]

    def of(self, loc: str) -> str | None:
        """None for what is not the URL of a page."""
        key = key_of(loc)
        if key.startswith(self._head) and self._head:
            path = key[len(self._head) :] or "/"
            if path[0] == "/" and _PRINTABLE.fullmatch(path):
                return path
        return key if _ORIGIN.match(key) and _PRINTABLE.fullmatch(key) else None

    def loc_of(self, path: str) -> str:
        return f"{self.origin}{path}" if path.startswith("/") else path


# Reading.


def read_lock(path: Path) -> Lock:
    """An empty one where there is none. Raises LockError for another format, OSError for a file that is unreadable."""
    lock = Lock()
    names = [path]
    with suppress(OSError):
        files = (each for each in _section_folder(path).iterdir() if each.suffix == ".lock" and each.is_file())
        names += sorted(files)
    rows: defaultdict[str, list[LockedPage]] = defaultdict(list)
    bases: dict[str, LockedPage] = {}
    changes: list[str] = []
    bad = conflicts = 0
    for name in names:
        try:
            if name.stat().st_size > _LARGEST:
                raise LockError(f"{name} is larger than {_LARGEST >> 20} MB; restore it from version control")
            data = name.read_bytes()
        except FileNotFoundError:
            continue
        lock.files[name] = data
        found = _Reading(name, data)
        for key, page in found.rows:
            rows[key].append(page)
        bases.update(found.bases)
        changes += found.changes
        bad += found.bad
        conflicts += found.conflicts
    for key, sides in rows.items():
        distinct = tuple(dict.fromkeys(sides)) if len(sides) > 1 else tuple(sides)
        lock.pages[key] = distinct[0]
        if len(distinct) > 1:
            lock.conflicts[key] = Conflict(distinct, bases.get(key))
    asked = {name.strip() for name in changes[0].split(",")} if changes else set()
    lock.counted = tuple(facet for facet in Facet if facet.value in asked) or DATED_BY
    if conflicts:
        lock.notes.append(f"{path.name} has {conflicts:,} merge conflict{'s' if conflicts != 1 else ''}, resolved")
    if bad:
        lock.notes.append(
            f"{path.name}: {bad:,} line{'s' if bad != 1 else ''} ignored, not of the form {_COLUMNS[2:]!r}"
        )
    if len(dict.fromkeys(changes)) > 1:
        lock.notes.append(f"{path.name} says in two ways what counts as a change; the first one is used")
    return lock


def lines_of(data: bytes) -> list[tuple[str, LockedPage]]:
    """The lines of an earlier version of a lock; nothing where it is none."""
    try:
        return _Reading(Path(LOCK_NAME), data).rows
    except LockError:
        return []


class _Reading:
    """The lines of one file, in conflict or not."""

    def __init__(self, name: Path, data: bytes) -> None:
        self.rows: list[tuple[str, LockedPage]] = []
        self.bases: dict[str, LockedPage] = {}
        self.changes: list[str] = []
        self.bad = self.conflicts = 0
        is_lock = in_base = False
        dates: dict[str, str] = {}
        for raw in data.splitlines():
            line = raw[: _LONGEST_LINE + 1].decode("ascii", "replace")
            if line.startswith("#"):
                title = _ANY_TITLE.match(line)
                if title is not None and int(title[1]) > FORMAT:
                    raise LockError(f"{name} has format {title[1]}, this version reads {FORMAT}; update urlset")
                is_lock |= title is not None
                if line.startswith(_CHANGES):
                    self.changes.append(line.removeprefix(_CHANGES))
            elif line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
                in_base = False
                self.conflicts += line.startswith("<")
            elif line.startswith("|||||||"):
                in_base = True
            elif line.strip():
                self._take(line, dates, in_base=in_base)
        if data.strip() and not is_lock:
            raise LockError(f"{name} is not a lock of urlset; name another file with --lock")

    def _take(self, line: str, dates: dict[str, str], *, in_base: bool) -> None:
        found = _LINE.fullmatch(line)
        page = None if found is None else _page(found[2], found[3], found[4], dates)
        if found is None or page is None:
            self.bad += 1
        elif in_base:
            self.bases[found[1]] = page
        else:
            self.rows.append((found[1], page))


def _page(lastmod: str, token: str, fingerprint: str, dates: dict[str, str]) -> LockedPage | None:
    """`dates`: those met before, each once in memory; the empty text for one that is none."""
    if (lastmod == _NONE) != (token == _NONE):
        return None
    if lastmod != _NONE:
        known = dates.get(lastmod)
        if known is None:
            known = dates[lastmod] = lastmod if is_valid_date(lastmod) else ""
        if not known or token not in _KINDS:
            return None
        lastmod, token = known, _KINDS[token]
    made = None if fingerprint == _NONE else PageFingerprint(*_PACKED.unpack(urlsafe_b64decode(fingerprint)))
    return LockedPage(None, _NONE, made) if lastmod == _NONE else LockedPage(lastmod, token, made)


_KINDS = {token: token for token in (*_SAID, *(kind.value for kind in EvidenceKind))}


def _section_folder(path: Path) -> Path:
    return path.with_name(f"{path.name}.d")


# Writing.


def lock_files(
    path: Path, pages: Mapping[str, LockedPage], counted: Collection[Facet], *, apart: bool
) -> dict[Path, bytes]:
    """What is to be on disk; `apart`: the lock has files by section already."""
    header = f"{_TITLE}\n{_CHANGES}{', '.join(facet.value for facet in Facet if facet in counted)}\n{_COLUMNS}\n"
    names = sorted(pages)
    groups: Iterable[tuple[Path, Iterable[str]]] = [(path, names)]
    if len(names) > (_STAY_APART if apart else MOST_IN_ONE):
        groups = _by_section(path, names)
    return {
        place: (header + "".join([pages[name].written(name) for name in members])).encode("ascii")
        for place, members in groups
    }


def _by_section(path: Path, names: list[str]) -> Iterator[tuple[Path, Iterable[str]]]:
    """The first folder of the path; deeper where that is too large. What is in no large folder is in parts."""
    rest: list[str] = []
    waiting: list[tuple[int, list[str]]] = [(1, names)]
    files: dict[str, list[str]] = {}
    while waiting:
        depth, members = waiting.pop()
        sections: defaultdict[str, list[str]] = defaultdict(list)
        for name in members:
            parts = name.split("/", depth + 1)
            sections["/".join(parts[: depth + 1]) if len(parts) > depth + 1 else ""].append(name)
        for section, found in sections.items():
            if not section or len(found) < _LEAST_OF_SECTION:
                rest += found
            elif len(found) > MOST_IN_ONE and depth < 4:
                waiting.append((depth + 1, found))
            else:
                files[section] = found
    folder = _section_folder(path)
    if len(rest) > MOST_IN_ONE:
        parted: defaultdict[int, list[str]] = defaultdict(list)
        for name in rest:
            parted[hash_of(name) & 15].append(name)
        rest = []
        for number, found in parted.items():
            yield folder / f"part-{number:x}.lock", sorted(found)
    yield path, sorted(rest)
    for section, found in files.items():
        yield folder / f"{_file_name(section)}.lock", sorted(found)


def _file_name(section: str) -> str:
    plain = section.strip("/").replace("/", "-")
    if _SAFE_NAME.fullmatch(plain) and "/" not in section.strip("/") and not plain.startswith("part-"):
        return plain
    words = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:30] or "section"
    return f"{words}-{hash_of(section) & 0xFFFFFFFF:08x}"


def write_lock(path: Path, files: Mapping[Path, bytes], before: Mapping[Path, bytes]) -> list[Path]:
    """Each file at once or not at all; gives those that changed. Raises OSError."""
    changed = [name for name, data in files.items() if before.get(name) != data]
    for name in changed:
        if name.parent != path.parent:
            name.parent.mkdir(exist_ok=True)
        write_atomically(name, [files[name]])
    for name in before:
        if name not in files and name != path:
            name.unlink(missing_ok=True)
            changed.append(name)
    if not any(name.parent != path.parent for name in files):
        with suppress(OSError):  # it may hold other files
            _section_folder(path).rmdir()
    return changed
