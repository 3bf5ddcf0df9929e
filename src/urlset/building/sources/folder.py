"""A build folder → its pages as candidates: the address from the path, everything else from the HTML itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, RowTrouble
from urlset.building.sources.dates import DateError, to_lastmod
from urlset.building.sources.folder_walk import FolderFile, Spellings, Styles, read_regular, walk
from urlset.building.sources.hosting import Hosting
from urlset.building.sources.options import Item, SourceError, SourceOptions
from urlset.building.sources.page_memory import PageLook, PageMemory
from urlset.building.sources.page_sources import PageSources, SourceFile, source_folders
from urlset.model.address import Address
from urlset.model.address_key import key_of
from urlset.model.entry import Entry
from urlset.model.media import NOTHING, Alternate, Image, Marked, Media, Video
from urlset.model.moment import Moment
from urlset.model.page import DateOrigin, PageDate, PageFacts
from urlset.reading.html_bytes import MAX_PAGE_BYTES

_TRUST = {origin: rank for rank, origin in enumerate(DateOrigin)}
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
        yield from self._hosting.troubles
        for found in self._files():
            if isinstance(found, RowTrouble):
                yield found
                continue
            if self._sources.leaves_out(found.relative):
                continue
            try:
                look = self._look(found)
            except OSError as error:
                yield RowTrouble(found.relative, f"cannot read the file: {error.strerror or error}")
                continue
            yield self._candidate(found.relative, look)

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
        step = max(1, len(pages) // LEARN_FROM)
        for found in islice(pages, 0, None, step):
            spellings = Spellings(self._base, found.relative)
            try:
                facts = self._look(found).facts
            except OSError:
                continue
            canonical = self._canonical(facts, spellings.every[0])
            if canonical:
                yield spellings, canonical

    def _look(self, found: FolderFile) -> PageLook:
        return self._memory.of(read_regular(found.path, MAX_PAGE_BYTES + 1))

    def _canonical(self, facts: PageFacts, loc: str) -> str | None:
        """None also where the page names several that differ: engines then choose by themselves."""
        named = [href for each in facts.canonicals if each.in_head and (href := facts.resolve(each.href, loc))]
        if len(named) > 1:
            named = list({key_of(href): href for href in named}.values())
        return named[0].partition("#")[0] if len(named) == 1 else None

    def _candidate(self, relative: str, look: PageLook) -> Candidate:
        facts = look.facts
        spellings = Spellings(self._base, relative)
        loc = self._styles.loc_of(spellings)
        canonical = self._canonical(facts, loc)
        if canonical and spellings.own(canonical):
            loc = canonical  # the page knows best how it is spelled
        path = Address.parse(loc).path or "/"
        source = self._sources.of(relative)
        directives = (
            *facts.directives(*self._options.bots),
            *self._hosting.headers.directives_of(path, self._options.bots),
        )
        return Candidate(
            Entry(loc, media=self._media(facts, loc, relative)),
            relative,
            canonical=canonical,
            directives=tuple(dict.fromkeys(directives)),
            redirects_to=self._target(facts, loc, path),
            title=facts.title,
            language=facts.language,
            evidence=tuple(page_evidence(_dates(source, facts), self._options.timezone)),
            blocks=look.blocks,
            source=(source.folder, source.path) if source is not None else None,
            lifetime=facts.lifetime,
            error="the file is empty" if look.is_empty else self._hidden(path),
        )

    def _url_of(self, page: str) -> str:
        return page if "://" in page else self._styles.loc_of(Spellings(self._base, page))

    def _target(self, facts: PageFacts, loc: str, path: str) -> str | None:
        sent = self._hosting.redirects.target_of(path)
        if sent is not None:
            return PageFacts().resolve(sent, loc) or sent
        return facts.resolve(facts.refresh.target, loc) if facts.refresh else None

    def _hidden(self, path: str) -> str | None:
        status = self._hosting.redirects.error_of(path)
        return None if status is None else f"the host answers with {status}"

    def _media(self, facts: PageFacts, loc: str, relative: str) -> Media:
        known = self._sources.alternates_of(relative)
        alternates = facts.alternates if self._options.alternates and not known else ()
        if not (alternates or known or facts.images or facts.videos):
            return NOTHING

        def absolute(href: str | None) -> str | None:
            found = facts.resolve(href, loc) if href else None
            return found if found and found.startswith(("http://", "https://")) else None

        linked = [Alternate(each.hreflang, href) for each in alternates if (href := absolute(each.href))]
        linked += [Alternate(language, self._url_of(page)) for language, page in known.items()]
        images = [Image(src) for each in facts.images if (src := absolute(each.src))]
        return Media(
            images=tuple(images),
            videos=tuple(video for each in facts.videos if (video := absolute_video(each, absolute))),
            alternates=tuple(linked),
        )


def _dates(source: SourceFile | None, facts: PageFacts) -> list[PageDate]:
    """Those of the page and of its source, the most trustworthy first."""
    stated = source.dates if source is not None else ()
    return sorted((*stated, *facts.dates), key=lambda date: _TRUST[date.origin])


def absolute_video(video: Video, absolute: Callable[[str | None], str | None]) -> Video | None:
    thumbnail, content = absolute(video.thumbnail_loc), absolute(video.content_loc)
    player = absolute(video.player_loc.text) if video.player_loc else None
    if not thumbnail or not (content or player):
        return None
    return msgspec.structs.replace(
        video,
        thumbnail_loc=thumbnail,
        content_loc=content,
        player_loc=Marked(player) if player else None,
        publication_date=_date(video.publication_date, None),
    )


def page_evidence(dates: Iterable[PageDate], timezone: str | None) -> Iterator[Evidence]:
    """The page's own dates, the most trustworthy first; of one origin the newest."""
    best: dict[str, str] = {}
    for date in dates:
        lastmod = _date(date.raw, timezone)
        if lastmod and (date.origin not in best or Moment.parse(lastmod).newer_than(Moment.parse(best[date.origin]))):
            best[date.origin] = lastmod
    for origin, lastmod in best.items():
        yield Evidence(EvidenceKind.PAGE, lastmod, str(origin))


def _date(raw: str | None, timezone: str | None) -> str | None:
    try:
        return to_lastmod(raw, timezone)
    except DateError:
        return None
