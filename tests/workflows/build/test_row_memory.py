"""A build that recalls rows, and one that reads all of them: the same files, ledger and report."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urljoin
from xml.sax.saxutils import escape

import msgspec
import pytest

from urlset.building.guard import Guard
from urlset.building.ledger import Ledger
from urlset.building.recalled_links import Other
from urlset.building.row_memory import ROW_MEMORY, RowFile
from urlset.building.sources.iterable import Offer
from urlset.building.sources.source import Block
from urlset.settings.build import BuildSettings
from urlset.workflows.build.batches import Batches
from urlset.workflows.build.build import build
from urlset.workflows.build.result import LEDGER, BuildReport, BuildRun

compiled_pages = pytest.importorskip("urlset.building.compiled_pages")
SAME = compiled_pages.SAME

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
BASE = "https://x.example/"
Row = dict[str, Any]
MARKS = (b"<", b"&", b"<url>", b"</url>", b"<loc>", b"</loc>", b"<!--", b"-->", b"<![CDATA[", b"</urlset>", b"\xff")


def row_of(number: int, chance: Random) -> Row:
    row: Row = {"loc": chance.choice((f"/p{number}", f"{BASE}p{number}?a=1&b=2", f"/größe {number}", f"/P%7e{number}"))}
    if chance.random() < 0.7:
        row["lastmod"] = f"2026-0{chance.randrange(1, 10)}-01"
    if chance.random() < 0.2:
        row["images"] = [f"/{number}.png"]
    if chance.random() < 0.1:
        row["section"] = chance.choice(("news", "shop"))
    if chance.random() < 0.1:
        row["alternates"] = {"de": row["loc"], "en": f"/en/{number % 7}"}
    if chance.random() < 0.1:
        row["lastmod"] = chance.choice(("2031-01-01", "yesterday", "2026-01-02T10:00:00+02:00", "3 May 2026"))
    return row


def next_rows(rows: list[Row], chance: Random) -> list[Row]:
    """Some are other ones, gone, moved, doubled or new."""
    found = [dict(row) for row in rows if chance.random() > 0.05]
    for at in chance.sample(range(len(found)), len(found) // 10):
        found[at] = row_of(chance.randrange(200), chance)
    for _ in range(chance.randrange(4)):
        found.insert(chance.randrange(len(found)), dict(chance.choice(found)))
        found.append(found.pop(chance.randrange(len(found))))
    return found


def offers_of(rows: list[Row], chance: Random) -> list[Offer]:
    """The same rows as a program gives them."""
    found: list[Offer] = []
    for row in rows:
        given = dict(row)
        if (day := given.get("lastmod", "")).endswith("-01") and chance.random() < 0.5:
            given["lastmod"] = date.fromisoformat(day)
        found.append((given["loc"], given.get("lastmod")) if given.keys() <= {"loc", "lastmod"} else given)
    return found


def note_of(row: Row) -> str:
    """A cell that is not read; some are in quotes or go on in the next line."""
    return ("", "a", '"a ""b"", c"', '"two\nlines"')[len(row["loc"]) % 4 if "images" in row else 0]


def written(rows: list[Row], folder: Path, form: str) -> tuple[str, ...]:
    folder.mkdir(exist_ok=True)
    path = folder / f"rows.{form}"
    if form == "two":  # some pages are in both
        some = [row for row in rows if len(row["loc"]) % 3]
        return *written(some, folder, "txt"), *written(rows, folder, "jsonl")
    if form == "db":
        write_database(rows, path)
        return (f"sqlite:///{path}",)
    if form in {"xml", "damaged"}:
        write_sitemap(rows, path)
        if form == "damaged":
            path.write_bytes(damaged(path.read_bytes(), Random(len(rows))))
    elif form == "rss":
        write_feed(rows, path)
    elif form == "jsonl":
        path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    elif form == "csv":
        lines = [f'"{row["loc"]}",{row.get("lastmod", "")},{row.get("section", "")},{note_of(row)}\n' for row in rows]
        path.write_text("".join(["loc,lastmod,section,note\n", *lines]), encoding="utf-8")
    else:
        path.write_text("".join(f"{row['loc']}\n" for row in rows), encoding="utf-8")
    return (str(path),)


def write_sitemap(rows: list[Row], path: Path) -> None:
    """With an image in some entries, and a comment between them."""
    entries = []
    for row in rows:
        loc = escape(urljoin(BASE, row["loc"]))
        image = "".join(f"<i:image><i:loc>{BASE}{each}</i:loc></i:image>" for each in row.get("images", ()))
        day = f"<lastmod>{row['lastmod']}</lastmod>" if "lastmod" in row else ""
        entries.append(f"<url><loc>{loc}</loc>{day}{image}</url>{'<!-- a -->' if image else ''}\n")
    spaces = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    spaces += ' xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"'
    path.write_text(f"<urlset {spaces}>{''.join(entries)}</urlset>", encoding="utf-8")


def damaged(data: bytes, chance: Random) -> bytes:
    """With some bytes in wrong places, so that entries are lost, repaired, or say something else."""
    for _ in range(3):
        at = chance.randrange(len(data))
        data = data[:at] + chance.choice(MARKS) + data[at + chance.randrange(12) :]
    return data


def write_feed(rows: list[Row], path: Path) -> None:
    items = []
    for row in rows:
        day = f"<pubDate>{row['lastmod']}</pubDate>" if "lastmod" in row else ""
        items.append(f"<item><link>{escape(urljoin(BASE, row['loc']))}</link>{day}</item>\n")
    path.write_text(f'<rss version="2.0"><channel><title>a</title>{"".join(items)}</channel></rss>', encoding="utf-8")


def write_database(rows: list[Row], path: Path) -> None:
    path.unlink(missing_ok=True)
    values = [(row["loc"], row.get("lastmod"), *row.get("images", (None,)), row.get("section")) for row in rows]
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE pages (loc, lastmod, images, section)")
        database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?)", values)


def state_of(folder: Path) -> tuple[object, ...]:
    files = {path.name: path.read_bytes() for path in sorted((folder / "out").iterdir())}
    with Ledger.open_to_read(folder / "state" / LEDGER) as ledger:
        pages = [msgspec.structs.astuple(page)[:-1] for page in ledger.pages()]
        return files, pages, list(ledger.decisions()), ledger.backed(), ledger.shards()


def run(folder: Path, rows: list[Row], form: str, *, recalls: bool = True, **changed: Any) -> BuildReport:
    sources = written(rows, folder, form) if form != "offers" else ()
    offers = offers_of(rows, Random(1)) if form == "offers" else None
    settings = BuildSettings(sources=sources, base_url=BASE, out=str(folder / "out"), state=str(folder / "state"))
    settings = replace(settings, now=NOW, sql="SELECT * FROM pages" if form == "db" else None, **changed)
    if not recalls:
        (folder / "state" / ROW_MEMORY).unlink(missing_ok=True)
    return build(settings, BuildRun(offers=offers))


@pytest.fixture
def recalled(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The rows of all builds, by what became of them."""
    found: Counter[str] = Counter()
    take = Batches.take

    def counted(batches: Batches, block: Block) -> bool:
        taken = take(batches, block)
        found["recalled"] += len(batches._batch.of_status(SAME))
        found["all"] += len(batches._batch)
        return taken

    monkeypatch.setattr(Batches, "take", counted)
    return found


