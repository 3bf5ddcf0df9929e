"""Pages of folders under git → the commit that gave each its present content; pages without any date → why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path

import msgspec

from urlset.building.candidate import Candidate, EvidenceKind
from urlset.building.evidence import doubt, evidence_of
from urlset.building.git_evidence import GitCommit, GitDates, git_dates
from urlset.building.ledger import LedgerRow
from urlset.model.page import DateOrigin
from urlset.reading.fingerprint import changed_facets, unpack
from urlset.spec.page_facets import DATED_BY, Facet

_BATCH = 400
_STATED = str(DateOrigin.FRONT_MATTER_MODIFIED)
Known = Callable[[list[str]], Mapping[str, LedgerRow]]


class FolderHistory(msgspec.Struct, frozen=True):
    """What git knows about a built folder, and about the files that its pages were made from."""

    pages: GitDates | None = None
    sources: dict[str, GitDates] = msgspec.field(default_factory=dict)
    """by folder, as `Candidate.source` names it"""


def folder_history(folder: Path, sources: Sequence[Path], notify: Callable[[str], None]) -> FolderHistory | None:
    """Of a built folder and of the folders that its pages were made from; None where git cannot say anything."""

    def dates_in(place: Path, *, said: bool = True) -> GitDates | None:
        found = git_dates(place)
        if isinstance(found, GitDates):
            return found
        if said:
            notify(f"no dates from git for {place}: {found.reason}{f'; {found.remedy}' if found.remedy else ''}")
        return None

    known = {str(each): dates for each in sources if (dates := dates_in(each)) is not None}
    has_sources = bool(sources)
    pages = dates_in(folder, said=not has_sources)
    if pages is not None and not pages.commits and not has_sources:
        notify(
            f"no dates from git: {folder} holds no committed file; add --source-dir DIR, the folder that the site "
            "is generated from"
        )
    return FolderHistory(pages, known) if known or pages is not None else None


class GitPages:
    """Takes pages as they come, and corrects their dates when the whole site is known."""

    def __init__(self, order: Sequence[EvidenceKind], now: datetime, counted: Collection[Facet] = DATED_BY) -> None:
        self.notes: list[str] = []
        rank = order.index(EvidenceKind.GIT) if EvidenceKind.GIT in order else 0
        self._better = frozenset(order[:rank])
        self._now, self._counted = now, counted
        self._waiting: dict[str, tuple[GitDates, str]] = {}
        """the address of a page whose date rests on git → where its history is"""
        self._sources: dict[int, tuple[GitDates, dict[str, list[str]]]] = {}
        """histories of sources, and the pages by the source that dates them"""
        self._corrected: dict[str, GitCommit | None] = {}

    def offer(self, history: FolderHistory, page: Candidate) -> Candidate:
        """The page with the commit that left its present bytes, or those of its source, as evidence."""
        folder, path = page.source or ("", "")
        sources = history.sources.get(folder)
        if sources is not None and path in sources.uncommitted:
            return page  # the page was made from text that no commit has
        if sources is not None and path in sources.commits:
            return self._offer_source(sources, path, page)
        git = history.pages
        found = git.evidence(page.origin) if git is not None else None
        if git is None or found is None:
            return page
        if page.blocks is not None and not self._has_better(page):
            self._waiting[page.loc] = git, page.origin
        return msgspec.structs.replace(page, evidence=(*page.evidence, found))

    def _offer_source(self, sources: GitDates, path: str, page: Candidate) -> Candidate:
        """Of what the page says itself, only a date that a person wrote into the source counts for more.

        Templates fill in the others, often with the time of the build or of the first publication.
        """
        stated = tuple(each for each in page.evidence if each.kind is EvidenceKind.PAGE and each.detail == _STATED)
        others = tuple(each for each in page.evidence if each.kind is not EvidenceKind.PAGE)
        found = sources.commits[path].evidence()
        page = msgspec.structs.replace(page, evidence=(*stated, *others, found), is_source_dated=True)
        if not self._has_better(page):
            self._sources.setdefault(id(sources), (sources, {}))[1].setdefault(path, []).append(page.loc)
        return page

    def _settle_sources(self) -> int:
        """Look further back in the history of the sources; gives how many pages that did not date."""
        from urlset.building.git_content import dates_by_source

        unsettled = 0
        for sources, asked in self._sources.values():
            found = dates_by_source(sources, asked, self._counted)
            for path, locs in asked.items():
                self._corrected.update(dict.fromkeys(locs, found.commits.get(path)))
                unsettled += len(locs) * (path in found.unsettled)
        return unsettled

    def settle(self, pages: Iterable[Candidate], known: Known, page_count: int, boilerplate: Collection[int]) -> None:
        """Look further back for the pages that need it; `pages` are all that wait to be dated."""
        unsettled = self._settle_sources() if self._sources else 0
        if self._waiting:
            unsettled += self._settle_pages(pages, known, page_count, boilerplate)
        if unsettled:
            pages_said = f"{unsettled:,} page{'s' if unsettled != 1 else ''}"
            self.notes.append(f"no date from git for {pages_said}: too many commits changed only repeated text")

    def _settle_pages(
        self, pages: Iterable[Candidate], known: Known, page_count: int, boilerplate: Collection[int]
    ) -> int:
        by_history: dict[int, dict[str, tuple[int, ...]]] = {}
        histories: dict[int, GitDates] = {}
        batch: list[Candidate] = []

        def sort() -> None:
            rows = known([page.loc for page in batch])
            for page in batch:
                if page.blocks is None or self._is_settled(page.blocks, rows.get(page.loc), boilerplate):
                    continue
                git, path = self._waiting[page.loc]
                histories[id(git)] = git
                by_history.setdefault(id(git), {})[path] = page.blocks
            batch.clear()

        for page in pages:
            if page.loc in self._waiting:
                batch.append(page)
                if len(batch) == _BATCH:
                    sort()
        sort()
        if not by_history:
            return 0
        from urlset.building.git_content import dates_by_content  # reads HTML, which no list needs

        unsettled = 0
        for number, asked in by_history.items():
            found = dates_by_content(histories[number], asked, page_count, boilerplate, self._counted)
            unsettled += len(found.unsettled)
            for loc, (git, path) in self._waiting.items():
                if git is histories[number] and path in asked:
                    self._corrected[loc] = found.commits.get(path)
        return unsettled

    def corrected(self, page: Candidate) -> Candidate:
        if page.loc not in self._corrected:
            return page
        commit = self._corrected[page.loc]
        evidence = [each for each in page.evidence if each.kind is not EvidenceKind.GIT]
        if commit is not None:
            evidence.append(commit.evidence())
        return msgspec.structs.replace(page, evidence=tuple(evidence))

    def _has_better(self, page: Candidate) -> bool:
        return any(each.kind in self._better and doubt(each, self._now) is None for each in evidence_of(page))

    def _is_settled(self, blocks: tuple[int, ...], row: LedgerRow | None, boilerplate: Collection[int]) -> bool:
        """A page whose content is that of the last build keeps a date as good as one from git."""
        before = row.evidence if row is not None else None
        if row is None or before is None or row.blocks is None:
            return False
        is_as_good = before.kind is EvidenceKind.GIT or before.kind in self._better
        return is_as_good and not changed_facets(unpack(row.blocks), blocks, boilerplate, self._counted)


# Pages that got no date → why, with an example, and what would give them one.


class _Why(Enum):
    REJECTED = "their dates cannot be used"
    NOT_ASKED = "git is not among the kinds of --evidence"
    NO_SOURCE = "no source file has their path"
    UNCOMMITTED = "their sources have changes that are not committed"
    UNTRACKED = "git does not know their sources"
    UNKNOWN_SOURCE = "the pages state none, and it is not known what they are generated from"
    NO_EVIDENCE = "neither the pages nor their server state one"


_REMEDIES = {
    _Why.REJECTED: "correct the date on the page",
    _Why.NOT_ASKED: "add git to --evidence",
    _Why.NO_SOURCE: "set --source-dir to the folder that they are generated from, or state `dateModified` on the page",
    _Why.UNCOMMITTED: "commit the sources before the build",
    _Why.UNTRACKED: "add the sources to the repository",
    _Why.UNKNOWN_SOURCE: "set --source-dir to the folder of their sources, or state `dateModified` on the page",
    _Why.NO_EVIDENCE: "state `dateModified` on the page; with --state, later builds date the changes that they observe",
}


class DateGaps:
    """Counts pages without a date by reason; rows of a list have only what the list says."""

    def __init__(self, order: Sequence[EvidenceKind], now: datetime, *, has_sources: bool) -> None:
        self._order, self._now = order, now
        self._has_sources = has_sources
        """whether the pages of a folder are known to be made from other files"""
        self._git: dict[str, GitDates] = {}
        self._found: dict[_Why, tuple[int, str]] = {}

    def add_sources(self, sources: Mapping[str, GitDates]) -> None:
        """What git knows about a folder of sources."""
        self._git.update(sources)
        self._has_sources |= bool(sources)

    def add(self, page: Candidate) -> None:
        if page.blocks is None:
            return
        why, detail = self._why(page)
        count, example = self._found.get(why, (0, f"{page.loc}{detail}"))
        self._found[why] = count + 1, example

    def _why(self, page: Candidate) -> tuple[_Why, str]:
        doubted = [found for each in evidence_of(page) if (found := doubt(each, self._now)) is not None]
        if doubted:
            return _Why.REJECTED, f" ({doubted[0]})"
        if "://" in page.origin:
            return _Why.NO_EVIDENCE, ""
        if not self._has_sources:
            return _Why.UNKNOWN_SOURCE, ""
        if EvidenceKind.GIT not in self._order:
            return _Why.NOT_ASKED, ""
        if page.source is None:
            return _Why.NO_SOURCE, ""
        folder, path = page.source
        git = self._git.get(folder)
        return _Why.UNCOMMITTED if git is not None and path in git.uncommitted else _Why.UNTRACKED, f" ({path})"

    def notes(self) -> Iterator[str]:
        for why, (count, example) in self._found.items():
            pages = f"{count:,} page{'s' if count != 1 else ''}"
            yield f"no date for {pages}, such as {example}: {why.value}; {_REMEDIES[why]}"
