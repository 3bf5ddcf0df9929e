"""A seed → some builds in a row, by compiled code and by its twin in Python, and what must be the same of both."""

from __future__ import annotations

import codecs
import gzip
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import unescape

import pytest

from urlset.building import known_pages, pages, shards
from urlset.building.guard import Guard
from urlset.building.ledger import BuildRow, Ledger
from urlset.building.manifest import load
from urlset.building.shards import ShardLimits
from urlset.building.sources import lists
from urlset.building.staging import rollback
from urlset.settings.build import BuildSettings
from urlset.workflows.build import build as build_module
from urlset.workflows.build.build import build
from urlset.workflows.build.result import LEDGER, BuildReport

BASE = "https://www.example.com/"
HEAD = BASE[:-1]
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
SMALL = ShardLimits(fill_entries=4, fill_bytes=4000, most_entries=6, most_bytes=6000)

PLAIN = [f"{HEAD}/p/{number}" for number in range(12)]
MANY = [*PLAIN, *(f"{HEAD}/r/{number}" for number in range(30))]
ODD = [f"{HEAD}/q?x={number}&y" for number in range(3)]
LEFT_OUT = [
    f"{HEAD}/page/2",
    f"{HEAD}/a.png",
    "https://elsewhere.example/",
    "not an address",
    f"{HEAD}/p/1?utm_source=x",
]
SPELLED = ["https://WWW.example.com/p/1", "https://www.example.com:443/p/2", f"{HEAD}/p/%33", "/p/4", f"{HEAD}/p/5#x"]
DATES = [None, "2026-01-01", "2026-02-02T10:00:00Z", "2025-03-03T10:00:00+02:00", "2026-02-29", "2030-01-01", "soon"]
BROKEN = ["", "{", "[1]", "7", '{"loc": 1}', '{"loc": "' + HEAD + '/p/1", "lastmod": "2026-01-01"', "\ufffd", "null"]
_ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16")
_FORCED = tuple(set(Guard) - {Guard.INCOMPLETE})


