"""A case → its rows, and the file, table or folder that holds them.

python -m bench.inputs FOLDER ROWS DATABASE CASE…    make the source of a build, and its next state where it has one
python -m bench.inputs next FOLDER DATABASE CASE…    put the next state in the place of the first
python -m bench.inputs sitemap FILE ROWS CASE…       write a file to check
python -m bench.inputs mixed FILE ROWS SEED          write one in which ten shapes are mixed
python -m bench.inputs build FOLDER OUT URL          build from the rows of a Python program

A case is given as its values, in the order of `Case`. Sources are made by a process of their own: whatever is started
by a large process seems to need as much memory.
"""

from __future__ import annotations

import csv
import json
import pickle
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from importlib import import_module
from itertools import chain, islice
from itertools import count as count_from
from pathlib import Path
from random import Random
from typing import Any
from xml.sax.saxutils import escape

from bench.cases import FORMS, MEDIA, SPELLINGS, Case

HOST = "https://www.example.com"
HOSTS = {"IDN host": "https://www.bücher.example", "port": f"{HOST}:8443", "uppercase": "https://WWW.EXAMPLE.com"}
NAMESPACES = (
    'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
    'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml" '
    'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" '
    'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
)
AISLES = ("garden", "kitchen", "workshop", "bathroom", "children", "travel", "office")
WORDS = (
    *("teak", "copper", "folding", "wool", "oak", "steel", "linen", "walnut", "brass", "ceramic", "marble"),
    *("velvet", "cotton", "leather", "bamboo", "slate", "bench", "kettle", "lamp", "blanket", "shelf", "flask"),
    *("table", "chair", "mirror", "basket", "cushion", "drawer", "cabinet", "large", "round", "vintage"),
)
LANGUAGES = (
    *("en", "de", "fr", "es", "it", "nl", "pl", "sv", "da", "fi", "cs", "sk", "hu", "ro", "bg", "el", "pt", "nb", "et"),
    *("lv", "lt", "sl", "hr", "tr", "uk", "ja", "ko", "vi", "th", "id"),
)
PER_FILE = 50_000
LARGEST = 45_000_000
"""bytes of a file to check: more than 50 MiB would be a fault"""
FEWER = {"hreflang 30": 10, "news": 10, "folder": 40}
"""rows are divided by this: one has the work of many"""
CHANGED_EVERY = 100
BATCH = 1_000
MIXED = 10
NOW = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
"""the same for both states of a source, which two processes make"""
Row = dict[str, Any]


