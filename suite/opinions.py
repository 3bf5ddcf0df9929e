"""A file → what judges other than urlset say about it: expat, the official schemas, `datetime`, `gzip`, RFC grammars.

    python3 suite/opinions.py --schemas FOLDER    write the second opinion into each case and opinions.md

The schemas are those of sitemaps.org and Google; they need lxml. Everything else is the standard library.
"""

from __future__ import annotations

import argparse
import calendar
import gzip
import hashlib
import io
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET
from xml.parsers import expat

HERE = Path(__file__).resolve().parent
CORE = "http://www.sitemaps.org/schemas/sitemap/0.9"
ATOM = "http://www.w3.org/2005/Atom"
XHTML = "http://www.w3.org/1999/xhtml"
GOOGLE = "http://www.google.com/schemas/sitemap-"
IMAGE, VIDEO, NEWS = f"{GOOGLE}image/1.1", f"{GOOGLE}video/1.1", f"{GOOGLE}news/0.9"
KINDS = {f"{{{CORE}}}urlset": "urlset", f"{{{CORE}}}sitemapindex": "sitemapindex", f"{{{ATOM}}}feed": "atom"}
MOST_BYTES, MOST_ENTRIES = 52_428_800, 50_000
W3C = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?", re.ASCII)
URI = re.compile(r"https?://[^/?#\s]+(?:[\w.~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*", re.IGNORECASE | re.ASCII)
LANGUAGE = re.compile(r"x-default|[a-z]{2}(?:-[a-z]{4})?(?:-[a-z]{2})?", re.IGNORECASE)
SITEMAP_LINE = re.compile(rb"^[ \t]*sitemap[ \t]*:[ \t]*([^\s#]+)", re.IGNORECASE | re.MULTILINE)
LINE = "\0line"
ROBOTS_LINE = re.compile(rb"^\s*(?:user-agent|disallow|allow)\s*:", re.IGNORECASE | re.MULTILINE)
CHANGES = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")


@dataclass
class Opinion:
    """What the judges read, and what each of them objects to."""

    kind: str = "unknown"
    urls: list[dict[str, Any]] = field(default_factory=list)
    objections: list[tuple[str, int, str]] = field(default_factory=list)
    """judge, line, reason"""

    def object(self, judge: str, line: int, reason: str) -> None:
        self.objections.append((judge, line, reason))


def moment(text: str) -> dict[str, str] | None:
    """The instant at which a W3C date begins, and its precision; None for any other text."""
    text = text.strip()
    match = W3C.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    names = ("year", "month", "day", "minute", "second", "fraction")
    precision = names[sum(part is not None for part in (month, day, hour, second, fraction))]
    try:
        if day and int(day) > calendar.monthrange(int(year), int(month))[1]:
            return None
        start = datetime(
            int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0), int(second or 0), tzinfo=UTC
        )
        micro = int(Decimal(fraction or 0) * 1_000_000)
        offset = timedelta() if zone in (None, "Z") else timedelta(hours=int(zone[1:3]), minutes=int(zone[4:]))
        if offset > timedelta(hours=14) or (zone not in (None, "Z") and int(zone[4:]) > 59):
            return None
        instant = start.replace(microsecond=micro) - (-offset if zone and zone[0] == "-" else offset)
    except (ValueError, OverflowError):
        return None
    return {"text": text, "instant": instant.isoformat().replace("+00:00", "Z"), "precision": precision}


def feed_moment(text: str) -> dict[str, str] | None:
    """A date of RSS (RFC 822)."""
    try:
        found = parsedate_to_datetime(text.strip())
    except (ValueError, TypeError):
        return None
    instant = (found.replace(tzinfo=UTC) if found.tzinfo is None else found).astimezone(UTC)
    return {"text": text.strip(), "instant": instant.isoformat().replace("+00:00", "Z"), "precision": "second"}


