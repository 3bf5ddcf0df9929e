"""The URLs of a site → sitemaps by language and type whose engine reports can be read, as settings to paste."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

import msgspec

from urlset.auditing.page_kinds import kind_by_address
from urlset.auditing.path_shape import ONE_OF_MANY, path_of_address
from urlset.model.moment import Moment
from urlset.spec.generator_artifacts import LANGUAGE_SEGMENT
from urlset.spec.page_kinds import KIND_SIGNS
from urlset.spec.protocol import MAX_URLS

MOST_SECTIONS = 12
_SMALLEST, _SMALLEST_SHARE = 50, 0.02
_MOST_PARTS = 2_000
_LANGUAGES = 2
_LANGUAGE_SHARE = 0.3
_RECENT = timedelta(days=30)
_NAME = re.compile(r"[^a-z0-9]+")

Part = tuple[str, str]
"""language and type; a type that starts with `kind:` is one of page kinds"""


class PlannedSection(msgspec.Struct, frozen=True):
    name: str
    """empty for the remaining URLs"""
    patterns: tuple[str, ...]
    urls: int
    files: int
    changed: float | None = None
    """share of its dated URLs that changed in the 30 days before the newest date; None without dates"""
    depth: float = 0.0
    """folders above its pages, on average: pages near the home page are usually the important ones"""


class SectionPlan(msgspec.Struct, frozen=True):
    urls: int
    sections: tuple[PlannedSection, ...]

    def settings(self) -> str:
        """For urlset.toml."""
        rows = [f"{each.name}={pattern}" for each in self.sections if each.name for pattern in each.patterns]
        listed = "".join(f"    {msgspec.json.encode(row).decode()},\n" for row in rows)
        return f"[build]\nsections = [\n{listed}]\n"


class _Part:
    __slots__ = ("dated", "days", "depth", "urls")

    def __init__(self) -> None:
        self.urls = self.dated = self.depth = 0
        self.days: Counter[int] = Counter()


def plan_sections(entries: Iterable[tuple[str, str | None]]) -> SectionPlan:
    """`entries` are URL and lastmod."""
    parts: defaultdict[Part, _Part] = defaultdict(_Part)
    days: dict[str, int | None] = {}
    for url, lastmod in entries:
        key = _part_of(url)
        part = parts[key if key in parts or len(parts) < _MOST_PARTS else ("", "")]
        part.urls += 1
        part.depth += path_of_address(url).strip("/").count("/")
        if lastmod:
            if lastmod not in days and len(days) < 10 * _MOST_PARTS:
                days[lastmod] = _day(lastmod)
            day = days.get(lastmod)
            if day is not None:
                part.dated += 1
                part.days[day] += 1
    return _planned(_merged_languages(parts))


def _part_of(url: str) -> Part:
    kind = kind_by_address(url)
    folders = [folder for folder in path_of_address(url).rstrip("/").split("/")[1:-1] if folder]
    language = ""
    if folders and LANGUAGE_SEGMENT.fullmatch(folders[0]):
        language, folders = folders[0], folders[1:]
    if kind is not None:
        return language, f"kind:{kind.kind}"
    return language, folders[0] if folders and not ONE_OF_MANY.fullmatch(folders[0]) else ""


def _merged_languages(parts: dict[Part, _Part]) -> dict[Part, _Part]:
    """Two-letter folders are languages if there are several and they hold much of the site; otherwise types."""
    total = sum(part.urls for part in parts.values())
    spoken: Counter[str] = Counter()
    for (language, _), part in parts.items():
        spoken[language] += part.urls
    named = [language for language in spoken if language]
    if len(named) >= _LANGUAGES and sum(spoken[each] for each in named) >= _LANGUAGE_SHARE * total:
        return parts
    merged: defaultdict[Part, _Part] = defaultdict(_Part)
    for (language, kind), part in parts.items():
        _add(merged["", kind if kind.startswith("kind:") or not language else language], part)
    return merged


def _planned(parts: dict[Part, _Part]) -> SectionPlan:
    total = sum(part.urls for part in parts.values())
    least = max(_SMALLEST, _SMALLEST_SHARE * total)
    kept = {key: part for key, part in parts.items() if part.urls >= least and key[1]}
    left: defaultdict[str, _Part] = defaultdict(_Part)
    for (language, kind), part in parts.items():
        if (language, kind) not in kept:
            _add(left[language], part)
    for language, part in left.items():
        if language and part.urls >= least:
            kept[language, ""] = part
    largest = sorted(kept, key=lambda key: (-kept[key].urls, key))[: MOST_SECTIONS - 1]
    rest = _Part()
    for language, part in left.items():
        if (language, "") not in largest:
            _add(rest, part)
    for key, part in kept.items():
        if key not in largest and key[1]:
            _add(rest, part)
    newest = max((day for part in parts.values() for day in part.days), default=None)
    # the order is that in which patterns are tried: kinds, then folders in a language, then whole languages
    order = sorted(largest, key=lambda key: (not key[1].startswith("kind:"), not key[1], -kept[key].urls, key))
    sections = [_section(_name(key), _patterns(key), kept[key], newest) for key in order]
    if rest.urls:
        sections.append(_section("", (), rest, newest))
    return SectionPlan(total, tuple(sections))


def _add(whole: _Part, part: _Part) -> None:
    whole.urls += part.urls
    whole.dated += part.dated
    whole.depth += part.depth
    whole.days += part.days


def _section(name: str, patterns: tuple[str, ...], part: _Part, newest: int | None) -> PlannedSection:
    recent = sum(count for day, count in part.days.items() if newest is not None and day > newest - _RECENT.days)
    return PlannedSection(
        name=name,
        patterns=patterns,
        urls=part.urls,
        files=-(-part.urls // MAX_URLS),
        changed=round(recent / part.dated, 3) if part.dated else None,
        depth=round(part.depth / part.urls, 1),
    )


def _patterns(key: Part) -> tuple[str, ...]:
    language, kind = key
    if kind.startswith("kind:"):
        name = kind.removeprefix("kind:")
        here = f"(?=https?://[^/]+/{re.escape(language)}/)" if language else ""
        return tuple(f"re:{here}{each.pattern}" for each in KIND_SIGNS if each.kind == name)
    return (f"/{'/'.join(part for part in key if part)}/*",)


def _name(key: Part) -> str:
    language, kind = key
    said = f"{language}-{kind.removeprefix('kind:')}s" if kind.startswith("kind:") else f"{language}-{kind}"
    return _NAME.sub("-", said.lower()).strip("-")[:40].strip("-")


def _day(lastmod: str) -> int | None:
    covered = Moment.parse(lastmod).interval()
    return None if covered is None else _ordinal(covered[0])


def _ordinal(moment: datetime) -> int:
    return moment.date().toordinal()