@contextmanager
def small_files() -> Iterator[None]:
    """Files of a handful of entries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "LIMITS", SMALL)
        yield


def row_of(loc: str, lastmod: str | None, extra: bool = False) -> dict[str, Any]:
    row: dict[str, Any] = {"loc": loc}
    if lastmod is not None:
        row["lastmod"] = lastmod
    if extra:
        row["images"] = [f"{HEAD}/i.png"]
    return row


def lines_of(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def run_source(
    folder: Path,
    source: bytes,
    *,
    compiled: bool,
    name: str = "rows.jsonl",
    more: tuple[bytes, ...] = (),
    base_url: str = BASE,
    now: datetime = NOW,
    **settings: Any,
) -> BuildReport:
    """A build of one source, or of `more` that follow it."""
    folder.mkdir(exist_ok=True, parents=True)
    paths = [folder / name, *(folder / f"more-{number}.jsonl" for number in range(len(more)))]
    for path, data in zip(paths, (source, *more), strict=True):
        path.write_bytes(data)
    options = BuildSettings(
        sources=tuple(map(str, paths)),
        base_url=base_url,
        out=folder / "out",
        state=folder / "state",
        force=_FORCED,
        now=now,
        **settings,
    )
    with pytest.MonkeyPatch.context() as patch:
        if not compiled:
            patch.setattr(pages, "compiled_pages", lambda: None)
        return build(options)


def run(folder: Path, rows: list[dict[str, Any]], *, compiled: bool, zipped: bool = False) -> BuildReport:
    return run_source(folder, lines_of(rows).encode(), compiled=compiled, gzip=zipped)


def files_of(folder: Path) -> dict[str, bytes]:
    """Those of the set; a file that others changed is left behind when the set no longer has it."""
    manifest = load(folder / "state")
    assert manifest is not None
    return {name: (folder / "out" / name).read_bytes() for name in sorted(file.name for file in manifest.files)}


def places_of(folder: Path) -> dict[str, list[str]]:
    """Every entry as written, by file."""
    found = {}
    for name, data in files_of(folder).items():
        text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
        pieces = text.split("  <url>\n")[1:]
        found[name] = text.splitlines() if ".txt" in name else [piece.split("  </url>")[0] for piece in pieces]
    return found


def entries_of(folder: Path) -> list[str]:
    """Every entry as written, of all files, in order."""
    return sorted(entry for entries in places_of(folder).values() for entry in entries)


def locs_of(folder: Path) -> list[str]:
    return sorted(entry.partition("</loc>")[0].strip() for entry in entries_of(folder))


def reported(report: BuildReport) -> tuple[object, ...]:
    return (report.listed, report.added, report.removed, report.redated, report.dated, report.left_out)


def remembered(folder: Path) -> list[tuple[object, ...]]:
    """Without the build that last wrote the row, which the ordinary way also does when only the file changes."""
    with Ledger.open_to_read(folder / "state" / LEDGER) as ledger:
        return sorted((row.url, row.lastmod, row.evidence_kind, row.digest, row.first_seen) for row in ledger.pages())


def listed_places(folder: Path) -> list[tuple[str, str]]:
    """Every address that is listed, with its file."""
    return sorted(
        (unescape(re.sub("</loc>.*|^ *<loc>", "", entry, flags=re.DOTALL)), name)
        for name, entries in places_of(folder).items()
        for entry in entries
    )


def remembered_places(folder: Path) -> list[tuple[str, str]]:
    with Ledger.open_to_read(folder / "state" / LEDGER) as ledger:
        return sorted((row.url, row.shard or "") for row in ledger.pages())


def explained(folder: Path, urls: list[str]) -> list[object]:
    with Ledger.open_to_read(folder / "state" / LEDGER) as ledger:
        found = [ledger.explain(url) for url in urls]
    return [
        None if each is None else (each.listed, each.decisions if not each.listed else each.decisions[1:])
        for each in found
    ]


# a case


def case(seed: int, root: Path) -> None:
    """Two to five builds, with what happens to a site in between; AssertionError where the two ways differ."""
    chance = Random(seed)
    # what is lost with a copy is lost in one way of building only, so that later dates may differ
    whole, moving = True, False
    zipped = chance.random() < 0.5
    before: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    with small_files(), pytest.MonkeyPatch.context() as patch:
        _hold_little(chance, patch)
        for number in range(chance.randint(2, 5)):
            zipped ^= chance.random() < 0.2
            kind, options = _options(chance)
            rows = _rows(chance, rows)
            source, more = _sources(chance, kind, rows)
            moving = bool(kind) or any("section" in row for row in rows)  # pages change their section
            if number and chance.random() < 0.15:
                _dry_run(root, source, more, zipped, options)
            if number and chance.random() < 0.1:
                _killed_run(root, source, more, zipped, options)
                whole, before = whole and _has_copies(root / "fast"), {}
                rows = chance.choice([rows, _rows(chance, rows)])
                source, more = _sources(chance, kind, rows)
                moving = moving or any("section" in row for row in rows)
            reports = [
                run_source(root / way, source, more=more, compiled=way == "fast", gzip=zipped, **options)
                for way in ("fast", "slow")
            ]
            _compare(root, reports, whole=whole)
            places = _numbers(root / "fast")
            if whole and not moving:
                assert {loc: places[loc] for loc in before if loc in places} == {
                    loc: at for loc, at in before.items() if loc in places
                }
            whole = whole and not _meanwhile(chance, root)
            before = {} if moving else places


def _hold_little(chance: Random, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lists, "_BLOCK", chance.choice([1, 40, 300, 1 << 19]))
    patch.setattr(known_pages, "_HELD_IN_ALL", chance.choice([0, 300, 1 << 20]))
    held = {name: chance.choice([1, 5, 1 << 10]) for name in ("most_rows", "most_keys", "most_known", "most_alone")}
    module = pytest.importorskip("urlset.building.compiled_pages")
    patch.setattr(module, "PageIndex", partial(module.PageIndex, **held))


def _compare(root: Path, reports: list[BuildReport], *, whole: bool) -> None:
    fast, slow = reports
    assert fast.published
    assert slow.published
    assert locs_of(root / "fast") == locs_of(root / "slow")
    assert len(set(locs_of(root / "fast"))) == fast.listed == slow.listed
    assert fast.left_out == slow.left_out
    # which pages are in one file, and so whose links are compared, depends on the copies
    told = [
        sorted((each.origin, each.reason) for each in way.troubles if whole or not each.origin.startswith("http"))
        for way in reports
    ]
    assert told[0] == told[1]
    for entries in places_of(root / "fast").values():
        assert len(entries) <= SMALL.most_entries
    if not whole:
        return
    assert reported(fast) == reported(slow)
    assert entries_of(root / "fast") == entries_of(root / "slow")
    assert remembered(root / "fast") == remembered(root / "slow")
    for way in ("fast", "slow"):
        assert remembered_places(root / way) == listed_places(root / way)
    urls = [PLAIN[0], PLAIN[1], ODD[0], *LEFT_OUT, SPELLED[0]]
    assert explained(root / "fast", urls) == explained(root / "slow", urls)


def _options(chance: Random) -> tuple[str, dict[str, Any]]:
    """Mostly the usual ones; the word says what is different."""
    kind = chance.choice(["", "", "", "", "", "", "", "", "sections", "host", "folder", "csv", "text"])
    if kind == "sections":
        return kind, {"sections_by": "path"}
    if kind in ("host", "folder"):
        return kind, {"base_url": "https://elsewhere.example/" if kind == "host" else f"{HEAD}/p/"}
    if kind == "csv":
        return kind, {"name": "rows.csv"}
    return kind, {"text": True} if kind == "text" else {}


def _rows(chance: Random, last: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those of the last build with a few changes, so that some files stay as they are, or others."""
    odd = chance.choice([0.0, 0.0, 0.2, 0.6])
    if not last or chance.random() < 0.3:
        return [_row(chance, odd) for _ in range(chance.randint(1, 40))]
    rows = list(last)
    for _ in range(chance.choice([0, 0, 1, 3, 8])):
        at = chance.randrange(len(rows))
        deed = chance.choice(["drop", "add", "double", "change", "date"])
        if deed == "drop" and len(rows) > 1:
            del rows[at]
        elif deed == "double":
            rows.insert(min(len(rows), at + chance.randint(0, 20)), rows[at])
        elif deed == "change":
            rows[at] = _row(chance, odd)
        elif deed == "date":
            rows[at] = row_of(rows[at]["loc"], chance.choice(DATES))
        else:
            rows.insert(at, _row(chance, odd))
    if chance.random() < 0.3:
        chance.shuffle(rows)
    return rows


