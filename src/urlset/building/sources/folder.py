"""A build folder → its pages as candidates: the address from the path, everything else from the HTML itself."""

from __future__ import annotations

import os
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import islice
from operator import attrgetter
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, RowTrouble
from urlset.building.sources.hosting import Hosting
from urlset.building.sources.page_memory import WEB, PageLook, PageMemory, absolute_video, legal_date
from urlset.building.sources.page_sources import PageSources, SourceFile, source_folders
from urlset.building.sources.source import IndexStyle, Item, PageStyle, SourceError, SourceOptions
from urlset.model.address import Address, key_of
from urlset.model.entry import NOTHING, Alternate, Entry, Image, Media
from urlset.model.moment import Moment
from urlset.model.page import PageDate, PageFacts, by_trust, join
from urlset.reading.html_bytes import MAX_PAGE_BYTES

if TYPE_CHECKING:
    from pathspec.gitignore import GitIgnoreSpec


# A folder → the HTML files in it that are pages, in the order of their names, never one outside the folder.
#
# Each real folder is walked once, whatever links lead to it: by its own path where that is not hidden or ignored, and
# otherwise through the first link. Only regular files are opened; a pipe or a device would block or never end.


_PAGE = (".html", ".htm", ".xhtml")
# Shown when something went wrong, or there to prove who owns the site; they do not belong in a search.
_NO_PAGE = re.compile(
    r"(?:.*/)?(?:(?:4\d\d|5\d\d|50x|_error)(?:\.x?html?|/index\.x?html?)|google[0-9a-f]{16}\.html|yandex_[0-9a-f]{16}\.html)"
)
_HIDDEN = "."
_EVERYTHING = 1 << 62
_PIECE = 1 << 20
_LEADS_OUT = "is a symlink that is broken or points outside the folder"
_SPECIAL = "skipped: not a regular file"
_AGAIN = "skipped: a symlink to a folder already visited"
_NO_TEXT = "skipped: the name is not UTF-8; rename it"


_BY_NAME = attrgetter("name")


class FolderFile(NamedTuple):
    path: str
    relative: str
    """with `/`, from the folder"""


def walk(folder: Path, options: SourceOptions) -> Iterator[FolderFile | RowTrouble]:
    """Hidden files, error pages, ignored paths and the build's own output are passed over."""
    return _Walk(folder, options).run()


def read_regular(path: Path | str, most: int = -1) -> bytes:
    """The bytes of a regular file; OSError for anything else, without waiting for the other end of a pipe."""
    return read_with_stat(path, most)[0]


