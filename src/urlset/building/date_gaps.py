"""Pages that got no date → why, with an example, and what would give them one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum

from urlset.building.candidate import Candidate, EvidenceKind
from urlset.building.evidence import doubt, evidence_of
from urlset.building.git_evidence import GitDates


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