def _row(chance: Random, odd: float) -> dict[str, Any]:
    among = MANY if chance.random() > odd else chance.choice([PLAIN, ODD, LEFT_OUT, SPELLED])
    row = row_of(chance.choice(among), chance.choice(DATES if odd else DATES[:4]), chance.random() < odd / 2)
    if chance.random() < odd / 4:
        row["alternates"] = {language: chance.choice(MANY) for language in chance.sample(["de", "fr", "x-default"], 2)}
    if chance.random() < odd / 20:
        row["section"] = "more"
    if chance.random() < odd / 20:
        row["news"] = {"name": "N", "language": "en", "date": "2026-11-15", "title": "T"}
    elif chance.random() < odd / 10:
        said = {"name": "N & <N>", "language": "en", "title": "T", "keywords": chance.choice(["", "a, b", ["a", "b"]])}
        row["news"] = said | {"publication_date": chance.choice(DATES)}
    return row


def _sources(chance: Random, kind: str, rows: list[dict[str, Any]]) -> tuple[bytes, tuple[bytes, ...]]:
    """The first file, and others that follow it."""
    if kind == "csv":
        return ("loc,lastmod\n" + "".join(f"{row['loc']},{row.get('lastmod') or ''}\n" for row in rows)).encode(), ()
    cut = chance.randint(1, len(rows)) if chance.random() < 0.2 else len(rows)
    first, *more = [_json_lines(chance, part) for part in (rows[:cut], rows[cut:]) if part]
    return first, tuple(more)