def read_with_stat(path: Path | str, most: int = -1) -> tuple[bytes, os.stat_result]:
    """The same, and what the file was before it was read."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        found = os.fstat(descriptor)
        if not S_ISREG(found.st_mode):
            raise OSError("not a regular file")
        return _read(descriptor, most if most >= 0 else _EVERYTHING, found.st_size), found
    finally:
        os.close(descriptor)


def _read(descriptor: int, most: int, size: int) -> bytes:
    """A file object would cost more than reading a page does."""
    data = piece = os.read(descriptor, min(most, size + 1))
    while piece and len(data) < most and len(data) != size:
        piece = os.read(descriptor, min(most - len(data), _PIECE))
        data += piece
    return data


class _Walk:
    def __init__(self, folder: Path, options: SourceOptions) -> None:
        self._folder, self._home = folder, folder.resolve()
        self._start = os.path.join(folder, "")  # noqa: PTH118 - with the slash that a Path drops
        lines: list[str] = []
        with suppress(OSError):
            lines = read_regular(folder / FILE_NAME).decode("utf-8-sig", "replace").splitlines()
        self._ignore = Ignore([*lines, *options.ignore])
        self._own_output = options.own_output
        self._walked: set[tuple[int, int]] = set()
        self._links: list[str] = []
        """to folders, which come after all real ones"""

    def run(self) -> Iterator[FolderFile | RowTrouble]:
        yield from self._below("")
        while self._links:
            links, self._links = self._links, []
            for link in links:
                if not self._is_inside(link):
                    yield RowTrouble(link, _LEADS_OUT)
                else:
                    yield from self._below(link)

    def _below(self, start: str) -> Iterator[FolderFile | RowTrouble]:
        waiting = [start]
        while waiting:
            below = waiting.pop()
            try:
                if not self._is_first_time(below):
                    yield RowTrouble(below, _AGAIN, is_note=True)
                    continue
                with os.scandir(self._path(below)) as scanned:
                    entries = sorted(scanned, key=_BY_NAME)
            except OSError as error:
                yield RowTrouble(below or str(self._folder), f"cannot read the folder: {error.strerror or error}")
                continue
            folders: list[str] = []
            for entry in entries:
                found = self._entry(entry, f"{below}/{entry.name}" if below else entry.name, folders)
                if found is not None:
                    yield found
            waiting.extend(reversed(folders))

    def _entry(self, entry: os.DirEntry[str], relative: str, folders: list[str]) -> FolderFile | RowTrouble | None:
        if entry.name.startswith(_HIDDEN):
            return None
        is_folder = _is(entry, folder=True)
        if not is_folder and not entry.name.lower().endswith(_PAGE):
            return None
        if self._ignore.ignores(relative, is_folder=is_folder) or relative in self._own_output:
            return None
        if not entry.name.isascii() and (shown := relative.encode("utf-8", "backslashreplace").decode()) != relative:
            return RowTrouble(shown, _NO_TEXT)
        if is_folder:
            (self._links if entry.is_symlink() else folders).append(relative)
            return None
        if entry.is_symlink() and not self._is_inside(relative):
            return RowTrouble(relative, _LEADS_OUT)
        if not _is(entry, folder=False):
            return RowTrouble(relative, _SPECIAL, is_note=True)
        return None if _NO_PAGE.fullmatch(relative) else FolderFile(entry.path, relative)

    def _path(self, relative: str) -> str:
        return f"{self._start}{relative}"

    def _is_first_time(self, relative: str) -> bool:
        """By what the folder is, not by its name: a mount can lead in a circle too."""
        found = os.stat(self._path(relative))  # noqa: PTH116 - a folder has many
        identity = (found.st_dev, found.st_ino)
        known = identity in self._walked
        self._walked.add(identity)
        return not known

    def _is_inside(self, relative: str) -> bool:
        try:
            return (self._folder / relative).resolve(strict=True).is_relative_to(self._home)
        except (OSError, RuntimeError):
            return False


def _is(entry: os.DirEntry[str], *, folder: bool) -> bool:
    try:
        return entry.is_dir() if folder else entry.is_file()
    except OSError:
        return False


# The path of a file in a build folder, and the canonicals of its pages → the address each page is served at.

_ENDING = re.compile(r"\.(?:html?|xhtml)\Z", re.IGNORECASE)
_INDEX = "index"
_UNSAFE = re.compile(r"[^A-Za-z0-9/\-._~!$&'()*+,;=:@]+")
_SAFE = bytes(each for each in range(128) if _UNSAFE.match(chr(each)) is None)


class Spellings:
    """The addresses one file can answer to, by style."""

    def __init__(self, base: str, relative: str) -> None:
        """`base` ends with a slash."""
        path = _quoted(relative)
        stem = _ENDING.sub("", path)
        folder, slash, name = stem.rpartition("/")
        self.is_index = name.lower() == _INDEX
        self._others = (f"{base}{path}", f"{base}{stem}")
        self.by_style: dict[str, str]
        """the usual one first"""
        if self.is_index:
            bare = f"{base}{folder}"
            self.by_style = {"slash": f"{bare}/", "bare": bare} if slash else {"slash": base, "bare": base}
        else:
            whole, bare = self._others
            self.by_style = {"keep": whole, "drop": bare, "slash": f"{bare}/"}

    def style_of(self, canonical: str) -> str | None:
        """The style in which the canonical is an address of this file."""
        for style, loc in self.by_style.items():
            if loc == canonical:
                return style
        key = Address.parse(canonical).key
        return next((style for style, loc in self.by_style.items() if Address.parse(loc).key == key), None)

    def own(self, canonical: str) -> bool:
        """Whether a canonical is only another spelling of this page."""
        every = (*self.by_style.values(), *self._others)
        if canonical in every:
            return True
        key = Address.parse(canonical).key
        return any(Address.parse(loc).key == key for loc in every)


class Styles:
    """How the site spells its addresses: as told, else as most canonicals do, else as the files are named."""

    def __init__(self, page: PageStyle = "auto", index: IndexStyle = "auto") -> None:
        self.page = page
        self.index = index

    @property
    def settled(self) -> bool:
        return self.page != "auto" and self.index != "auto"

    def learn(self, pages: Iterable[tuple[Spellings, str]]) -> None:
        """From pages and their canonicals; the root page says nothing, it has only one spelling."""
        votes: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for spellings, canonical in pages:
            style = spellings.style_of(canonical)
            if style is not None and len(set(spellings.by_style.values())) > 1:
                votes[spellings.is_index][style] += 1
        if self.index == "auto":
            self.index = "bare" if votes[True]["bare"] > votes[True]["slash"] else "slash"
        if self.page == "auto":
            found = votes[False].most_common(1)
            chosen = found[0][0] if found else "keep"
            self.page = "drop" if chosen == "drop" else "slash" if chosen == "slash" else "keep"

    def loc_of(self, spellings: Spellings) -> str:
        return spellings.by_style[self.index if spellings.is_index else self.page]


def _quoted(path: str) -> str:
    if path.isascii() and not path.encode().translate(None, _SAFE):
        return path
    return _UNSAFE.sub(lambda found: quote(found[0].encode("utf-8", "surrogateescape"), safe=""), path)


# The lines of .urlsetignore → which paths of a folder are excluded, by the rules of .gitignore.

FILE_NAME = ".urlsetignore"


class Ignore:
    """The last matching line decides; `!` includes again. Everything in an ignored folder stays ignored."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        written = [line for line in lines if line.strip()]
        self._spec = _compiled(written) if written else None

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """`path` is relative, with `/`, and its folder is not ignored."""
        return self._spec is not None and self._spec.match_file(f"{path}/" if is_folder else path)