def parse(data: bytes) -> ET.Element:
    """A tree whose elements know their line."""
    parser, builder = expat.ParserCreate(namespace_separator="}"), ET.TreeBuilder()

    def start(name: str, attributes: dict[str, str]) -> None:
        own = {f"{{{key}" if "}" in key else key: value for key, value in attributes.items()}
        builder.start(f"{{{name}" if "}" in name else name, own | {LINE: str(parser.CurrentLineNumber)})

    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.buffer_text = True
    parser.Parse(data, True)
    return builder.close()


def line_of(element: ET.Element) -> int:
    return int(element.get(LINE, "1"))


def text_of(element: ET.Element | None) -> str:
    return "".join(element.itertext()).strip() if element is not None else ""


def opinion(data: bytes, at: str | None = None) -> Opinion:
    """Everything the judges say about one file."""
    found = Opinion()
    while data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            found.object("gzip", 1, str(error))
            return found
    if len(data) > MOST_BYTES:
        found.object("len", 1, f"{len(data):,} bytes")
    bare = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not data.strip():
        found.kind = "empty"
        found.object("len", 1, "no content")
    elif bare[:1] == b"<" or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        xml_opinion(data, found, at)
    elif SITEMAP_LINE.search(bare) or ROBOTS_LINE.search(data):
        found.kind = "robots"
        lines = re.sub(rb"\r\n?", b"\n", data.removeprefix(b"\xef\xbb\xbf"))
        found.urls = [{"loc": each.decode("utf-8", "replace")} for each in SITEMAP_LINE.findall(lines)]
        utf8_opinion(data, found)
        for url in found.urls:
            uri_opinion(url["loc"], 1 + data[: data.find(url["loc"].encode())].count(b"\n"), found)
    else:
        text_opinion(data, found)
    return found


def utf8_opinion(data: bytes, found: Opinion) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        found.object("utf-8", 1 + data[: error.start].count(b"\n"), str(error))


def text_opinion(data: bytes, found: Opinion) -> None:
    utf8_opinion(data, found)
    lines = re.split(r"\r\n|\r|\n", data.decode("utf-8-sig", "replace"))
    locs = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    if sum(line.startswith(("http://", "https://")) for _, line in locs) * 2 >= len(locs):
        found.kind = "text"
    found.urls = [{"loc": line} for _, line in locs if URI.match(line)]
    for number, line in locs:
        uri_opinion(line, number, found)
    if len(locs) > MOST_ENTRIES:
        found.object("len", 1, f"{len(locs):,} URLs")


def xml_opinion(data: bytes, found: Opinion, at: str | None) -> None:
    declared = re.match(rb"(?:\xef\xbb\xbf)?<\?xml[^>]*encoding\s*=\s*[\"']([\w.-]+)", data)
    if declared and declared[1].lower() not in (b"utf-8", b"us-ascii", b"ascii"):
        found.object("protocol", 1, f"encoding {declared[1].decode()}")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:2]:
        found.object("protocol", 1, "UTF-16")
    try:
        root = parse(data)
    except expat.ExpatError as error:
        found.object("expat", error.lineno, str(error))
        return
    except (LookupError, ValueError) as error:
        found.object("expat", 1, str(error))
        return
    tag = str(root.tag)
    found.kind = KINDS.get(tag) or ("rss" if tag == "rss" else "html" if tag.endswith("html") else "other-xml")
    if found.kind in ("urlset", "sitemapindex"):
        entries_opinion(root, found, at)
    elif found.kind in ("rss", "atom"):
        feed_opinion(root, found)
    else:
        found.object("expat", line_of(root), f"the root is {tag}")
    schema_opinion(data, found)


