"""The files of a writer → what is wrong with them: well-formed, schema, escaping, splitting, index, dates.

`run.py --writer` uses it. The inputs are in suite/writers/*.json: rows, and what a correct result must satisfy.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

HERE = Path(__file__).resolve().parent
CORE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
IMAGE = "{http://www.google.com/schemas/sitemap-image/1.1}"
XHTML = "{http://www.w3.org/1999/xhtml}"
FIELDS = [f"{CORE}{name}" for name in ("loc", "lastmod", "changefreq", "priority")]
CHANGES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?")
MOST_BYTES, MOST_ENTRIES, LONGEST = 52_428_800, 50_000, 2048
Problem = tuple[str, str]


def inputs(folder: Path) -> Iterator[dict[str, Any]]:
    """Each input with its rows."""
    for path in sorted((folder / "writers").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        made = found.pop("rows_from", None)
        if made:
            long = "a" * made.get("padding", 0)
            found["rows"] = [{"loc": made["pattern"].format(n=n) + long} for n in range(made["count"])]
        yield {"case": f"writers/{path.stem}", "class": path.stem[0], **found}


def load(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


class Judge:
    """All files of one answer; `problems` reads them and yields what is wrong."""

    def __init__(self, case: dict[str, Any], folder: Path, files: list[str]) -> None:
        self.case, self.folder, self.files = case, folder, files
        self.entries: list[ET.Element] = []
        self.children: list[str] = []
        self.sitemaps: list[str] = []

    def problems(self) -> Iterator[Problem]:
        for name in self.files:
            yield from self.file_problems(name)
        yield from self.index_problems()
        yield from self.row_problems()

    def file_problems(self, name: str) -> Iterator[Problem]:
        try:
            data = load(self.folder / name)
            root = ET.fromstring(data)
        except (OSError, EOFError, ET.ParseError) as error:
            yield "not well-formed", f"{name}: {error}"
            return
        if len(data) > MOST_BYTES:
            yield "over the limit", f"{name}: {len(data):,} bytes"
        kind = root.tag.removeprefix(CORE)
        if kind not in ("urlset", "sitemapindex") or not root.tag.startswith(CORE):
            yield "invalid", f"{name}: the root is {root.tag}"
            return
        (self.sitemaps if kind == "urlset" else []).append(name)
        entry = f"{CORE}{'url' if kind == 'urlset' else 'sitemap'}"
        if len(root) > MOST_ENTRIES:
            yield "over the limit", f"{name}: {len(root):,} entries"
        if not len(root):
            yield "invalid", f"{name}: no entries"
        for child in root:
            if child.tag != entry:
                yield "invalid", f"{name}: <{child.tag}> in the root"
                continue
            yield from (("invalid", f"{name}: {wrong}") for wrong in schema_faults(child))
        if kind == "urlset":
            self.entries += root.findall(entry)
        else:
            self.children += [text(child, "loc") for child in root.findall(entry)]

    def index_problems(self) -> Iterator[Problem]:
        """Several files need an index with an absolute URL for each of them."""
        if len(self.sitemaps) > 1 and not self.children:
            yield "no index", f"{len(self.sitemaps)} files"
        if self.children:
            named = {child.rpartition("/")[2] for child in self.children}
            missing = [name for name in self.sitemaps if Path(name).name not in named]
            if missing:
                yield "no index", f"the index does not list {', '.join(missing[:3])}"
            if any(not child.startswith(("http://", "https://")) for child in self.children):
                yield "invalid", "the index has a URL that is not absolute"

    def row_problems(self) -> Iterator[Problem]:
        rows = {row["loc"].strip(): row for row in self.case["rows"]}
        found = {text(entry, "loc"): entry for entry in self.entries}
        wanted, given = {comparable(loc): loc for loc in rows}, {comparable(loc): loc for loc in found}
        refused = {comparable(loc) for loc in self.case.get("may_refuse", ())}
        lost = [loc for key, loc in wanted.items() if key not in given and key not in refused]
        if lost:
            yield "lost URL", f"{len(lost)}, first {lost[0]}"
        invented = [loc for key, loc in given.items() if key not in wanted and "any_urls" not in self.case]
        if invented:
            yield "invented URL", f"{len(invented)}, first {invented[0]}"
        for key in wanted.keys() & given.keys():
            yield from value_problems(rows[wanted[key]], found[given[key]])


def comparable(url: str) -> str:
    """Escapes of text beyond ASCII are the same URL, and so is a host without a path."""
    url += "/" * (url.count("/") == 2)
    return re.sub(r"%[0-9a-fA-F]{2}", lambda match: match[0].upper(), quote(url, safe="!#$%&'()*+,/:;=?@[]~"))


def text(entry: ET.Element, name: str) -> str:
    return (entry.findtext(f"{CORE}{name}") or "").strip()


def schema_faults(entry: ET.Element) -> Iterator[str]:
    """What the official schema rejects."""
    own = [child.tag for child in entry if child.tag.startswith(CORE)]
    if own.count(FIELDS[0]) != 1:
        yield "an entry without exactly one <loc>"
    if own != sorted(own, key=lambda tag: FIELDS.index(tag) if tag in FIELDS else 9) or len(own) != len(set(own)):
        yield f"order or number of fields: {[tag.removeprefix(CORE) for tag in own]}"
    if any(tag not in FIELDS for tag in own):
        yield "an unknown field"
    loc, date, change = text(entry, "loc"), text(entry, "lastmod"), text(entry, "changefreq")
    if not loc.startswith(("http://", "https://")) or len(loc) > LONGEST or re.search(r"\s", loc):
        yield f"loc {loc[:80]!r}"
    if entry.find(FIELDS[1]) is not None and not DATE.fullmatch(date):
        yield f"lastmod {date!r}"
    if entry.find(FIELDS[2]) is not None and change not in CHANGES:
        yield f"changefreq {change!r}"
    if entry.find(FIELDS[3]) is not None and not re.fullmatch(r"0(\.\d+)?|1(\.0+)?|\.\d+", text(entry, "priority")):
        yield f"priority {text(entry, 'priority')!r}"


def value_problems(row: dict[str, Any], entry: ET.Element) -> Iterator[Problem]:
    wanted, given = row.get("lastmod"), text(entry, "lastmod")
    if wanted and not given:
        yield "wrong date", f"{row['loc']}: no date instead of {wanted}"
    elif wanted and not same_date(wanted, given):
        yield "wrong date", f"{row['loc']}: {given} instead of {wanted}"
    elif given and not wanted:
        yield "wrong date", f"{row['loc']}: {given}, which no row states"
    images = [(image.findtext(f"{IMAGE}loc") or "").strip() for image in entry.findall(f"{IMAGE}image")]
    if images != row.get("images", []):
        yield "wrong value", f"{row['loc']}: images {images} instead of {row.get('images', [])}"
    links = {link.get("hreflang"): link.get("href") for link in entry.findall(f"{XHTML}link")}
    alternates = {link["hreflang"]: link["href"] for link in row.get("alternates", [])}
    if links != alternates:
        yield "wrong value", f"{row['loc']}: alternates {links} instead of {alternates}"


def same_date(wanted: str, given: str) -> bool:
    """The same instant; a writer of days may give the day, in the zone of the row or in UTC."""
    try:
        first, second = (datetime.fromisoformat(each) for each in (wanted, given))
    except ValueError:
        return False
    first, second = (each if each.tzinfo else each.replace(tzinfo=UTC) for each in (first, second))
    if len(given) == len("2026-11-15"):
        return second.date() in (first.date(), first.astimezone(UTC).date())
    return abs(first - second) < timedelta(seconds=1)