def count_of(case: Case, rows: int) -> int:
    return max(rows // max(FEWER.get(case.media, 1), FEWER.get(case.source, 1)), 1)


def base_of(case: Case) -> str:
    """The base URL that a user would give."""
    return HOSTS.get(case.spelling, HOST).replace("WWW.EXAMPLE", "www.example")


def path_of(case: Case, number: int) -> str:
    """Words and numbers that follow no simple order, as in a shop."""
    mixed = number * 2_654_435_761 % 4_294_967_296
    words = "-".join(WORDS[mixed >> shift & 31] for shift in (0, 5, 10))
    plain = f"{AISLES[(mixed >> 11) % len(AISLES)]}/{words}-{number}"
    match case.spelling:
        case "&":
            return f"/salt&pepper/{plain}" if case.source == "folder" else f"/shop/{plain}?a={number % 97}&b=2"
        case "escape":
            return f"/caf%C3%A9/{plain}"
        case "space":
            return f"/my shop/{plain}"
        case "umlaut":
            return f"/größe/{plain}"
        case "uppercase":
            return f"/Shop/{plain.title()}"
        case "query of five":
            return f"/shop/{plain}?a={number % 97}&b=2&c=three&d={mixed}&e=5"
        case "300 characters":
            long = "-".join(WORDS[(mixed >> shift) % len(WORDS)] for shift in range(45))
            return f"/shop/{long[: 300 - len(HOST) - len(plain) - 7]}/{plain}"
    return f"/shop/{plain}"


def moment(number: int) -> datetime:
    return datetime(2019, 1, 1, tzinfo=UTC) + timedelta(seconds=number * 7_919 % 200_000_000)


def row_of(case: Case, number: int, *, changed: bool = False) -> Row:
    """`changed`: one in a hundred has a new date, or is another page in a list without dates."""
    head = "" if case.address == "relative" else HOSTS.get(case.spelling, HOST)
    is_other = changed and number % CHANGED_EVERY == 0
    if case.media.startswith("hreflang"):
        # pages in a row are one page in several languages, so all links are returned
        languages = LANGUAGES[: int(case.media.split()[1])]
        page, language = divmod(number, len(languages))
        places = {code: f"{head}/{code}{path_of(case, page)}" for code in languages}
        row: Row = {"loc": places[languages[language]], "alternates": places}
    else:
        row = {"loc": head + path_of(case, number + 7_000_000 if is_other and case.source == "text" else number)}
        row |= _media(case, number, head)
    return {"loc": row.pop("loc"), "lastmod": NOW - timedelta(hours=1) if is_other else moment(number)} | row


def _media(case: Case, number: int, head: str) -> Row:
    image = f"{head}/images/{number}.jpg"
    match case.media:
        case "images":
            return {"images": [image]}
        case "captions":
            return {"images": [{"loc": image, "title": f"Piece {number}", "caption": f"Piece {number} & its box"}]}
        case "video":
            said = {"title": f"Piece {number}", "description": f"How to use piece {number} at home"}
            film = {"content_loc": f"{head}/videos/{number}.mp4", "duration": 30 + number % 600}
            return {"videos": [{"thumbnail_loc": image, **said, **film}]}
        case "news":
            said = {"name": "The Example", "language": "en", "publication_date": NOW.isoformat()}
            return {"news": said | {"title": f"Story {number} & more"}}
    return {}


def rows_of(case: Case, count: int, *, is_next: bool = False) -> Iterator[Row]:
    numbers = list(range(count))
    if is_next and case.state == "shuffled":
        Random(count).shuffle(numbers)
    return (row_of(case, number, changed=is_next and case.state == "1 % changed") for number in numbers)


def texts(row: Row) -> Row:
    """Dates as text."""
    return row | {"lastmod": row["lastmod"].isoformat()}


def columns(row: Row) -> Row:
    """Media in columns, as a table has them."""
    flat = {name: row[name] for name in ("loc", "lastmod")}
    for image in row.get("images", ()):
        flat |= {"images": image} if isinstance(image, str) else {f"image_{name}": each for name, each in image.items()}
    for video in row.get("videos", ()):
        flat |= {f"video_{name}": value for name, value in video.items()}
    flat |= {f"news_{name}": value for name, value in row.get("news", {}).items()}
    return flat | {f"hreflang_{code}": place for code, place in row.get("alternates", {}).items()}


# One function for each source: rows → what is in the folder.


def json_lines(rows: Iterable[Row], folder: Path) -> None:
    write_text(folder / "rows.jsonl", (f"{json.dumps(texts(row), ensure_ascii=False)}\n" for row in rows))


def table(rows: Iterable[Row], folder: Path, delimiter: str = ",") -> None:
    flat = map(columns, map(texts, rows))
    first = next(flat)
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, tuple(first), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(chain([first], flat))


def text(rows: Iterable[Row], folder: Path) -> None:
    write_text(folder / "rows.txt", (f"{row['loc']}\n" for row in rows))


def sqlite(rows: Iterable[Row], folder: Path) -> None:
    flat = map(columns, map(texts, rows))
    first = next(flat)
    database = sqlite3.connect(folder / "rows.db")
    with database:
        database.execute(f"create table pages ({', '.join(first)})")
        values = ", ".join(f":{name}" for name in first)
        database.executemany(f"insert into pages values ({values})", chain([first], flat))
    database.close()


def postgresql(rows: Iterable[Row], folder: Path, database: str, name: str) -> None:
    """A table; the folder has only its query."""
    flat = map(columns, rows)
    first = next(flat)
    kinds = ", ".join(f"{each} {'timestamptz' if each == 'lastmod' else 'text'}" for each in first)
    with import_module("psycopg").connect(database.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(f"drop table if exists {name}")
        connection.execute(f"create table {name} ({kinds})")
        with connection.cursor().copy(f"copy {name} from stdin") as copy:
            for row in chain([first], flat):
                copy.write_row(tuple(map(str, row.values())))
    (folder / "rows.sql").write_text(f"select * from {name.removesuffix('_next')}", encoding="utf-8")


def parquet(rows: Iterable[Row], folder: Path) -> None:
    arrow, files = import_module("pyarrow"), import_module("pyarrow.parquet")
    waiting, writer = iter(rows), None
    while some := list(islice(waiting, PER_FILE)):
        made = arrow.table({name: [row[name] for row in some] for name in some[0]})
        writer = writer or files.ParquetWriter(folder / "rows.parquet", made.schema)
        writer.write_table(made)
    assert writer is not None
    writer.close()


def pickled(rows: Iterable[Row], folder: Path, of: Callable[[Row], Any] = dict) -> None:
    waiting = iter(rows)
    with (folder / "rows.pickle").open("wb") as file:
        while some := list(map(of, islice(waiting, BATCH))):
            pickle.dump(some, file)


def unpickled(path: Path) -> Iterator[Any]:
    """Rows of a Python program, made batch by batch: none are held."""
    with path.open("rb") as file:
        try:
            while True:
                yield from pickle.load(file)
        except EOFError:
            return


def feed(rows: Iterable[Row], folder: Path) -> None:
    write_text(folder / "feed.xml", rss(rows))


def sitemaps(rows: Iterable[Row], folder: Path) -> None:
    waiting, names = iter(rows), list[str]()
    while some := list(islice(waiting, PER_FILE)):
        names.append(f"part-{len(names)}.xml")
        write_text(folder / names[-1], urlset(map(partial(entry, Case(form="one line")), some)))
    listed = "".join(f"<sitemap><loc>{HOST}/{name}</loc></sitemap>\n" for name in names)
    write_text(folder / "sitemap.xml", [f"<sitemapindex {NAMESPACES}>\n{listed}</sitemapindex>\n"])


def pages(rows: Iterable[Row], folder: Path, head: str) -> None:
    """A file of unique text for each."""
    for number, row in enumerate(rows):
        place = row["loc"].removeprefix(head).replace("%C3%A9", "é")
        path = folder / "site" / place.strip("/") / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_page(number, row), "utf-8")


def _page(number: int, row: Row) -> str:
    head = f'<link rel="canonical" href="{escape(row["loc"])}/">'
    head += f'<meta property="article:modified_time" content="{row["lastmod"].isoformat()}">'
    for code, place in row.get("alternates", {}).items():
        head += f'<link rel="alternate" hreflang="{code}" href="{escape(place)}/">'
    for video in row.get("videos", ()):
        said = {"@context": "https://schema.org", "@type": "VideoObject", "name": video["title"],
                "description": video["description"], "thumbnailUrl": video["thumbnail_loc"],
                "contentUrl": video["content_loc"], "duration": f"PT{video['duration']}S",
                "uploadDate": "2025-03-04"}  # fmt: skip
        head += f'<script type="application/ld+json">{json.dumps(said)}</script>'
    body = "".join(f'<img src="{each}" alt="Piece {number}">' for each in row.get("images", ()))
    words = " ".join(WORDS[(number + each) % len(WORDS)] for each in range(200))
    return f"<!doctype html><html lang=en><title>{number}</title>{head}<h1>{number}</h1>{body}<p>{words}</html>"


def archived(number: int, row: Row) -> Row:
    """One article in twenty is news; a sitemap may list a thousand."""
    date = (NOW if number % 20 == 0 else moment(number)).isoformat()
    return row | {"news": row["news"] | {"publication_date": date}}


def make(folder: Path, count: int, database: str, case: Case) -> None:
    """The first state in `folder`, the next in `folder/next`."""
    states = (False, True) if case.state in ("1 % changed", "shuffled") else (False,)
    for is_next in states:
        home = folder / "next" if is_next else folder
        home.mkdir(parents=True, exist_ok=True)
        rows = rows_of(case, count, is_next=is_next)
        if case.media == "news":
            rows = map(archived, count_from(), rows)
        head = "" if case.address == "relative" else HOSTS.get(case.spelling, HOST)
        name = f"{folder.parent.name}_{folder.name}".replace("-", "_") + ("_next" if is_next else "")
        writers: dict[str, Callable[[Iterable[Row], Path], None]] = {
            "JSONL": json_lines,
            "CSV": table,
            "TSV": partial(table, delimiter="\t"),
            "text": text,
            "SQLite": sqlite,
            "PostgreSQL": partial(postgresql, database=database, name=name),
            "Parquet": parquet,
            "Python dicts": pickled,
            "Python tuples": partial(pickled, of=lambda row: (row["loc"], row["lastmod"])),
            "folder": partial(pages, head=head),
            "feed": feed,
            "existing sitemap": sitemaps,
        }
        writers[case.source](rows, home)


def replace(folder: Path, database: str, case: Case) -> None:
    """Files that did not change keep their times."""
    for path in (folder / "next").rglob("*"):
        old = folder / path.relative_to(folder / "next")
        if path.is_file() and not (case.source == "folder" and old.read_bytes() == path.read_bytes()):
            path.replace(old)
    if case.source == "PostgreSQL" and case.state in ("1 % changed", "shuffled"):
        name = f"{folder.parent.name}_{folder.name}".replace("-", "_")
        with import_module("psycopg").connect(database.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(f"drop table {name}")
            connection.execute(f"alter table {name}_next rename to {name}")
    shutil.rmtree(folder / "next", ignore_errors=True)


# Sitemaps to check.


def urlset(entries: Iterable[str]) -> Iterator[str]:
    return chain([f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {NAMESPACES}>\n'], entries, ["</urlset>\n"])


def rss(rows: Iterable[Row]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0">\n'
    yield f"<channel><title>News</title><link>{HOST}/</link>\n"
    for number, row in enumerate(rows):
        link = f"<link>{escape(row['loc'])}</link><pubDate>{format_datetime(row['lastmod'])}</pubDate>"
        yield f"<item><title>{number}</title>{link}</item>\n"
    yield "</channel></rss>\n"


def atom(rows: Iterable[Row]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
    yield f'<title>News</title><link href="{HOST}/"/><updated>2025-03-01T10:00:00Z</updated><id>{HOST}/</id>\n'
    for number, row in enumerate(rows):
        link = f'<link rel="alternate" href="{escape(row["loc"])}"/><id>{HOST}/{number}</id>'
        yield f"<entry><title>{number}</title>{link}<updated>{row['lastmod'].isoformat()}</updated></entry>\n"
    yield "</feed>\n"


def entry(case: Case, row: Row) -> str:
    loc = escape(row["loc"])
    loc = f"<![CDATA[{row['loc']}]]>" if case.form == "CDATA" else loc
    loc = loc.replace("&amp;", "&#38;").replace("-", "&#45;") if case.form == "numeric references" else loc
    fields = [f"<loc>{loc}</loc>", f"<lastmod>{row['lastmod'].isoformat()}</lastmod>", *media_xml(row)]
    if case.form == "comments":
        fields.insert(1, f"<!-- row {loc[-6:].strip('-')} -->")
    if case.form == "lastmod first":
        fields[:2] = fields[1::-1]
    opening = f'<url id="u{hash(loc) % 9_999_991}">' if case.form == "attributes" else "<url>"
    if case.form == "one line":
        return f"{opening}{''.join(fields)}</url>\n"
    end = "\r\n" if case.form == "CRLF" else "\n"
    return f"  {opening}{end}" + "".join(f"    {field}{end}" for field in fields) + f"  </url>{end}"


def media_xml(row: Row) -> Iterator[str]:
    for image in row.get("images", ()):
        yield _element("image", {"loc": image} if isinstance(image, str) else image)
    for video in row.get("videos", ()):
        yield _element("video", video)
    if news := dict(row.get("news", {})):
        paper = "".join(f"<news:{name}>{news.pop(name)}</news:{name}>" for name in ("name", "language"))
        said = "".join(f"<news:{name}>{escape(value)}</news:{name}>" for name, value in news.items())
        yield f"<news:news><news:publication>{paper}</news:publication>{said}</news:news>"
    for code, place in row.get("alternates", {}).items():
        yield f'<xhtml:link rel="alternate" hreflang="{code}" href="{escape(place)}"/>'


def _element(name: str, fields: Row) -> str:
    inner = "".join(f"<{name}:{field}>{escape(str(value))}</{name}:{field}>" for field, value in fields.items())
    return f"<{name}:{name}>{inner}</{name}:{name}>"


def faulty(fault: str, number: int, written: str) -> str:
    """An entry with the fault."""
    loc = written.partition("<loc>")[2].partition("</loc>")[0]
    path = loc.removeprefix(HOST)
    day = written.partition("<lastmod>")[2].partition("</lastmod>")[0]
    joined = "&amp;" if "?" in loc else "?"
    four = "    <changefreq>Daily</changefreq><priority>0,5</priority>\n  </url>"
    changes: dict[str, tuple[str, str]] = {
        "a bare &": (loc, f"{loc}{joined[:1]}a=1&b=2"),
        "an HTML entity": (loc, f"{loc}&eacute;"),
        "a stray <": (loc, f"{loc}<b"),
        "a space in loc": (loc, f"{loc} x"),
        "a tracking parameter": (loc, f"{loc}{joined}utm_source=mail"),
        "a fragment": (loc, f"{loc}#top"),
        "relative loc": (f"<loc>{HOST}", "<loc>"),
        "no loc": (f"<loc>{loc}</loc>", ""),
        "a date as 01/02/2025": (day, "01/02/2025"),
        "a date in the future": (day, "2099-01-01"),
        "priority 0,5": ("</url>", "<priority>0,5</priority></url>"),
        "changefreq Daily": ("</url>", "<changefreq>Daily</changefreq></url>"),
        "an unknown element": ("</url>", f"<title>Item {number}</title></url>"),
        "a space in an image URL": (
            "</url>",
            f"<image:image><image:loc>{HOST}/my images/{number}.jpg</image:loc></image:image></url>",
        ),
        "relative hreflang links": ("</url>", f'<xhtml:link rel="alternate" hreflang="de" href="/de{path}"/></url>'),
        "four faults in loc": (loc, f"http://WWW.example.com/a b/é{path}#top"),
        "a fault in each of four fields": (loc, f"{loc} x"),
    }
    if fault == "each loc twice":
        return written + written
    if fault == "one broken entry in ten":
        return written.replace("</lastmod>", "", 1) if number % 10 == 0 else written
    old, new = changes[fault]
    result = written.replace(old, new, 1)
    if fault == "a fault in each of four fields":
        result = result.replace(day, "2025-01-01T10:00:00", 1).replace("  </url>", four)
    return result


def check_entries(case: Case, count: int) -> Iterator[str]:
    """The whole file, in pieces; as many entries as fit into one."""
    count = min(count_of(case, count), LARGEST // len(entry(case, row_of(case, 7))))
    if case.fault == "each loc twice":
        count //= 2
    rows = rows_of(case, count)
    match case.form:
        case "text":
            return (f"{row['loc']}\n" for row in rows)
        case "RSS":
            return rss(rows)
        case "Atom":
            return atom(rows)
    written = map(partial(entry, case), rows)
    return urlset(faulty(case.fault, *each) for each in enumerate(written)) if case.fault else urlset(written)


def mixed_entries(seed: int, count: int) -> Iterator[str]:
    """Ten shapes in which no rule finds anything, in random order."""
    random = Random(seed)
    media, forms = (
        [each for each in MEDIA[:-1] if each not in ("captions", "news")],
        [each for each in FORMS[:8] if "first" not in each],
    )
    spellings = [each for each in VALID if each != "uppercase"]
    shapes = [
        Case(spelling=random.choice(spellings), media=random.choice(media), form=random.choice(forms))
        for _ in range(MIXED)
    ]
    return urlset(entry(case, row_of(case, number)) for number, case in enumerate(random.choices(shapes, k=count)))


FAULTY = ("space", "IDN host", "umlaut")
"""spellings that a sitemap may not have, and that a build has to repair"""
VALID = tuple(each for each in SPELLINGS if each not in (*FAULTY, "port"))
"""on one host"""


def write_text(path: Path, pieces: Iterable[str]) -> None:
    with path.open("wb") as target:
        target.writelines(piece.encode() for piece in pieces)


def build(source: Path, out: Path, base: str, *, only_rows: bool) -> None:
    """As a Python program does; `only_rows`: one row is built, the others are only made, which is no work of ours."""
    urlset_build, rows = import_module("urlset").build, unpickled(source / "rows.pickle")
    urlset_build([next(rows)] if only_rows else rows, out, base_url=base, state=f"{out}.state", gzip=True)
    for _ in rows:
        pass


def main(arguments: list[str]) -> None:
    match arguments:
        case ["build" | "only-rows" as wanted, source, out, base]:
            build(Path(source), Path(out), base, only_rows=wanted == "only-rows")
        case ["next", folder, database, *values]:
            replace(Path(folder), database, Case(*values))
        case ["sitemap", file, count, *values]:
            write_text(Path(file), check_entries(Case(*values), int(count)))
        case ["mixed", file, count, seed]:
            write_text(Path(file), mixed_entries(int(seed), int(count)))
        case [folder, count, database, *values]:
            make(Path(folder), int(count), database, Case(*values))


if __name__ == "__main__":
    main(sys.argv[1:])