def entries_opinion(root: ET.Element, found: Opinion, at: str | None) -> None:
    name = f"{{{CORE}}}{'url' if found.kind == 'urlset' else 'sitemap'}"
    entries = root.findall(name)
    for child in root:
        if child.tag != name and str(child.tag).startswith(f"{{{CORE}}}"):
            found.object("expat", line_of(child), f"<{child.tag}> in the root")
    if len(entries) > MOST_ENTRIES:
        found.object("len", 1, f"{len(entries):,} entries")
    for entry in entries:
        locs = entry.findall(f"{{{CORE}}}loc")
        loc = text_of(locs[0]) if locs else ""
        if len(locs) != 1 or not loc:
            found.object("expat", line_of(entry), f"{len(locs)} <loc>" if len(locs) != 1 else "empty <loc>")
        url: dict[str, Any] = {"loc": loc}
        if loc:
            found.urls.append(url)
            uri_opinion(loc, line_of(locs[0]), found, at)
        values_opinion(entry, url, found)
        if found.kind == "urlset":
            extensions_opinion(entry, url, found)


def values_opinion(entry: ET.Element, url: dict[str, Any], found: Opinion) -> None:
    for name in ("lastmod", "changefreq", "priority"):
        element = entry.find(f"{{{CORE}}}{name}")
        if element is None:
            continue
        text = text_of(element)
        if name == "lastmod":
            date = moment(text)
            if date:
                url["lastmod"] = date
            else:
                found.object("datetime", line_of(element), f"lastmod {text!r}")
        elif name == "changefreq" and text not in CHANGES:
            found.object("protocol", line_of(element), f"changefreq {text!r}")
        elif name == "priority" and not is_between(text, 0, 1):
            found.object("decimal", line_of(element), f"priority {text!r}")


def is_between(text: str, least: float, most: float) -> bool:
    try:
        return re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)", text) is not None and least <= Decimal(text) <= most
    except InvalidOperation:
        return False


def uri_opinion(loc: str, line: int, found: Opinion, at: str | None = None) -> None:
    if not URI.fullmatch(loc):
        ascii_only = re.sub(r"[^\x00-\x9f\s]", "a", loc)
        if URI.fullmatch(ascii_only):
            return  # an IRI: the protocol names RFC 3987 too
        found.object("RFC 3986", line, f"not an absolute http URL: {loc[:80]!r}")
        return
    if len(loc) >= 2048:
        found.object("len", line, f"a URL of {len(loc):,} characters")
    try:
        parts = urlsplit(loc)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        found.object("urllib", line, str(error))
        return
    if not host or port == 0 or loc.count("#") > 1:
        found.object("RFC 3986", line, f"host, port or fragment of {loc[:80]!r}")
    if at:
        base = urlsplit(at)
        if (base.scheme, base.netloc) != (parts.scheme, parts.netloc):
            found.object("protocol", line, "other host than the sitemap")
        elif not parts.path.startswith(base.path.rpartition("/")[0] + "/"):
            found.object("protocol", line, "above the folder of the sitemap")


def extensions_opinion(entry: ET.Element, url: dict[str, Any], found: Opinion) -> None:
    images = [text_of(image.find(f"{{{IMAGE}}}loc")) for image in entry.findall(f"{{{IMAGE}}}image")]
    if images:
        url["images"] = images
        if "" in images:
            found.object("Google", line_of(entry), "an image without its URL")
    videos = []
    for video in entry.findall(f"{{{VIDEO}}}video"):
        fields = ("thumbnail_loc", "title", "description", "content_loc", "player_loc", "publication_date")
        values = {name: text_of(video.find(f"{{{VIDEO}}}{name}")) for name in fields}
        if not all(values[name] for name in fields[:3]) or not (values["content_loc"] or values["player_loc"]):
            found.object("Google", line_of(video), "a video without a required field")
        videos.append({name: value for name, value in values.items() if value})
    if videos:
        url["videos"] = videos
    news = entry.find(f"{{{NEWS}}}news")
    if news is not None:
        required = ("publication/name", "publication/language", "publication_date", "title")
        values = {
            name.split("/")[-1]: text_of(news.find("/".join(f"{{{NEWS}}}{part}" for part in name.split("/"))))
            for name in required
        }
        if not all(values.values()):
            found.object("Google", line_of(news), "news without a required field")
        url["news"] = {name: value for name, value in values.items() if value}
    links = [link for link in entry.findall(f"{{{XHTML}}}link") if "alternate" in link.get("rel", "").lower().split()]
    links = [link for link in links if link.get("hreflang") and link.get("href")]
    if links:
        url["alternates"] = [
            {"hreflang": link.get("hreflang"), "href": (link.get("href") or "").strip()} for link in links
        ]
    for link in links:
        if not LANGUAGE.fullmatch(link.get("hreflang", "")):
            found.object("BCP 47", line_of(link), f"hreflang {link.get('hreflang')!r}")