@pytest.mark.parametrize("form", ["jsonl", "csv", "txt", "xml", "damaged", "rss", "db", "two", "offers"])
def test_recalled_and_read_rows_give_the_same(form: str, tmp_path: Path, recalled: Counter[str]) -> None:
    for seed in range(5):
        chance = Random(f"{form} {seed}")
        folder = tmp_path / f"{seed}" / "site"
        folder.mkdir(parents=True)
        rows = [row_of(number, chance) for number in range(120)]
        run(folder, rows, form)
        for _ in range(3):
            rows = next_rows(rows, chance)
            twin = folder.with_name("twin")
            shutil.rmtree(twin, ignore_errors=True)
            shutil.copytree(folder, twin)
            ours, theirs = run(folder, rows, form), run(twin, rows, form, recalls=False)
            assert repr(ours) == repr(theirs).replace(str(twin), str(folder))
            assert repr(state_of(folder)) == repr(state_of(twin)).replace(str(twin), str(folder))
    assert recalled["recalled"] > recalled["all"] / 8


SETS = 12


def links_of(number: int, chance: Random, noise: float) -> dict[str, str]:
    """What one page says of a set of translations; `noise`: how often it says something else than the others."""
    names = chance.choice((("en", "de"), ("en", "de", "fr"), ("en", "de", "x-default"), ("en",)))
    links = {}
    for name in names:
        said = name.upper() if chance.random() < noise / 2 else name
        page = number if chance.random() > noise else chance.randrange(SETS)
        query = "?a=1&b='2" if page % 3 == 0 else ""
        links[said] = f"/{'en' if name == 'x-default' else name}/p{page}{query}"
    return links