def _json_lines(chance: Random, rows: list[dict[str, Any]]) -> bytes:
    lines = lines_of(rows).splitlines()
    if chance.random() < 0.15:
        lines.insert(chance.randint(1, len(lines)), chance.choice(BROKEN))
    if chance.random() < 0.3:
        lines = [re.sub(r"([:,]) ", r"\1", line) for line in lines]
    ending = chance.choice(["\n", "\n", "\r\n"])
    text = ending.join(lines) + (ending if chance.random() < 0.7 else "")
    encoding = chance.choice(_ENCODINGS)
    data = (codecs.BOM_UTF16_LE + text.encode("utf-16-le")) if encoding == "utf-16" else text.encode(encoding)
    return gzip.compress(data) if chance.random() < 0.15 else data


def _dry_run(root: Path, source: bytes, more: tuple[bytes, ...], zipped: bool, options: dict[str, Any]) -> None:
    """It says what the build will say, and leaves everything as it is."""
    for way in ("fast", "slow"):
        before = _kept(root / way), remembered(root / way)
        report = run_source(root / way, source, more=more, compiled=way == "fast", gzip=zipped, dry_run=True, **options)
        assert not report.published
        assert (_kept(root / way), remembered(root / way)) == before


class Killed(BaseException):
    """No part of a build may stop it."""


def killed_when_published(folder: Path, source: bytes, *, compiled: bool, **settings: Any) -> None:
    """A build that ends between the last file of the set and the ledger."""

    def die(*_given: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch, suppress(Killed):
        patch.setattr(build_module._Build, "_record", die)
        run_source(folder, source, compiled=compiled, **settings)


def _killed_run(root: Path, source: bytes, more: tuple[bytes, ...], zipped: bool, options: dict[str, Any]) -> None:
    for way in ("fast", "slow"):
        before = _last_build(root / way)
        killed_when_published(root / way, source, more=more, compiled=way == "fast", gzip=zipped, **options)
        assert _last_build(root / way) == before


def _last_build(folder: Path) -> BuildRow | None:
    with Ledger.open_to_read(folder / "state" / LEDGER) as ledger:
        return ledger.last_build()


def _has_copies(folder: Path) -> bool:
    """Of the files that pages are backed by: after a step back, a build that is killed may have swept them up."""
    with Ledger.open_to_read(folder / "state" / LEDGER) as ledger:
        return all((folder / "state" / "kept" / each.sha256).exists() for each in ledger.backed())


def _kept(folder: Path) -> list[tuple[str, bytes]]:
    """Every file there is, save for the ledger, whose pages hold bytes that do not count."""
    return sorted(
        (path.name, path.read_bytes() if ".db" not in path.name else b"")
        for part in ("out", "state")
        for path in (folder / part).rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    )


def _numbers(folder: Path) -> dict[str, int]:
    """The number of the file every address is in."""
    return {
        entry.partition("</loc>")[0]: int(re.sub("[^0-9]", "", name) or 1)
        for name, entries in places_of(folder).items()
        for entry in entries
    }


def _meanwhile(chance: Random, root: Path) -> bool:
    """What others do between two builds; True where something is lost by it."""
    deed = chance.choice(["", "", "", "", "rollback", "remove", "replace", "edit", "lose", "damage"])
    if deed == "rollback":
        before = {way: files_of(root / way) for way in ("fast", "slow")}
        for way in before:
            if (root / way / "state" / "manifest.previous.json").exists():
                rollback(root / way / "state", root / way / "out")
    elif deed == "remove":
        for way in ("fast", "slow"):
            (root / way / "out" / chance.choice(sorted(files_of(root / way)))).unlink()
    elif deed == "replace":
        for way in ("fast", "slow"):
            path = root / way / "out" / chance.choice(sorted(files_of(root / way)))
            path.unlink()
            path.write_bytes(b"<urlset/>")
    elif deed == "edit":  # in place: the copy is another name of the same bytes
        for way in ("fast", "slow"):
            with (root / way / "out" / chance.choice(sorted(files_of(root / way)))).open("r+b") as file:
                file.write(b"<!-- -->")
    elif deed in ("lose", "damage"):
        for path in (root / "fast" / "state" / "kept").iterdir():
            data = path.read_bytes()
            path.unlink()
            if deed == "damage":
                path.write_bytes(data[: chance.randint(0, max(0, len(data) - 1))])
    return deed in ("edit", "lose", "damage")
