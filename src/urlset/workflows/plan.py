"""A number of URLs and their shape → files, CPU, memory, disk, and what search engines accept of the set.

Sizes are those of entries as `urlset build` writes them. CPU and memory come from a linear model of measured runs,
whose largest error is part of the result; docs/scale.md describes the runs.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import timedelta
from math import ceil
from typing import NamedTuple

import msgspec

from urlset.auditing.page_kinds import kind_by_address
from urlset.auditing.sections import ONE_OF_MANY, path_of_address
from urlset.building.shards import LIMITS, index_name
from urlset.checking.shared_urls import PARTS as HASH_PARTS
from urlset.checking.shared_urls import ROWS_AT_ONCE, WORDS
from urlset.model.entry import Alternate, Entry, Image, IndexEntry, Media
from urlset.model.moment import Moment
from urlset.settings.plan import PlanSettings
from urlset.spec.generator_artifacts import LANGUAGE_SEGMENT
from urlset.spec.page_kinds import KIND_SIGNS
from urlset.spec.protocol import INDEXNOW_MAX_URLS, MAX_BYTES, MAX_INDEX_ENTRIES, MAX_INDEX_FILES_PER_PROPERTY, MAX_URLS
from urlset.writing.urlset import CLOSING, INDEX_CLOSING, INDEX_OPENING, child_bytes, entry_bytes, opening

GZIP_SHARE = 0.124
"""of the XML: measured on a million generated URLs of words and numbers; repetitive URLs pack better"""
HASH_BYTES = 8 * WORDS
"""of parts on disk per URL, while duplicates are looked for"""
INSPECTIONS_A_DAY = 2_000
_DAY = "2026-11-16"


class PlanStep(msgspec.Struct, frozen=True):
    """One command over the whole set."""

    command: str
    tasks: int
    cpu_seconds: float
    hours: float
    """with all workers, if the network is fast enough; the driver of a build reads the sources alone"""
    error_percent: float
    """largest error of the cost model over measured runs"""


class EngineNote(msgspec.Struct, frozen=True):
    engine: str
    text: str


class SetPlan(msgspec.Struct, frozen=True):
    urls: int
    files: int
    indexes: int
    bytes: int
    gzip_bytes: int
    memory_bytes: int
    cpu_seconds: float
    per_file: int
    url_bytes: int
    workers: int
    driver_bytes: int
    worker_bytes: int
    disk_bytes: int
    partitions: int
    index_names: tuple[str, ...]
    robots_lines: tuple[str, ...]
    steps: tuple[PlanStep, ...]
    engines: tuple[EngineNote, ...]
    notes: tuple[str, ...]


def plan(settings: PlanSettings) -> SetPlan:
    urls = settings.count
    size = url_bytes(settings)
    frame = len(opening(("xhtml", "image"))) + len(CLOSING)
    per_file = max(1, min(settings.per_file, (MAX_BYTES - frame) // size))
    files = ceil(urls / per_file)
    names = index_names(files)
    total = urls * size + files * frame + index_bytes(files, settings.base_url)
    packed = round(total * GZIP_SHARE)
    partitions = max(1, min(HASH_PARTS, ceil(urls / ROWS_AT_ONCE)))
    found = []
    for command, tasks in (("build", files), ("check", files + partitions)):
        model = COSTS[command]
        cpu = on_line(model.cpu_seconds, urls, files)
        wall = model.wall_seconds(urls, files, settings.workers)
        found.append(PlanStep(command, tasks, round(cpu, 1), round(wall / 3600, 4), model.error_percent))
    steps = tuple(found)
    driver = max(round(on_line(model.driver_bytes, urls, files)) for model in COSTS.values())
    compared = ceil(urls / partitions) * (HASH_BYTES + 32)  # hashes of one task, and its table
    worker = max(*(model.worker_bytes for model in COSTS.values()), size * per_file * 3, compared)
    notes = [
        f"XML is estimated for URLs of {settings.url_length} characters; gzip_bytes assumes {GZIP_SHARE:.0%} of it"
    ]
    if per_file < settings.per_file:
        notes.append(f"{per_file:,} URLs per file: more would exceed {MAX_BYTES:,} bytes")
    elif per_file > LIMITS.fill_entries and files > 1:
        more = ceil(urls / LIMITS.fill_entries)
        notes.append(
            f"`urlset build` leaves room for growth: it fills new files to {LIMITS.fill_entries:,} URLs, "
            f"which makes {more:,} files (plan with --per-file {LIMITS.fill_entries})"
        )
    if files == 1:
        notes.append("one file needs no index; `urlset build` writes none")
    return SetPlan(
        urls=urls,
        files=files,
        indexes=len(names),
        bytes=total,
        gzip_bytes=packed,
        memory_bytes=driver + worker * settings.workers,
        cpu_seconds=round(sum(step.cpu_seconds for step in steps), 1),
        per_file=per_file,
        url_bytes=size,
        workers=settings.workers,
        driver_bytes=driver,
        worker_bytes=worker,
        disk_bytes=packed + urls * HASH_BYTES,
        partitions=partitions,
        index_names=names,
        robots_lines=tuple(f"Sitemap: {_joined(settings.base_url, name)}" for name in names),
        steps=steps,
        engines=tuple(_engines(urls, len(names))),
        notes=tuple(notes),
    )


def url_bytes(settings: PlanSettings) -> int:
    """Of one entry with a date, written as `urlset build` writes it."""
    loc = "https://www.example.com/".ljust(settings.url_length, "x")[: max(settings.url_length, 10)]
    links = tuple(Alternate(hreflang="en-GB", href=loc) for _ in range(settings.languages))
    images = tuple(Image(loc=loc) for _ in range(settings.images))
    return len(entry_bytes(Entry(loc, _DAY, media=Media(images=images, alternates=links))))


def index_bytes(files: int, base_url: str) -> int:
    """Of all indexes: names differ only in the number of their digits."""
    child = len(child_bytes(IndexEntry(_joined(base_url, "sitemap-pages-.xml.gz"), _DAY)))
    frame = len(INDEX_OPENING) + len(INDEX_CLOSING)
    return files * child + shard_digits(files) + frame * len(index_names(files))


def index_names(files: int) -> tuple[str, ...]:
    """One index lists at most 50,000 files; further ones are next to it, never in it."""
    return tuple(index_name(number) for number in range(1, -(-files // MAX_INDEX_ENTRIES) + 1))


def shard_digits(files: int) -> int:
    """Digits of all numbers from 1 to `files`."""
    total, low, digits = 0, 1, 1
    while low <= files:
        total += (min(files, 10 * low - 1) - low + 1) * digits
        low, digits = 10 * low, digits + 1
    return total


def _joined(base_url: str, name: str) -> str:
    return f"{base_url.rstrip('/')}/{name}"


def _engines(urls: int, indexes: int) -> list[EngineNote]:
    properties = ceil(indexes / MAX_INDEX_FILES_PER_PROPERTY)
    days = ceil(urls / INSPECTIONS_A_DAY)
    return [
        EngineNote(
            "google",
            f"accepts {MAX_INDEX_FILES_PER_PROPERTY} sitemap indexes per Search Console property: "
            f"{indexes:,} {'index needs' if indexes == 1 else 'indexes need'} {properties:,} "
            f"{'property' if properties == 1 else 'properties'}",
        ),
        EngineNote(
            "google",
            f"inspects {INSPECTIONS_A_DAY:,} URLs per day and property: all of them would take {days:,} days in one "
            "property, so use a sample (`urlset engines index`)",
        ),
        EngineNote(
            "google", "does not follow an index listed in an index: name every index in robots.txt or submit each one"
        ),
        EngineNote(
            "bing",
            f"IndexNow takes {INDEXNOW_MAX_URLS:,} URLs per request: {ceil(urls / INDEXNOW_MAX_URLS):,} requests for "
            "all URLs; submit only what changed",
        ),
        EngineNote("all", "a listed URL is a hint: no engine crawls or indexes everything that is listed"),
    ]


Line = tuple[float, float, float]
"""start, per file, per URL"""


class CostModel(NamedTuple):
    """Of one command over a whole set."""

    cpu_seconds: Line
    error_percent: float
    """largest error over all measured runs, one of which the model was not fitted to"""
    driver_bytes: Line
    worker_bytes: int
    driver_seconds: Line
    """CPU of the process that hands out the tasks: more workers do not shorten it"""

    def wall_seconds(self, urls: int, files: int, workers: int) -> float:
        """With a core for the driver and each worker: the busiest of them decides."""
        cpu = on_line(self.cpu_seconds, urls, files)
        driver = min(cpu, on_line(self.driver_seconds, urls, files))
        return max(driver, (cpu - driver) / workers)


COSTS = {
    "build": CostModel(
        cpu_seconds=(1.7658023434989587, 0.0, 5.142419673684149e-06),
        error_percent=13.7,
        driver_bytes=(118578797.60664186, 0.0, 2.40397949900055),
        worker_bytes=138_481_664,
        driver_seconds=(1.0488183785948, 0.0, 2.8555416732057645e-06),
    ),
    "check": CostModel(
        cpu_seconds=(1.2970961009951798, 0.008225158756511815, 1.7686545518383154e-06),
        error_percent=15.0,
        driver_bytes=(60292016.24152183, 0.0, 0.8464004866579877),
        worker_bytes=264_953_856,
        driver_seconds=(0.9168562465592083, 0.0023644813459842364, 1.2462211322250754e-07),
    ),
}
"""Least squares of relative errors over runs of `python -m bench.large`, which tests/workflows/test_plan.py lists."""


def on_line(line: Line, urls: int, files: int) -> float:
    start, per_file, per_url = line
    return start + per_file * files + per_url * urls


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
                covered = Moment.parse(lastmod).interval()
                days[lastmod] = None if covered is None else covered[0].date().toordinal()
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
    order = sorted(
        largest,
        key=lambda key: (not key[1].startswith("kind:"), not key[1], -key[1].count("/"), -kept[key].urls, key),
    )
    sections = [_section(_name(key), _patterns(key, kept[key]), kept[key], newest) for key in order]
    if rest.urls:
        sections.append(_section("", (), rest, newest))
    return SectionPlan(total, tuple(sections))


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