def set_of(number: int, chance: Random, noise: float) -> list[Row]:
    """The pages of one set."""
    links = links_of(number, chance, noise)
    rows: list[Row] = []
    for name, loc in links.items():
        if name == "x-default" or chance.random() < noise:
            continue
        said = dict(sorted(links.items(), reverse=True)) if chance.random() < 0.1 else dict(links)
        if chance.random() < noise:
            said.popitem()
        row: Row = {"loc": loc, "alternates": links_of(number, chance, noise) if chance.random() < noise else said}
        if chance.random() < 0.7:
            row["lastmod"] = f"2026-0{chance.randrange(1, 10)}-01"
        if chance.random() < 0.1:
            row["images"] = [f"/{number}.png"]
        if chance.random() < noise:
            row["language"] = chance.choice(("fr", "de"))
        rows.append(row)
    if chance.random() < 0.1:  # a page that names all others, and not itself
        rows.append({"loc": f"/fr/q{number}", "alternates": dict(links), "language": "fr"})
    return rows


def next_sets(rows: list[Row], chance: Random, noise: float) -> list[Row]:
    """Some pages are gone, moved, doubled or new, and some say something else of their translations."""
    found = [dict(row) for row in rows if chance.random() > 0.02]
    for at in chance.sample(range(len(found)), chance.choice((0, 1, 2, 4))):
        match chance.randrange(6):
            case 0:
                found[at]["lastmod"] = f"2026-0{chance.randrange(1, 10)}-02"
            case 1 if chance.random() < 0.3 + noise:
                found[at]["alternates"] = links_of(chance.randrange(SETS), chance, noise)
            case 2 if chance.random() < 0.3 + noise:
                found[at].pop("alternates", None)
            case 3:
                found.append(found.pop(at))
            case 4:
                found.insert(at, dict(chance.choice(found)))
            case 5:
                found += set_of(chance.randrange(SETS), chance, noise)
    return found


