"""A number of URLs and their shape → the set of sitemaps, what it costs, and what search engines accept of it."""

from __future__ import annotations

from math import ceil

import msgspec

from urlset.building.shards import LIMITS
from urlset.checking.shared_urls import PARTS as HASH_PARTS
from urlset.checking.shared_urls import ROWS_AT_ONCE, WORDS
from urlset.execution.plan import PlanStage
from urlset.model.entry import Entry, IndexEntry
from urlset.model.media import Alternate, Image, Media
from urlset.rules.hreflang.across import PARTS as LINK_PARTS
from urlset.settings.plan import PlanSettings
from urlset.spec.protocol import (
    INDEXNOW_MAX_URLS,
    MAX_BYTES,
    MAX_INDEX_FILES_PER_PROPERTY,
)
from urlset.workflows.plan.measured import cost_model
from urlset.workflows.plan.names import index_names, shard_digits
from urlset.writing.index import CLOSING as INDEX_CLOSING
from urlset.writing.index import OPENING as INDEX_OPENING
from urlset.writing.index import child_bytes
from urlset.writing.urlset import CLOSING, entry_bytes, opening

GZIP_SHARE = 0.124
"""of the XML: measured on a million generated URLs of words and numbers; repetitive URLs pack better"""
ENGINES = 2
"""search engines that read the whole set once: Google and Bing"""
HASH_BYTES = 8 * WORDS
"""of parts on disk per URL, while duplicates are looked for"""
INSPECTIONS_A_DAY = 2_000
_GB = 1e9
_DAY = "2026-11-16"


class PlanStep(msgspec.Struct, frozen=True):
    """One command over the whole set."""

    command: str
    tasks: int
    cpu_seconds: float
    hours: float
    """with all workers, if the network is fast enough; the driver of a build reads the sources alone"""
    network_bytes: int
    usd: float
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
    network_bytes: int
    usd: float
    per_file: int
    url_bytes: int
    workers: int
    driver_bytes: int
    worker_bytes: int
    disk_bytes: int
    partitions: int
    index_names: tuple[str, ...]
    robots_lines: tuple[str, ...]
    stages: tuple[PlanStage, ...]
    """every task, in order, and where its result goes"""
    steps: tuple[PlanStep, ...]
    prices: dict[str, float]
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
    steps = _steps(settings, urls, files, packed, partitions)
    models = [cost_model(step.command) for step in steps]
    driver = max(model.driver_bytes(urls, files) for model in models)
    compared = ceil(urls / partitions) * (HASH_BYTES + 32)  # hashes of one task, and its table
    worker = max(*(model.worker_bytes for model in models), size * per_file * 3, compared)
    return SetPlan(
        urls=urls,
        files=files,
        indexes=len(names),
        bytes=total,
        gzip_bytes=packed,
        memory_bytes=driver + worker * settings.workers,
        cpu_seconds=round(sum(step.cpu_seconds for step in steps), 1),
        network_bytes=sum(step.network_bytes for step in steps) + ENGINES * packed,
        usd=round(sum(step.usd for step in steps) + _keeping(settings, packed, files), 4),
        per_file=per_file,
        url_bytes=size,
        workers=settings.workers,
        driver_bytes=driver,
        worker_bytes=worker,
        disk_bytes=packed + urls * HASH_BYTES,
        partitions=partitions,
        index_names=names,
        robots_lines=tuple(f"Sitemap: {_joined(settings.base_url, name)}" for name in names),
        stages=stages_of(files, len(names), partitions),
        steps=steps,
        prices={
            "core_hour": settings.core_hour,
            "stored_gb_month": settings.stored_gb,
            "sent_gb": settings.sent_gb,
            "1000_writes": settings.writes,
            "1000_reads": settings.reads,
        },
        engines=tuple(_engines(urls, len(names))),
        notes=tuple(_notes(settings, urls, files, per_file)),
    )


def stages_of(files: int, indexes: int, partitions: int) -> tuple[PlanStage, ...]:
    return (
        PlanStage(
            "build",
            "urlset.workflows.build.shard_file:write_shard",
            files,
            "sitemap-pages-{n}.xml.gz",
            "out/{n}.xml.gz",
        ),
        PlanStage(
            "index", "urlset.building.render:render_index", indexes, "index {n}", "out/index-{n}.xml", ("build",)
        ),
        PlanStage(
            "check",
            "urlset.workflows.check.task:work",
            files,
            "sitemap-pages-{n}.xml.gz",
            "parts/{n}.result",
            ("index",),
        ),
        PlanStage(
            "duplicates",
            "urlset.checking.shared_urls:shared_rows",
            partitions,
            "partition {n}",
            "parts/duplicates-{n}",
            ("check",),
        ),
        PlanStage(
            "hreflang",
            "urlset.rules.hreflang.across:broken_in",
            LINK_PARTS,
            "partition {n}",
            "parts/hreflang-{n}",
            ("check",),
        ),
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


def _joined(base_url: str, name: str) -> str:
    return f"{base_url.rstrip('/')}/{name}"


def _steps(settings: PlanSettings, urls: int, files: int, packed: int, partitions: int) -> tuple[PlanStep, ...]:
    """Build, write to an object store; read it back, check it with exact duplicates."""
    found = []
    for command, tasks in (("build", files), ("check", files + partitions)):
        model = cost_model(command)
        cpu = model.cpu_seconds(urls, files)
        wall = model.wall_seconds(urls, files, settings.workers)
        requests = settings.writes if command == "build" else settings.reads
        usd = cpu / 3600 * settings.core_hour + files / 1000 * requests
        error = round(100 * model.error, 1)
        found.append(PlanStep(command, tasks, round(cpu, 1), round(wall / 3600, 4), packed, round(usd, 4), error))
    return tuple(found)


def _keeping(settings: PlanSettings, packed: int, files: int) -> float:
    """A month in the object store, and one reading by each search engine."""
    sent = packed / _GB * settings.sent_gb + files / 1000 * settings.reads
    return packed / _GB * settings.stored_gb + ENGINES * sent


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
            "google",
            "does not follow an index listed in an index: name every index in robots.txt or submit each one",
        ),
        EngineNote(
            "bing",
            f"IndexNow takes {INDEXNOW_MAX_URLS:,} URLs per request: {ceil(urls / INDEXNOW_MAX_URLS):,} requests for "
            "all URLs; submit only what changed",
        ),
        EngineNote("all", "a listed URL is a hint: no engine crawls or indexes everything that is listed"),
    ]


def _notes(settings: PlanSettings, urls: int, files: int, per_file: int) -> list[str]:
    notes = [
        f"XML is estimated for URLs of {settings.url_length} characters; gzip_bytes assumes {GZIP_SHARE:.0%} of it",
        "usd covers one build, one check, one month of storage and one reading by two search engines",
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
    return notes