def _compiled(lines: list[str]) -> GitIgnoreSpec:
    from pathspec.gitignore import GitIgnoreSpec

    usable = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue  # git skips a pattern it cannot use
        usable.append(line)
    return GitIgnoreSpec.from_lines(usable)


_AT_ONCE = 256
_TREE_BYTES = 1 << 20
"""of a larger page, parsed"""
LEARN_FROM = 200
"""pages whose canonicals show how the site writes its addresses"""


def from_folder(folder: Path, options: SourceOptions) -> Iterator[Item]:
    """Raises SourceError when the folder or its public address is missing."""
    base = options.base_url
    if not base or not Address.parse(base).is_web:
        raise SourceError(f"{folder} is a folder; set its URL with --base-url https://…")
    if not folder.is_dir():
        raise SourceError(f"{folder} is not a folder")
    return _Folder(folder, base.partition("#")[0].partition("?")[0], options).items()


class _Folder:
    def __init__(self, folder: Path, base: str, options: SourceOptions) -> None:
        self._folder = folder
        self._base = base if base.endswith("/") else f"{base}/"
        self._options = options
        self._prefix = Address.parse(self._base).path
        host = Address.parse(base).host
        self._hosting = Hosting(folder, host=host, need_force=options.redirects_need_force)
        self._memory = options.page_memory or PageMemory(images=options.images, videos=options.videos)
        self._sources = options.page_sources or PageSources(source_folders(None, folder))
        self._styles = Styles(
            self._hosting.page_style if options.page_style == "auto" else options.page_style,
            self._hosting.index_style if options.index_style == "auto" else options.index_style,
        )

    def items(self) -> Iterator[Item]:
        bytes(_TREE_BYTES)  # glibc keeps freed memory once it gave back as much; it would do so after each page
        yield from self._hosting.troubles
        files = iter(self._files())
        while some := list(islice(files, _AT_ONCE)):
            self._memory.expect([found.path for found in some if isinstance(found, FolderFile)])
            # all are read first: a parser leaves little of other work in the caches of a processor
            for looked in list(map(self._looked, some)):
                if isinstance(looked, RowTrouble):
                    yield looked
                elif looked is not None:
                    yield self._candidate(*looked)

    def _looked(self, found: FolderFile | RowTrouble) -> tuple[str, PageLook] | RowTrouble | None:
        """None for a file that is the source of a page."""
        if isinstance(found, RowTrouble):
            return found
        if self._sources.leaves_out(found.relative):
            return None
        try:
            return found.relative, self._look(found)
        except OSError as error:
            return RowTrouble(found.relative, f"cannot read the file: {error.strerror or error}")

    def _files(self) -> Iterator[FolderFile | RowTrouble]:
        """Walked once, also where some of them have to show first how the site writes its addresses."""
        files = walk(self._folder, self._options)
        if not self._styles.settled:
            waiting = deque(files)
            self._styles.learn(self._canonicals(waiting))
            files = (waiting.popleft() for _ in range(len(waiting)))
        return files

    def _canonicals(self, files: Iterable[FolderFile | RowTrouble]) -> Iterator[tuple[Spellings, str]]:
        """Some pages spread over the site: neighbours are often made by one template."""
        pages = [found for found in files if isinstance(found, FolderFile)]
        pages = pages[:: max(1, len(pages) // LEARN_FROM)]
        self._memory.expect([found.path for found in pages])
        for found in pages:
            spellings = Spellings(self._base, found.relative)
            try:
                facts = self._look(found).facts
            except OSError:
                continue
            canonical = self._canonical(facts, next(iter(spellings.by_style.values())))
            if canonical:
                yield spellings, canonical

    def _look(self, found: FolderFile) -> PageLook:
        return self._memory.of_file(found.path, partial(read_with_stat, found.path, MAX_PAGE_BYTES + 1))

    def _canonical(self, facts: PageFacts, loc: str) -> str | None:
        """None also where the page names several that differ: engines then choose by themselves."""
        heads = [each.href for each in facts.canonicals if each.in_head]
        named = [url for href in heads if (url := href if href.startswith(WEB) else facts.resolve(href, loc))]
        if len(named) > 1:
            named = list({key_of(href): href for href in named}.values())
        return named[0].partition("#")[0] if len(named) == 1 else None

    def _candidate(self, relative: str, look: PageLook) -> Candidate:
        facts = look.facts
        spellings = Spellings(self._base, relative)
        loc = self._styles.loc_of(spellings)
        canonical = self._canonical(facts, loc)
        if canonical and canonical != loc and spellings.own(canonical):
            loc = canonical  # the page knows best how it is spelled
        sent = status = None
        directives = facts.directives(*self._options.bots)
        if self._hosting.has_rules:
            path = Address.parse(loc).path or "/"
            sent, status = self._hosting.redirects.target_of(path), self._hosting.redirects.error_of(path)
            directives += self._hosting.headers.directives_of(path, self._options.bots)
        target = None if sent is None else PageFacts().resolve(sent, loc) or sent
        if sent is None and facts.refresh:
            target = facts.resolve(facts.refresh.target, loc)
        source = self._sources.of(relative)
        return Candidate(
            Entry(loc, media=self._media(facts, loc, relative)),
            relative,
            canonical=canonical,
            directives=tuple(dict.fromkeys(directives)),
            redirects_to=target,
            title=facts.title,
            language=facts.language,
            evidence=tuple(page_evidence(stated_dates(source, facts), self._options.timezone)),
            blocks=look.blocks,
            source=(source.folder, source.path) if source is not None else None,
            lifetime=facts.lifetime,
            error="the file is empty" if look.is_empty else f"the host answers with {status}" if status else None,
        )

    def _media(self, facts: PageFacts, loc: str, relative: str) -> Media:
        known = self._sources.alternates_of(relative)
        alternates = facts.alternates if self._options.alternates and not known else ()
        if not (alternates or known or facts.images or facts.videos):
            return NOTHING

        base = facts.base(loc)

        def absolute(href: str | None) -> str | None:
            if not href or href.startswith(WEB):
                return href
            found = join(base, href)
            return found if found and found.startswith(WEB) else None

        linked = [Alternate(each.hreflang, href) for each in alternates if (href := absolute(each.href))]
        for language, page in known.items():
            url = page if "://" in page else self._styles.loc_of(Spellings(self._base, page))
            linked.append(Alternate(language, url))
        images = [Image(src) for each in facts.images if (src := absolute(each.src))]
        return Media(
            images=tuple(images),
            videos=tuple(video for each in facts.videos if (video := absolute_video(each, absolute))),
            alternates=tuple(linked),
        )


def stated_dates(source: SourceFile | None, facts: PageFacts) -> tuple[PageDate, ...]:
    """Those of the page and of its source, the most trustworthy first."""
    return by_trust((*source.dates, *facts.dates)) if source is not None else facts.dates


def page_evidence(dates: Iterable[PageDate], timezone: str | None) -> Iterator[Evidence]:
    """The page's own dates, the most trustworthy first; of one origin the newest."""
    best: dict[str, str] = {}
    for date in dates:
        lastmod, origin = legal_date(date.raw, timezone), str(date.origin)
        if lastmod and (origin not in best or Moment.parse(lastmod).newer_than(Moment.parse(best[origin]))):
            best[origin] = lastmod
    for origin, lastmod in best.items():
        yield Evidence(EvidenceKind.PAGE, lastmod, origin)
