"""The signals of an entry → the rules that run on it and on its media."""

from __future__ import annotations

from collections.abc import Sequence

from urlset.checking.declare import AnyRule
from urlset.checking.subjects import AnyRow, ImageItem, LinkSet, ListedPage, NewsItem, VideoItem
from urlset.spec.signals import Signal

EVERYTHING = (1 << 64) - 1
MEDIA = (ImageItem, VideoItem, NewsItem, LinkSet)


class WokenRules(dict[int, tuple[tuple[type[object], list[AnyRule]], ...]]):
    """Signals → the rules that wait for one of them, by kind of subject; a file has few different signal sets."""

    def __init__(self, rules: dict[type[object], list[AnyRule]]) -> None:
        super().__init__()
        self._rules = rules
        self.mask = 0
        """all signals that any rule waits for"""
        self.counting = [rule for wanted in rules.values() for rule in wanted if rule.count is not None]
        self._without: dict[frozenset[str], WokenRules] = {}
        for kind, wanted in rules.items():
            for rule in wanted:
                self.mask |= _when(rule, kind)

    def without(self, codes: frozenset[str]) -> WokenRules:
        """The other rules."""
        if codes not in self._without:
            others = {kind: [rule for rule in wanted if rule.code not in codes] for kind, wanted in self._rules.items()}
            self._without[codes] = WokenRules(others)
        return self._without[codes]

    def __missing__(self, signals: int) -> tuple[tuple[type[object], list[AnyRule]], ...]:
        woken = {
            kind: [rule for rule in wanted if _when(rule, kind) & signals or _when(rule, kind) == EVERYTHING]
            for kind, wanted in self._rules.items()
        }
        found = self[signals] = tuple((kind, wanted) for kind, wanted in woken.items() if wanted)
        return found


def _when(rule: AnyRule, kind: type[object]) -> int:
    """A rule without signals checks all entries; a rule on media checks all entries that can have some."""
    if rule.when is not None:
        return rule.when
    return Signal.EXTENDED if kind in MEDIA else EVERYTHING


def media_of(listed: AnyRow, kind: type[object]) -> Sequence[object]:
    if not isinstance(listed, ListedPage):
        return ()
    if kind is ImageItem:
        return listed.images
    if kind is VideoItem:
        return listed.videos
    if kind is NewsItem:
        return listed.news
    return [listed.links] if listed.links.elements else []
