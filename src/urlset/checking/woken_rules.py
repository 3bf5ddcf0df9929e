"""The signals of an entry → the rules that run on it and on its media."""

from __future__ import annotations

import re
from collections.abc import Sequence

from urlset.checking.declare import AnyRule
from urlset.checking.subjects import Child, ImageItem, LinkSet, ListedPage, NewsItem, Sitemap, VideoItem
from urlset.model.document import Kind
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

EVERYTHING = (1 << 64) - 1
MEDIA = (ImageItem, VideoItem, NewsItem, LinkSet)

_TAGS: dict[type[object], re.Pattern[bytes]] = {
    kind: lazy_pattern(rb"(?i)[<:]" + name + rb"[\s/>]")
    for kind, name in ((ImageItem, b"image"), (VideoItem, b"video"), (NewsItem, b"news"))
}


class RulesBySignal(dict[int, list[tuple[type[object], list[AnyRule]]]]):
    """Signals → the rules that wait for one of them, by kind of subject; a file has few different signal sets."""

    def __init__(self, rules: dict[type[object], list[AnyRule]]) -> None:
        super().__init__()
        self._rules = rules
        self.mask = 0
        """all signals that any rule waits for"""
        for kind, wanted in rules.items():
            for rule in wanted:
                self.mask |= _when(rule, kind)

    def __missing__(self, signals: int) -> list[tuple[type[object], list[AnyRule]]]:
        found = self[signals] = []
        for kind, waiting in self._rules.items():
            wanted = [rule for rule in waiting if _when(rule, kind) & signals or _when(rule, kind) == EVERYTHING]
            if wanted:
                found.append((kind, wanted))
        return found


def _when(rule: AnyRule, kind: type[object]) -> int:
    """A rule without signals checks all entries; a rule on media checks all entries that can have some."""
    if rule.when is not None:
        return rule.when
    return Signal.EXTENDED if kind in MEDIA else EVERYTHING


class SubjectsOfRow:
    """One entry as rules see it, created when the first of them looks."""

    __slots__ = ("_listed", "row", "sitemap")

    def __init__(self, sitemap: Sitemap, row: int) -> None:
        self.sitemap = sitemap
        self.row = row
        self._listed: ListedPage | Child | None = None

    def may_have(self, kind: type[object]) -> bool:
        """False if no tag of the entry is of that kind."""
        columns, row = self.sitemap.columns, self.row
        tag = _TAGS.get(kind)
        if tag is None or row in columns.edits:
            return True
        return tag.search(self.sitemap.data, columns.starts[row], columns.ends[row]) is not None

    def of(self, kind: type[object]) -> Sequence[object]:
        listed = self._listed
        if listed is None:
            row_class = Child if self.sitemap.kind is Kind.SITEMAPINDEX else ListedPage
            listed = self._listed = row_class(self.sitemap, self.row)
        if kind not in MEDIA or not isinstance(listed, ListedPage):
            return (listed,)
        if kind is ImageItem:
            return listed.images
        if kind is VideoItem:
            return listed.videos
        if kind is NewsItem:
            return listed.news
        return [listed.links] if listed.links.elements else []