def feed_opinion(root: ET.Element, found: Opinion) -> None:
    if found.kind == "rss":
        for item in root.iterfind("channel/item"):
            loc = text_of(item.find("link"))
            url: dict[str, Any] = {"loc": loc}
            written = item.find("pubDate")
            date = feed_moment(text_of(written))
            if written is not None and date is None:
                found.object("RFC 822", line_of(written), f"pubDate {text_of(written)!r}")
            if loc:
                found.urls.append(url | ({"lastmod": date} if date else {}))
                uri_opinion(loc, line_of(item), found)
        return
    for entry in root.iterfind(f"{{{ATOM}}}entry"):
        links = [link for link in entry.iterfind(f"{{{ATOM}}}link") if link.get("rel", "alternate") == "alternate"]
        if links and links[0].get("href"):
            loc = (links[0].get("href") or "").strip()
            date = moment(text_of(entry.find(f"{{{ATOM}}}updated")))
            found.urls.append({"loc": loc} | ({"lastmod": date} if date else {}))
            uri_opinion(loc, line_of(links[0]), found)


# The official schemas.

SCHEMAS: Path | None = None


@cache
def schemas() -> dict[str, Any]:
    """Kind → schema, lax towards extensions without a schema."""
    if SCHEMAS is None:
        return {}
    from lxml import etree

    imports = "".join(
        f'<xsd:import namespace="{space}" schemaLocation="{(SCHEMAS / f"sitemap-{name}.xsd").as_uri()}"/>'
        for name, space in (("video", VIDEO), ("news", NEWS), ("mobile", f"{GOOGLE}mobile/1.0"))
    ).encode()
    made = {}
    for kind, name in (("urlset", "sitemap"), ("sitemapindex", "siteindex")):
        text = (SCHEMAS / f"{name}.xsd").read_bytes().replace(b'processContents="strict"', b'processContents="lax"')
        first = text.index(b"<xsd:element name=")
        made[kind] = etree.XMLSchema(etree.fromstring(text[:first] + imports + text[first:]))
    return made