@pytest.mark.parametrize("form", ["jsonl", "two", "offers"])
def test_recalled_and_read_translations_give_the_same(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = Counter[str]()

    def take_back(batches: Batches, others: Iterable[Other], was: Any = Batches.take_back) -> None:
        blocks = len(batches._waiting)
        was(batches, others)
        taken["recalled"] += batches.index.recalled_links
        taken["taken back"] += len(batches._waiting) - blocks

    monkeypatch.setattr(Batches, "take_back", take_back)
    for seed in range(4):
        chance, noise = Random(f"{form} {seed}"), 0.01 * (seed % 2)
        folder = tmp_path / f"{seed}" / "site"
        folder.mkdir(parents=True)
        rows = [row for number in range(SETS) for row in set_of(number, chance, noise)]
        run(folder, rows, form, force=tuple(Guard))
        for _ in range(3):
            rows = next_sets(rows, chance, noise)
            twin = folder.with_name("twin")
            shutil.rmtree(twin, ignore_errors=True)
            shutil.copytree(folder, twin)
            ours = run(folder, rows, form, force=tuple(Guard))
            theirs = run(twin, rows, form, recalls=False, force=tuple(Guard))
            assert repr(ours) == repr(theirs).replace(str(twin), str(folder))
            assert repr(state_of(folder)) == repr(state_of(twin)).replace(str(twin), str(folder))
    assert taken["recalled"] > 50
    assert taken["taken back"] > 1


def test_a_set_is_only_recalled_while_it_is_closed(tmp_path: Path, recalled: Counter[str]) -> None:
    """Each step changes one page only; the others of its set are read again, those of the other sets are not."""

    def pages(number: int) -> list[Row]:
        links = {"de": f"/de/{number}", "en": f"/en/{number}"}
        return [{"loc": loc, "alternates": links} for loc in links.values()]

    sets = [pages(number) for number in range(9)]
    rows = [row for some in sets for row in some]

    def lines(loc: str) -> int:
        entry = (tmp_path / "out" / "sitemap.xml").read_text().partition(f"<loc>{BASE[:-1]}{loc}</loc>")[2]
        return entry.partition("</url>")[0].count("<xhtml:link")

    for changed, loc, count in (
        (rows, "/de/0", 2),
        ([*rows, {"loc": "/fr/0", "alternates": {"fr": "/fr/0", "de": "/de/0"}}], "/en/0", 3),
        (rows, "/en/0", 2),
        ([*rows, {"loc": "/fr/0", "language": "fr", "alternates": rows[0]["alternates"]}], "/en/0", 3),
        (rows, "/en/0", 2),
        (rows[1:], "/en/0", 2),
        ([{"loc": "/de/0", "alternates": {"de": "/de/0", "fr": "/fr/0"}}, *rows[1:]], "/en/0", 3),
    ):
        before = recalled["recalled"]
        run(tmp_path, changed, "offers", force=tuple(Guard))
        assert lines(loc) == count
        assert recalled["recalled"] - before >= (16 if before or changed is not rows else 0)


def test_a_set_that_some_page_names_in_part_is_read_each_time(tmp_path: Path, recalled: Counter[str]) -> None:
    """Recalled pages of it would be taken back in each build, which costs more than to read them."""
    rows: list[Row] = [{"loc": f"/p{number}"} for number in range(10)]
    for number in range(9):
        links = {"de": f"/de/{number}", "en": f"/en/{number}"}
        rows += [{"loc": links["en"], "alternates": links}, {"loc": links["de"], "alternates": {"en": links["en"]}}]
    run(tmp_path, rows, "offers", force=tuple(Guard))
    recalled.clear()
    run(tmp_path, [*rows, {"loc": "/new"}], "offers", force=tuple(Guard))
    assert recalled["recalled"] == 10


@pytest.mark.parametrize("form", ["txt", "offers"])
def test_another_spelling_of_a_page_is_a_duplicate(form: str, tmp_path: Path, recalled: Counter[str]) -> None:
    rows: list[Row] = [{"loc": f"/p%7e{number}"} for number in range(50)]
    folder, twin = tmp_path / "site", tmp_path / "twin"
    run(folder, rows, form)
    recalled.clear()
    run(folder, [*rows, {"loc": "/new"}], form)
    assert recalled["recalled"] == len(rows)
    shutil.copytree(folder, twin)
    rows = [{"loc": "/p~7"}, *rows, {"loc": "/p~9"}]
    ours, theirs = run(folder, rows, form), run(twin, rows, form, recalls=False)
    assert ours.left_out == {"duplicate": 2}
    assert repr(ours) == repr(theirs).replace(str(twin), str(folder))
    assert repr(state_of(folder)) == repr(state_of(twin)).replace(str(twin), str(folder))


@pytest.mark.parametrize("form", ["txt", "csv"])
def test_rows_are_recalled_in_any_order(form: str, tmp_path: Path, recalled: Counter[str]) -> None:
    rows: list[Row] = [{"loc": f"/p{number}"} for number in range(400)]
    new: list[Row] = [{"loc": f"/new{number}"} for number in range(40)]
    run(tmp_path, rows, form)
    run(tmp_path, [*rows[:100], *new, *rows[100:]], form)
    assert recalled["recalled"] == len(rows)
    recalled.clear()
    Random(1).shuffle(rows)
    run(tmp_path, [*rows, *new], form)
    assert (
        len(rows) + len(new) - 20 < recalled["recalled"] < len(rows) + len(new)
    )  # some show that the order is another


@pytest.mark.parametrize(
    "changed", [{"exclude": ("*/p3",)}, {"sections": ("a=/p1*",)}, {"timezone": "+02:00"}, {"compact": True}]
)
def test_other_settings_read_every_row(changed: dict[str, Any], tmp_path: Path, recalled: Counter[str]) -> None:
    rows: list[Row] = [{"loc": f"/p{number}", "lastmod": "2026-01-01"} for number in range(20)]
    run(tmp_path, rows, "offers")
    run(tmp_path, rows, "offers", **changed)
    assert recalled["recalled"] == 0
    run(tmp_path, rows, "offers", **changed)
    assert recalled["recalled"] == 20 - ("exclude" in changed)


def test_a_file_of_another_name_is_recalled(tmp_path: Path, recalled: Counter[str]) -> None:
    """An export may have the day in its name."""
    settings = BuildSettings(base_url=BASE, out=str(tmp_path / "out"), state=str(tmp_path / "state"), now=NOW)
    for name in ("monday.csv", "tuesday.csv", "rows.txt"):
        lines = [f"/p{number}\n" for number in range(20)]
        (tmp_path / name).write_text("".join(["loc\n"] * name.endswith("csv") + lines))
        report = build(replace(settings, sources=(str(tmp_path / name),)))
        assert report.listed == 20
    assert recalled["recalled"] == 20  # a line of text is no row of CSV


def test_rows_of_another_published_set_are_read(tmp_path: Path, recalled: Counter[str]) -> None:
    rows: list[Row] = [{"loc": f"/p{number}"} for number in range(20)]
    run(tmp_path, rows, "txt")
    kept = (tmp_path / "state" / ROW_MEMORY).read_bytes()
    run(tmp_path, rows[1:], "txt")
    assert recalled["recalled"] == 19
    (tmp_path / "state" / ROW_MEMORY).write_bytes(kept)
    run(tmp_path, rows, "txt")
    assert recalled["recalled"] == 19


def write_dated_feed(path: Path, built: str, items: Iterable[str]) -> None:
    listed = "".join(f"<item><link>{BASE}{item}</link></item>" for item in items)
    head = f"<!-- {built} --><channel><title>News</title><lastBuildDate>{built}</lastBuildDate>"
    path.write_text(f'<rss version="2.0">{head}{listed}</channel></rss>', encoding="utf-8")


def test_the_date_of_a_feed_does_not_matter(tmp_path: Path, recalled: Counter[str]) -> None:
    path = tmp_path / "feed.xml"
    settings = BuildSettings(sources=(str(path),), base_url=BASE, out=str(tmp_path / "out"), state=str(tmp_path / "s"))
    write_dated_feed(path, "Mon, 02 Nov 2026 08:00:00 GMT", "abc")
    build(settings)
    write_dated_feed(path, "Tue, 03 Nov 2026 08:00:00 GMT", "abcd")
    assert build(settings).listed == 4
    assert recalled["recalled"] == 3


def test_what_is_read_in_another_way_is_not_recalled(tmp_path: Path, recalled: Counter[str]) -> None:
    rows: list[Row] = [{"loc": "/a"}, {"loc": "/b"}]
    run(tmp_path, rows, "jsonl")
    lines = (tmp_path / "rows.jsonl").read_text(encoding="utf-8")
    settings = BuildSettings(base_url=BASE, out=str(tmp_path / "out"), state=str(tmp_path / "state"), now=NOW)
    (tmp_path / "rows.jsonl").write_text(f"/new\n{lines}", encoding="utf-8")
    assert build(replace(settings, sources=(str(tmp_path / "rows.jsonl"),), dry_run=False)).refusals
    pair: Any = ("/a", "2026-01-01")
    build(settings, BuildRun(offers=[pair, "/b"]))
    recalled.clear()
    as_list: Any = list(pair)
    build(settings, BuildRun(offers=[as_list, "/b"]))
    assert recalled["recalled"] == 1


def test_a_list_that_contains_itself_is_refused(tmp_path: Path) -> None:
    images: list[Any] = []
    images.append(images)
    settings = BuildSettings(base_url=BASE, out=str(tmp_path / "out"), state=str(tmp_path / "state"), now=NOW)
    with pytest.raises(RecursionError):
        build(settings, BuildRun(offers=[{"loc": "/a", "images": images}]))


def test_the_robots_txt_of_a_folder_counts(tmp_path: Path, recalled: Counter[str]) -> None:
    robots = tmp_path / "site" / "robots.txt"
    robots.parent.mkdir()
    sources = (str(robots.parent), *written([{"loc": "/a"}, {"loc": "/p/b"}], tmp_path, "jsonl"))
    settings = BuildSettings(sources=sources, base_url=BASE, out=str(tmp_path / "out"), state=str(tmp_path / "state"))
    for rule, listed in (("Allow: /", 2), ("Disallow: /p/", 1)):
        robots.write_text(f"User-agent: *\n{rule}\n", encoding="utf-8")
        assert build(replace(settings, now=NOW, shrink_percent=100.0)).listed == listed
    assert recalled["recalled"] == 0


class FullDisk(io.BytesIO):
    def write(self, _data: Any) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_under_the_memory_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = RowFile._open

    def on_full_disk(file: RowFile, published: Any) -> None:
        opened(file, published)
        file.memory = compiled_pages.RowMemory(file.key, FullDisk())

    monkeypatch.setattr(RowFile, "_open", on_full_disk)
    assert run(tmp_path, [{"loc": f"/p{number}"} for number in range(5000)], "txt").published
    assert not (tmp_path / "state" / ROW_MEMORY).exists()


@pytest.mark.parametrize(
    "damage", [lambda _: b"", lambda data: data[:-7], lambda data: b"x" + data[1:], lambda data: data[:80]]
)
def test_a_damaged_memory_costs_only_time(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    rows: list[Row] = [{"loc": f"/p{number}"} for number in range(20)]
    run(tmp_path, rows, "jsonl")
    path = tmp_path / "state" / ROW_MEMORY
    path.write_bytes(damage(path.read_bytes()))
    again = run(tmp_path, [*rows, {"loc": "/new"}], "jsonl")
    assert (again.listed, again.added, again.removed) == (21, 1, 0)


def test_an_entry_that_was_corrected_is_read_again(tmp_path: Path, recalled: Counter[str]) -> None:
    """Its trouble is told each time."""
    rows: list[Row] = [
        {"loc": "/a"},
        {"loc": "/b", "news": {"name": "N", "language": "xx-nope", "title": "T", "publication_date": "2026-11-15"}},
    ]
    first = run(tmp_path, rows, "jsonl")
    again = run(tmp_path, [*rows, {"loc": "/c"}], "jsonl")
    assert first.troubles
    assert again.troubles == first.troubles
    assert recalled["recalled"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("gone", [0, 60_000])
def test_more_rows_than_are_in_memory(gone: int, tmp_path: Path, recalled: Counter[str]) -> None:
    """In order, and after a jump over more rows than are looked through at once."""
    rows: list[Row] = [{"loc": f"/p{'%7e' if number % 5 == 0 else ''}{number}"} for number in range(150_000)]
    run(tmp_path, rows, "txt")
    recalled.clear()
    changed = [*rows[100 + gone :: 2], {"loc": "/new"}, *rows[:100]]
    again = run(tmp_path, changed, "txt")
    assert (again.listed, again.added) == (len(changed), 1)
    assert recalled["recalled"] > len(changed) - 30_000
