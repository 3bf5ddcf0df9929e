"""Characters that XML forbids, in any field of any source: the page stays listed, the character is named and goes."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import urlset
from urlset.building import pages
from urlset.model.entry import Alternate, DataObject, Entry, Image, Marked, Media, News, PageMap, Video
from urlset.settings.build import BuildSettings
from urlset.workflows.build.build import build
from urlset.workflows.build.result import BuildReport, BuildRun

PAGE = "https://example.com/page"
CHARACTERS = {"\x0b": " ", "\x00": "", "\x1f": " ", chr(0xD800): "\ufffd", chr(0xDC80): "\ufffd", "\ufffe": "\ufffd"}
VIDEO = {"thumbnail_loc": "https://example.com/t.jpg", "content_loc": "https://example.com/v.mp4"}


def fields(text: str) -> dict[str, dict[str, Any]]:
    """One row for each field that can hold a text."""
    video = {**VIDEO, "title": "T", "description": "D"}
    news = {"name": "Paper", "language": "en", "publication_date": "2026-01-01", "title": "T"}
    return {
        "image title": {"images": [{"loc": "https://example.com/i.jpg", "title": text}]},
        "image caption": {"images": [{"loc": "https://example.com/i.jpg", "caption": text}]},
        "video title": {"videos": [{**video, "title": text}]},
        "video description": {"videos": [{**video, "description": text}]},
        "video tag": {"videos": [{**video, "tag": ["a", text]}]},
        "video uploader": {"videos": [{**video, "uploader": {"text": text}}]},
        "video attribute": {"videos": [{**video, "uploader": {"text": "u", text: "x"}}]},
        "video tvshow": {"videos": [{**video, "tvshow": {"show_title": text, text: "x"}}]},
        "news name": {"news": {**news, "name": text}},
        "news title": {"news": {**news, "title": text}},
        "hreflang": {"alternates": {text: "https://example.com/x", "en": PAGE}},
        "section": {"section": text},
        "language": {"language": text, "alternates": {"en": "https://example.com/x"}},
        "title": {"title": text},
        "canonical": {"canonical": f"{PAGE}#{text}"},
    }


@pytest.fixture(params=["compiled", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(pages, "compiled_pages", lambda: None)


def built(folder: Path, *, offers: Any = None, source: str | Path | None = None, **options: Any) -> BuildReport:
    sources = () if source is None else (str(source),)
    wanted = BuildSettings(
        sources=sources, base_url="https://example.com/", out=folder / "out", state=None, evidence=(), **options
    )
    return build(wanted, BuildRun(offers=offers))


def listed(folder: Path) -> list[str]:
    """By a parser that is not ours."""
    found = []
    for path in sorted((folder / "out").glob("*.xml")):
        found += [each.text or "" for each in ET.parse(path).iter() if each.tag.endswith("}loc")]
    return found


@pytest.mark.parametrize("character", ["\x0b", chr(0xD800)], ids=ascii)
@pytest.mark.parametrize("name", fields(""))
@pytest.mark.usefixtures("way")
def test_json_lines(name: str, character: str, tmp_path: Path) -> None:
    source = tmp_path / "rows.jsonl"
    row = {"loc": PAGE, **fields(f"a{character}b")[name]}
    source.write_text(f"{json.dumps({'loc': 'https://example.com/1'})}\n{json.dumps(row)}\n")
    report = built(tmp_path, source=source)
    assert report.published
    assert report.listed == 2
    assert PAGE in listed(tmp_path)
    if name not in ("title", "canonical"):
        assert any(f"U+{ord(character):04X}" in each.reason for each in report.troubles)


@pytest.mark.parametrize("character", CHARACTERS, ids=ascii)
@pytest.mark.usefixtures("way")
def test_what_becomes_of_the_character(character: str, tmp_path: Path) -> None:
    report = built(tmp_path, offers=[{"loc": PAGE, **fields(f"a{character}b")["image title"]}])
    text = (tmp_path / "out" / "sitemap.xml").read_text(encoding="utf-8")
    assert f"<image:title>a{CHARACTERS[character]}b</image:title>" in text
    assert [each.origin for each in report.troubles] == ["item:1"]


def _csv(path: Path, text: str) -> Path:
    with path.with_suffix(".csv").open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        csv.writer(file).writerows([["loc", "image_loc", "image_title"], [PAGE, "https://example.com/i.jpg", text]])
    return path.with_suffix(".csv")


def _sqlite(path: Path, text: str) -> Path:
    with closing(sqlite3.connect(path.with_suffix(".db"))) as base:
        base.execute("create table pages (loc text, image_loc text, image_title text)")
        data = text.encode("utf-8", "surrogateescape")
        base.execute("insert into pages values (?, 'https://example.com/i.jpg', cast(? as text))", (PAGE, data))
        base.commit()
    return path.with_suffix(".db")


def _parquet(path: Path, text: str) -> Path:
    pa = pytest.importorskip("pyarrow")
    from pyarrow.parquet import write_table

    titles = pa.array([text.encode("utf-8", "surrogateescape")], pa.binary()).cast(pa.string(), safe=False)
    table = pa.table({"loc": [PAGE], "image_loc": ["https://example.com/i.jpg"], "image_title": titles})
    write_table(table, path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def _folder(path: Path, text: str) -> Path:
    path.mkdir()
    data = {"@type": "VideoObject", "name": text, "description": text, "thumbnailUrl": "https://example.com/t.jpg"}
    data |= {"@context": "https://schema.org", "contentUrl": "https://example.com/v.mp4"}
    link = f'<link rel="alternate" hreflang="a{text}b" href="https://example.com/x">'
    page = (
        f'<html><head>{link}<script type="application/ld+json">{json.dumps(data)}</script></head><body>x</body></html>'
    )
    (path / "page").mkdir()
    (path / "page" / "index.html").write_bytes(page.encode("utf-8", "surrogateescape"))
    return path


def _sitemap(path: Path, text: str) -> Path:
    image = (
        f"<image:image><image:loc>https://example.com/i.jpg</image:loc><image:title>{text}</image:title></image:image>"
    )
    data = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
        ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
        f"<url><loc>{PAGE}</loc>{image}</url></urlset>"
    )
    path.with_suffix(".xml").write_bytes(data.encode("utf-8", "surrogateescape"))
    return path.with_suffix(".xml")


def _feed(path: Path, text: str) -> Path:
    item = f"<item><title>{text}</title><link>{PAGE}</link></item>"
    data = f'<rss version="2.0"><channel><title>{text}</title>{item}</channel></rss>'
    path.with_suffix(".xml").write_bytes(data.encode("utf-8", "surrogateescape"))
    return path.with_suffix(".xml")


@pytest.mark.parametrize("text", ["a\x0bb", "a\udc80b", "a\ufffeb"], ids=ascii)
@pytest.mark.parametrize("made", [_csv, _sqlite, _parquet, _folder, _sitemap, _feed])
@pytest.mark.usefixtures("way")
def test_other_sources(made: Callable[[Path, str], Path], text: str, tmp_path: Path) -> None:
    source: str | Path = made(tmp_path / "source", text)
    options: dict[str, Any] = {"videos": True} if made is _folder else {}
    if made is _sqlite:
        source, options = f"sqlite:///{source}", {"sql": "select * from pages"}
    report = built(tmp_path, source=source, **options)
    assert report.published
    assert PAGE in [loc.rstrip("/") for loc in listed(tmp_path)]
    if made in (_csv, _sqlite, _parquet):  # readers of HTML and XML have replaced it
        assert any("is not allowed in XML" in each.reason for each in report.troubles)


def entries(text: str) -> list[Entry]:
    video = Video(
        "https://example.com/t.jpg", text, text, "https://example.com/v.mp4", tags=(text,), ids=(Marked(text),)
    )
    return [
        Entry(PAGE, media=media)
        for media in (
            Media(images=(Image("https://example.com/i.jpg", title=text, caption=text, geo_location=text),)),
            Media(images=(Image(f"https://example.com/{text}"),)),
            Media(videos=(video,)),
            Media(news=(News(text, "en", "2026-01-01", text),)),
            Media(alternates=(Alternate(text, f"https://example.com/{text}"), Alternate("en", PAGE))),
            Media(pagemaps=(PageMap((DataObject(text, text, (("name", text), (text, "v"))),), text),)),
            Media(mobile=text),
        )
    ]


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("text", ["a\x0bb", "a\ud800b", "a\uffffb"], ids=ascii)
@pytest.mark.usefixtures("way")
def test_entries_of_a_program(number: int, text: str, tmp_path: Path) -> None:
    entry = entries(text)[number]
    report = built(tmp_path, offers=[entry])
    assert report.published
    assert PAGE in listed(tmp_path)
    in_address = number == 1 and not "\ud800" <= text[1] <= "\udfff"  # where it is percent-encoded
    assert bool(report.troubles) != in_address
    rendered = urlset.render([entry], strict=False)
    assert [each.text for each in ET.fromstring(rendered).iter() if each.tag.endswith("}loc")][:1] == [PAGE]


def test_a_child_of_an_index() -> None:
    data = urlset.render_index(["https://example.com/a\x0b.xml", "https://example.com/b.xml"])
    locs = [each.text for each in ET.fromstring(data).iter() if each.tag.endswith("}loc")]
    assert locs == ["https://example.com/a%0B.xml", "https://example.com/b.xml"]


@pytest.mark.parametrize(
    ("line", "loc"),
    [
        (b'{"loc": "https://example.com/page", "title": "a\x0bb"}', PAGE),
        (b'{"loc": "https://example.com/page", "title": "\xff"}', PAGE),
        (b'{"loc": "https://example.com/a\\u000bb"}', "https://example.com/a%0Bb"),
        (b'{"loc": "https://example.com/page\\n"}', PAGE),
    ],
)
@pytest.mark.usefixtures("way")
def test_lines_that_are_almost_json(line: bytes, loc: str, tmp_path: Path) -> None:
    source = tmp_path / "rows.jsonl"
    source.write_bytes(b'{"loc": "https://example.com/1"}\n' + line + b"\n")
    assert built(tmp_path, source=source).listed == 2
    assert loc in listed(tmp_path)
