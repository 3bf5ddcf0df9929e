"""A site on the web → its sitemaps: crawled, then built like any source, and never smaller for want of an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import msgspec

from urlset.building.candidate import Candidate, Decision, PolicyReason
from urlset.building.patterns import Patterns
from urlset.building.sources.crawled import NO_USABLE_ANSWER, NOT_ASKED_FOR, NOT_COME_TO, UNSURE, candidate_of
from urlset.crawling.found import Fate
from urlset.crawling.frontier import CrawlFrontier, end_of
from urlset.crawling.scope import address_of
from urlset.model.entry import Entry
from urlset.model.visit import State
from urlset.settings.build import BuildSettings
from urlset.settings.crawl import CrawlLimitSettings, CrawlSettings, RenderSettings
from urlset.settings.groups import FetchSettings
from urlset.workflows.build.build import as_it_was, build, kept_notes, published
from urlset.workflows.build.result import DEFAULT_RUN, BuildError, BuildReport, BuildRun
from urlset.workflows.crawl import CrawlReport, CrawlUse, Progress, crawling
from urlset.workflows.crawl_pages import judged_rows
from urlset.writing.files import work_folder

_UNVISITED = {
    Fate.FORBIDDEN: PolicyReason.DISALLOWED.value,
    Fate.EXCLUDED: PolicyReason.EXCLUDED.value,
    Fate.OUTSIDE: PolicyReason.NOT_INCLUDED.value,
}
_NOT_WANTED = frozenset({Fate.EXCLUDED, Fate.OUTSIDE})


def crawl_for_build(settings: BuildSettings, site: str, state: Path) -> CrawlSettings:
    """How the site among the sources of a build is crawled."""
    return CrawlSettings(
        **settings.values(CrawlLimitSettings),
        **settings.values(RenderSettings),
        **settings.values(FetchSettings),
        url=site,
        state=state,
    )


def build_from_web(
    settings: BuildSettings,
    site: CrawlSettings,
    run: BuildRun = DEFAULT_RUN,
    *,
    progress: Progress | None = None,
    built: Callable[[], None] | None = None,
) -> tuple[CrawlReport, BuildReport | None]:
    """The second is None where the crawl was interrupted: the same call resumes it. `built` is called in between.

    `settings.sources` and `run.offers` are built along with the site; without a base address it is the root of the
    site. Raises what `crawl` and `build` raise, and BuildError where the start page could not be read.
    """
    live: set[str] = set()

    def listed() -> Iterator[str]:
        return (entry.loc for entry in published(settings.state_folder, settings.out_folder) if entry.loc)

    # what can never be listed is not requested; what --include leaves out may lead to what it takes in
    site = replace(site, exclude=(*site.exclude, *settings.exclude))
    use = CrawlUse(name="build", images=settings.images, videos=settings.videos, listed=listed, live=live)
    with crawling(site, use, progress=progress) as (frontier, crawled):
        if crawled.ended == "stopped":
            return crawled, None
        if built is not None:
            built()
        if not crawled.states.get(State.OK.value):
            raise BuildError(_nothing_read(frontier, crawled))
        return crawled, _build(settings, run, frontier, crawled, live)


def _build(
    settings: BuildSettings, run: BuildRun, frontier: CrawlFrontier, crawled: CrawlReport, live: set[str]
) -> BuildReport:
    with work_folder() as temporary:
        robots = settings.robots
        if robots is None and crawled.robots_txt is not None:
            robots = Path(temporary) / "robots.txt"
            robots.write_bytes(crawled.robots_txt)
        pages = CrawledPages(frontier, crawled, settings)
        missing = MissingLivePages(live)
        report = build(
            replace(settings, base_url=settings.base_url or f"{crawled.home}/", robots=robots),
            msgspec.structs.replace(
                run,
                offers=chain(run.offers or (), pages.candidates()),
                on_left_out=missing.left_out,
                live_robots=crawled.robots_txt,
                cut_short=crawled.completeness.cut_short,
            ),
        )
        notes = (*pages.notes(), *missing.notes(frontier, pages.kept), *report.notes)
    return msgspec.structs.replace(report, notes=notes)


class MissingLivePages:
    """Pages that the live sitemaps list and the new set does not, by reason."""

    def __init__(self, live: set[str]) -> None:
        self._live, self._reasons = live, dict[str, str]()
        self._examples: dict[str, str] = {}

    def left_out(self, decision: Decision) -> None:
        url = address_of(decision.loc)
        if url in self._live and decision.verdict is not PolicyReason.DUPLICATE:
            reason, shown = decision.verdict.value, decision.loc
            if decision.verdict is PolicyReason.ERROR_PAGE and decision.detail:
                reason = f"{reason}, {decision.detail}"  # a page that is gone is not one that fails today
            elif decision.detail:
                shown = f"{shown} ({decision.detail})"
            self._reasons[url] = reason
            self._examples.setdefault(reason, shown)

    def notes(self, frontier: CrawlFrontier, kept: Collection[str]) -> Iterator[str]:
        counts = Counter(self._reasons.values())
        for url in sorted(self._live - self._reasons.keys()):
            found = frontier.find(url)
            if (found is None or found.visit is None) and url not in kept:
                reason = _UNVISITED.get(found.fate, NOT_ASKED_FOR) if found is not None else NOT_COME_TO
                counts[reason] += 1
                self._examples.setdefault(reason, url)
        for reason, count in counts.most_common():
            pages = f"{count:,} of {len(self._live):,} pages in the live sitemaps {'is' if count == 1 else 'are'}"
            yield f"{pages} not in the new set: {reason}, such as {self._examples[reason]}"


class CrawledPages:
    """What a crawl offers to a build, and what of the last build stays because the crawl could not judge it.

    Where a crawl is not complete, pages of the last set that it did not meet are requested one by one. A page that
    answered (gone, redirected, noindex, fine) is judged by that; one that could not be asked, or whose server failed
    or blocked the crawler, is kept as it was.
    """

    def __init__(self, frontier: CrawlFrontier, crawled: CrawlReport, settings: BuildSettings) -> None:
        self._frontier, self._crawled, self._settings = frontier, crawled, settings
        self._kept: Counter[str] = Counter()
        self._stays: set[str] = set()

    @property
    def kept(self) -> Collection[str]:
        """Pages that stay listed although the crawl could not judge them."""
        return self._stays

    def candidates(self) -> Iterator[Candidate]:
        for entry in published(self._settings.state_folder, self._settings.out_folder):
            why = self._why_kept(entry.loc or "")
            if why is not None:
                self._kept[why] += 1
                self._stays.add(entry.loc or "")
                yield as_it_was(entry)
        for row, kept, endless in judged_rows(self._frontier, "v.page IS NOT NULL"):
            visit = row.visit
            if visit is None or row.url in self._stays:
                continue
            if kept is None:
                target = end_of(self._frontier, visit) if visit.state is State.REDIRECTED else None
                yield candidate_of(visit, redirects_to=target, endless=endless, timezone=self._settings.timezone)
                continue
            yield candidate_of(
                visit,
                blocks=kept.main or kept.blocks,
                images=kept.images,
                videos=kept.videos,
                endless=endless,
                timezone=self._settings.timezone,
            )

        excluded = Patterns(self._settings.not_listed)
        for row in self._frontier.rows("p.fate = ?", (Fate.EXCLUDED,)):
            if excluded.find(row.url):  # which the policy does too, and records
                yield Candidate(Entry(row.url), row.found_on or row.url)

    def notes(self) -> Iterator[str]:
        crawled = self._crawled
        yield f"crawled {crawled.visited:,} pages of {crawled.home}"
        for reason in crawled.completeness.reasons:
            yield f"the crawl is not complete: {reason}"
        yield from kept_notes(self._kept)

    def _why_kept(self, loc: str) -> str | None:
        url = address_of(loc) or loc
        found = self._frontier.find(url)
        complete = self._crawled.completeness.complete
        if found is None:
            return None if complete else NOT_COME_TO
        if found.visit is None:
            return None if found.fate in _NOT_WANTED or complete else NOT_ASKED_FOR
        return NO_USABLE_ANSWER if found.visit.state in UNSURE else None


def _nothing_read(frontier: CrawlFrontier, crawled: CrawlReport) -> str:
    start = next(frontier.rows(), None)
    said = "; ".join(crawled.completeness.reasons)
    if start is not None and start.visit is not None:
        said = start.visit.reason
        if start.visit.state is State.REDIRECTED:
            said = f"it redirects to {start.visit.final_url}; crawl that URL"
    return f"{crawled.url} cannot be crawled: {said}; nothing was built and the published set is unchanged"