def schema_opinion(data: bytes, found: Opinion) -> None:
    schema = schemas().get(found.kind)
    if schema is None:
        return
    from lxml import etree

    try:
        root = etree.parse(io.BytesIO(data), etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    except etree.XMLSyntaxError as error:
        found.object("libxml2", error.lineno or 1, str(error))
        return
    try:
        accepted = schema.validate(root)
    except etree.XMLSchemaValidateError:  # libxml2 cannot validate references that are left in place
        return
    if not accepted:
        for each in list(schema.error_log)[:5]:
            found.object("XSD", each.line, each.message)


# Every case → its second opinion, the list of cases, and the page with all disagreements.


def second_opinion(case: dict[str, Any], judged: Opinion) -> dict[str, Any]:
    """What the judges say, and whether that is what the case says."""
    said = [f"{judge}, line {line}: {reason[:160]}" for judge, line, reason in judged.objections[:3]]
    if case["class"] == "n":
        return {"says": said or ["no objection"], "agrees": bool(said)}
    if case["class"] == "i":
        return {"says": said or ["no objection"]}
    allowed = {each["line"] for each in case.get("advice", ())}
    agrees = all(line in allowed for _, line, _ in judged.objections)
    if judged.kind != case["kind"]:
        said.append(f"kind {judged.kind}")
        agrees = False
    if values(judged.urls) != values(case.get("urls", ())):
        said.append(f"URLs {[url['loc'] for url in judged.urls]}" if judged.urls else "no URLs")
        agrees = False
    by = {"urlset": "expat", "sitemapindex": "expat", "rss": "expat", "atom": "expat"}.get(judged.kind, "grammar")
    return {"says": said or [f"{by}: the same kind, URLs and dates, no objection"], "agrees": agrees}


def values(urls: Any) -> list[tuple[str, str]]:
    return [(url["loc"], (url.get("lastmod") or {}).get("instant", "")) for url in urls]


def cases() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((HERE / "cases").glob("*/*.json")):
        yield path, json.loads(path.read_text(encoding="utf-8"))


def file_of(path: Path, case: dict[str, Any]) -> Path:
    """The file of a case, given the path of its expectation."""
    file = path.with_suffix("")
    return HERE / "generated" / path.parent.name / file.name if case.get("generated") else file


def row_of(path: Path, case: dict[str, Any], file: Path) -> dict[str, Any]:
    row = {"case": case["case"], "class": file.name[0], "topic": path.parent.name}
    row |= {"path": file.relative_to(HERE).as_posix(), "kind": case["kind"]}
    if not case.get("generated"):
        data = file.read_bytes()
        return row | {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return row | {"bytes": case["generated"]["bytes"], "sha256": case["generated"]["sha256"], "generated": True}


def main() -> int:
    global SCHEMAS  # noqa: PLW0603 - one folder for a run
    parser = argparse.ArgumentParser(
        description="Write the second opinion into each case, cases.jsonl and opinions.md."
    )
    parser.add_argument("--schemas", type=Path, required=True, help="folder with the official schemas")
    SCHEMAS = parser.parse_args().schemas
    rows, differing, counts = [], [], Counter[tuple[str, str]]()
    for path, case in cases():
        file = file_of(path, case)
        case["class"] = file.name[0]
        if not case.get("generated"):
            case["second_opinion"] = second_opinion(case, opinion(file.read_bytes(), case.get("url")))
        if case["second_opinion"].get("agrees") is False or "decision" in case:
            differing.append(case)
        counts[path.parent.name, case["class"]] += 1
        path.write_text(json.dumps(case, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        rows.append(row_of(path, case, file))
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (HERE / "cases.jsonl").write_text(lines, encoding="utf-8")
    (HERE / "opinions.md").write_text("\n".join(page(counts, differing)) + "\n", encoding="utf-8")
    open_ones = [case["case"] for case in differing if "decision" not in case]
    print(f"{len(rows)} cases, {len(differing)} with a decision to explain, {len(open_ones)} without one")
    print("\n".join(open_ones))
    return 1 if open_ones else 0


def page(counts: Counter[tuple[str, str]], differing: list[dict[str, Any]]) -> Iterator[str]:
    yield "# Second opinions"
    yield ""
    yield "Written by `opinions.py`. Each expectation is compared with judges that share no code with urlset: expat and"
    yield "libxml2 (well-formed XML), the official schemas (XSD), `datetime` (dates), `gzip`, the grammar of RFC 3986,"
    yield "and plain counts. A case is y if no judge objects, n if at least one does."
    yield ""
    yield "| topic | y | n | i | all |"
    yield "|---|---|---|---|---|"
    for topic in [*sorted({topic for topic, _ in counts}), "all"]:
        numbers = [sum(n for (t, c), n in counts.items() if topic in (t, "all") and c == label) for label in "yni"]
        yield f"| {topic} | {' | '.join(map(str, numbers))} | {sum(numbers)} |"
    yield ""
    yield f"## Disagreements and decisions ({len(differing)})"
    yield ""
    yield "| case | second opinion | decision |"
    yield "|---|---|---|"
    for case in differing:
        says = "; ".join(case["second_opinion"]["says"]).replace("|", "\\|").replace("\n", " ")
        yield f"| `{case['case']}` | {says} | {case.get('decision', '')} |"


if __name__ == "__main__":
    sys.exit(main())
