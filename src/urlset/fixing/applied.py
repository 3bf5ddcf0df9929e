"""The fixes of all passes → the report of each, computed on demand."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, overload

from urlset.findings.fix_result import Applied, Change
from urlset.fixing.fixes import Fixes
from urlset.fixing.patchwork import Patchwork
from urlset.model.document import Document

_SHOWN = 160
_EDITS_SHOWN = 8


class FixPass(NamedTuple):
    """The fixes of one pass, with its document and its relation to the original."""

    fixes: Fixes
    document: Document
    patchwork: Patchwork


class AppliedLog(Sequence[Applied]):
    """One item per fix, in order of application. Few of a million fixes are ever read."""

    def __init__(self, original: Document, passes: Sequence[FixPass]) -> None:
        self._original = original
        self._passes = passes
        self._stops = list(accumulate(len(each.fixes) for each in passes))

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    @overload
    def __getitem__(self, at: int) -> Applied: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Applied, ...]: ...
    def __getitem__(self, at: int | slice) -> Applied | tuple[Applied, ...]:
        if isinstance(at, slice):
            return tuple(self[each] for each in range(*at.indices(len(self))))
        number = range(len(self))[at]
        which = bisect_right(self._stops, number)
        return self._made(self._passes[which], number - (self._stops[which - 1] if which else 0))

    def __iter__(self) -> Iterator[Applied]:
        return (self._made(each, number) for each in self._passes for number in range(len(each.fixes)))

    def changes(self, shown: int) -> list[Change]:
        """By rule and title, ordered by first fix, with the first few of each."""
        counts: Counter[tuple[str, str, str]] = Counter()
        examples: dict[tuple[str, str, str], list[Applied]] = {}
        for each in self._passes:
            keys = [(title.rule.code, title.rule.name, title.text) for title in each.fixes.titles]
            added: Counter[tuple[str, str, str]] = Counter()
            for title, count in Counter(each.fixes.title_numbers).items():
                added[keys[title]] += count
            counts.update(added)
            missing = sum(min(count, shown - len(examples.setdefault(key, []))) for key, count in added.items())
            for number, title in enumerate(each.fixes.title_numbers if missing else ()):
                here = examples[keys[title]]
                if len(here) < shown:
                    here.append(self._made(each, number))
                    missing -= 1
                    if not missing:
                        break
        return [Change(*key, count, tuple(examples[key])) for key, count in counts.items()]

    def _made(self, each: FixPass, number: int) -> Applied:
        fixes, data = each.fixes, each.document.data
        title = fixes.title(number)
        at = self._original.lines.at(each.patchwork.origin(fixes.offsets[number]))
        edits = [fixes.edits[edit] for edit in fixes.span(number)[:_EDITS_SHOWN]]
        return Applied(
            code=title.rule.code,
            name=title.rule.name,
            title=title.text,
            safety=title.safety,
            line=at.line,
            column=at.column,
            before=_shown(edit.place.cut(data) for edit in edits if edit.place.length),
            after=_shown(edit.text for edit in edits if edit.text),
            subject=_subject(each, number),
        )


def _subject(each: FixPass, number: int) -> str | None:
    row = each.fixes.rows[number]
    given = each.fixes.subjects.get(number)
    if given is not None or row < 0:
        return given
    return (each.document.columns.locs[row] or "").strip() or None


def _shown(pieces: Iterable[bytes]) -> str:
    return " … ".join([piece[: _SHOWN * 4].decode("utf-8", "replace") for piece in pieces])[:_SHOWN]
