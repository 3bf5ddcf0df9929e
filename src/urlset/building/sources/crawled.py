"""A page that was visited on the web → a candidate, with what it said of itself and the dates it came with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TypeGuard

from urlset.building.candidate import Candidate, Evidence, EvidenceKind
from urlset.building.sources.folder import absolute_video, page_evidence
from urlset.model.canonicals import agreed_canonical
from urlset.model.entry import Entry
from urlset.model.media import NOTHING, Alternate, Image, Media, Video
from urlset.model.page import join
from urlset.model.visit import Likelihood, State, Visit

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
_ADDRESSES = ("http://", "https://")


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
    resolve = _Resolver(visit)
    error = None if visit.state in (State.OK, State.REDIRECTED) else visit.reason or visit.state.value
    if is_surely_an_error(visit.soft_404):
        error = f"soft 404: {'; '.join(visit.soft_404.signs)}"
    elif visit.state is State.OK and not visit.size and not visit.unchanged:
        error = "empty response"
    is_thin = visit.thin is not None and visit.thin.certainty >= SURELY_THIN
    return Candidate(
        Entry(visit.url, media=_media(visit, resolve, images, videos)),
        visit.url,
        canonical=agreed_canonical(visit),
        directives=visit.directives_for(),
        redirects_to=redirects_to or (resolve(visit.refresh.target) if visit.refresh else None),
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


class _Resolver:
    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._url = visit.final_url or visit.url
        self._base = (join(self._url, visit.base_href) if visit.base_href else None) or self._url

    def __call__(self, href: str | None) -> str | None:
        return join(self._base, href) if href else None


def _media(visit: Visit, resolve: _Resolver, images: tuple[Image, ...], videos: tuple[Video, ...]) -> Media:
    if not (visit.alternates or images or videos):
        return NOTHING

    def absolute(href: str | None) -> str | None:
        found = resolve(href)
        return found if found and found.startswith(_ADDRESSES) else None

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
