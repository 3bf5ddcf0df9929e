"""Pages that were visited on the web, now or in a file that `urlset crawl --out` wrote → candidates."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import chain
from typing import Any, BinaryIO, TypeGuard

import msgspec

from urlset.building.candidate import Candidate, Evidence, EvidenceKind, RowTrouble
from urlset.building.sources.cells import LocError, to_loc
from urlset.building.sources.folder import page_evidence
from urlset.building.sources.lists import LONGEST_LINE, delimiter_of, lines_of
from urlset.building.sources.page_memory import WEB, absolute_video
from urlset.building.sources.source import Item, SourceOptions
from urlset.model.entry import NOTHING, Alternate, Entry, Image, Media, Video
from urlset.model.page import BotDirectives, Canonical, join
from urlset.model.visit import CrawlRow, Likelihood, State, Visit, agreed_canonical
from urlset.reading.robots import EVERYONE, meta_directives
from urlset.writing.escaping import unguarded

UNSURE = frozenset({State.ERROR, State.BLOCKED, State.UNKNOWN})
"""answers that say nothing about whether the page is still there"""
NO_USABLE_ANSWER = "the server gave no usable answer"
NOT_ASKED_FOR = "not requested in this crawl"
NOT_COME_TO = "not reached in this crawl"
"""why pages of the last set are kept"""
SURELY_AN_ERROR = 0.8
"""certainty of a soft 404 from which a page is not listed"""
SURELY_THIN = 0.9
JUST_NOW = timedelta(minutes=2)
"""a Last-Modified this close to the request is the clock of a program that renders its pages on request"""
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_DOCUMENTS = ("application/pdf", "application/msword", "application/vnd.", "application/rtf", "text/plain", "text/csv")


def candidate_of(
    visit: Visit,
    *,
    redirects_to: str | None = None,
    blocks: tuple[int, ...] | None = None,
    images: tuple[Image, ...] = (),
    videos: tuple[Video, ...] = (),
    endless: str | None = None,
    timezone: str | None = None,
) -> Candidate:
    """`redirects_to` is where redirects end; images are absolute; `endless` says why it is one of endlessly many."""
    url = visit.final_url or visit.url
    base = (join(url, visit.base_href) if visit.base_href else None) or url
    error = None if visit.state in (State.OK, State.REDIRECTED) else visit.reason or visit.state.value
    if is_surely_an_error(visit.soft_404):
        error = f"soft 404: {'; '.join(visit.soft_404.signs)}"
    elif visit.state is State.OK and not visit.size and not visit.unchanged:
        error = "empty response"
    is_thin = visit.thin is not None and visit.thin.certainty >= SURELY_THIN
    return Candidate(
        Entry(visit.url, media=_media(visit, base, images, videos)),
        visit.url,
        canonical=agreed_canonical(visit),
        directives=visit.directives_for(),
        redirects_to=redirects_to
        or (join(base, visit.refresh.target) if visit.refresh and visit.refresh.target else None),
        title=visit.title,
        language=visit.language,
        evidence=(*page_evidence(visit.dates, timezone), *_sent(visit)),
        blocks=blocks,
        is_page=visit.media_type is None or visit.media_type in _PAGES or visit.media_type.startswith(_DOCUMENTS),
        error=error,
        thin="; ".join(visit.thin.signs) if visit.thin is not None and is_thin else None,
        endless=endless,
        lifetime=visit.lifetime,
    )


def is_surely_an_error(soft_404: Likelihood | None) -> TypeGuard[Likelihood]:
    return soft_404 is not None and soft_404.certainty >= SURELY_AN_ERROR


def _media(visit: Visit, base: str, images: tuple[Image, ...], videos: tuple[Video, ...]) -> Media:
    if not (visit.alternates or images or videos):
        return NOTHING

    def absolute(href: str | None) -> str | None:
        found = join(base, href) if href else None
        return found if found and found.startswith(WEB) else None

    linked = [Alternate(each.hreflang, href) for each in visit.alternates if (href := absolute(each.href))]
    return Media(
        images=images,
        videos=tuple(video for each in videos if (video := absolute_video(each, absolute))),
        alternates=tuple(linked),
    )


def _sent(visit: Visit) -> Iterator[Evidence]:
    if not visit.last_modified:
        return
    try:
        sent = parsedate_to_datetime(visit.last_modified)
    except (ValueError, TypeError, IndexError, OverflowError):
        return
    sent = sent.replace(tzinfo=UTC) if sent.tzinfo is None else sent.astimezone(UTC)
    try:
        asked = datetime.fromisoformat(visit.moment)
    except ValueError:
        return
    asked = asked.replace(tzinfo=UTC) if asked.tzinfo is None else asked
    if sent < asked - JUST_NOW:
        yield Evidence(EvidenceKind.HTTP, sent.strftime("%Y-%m-%dT%H:%M:%SZ"), "Last-Modified header")


# What `urlset crawl --out` wrote, JSON Lines or CSV → the candidates that a build of the same crawl would have.
#
# Addresses that were not requested are not candidates. Where the answer says nothing about the page, or is missing, a
# page of the last set stays as it is: a bad day of the site does not empty its sitemap.

Line = tuple[int, bytes | None]
"""with its number; None for one that is too long"""

_NOT_NEEDED = frozenset({"indexable"})
_AS_JSON = frozenset({"dates", "alternates"})
_STATES = frozenset(state.value for state in State)
_decode = msgspec.json.Decoder(CrawlRow).decode


def columns_of(first_line: str) -> frozenset[str]:
    """The names in the first line of such a file, be it JSON or CSV; none where it is neither."""
    try:
        if first_line.lstrip().startswith("{"):
            return frozenset(msgspec.json.decode(first_line, type=dict[str, msgspec.Raw]))
        return frozenset(next(csv.reader([first_line], delimiter=delimiter_of(first_line))))
    except (msgspec.MsgspecError, csv.Error, RecursionError):
        return frozenset()


def from_crawl(file: BinaryIO, name: str, options: SourceOptions) -> Iterator[Item]:
    """One row for each address that the crawl met, in any order; some may have been taken out."""
    lines = lines_of(file, name)
    begun: list[Line] = []
    for line in lines:
        begun.append(line)
        if line[1] is None or line[1].strip():
            break
    is_json = bool(begun) and (begun[-1][1] or b"").lstrip().startswith(b"{")
    for number, row in (_json_rows if is_json else _csv_rows)(chain(begun, lines)):
        origin = f"{name}:{number}"
        if isinstance(row, str):
            yield RowTrouble(origin, row)
        else:
            yield from _items(row, origin, options)


def from_crawl_table(rows: Iterator[dict[str, Any]], name: str, options: SourceOptions) -> Iterator[Item]:
    """The same from the rows of a Parquet file, in which nested values are JSON."""
    for number, values in enumerate(rows, 1):
        origin = f"{name}:{number}"
        try:
            stated = {
                key: msgspec.json.decode(value) if key in _AS_JSON or key == "robots" else value
                for key, value in values.items()
                if value is not None
            }
            row = msgspec.convert(stated, CrawlRow)
        except (msgspec.MsgspecError, RecursionError) as error:
            yield RowTrouble(origin, f"not a row of a crawl: {error}")
        else:
            yield from _items(row, origin, options)


def _json_rows(lines: Iterator[Line]) -> Iterator[tuple[int, CrawlRow | str]]:
    """Numbered; a row that cannot be read is the reason why."""
    for number, line in lines:
        if line is None:
            yield number, f"line longer than {LONGEST_LINE:,} bytes"
        elif line.strip():
            try:
                yield number, _decode(line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                yield number, f"not a crawl row: {error}"


def _csv_rows(lines: Iterator[Line]) -> Iterator[tuple[int, CrawlRow | str]]:
    texts = ("" if line is None else line.decode("utf-8", "surrogateescape") for _, line in lines)
    passed, first = next(((number, text) for number, text in enumerate(texts, 1) if text.strip()), (0, ""))
    delimiter = delimiter_of(first)
    header = next(csv.reader([first], delimiter=delimiter), [])
    rows = csv.reader(texts, delimiter=delimiter, strict=True)
    while True:
        number = passed + rows.line_num + 1
        try:
            cells = next(rows)
            if any(cells):
                yield number, _of_cells(dict(zip(header, cells, strict=False)))
        except StopIteration:
            return
        except (csv.Error, msgspec.MsgspecError, RecursionError, UnicodeEncodeError) as error:
            yield number, f"not a crawl row: {error}"


def _of_cells(cells: dict[str, str]) -> CrawlRow:
    values: dict[str, object] = {}
    for name, cell in cells.items():
        if not cell or name in _NOT_NEEDED:
            continue
        if name in _AS_JSON:
            values[name] = msgspec.json.decode(cell)
        elif name == "robots":
            values[name] = meta_directives(cell)
        else:
            values[name] = unguarded(cell)
    return msgspec.convert({"reason": "", **values}, CrawlRow, strict=False)


def _items(row: CrawlRow, origin: str, options: SourceOptions) -> Iterator[Item]:
    last = options.last_set
    if row.was_asked and row.state not in _STATES:
        yield RowTrouble(origin, f"unknown crawl state {row.state[:40]!r}")
        return
    state = State(row.state) if row.was_asked else None
    try:
        loc = to_loc(row.url, options.base_url)
    except LocError as error:
        yield RowTrouble(origin, str(error))
        return
    if last is not None:
        kept = None
        if row.leaves_open or state in UNSURE:
            kept = last.kept(loc, NOT_ASKED_FOR if state is None else NO_USABLE_ANSWER)
        elif row.was_asked or row.is_unwanted:
            last.seen(loc)
        if kept is not None:
            yield kept
            return
    if state is not None:
        page = candidate_of(_visit(row, loc, state), redirects_to=row.redirects_to, timezone=options.timezone)
        crawled = {"disallowed": row.disallowed, "endless": row.endless, "is_crawled": True, "is_linked": row.is_linked}
        yield msgspec.structs.replace(page, origin=origin, **crawled)


def _visit(row: CrawlRow, loc: str, state: State) -> Visit:
    """As far as a candidate needs it."""
    return Visit(
        url=loc,
        state=state,
        reason=row.reason,
        media_type=row.media_type,
        size=row.size or 0,
        unchanged=row.size is None,
        title=row.title,
        language=row.language,
        canonicals=(Canonical(row.canonical),) if row.canonical else (),
        robots=(BotDirectives(EVERYONE, row.robots),) if row.robots else (),
        alternates=row.alternates or (),
        dates=row.dates or (),
        last_modified=row.last_modified,
        soft_404=Likelihood(1.0, (row.soft_404,)) if row.soft_404 else None,
        thin=Likelihood(1.0, (row.thin,)) if row.thin else None,
        moment=row.asked or "",
    )
