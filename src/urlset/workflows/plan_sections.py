"""The URLs of a site → sitemaps by language, type and update frequency, whose engine reports can be read, as settings.

Sections are patterns of URLs, and a page stays in its section. A part of a type that changes much more often, or
less often, than the rest of it has its own. Types that are too small for a section share one with others that
change about as often.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import msgspec

from urlset.auditing.page_kinds import kind_by_address
from urlset.auditing.sections import ONE_OF_MANY, path_of_address
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

_FEWEST_DATED, _FEWEST_CHANGES = 20, 5
"""pages, and observed changes, from which on a frequency can be estimated"""
_APART = 8.0
"""times as often: a part of a type is then apart"""
_PATTERNS = 20
"""of types that share a section"""
FREQUENCIES = ((2.0, "daily"), (14.0, "weekly"), (60.0, "monthly"), (float("inf"), "rarely"))
"""days between two changes of a page, up to which it is called so"""

Part = tuple[str, str]
"""language and type; a type that starts with `kind:` is one of page kinds, with `often:` it is several types"""
Change = tuple[str, bool, float]
"""a URL in two snapshots: whether it changed, and the days between them"""


class PlannedSection(msgspec.Struct, frozen=True):
    name: str
    """empty for the remaining URLs"""
    patterns: tuple[str, ...]
    urls: int
    files: int
    changed: float | None = None
    """share of its dated URLs that changed in the 30 days before the newest date; None without dates"""
    interval: float | None = None
    """days between two changes of a page, estimated; None where dates and snapshots do not tell"""
    depth: float = 0.0
    """folders above its pages, on average: pages near the home page are usually the important ones"""

    @property
    def frequency(self) -> str | None:
        return None if self.interval is None else frequency_of(self.interval)


class SectionPlan(msgspec.Struct, frozen=True):
    urls: int
    sections: tuple[PlannedSection, ...]
    snapshots: bool = False
    """frequencies are those seen in snapshots, where they are enough; otherwise they are estimated from lastmod"""

    def settings(self) -> str:
        """For urlset.toml."""
        rows = [f"{each.name}={pattern}" for each in self.sections if each.name for pattern in each.patterns]
        listed = "".join(f"    {msgspec.json.encode(row).decode()},\n" for row in rows)
        return f"[build]\nsections = [\n{listed}]\n"


class _Part:
    __slots__ = ("changes", "dated", "days", "depth", "names", "page_days", "urls")

    def __init__(self) -> None:
        self.urls = self.dated = self.depth = 0
        self.days: Counter[int] = Counter()
        self.changes, self.page_days = 0, 0.0
        """seen in snapshots"""
        self.names: list[Part] = []
        """the types in it, where there are several"""

    def interval(self, newest: int | None) -> float | None:
        """Where changes come by chance, the mean time since the last one is that between two."""
        if self.changes >= _FEWEST_CHANGES:
            return max(self.page_days / self.changes, 0.1)
        if newest is None or self.dated < _FEWEST_DATED:
            return None
        return max(sum((newest - day) * count for day, count in self.days.items()) / self.dated, 0.5)


def plan_sections(entries: Iterable[tuple[str, str | None]], changes: Iterable[Change] = ()) -> SectionPlan:
    """`entries` are URL and lastmod; `changes` is what snapshots know."""
    parts: defaultdict[tuple[str, str, str], _Part] = defaultdict(_Part)
    days: dict[str, int | None] = {}
    for url, lastmod in entries:
        part = parts[_known(_part_of(url), parts)]
        part.urls += 1
        part.depth += path_of_address(url).strip("/").count("/")
        if lastmod:
            if lastmod not in days and len(days) < 10 * _MOST_PARTS:
                days[lastmod] = _day(lastmod)
            day = days.get(lastmod)
            if day is not None:
                part.dated += 1
                part.days[day] += 1
    seen = False
    for url, changed, passed in changes:
        if (part_seen := parts.get(_part_of(url))) is not None:
            part_seen.changes += changed
            part_seen.page_days += passed
            seen = True
    dated = {day for part in parts.values() for day in part.days}
    newest = max(dated) if len(dated) > 1 else None  # one date for all pages is that of the build
    plan = _planned(_merged_languages(_by_frequency(parts, newest)), newest)
    return msgspec.structs.replace(plan, snapshots=seen)


def frequency_of(interval: float) -> str:
    return next(name for most, name in FREQUENCIES if interval <= most)


def _known(key: tuple[str, str, str], parts: Mapping[tuple[str, str, str], _Part]) -> tuple[str, str, str]:
    """Itself, or something rougher where there are too many."""
    if key in parts or len(parts) < _MOST_PARTS:
        return key
    rough = (*key[:2], "")
    return rough if rough in parts or len(parts) < 2 * _MOST_PARTS else ("", "", "")


def _by_frequency(parts: Mapping[tuple[str, str, str], _Part], newest: int | None) -> dict[Part, _Part]:
    """Each type as a whole, and its folders apart that change much more or less often than the rest of it."""
    total = sum(part.urls for part in parts.values())
    types: defaultdict[Part, dict[str, _Part]] = defaultdict(dict)
    for (language, kind, folder), part in parts.items():
        types[language, kind][folder] = part
    found: defaultdict[Part, _Part] = defaultdict(_Part)
    for (language, kind), folders in types.items():
        for folder, part in folders.items():
            own = folder and part.urls >= _least(total) and _is_apart(folder, folders, newest)
            _add(found[language, f"{kind}/{folder}" if own else kind], part)
    return found


def _is_apart(folder: str, folders: Mapping[str, _Part], newest: int | None) -> bool:
    others = _Part()
    for name, part in folders.items():
        if name != folder:
            _add(others, part)
    one, other = folders[folder].interval(newest), others.interval(newest)
    return one is not None and other is not None and max(one, other) >= _APART * min(one, other)


def _least(total: int) -> float:
    """URLs that make a section."""
    return max(_SMALLEST, _SMALLEST_SHARE * total)


def _part_of(url: str) -> tuple[str, str, str]:
    """Language, type, and the folder below."""
    kind = kind_by_address(url)
    folders = [folder for folder in path_of_address(url).rstrip("/").split("/")[1:-1] if folder]
    language = ""
    if folders and LANGUAGE_SEGMENT.fullmatch(folders[0]):
        language, folders = folders[0], folders[1:]
    if kind is not None:
        return language, f"kind:{kind.kind}", ""
    first, second, *_ = (*("" if ONE_OF_MANY.fullmatch(folder) else folder for folder in folders[:2]), "", "")
    return language, first, second if first else ""


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


def _planned(parts: dict[Part, _Part], newest: int | None) -> SectionPlan:
    total = sum(part.urls for part in parts.values())
    least = _least(total)
    kept = {key: part for key, part in parts.items() if part.urls >= least and key[1]}
    left = {key: part for key, part in parts.items() if key not in kept}
    by_language: defaultdict[str, _Part] = defaultdict(_Part)
    for (language, _), part in left.items():
        _add(by_language[language], part)
    for language, part in by_language.items():
        if language and part.urls >= least:
            kept[language, ""] = part
            left = {key: each for key, each in left.items() if key[0] != language}
    for key, part in _small_together(left, newest).items():
        if part.urls >= least:
            kept[key] = part
            left = {each: small for each, small in left.items() if each not in part.names}
    largest = sorted(kept, key=lambda key: (-kept[key].urls, key))[: MOST_SECTIONS - 1]
    rest = _Part()
    for part in (*left.values(), *(part for key, part in kept.items() if key not in largest)):
        _add(rest, part)
    # the order is that in which patterns are tried: kinds, deeper folders, folders in a language, whole languages
    order = sorted(largest, key=lambda key: (*_turn(key[1]), -kept[key].urls, key))
    sections = [_section(_name(key), _patterns(key, kept[key]), kept[key], newest) for key in order]
    if rest.urls:
        sections.append(_section("", (), rest, newest))
    return SectionPlan(total, tuple(sections))


def _turn(kind: str) -> tuple[bool, bool, int]:
    return not kind.startswith("kind:"), not kind, -kind.count("/")


def _small_together(left: Mapping[Part, _Part], newest: int | None) -> dict[Part, _Part]:
    """Types too small for a section by how often their pages change, as far as patterns can name them."""
    found: defaultdict[Part, _Part] = defaultdict(_Part)
    for key, part in sorted(left.items(), key=lambda each: (-each[1].urls, each[0])):
        interval = part.interval(newest)
        if interval is None or not key[1] or key[1].startswith("kind:"):
            continue
        together = found["", f"often:{frequency_of(interval)}"]
        if len(together.names) < _PATTERNS:
            together.names.append(key)
            _add(together, part)
    return found


def _add(whole: _Part, part: _Part) -> None:
    whole.urls += part.urls
    whole.dated += part.dated
    whole.depth += part.depth
    whole.days += part.days
    whole.changes += part.changes
    whole.page_days += part.page_days


def _section(name: str, patterns: tuple[str, ...], part: _Part, newest: int | None) -> PlannedSection:
    interval = part.interval(newest)
    recent = sum(count for day, count in part.days.items() if newest is not None and day > newest - _RECENT.days)
    return PlannedSection(
        name=name,
        patterns=patterns,
        urls=part.urls,
        files=-(-part.urls // MAX_URLS),
        changed=round(recent / part.dated, 3) if part.dated else None,
        interval=round(interval, 1) if interval is not None else None,
        depth=round(part.depth / part.urls, 1),
    )


def _patterns(key: Part, part: _Part) -> tuple[str, ...]:
    language, kind = key
    if kind.startswith("often:"):
        return tuple(f"/{'/'.join(filter(None, name))}/*" for name in part.names)
    if kind.startswith("kind:"):
        name = kind.removeprefix("kind:")
        here = f"(?=https?://[^/]+/{re.escape(language)}/)" if language else ""
        return tuple(f"re:{here}{each.pattern}" for each in KIND_SIGNS if each.kind == name)
    return (f"/{'/'.join(part for part in key if part)}/*",)


def _name(key: Part) -> str:
    language, kind = key
    kind = kind.removeprefix("often:")
    said = f"{language}-{kind.removeprefix('kind:')}s" if kind.startswith("kind:") else f"{language}-{kind}"
    return _NAME.sub("-", said.lower()).strip("-")[:40].strip("-")


def _day(lastmod: str) -> int | None:
    covered = Moment.parse(lastmod).interval()
    return None if covered is None else _ordinal(covered[0])


def _ordinal(moment: datetime) -> int:
    return moment.date().toordinal()
