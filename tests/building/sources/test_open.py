"""What a user names → the source that reads it, decided by content."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.building.sources.sites import BASE, candidates, html, lay_out
from urlset.building.candidate import Candidate
from urlset.building.sources import open as opening
from urlset.building.sources.open import NAMES, SOURCES, OpenedSource, SourceHandle, open_source
from urlset.building.sources.source import Block, SourceError, SourceOptions, items_of

OPTIONS = SourceOptions(base_url=BASE)
ROW = f'{{"loc": "{BASE}a", "lastmod": "2024"}}\n'
FILES = {
    "sitemap": f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{BASE}a</loc></url></urlset>',
    "jsonl": ROW,
    "csv": f"title,url\nx,{BASE}a\n",
    "tsv": f"title\turl\nx\t{BASE}a\n",
    "text": f"{BASE}a\n",
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("from_stdin", [False, True])
def test_by_content_whatever_the_name(
    tmp_path: Path, kind: str, packed: bool, from_stdin: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[str] = []

    def watching(source: OpenedSource) -> OpenedSource:
        def open_it(given: SourceHandle, options: SourceOptions) -> Iterator[Block]:
            chosen.append(source.name)
            return source.open(given, options)

        return source._replace(open=open_it)

    monkeypatch.setattr(opening, "SOURCES", tuple(map(watching, SOURCES)))
    data = FILES[kind].encode()
    data = gzip.compress(data) if packed else data
    path = tmp_path / "something.bin"
    path.write_bytes(data)
    blocks = open_source("-", OPTIONS, stdin=io.BytesIO(data)) if from_stdin else open_source(str(path), OPTIONS)
    items = items_of(blocks)
    assert [each.loc for each in candidates(items)] == [f"{BASE}a"]
    assert chosen == [kind]


@pytest.mark.parametrize(
    ("name", "line", "loc", "lastmod"),
    [
        ("list.txt", "a;page=2", "a;page=2", None),
        ("list.txt", "a,123", "a,123", None),
        ("list.txt", "a?b=1&amp;c=2", "a?b=1&amp;c=2", None),
        ("list.txt", "a|b", "a%7Cb", None),
        ("list.txt", "a;page=2,2024-05-01", "a;page=2", "2024-05-01"),
        ("list.txt", "a,2024-05-01T10:00:00Z", "a", "2024-05-01T10:00:00Z"),
        ("list.txt", "a;2024-05-01", "a", "2024-05-01"),
        ("list.txt", "a,", "a", None),
        ("list.txt", "a,A chair", "a", None),
        ("list.txt", f"a,{BASE}image.jpg", "a", None),
        ("list.csv", "a,123", "a", None),
        ("list.csv.gz", "a,123", "a", None),
        ("list.txt", "a\tb", "a", None),
    ],
)
def test_a_delimiter_may_be_part_of_a_url(tmp_path: Path, name: str, line: str, loc: str, lastmod: str | None) -> None:
    """Lists were cut at the first comma or semicolon, and so listed URLs that do not exist."""
    path = tmp_path / name
    path.write_text(f"{BASE}{line}\n" * 2, encoding="utf-8")
    found = candidates(items_of(open_source(str(path), OPTIONS)))
    assert [(each.loc, each.entry.lastmod) for each in found] == [(f"{BASE}{loc}", lastmod)] * 2


def test_a_folder(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.html": html()})
    assert [each.loc for each in candidates(items_of(open_source(str(tmp_path), OPTIONS)))] == [f"{BASE}a.html"]


def test_the_kind_can_be_forced(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(f"{BASE}a,b\n")
    forced = SourceOptions(kind="text")
    assert [each.loc for each in candidates(items_of(open_source(str(path), forced)))] == [f"{BASE}a,b"]


@pytest.mark.parametrize(
    ("spec", "options", "reason"),
    [
        ("/no/such/file", OPTIONS, "no such file"),
        ("https://www.example.com/", OPTIONS, "must be the only source"),
        ("-", SourceOptions(kind="magic"), "unknown source 'magic'"),
        ("sqlite:///no.db", OPTIONS, "--sql"),
        ("-", OPTIONS, "is empty"),
    ],
)
def test_what_cannot_be_opened(spec: str, options: SourceOptions, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        open_source(spec, options, stdin=io.BytesIO(b""))


@pytest.mark.parametrize("mark", ["sep=;\n", "SEP=;\r\n", '"sep=;"\n', "\ufeffsep=;\n"])
def test_the_separator_that_excel_notes_is_no_row(tmp_path: Path, mark: str) -> None:
    (tmp_path / "table.csv").write_text(f"{mark}loc;lastmod\n{BASE}a;2024-02-01\n", newline="")
    (item,) = items_of(open_source(str(tmp_path / "table.csv"), OPTIONS))
    assert isinstance(item, Candidate)
    assert (item.loc, item.origin) == (f"{BASE}a", "table.csv:3")


@pytest.mark.parametrize("from_stdin", [False, True])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{BASE}a\r{BASE}b\r", "lines end with CR alone"),
        (f"loc,lastmod\r{BASE}a,2024\r", "lines end with CR alone"),
        (f'[{{"loc": "{BASE}a"}}]', "is a JSON array"),
        (f'[\n  {{"loc": "{BASE}a"}}\n]\n', "is a JSON array"),
        (f'["{BASE}a"]', "is a JSON array"),
    ],
)
def test_what_only_looks_like_lines_is_refused(tmp_path: Path, text: str, reason: str, from_stdin: bool) -> None:
    (tmp_path / "list").write_text(text, newline="")
    spec, stdin = ("-", io.BytesIO(text.encode())) if from_stdin else (str(tmp_path / "list"), None)
    with pytest.raises(SourceError, match=reason):
        open_source(spec, OPTIONS, stdin=stdin)


def test_every_source_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_what_can_be_read_only_once_is_not_looked_at(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows")
    with pytest.raises(SourceError, match="only once; use -"):
        open_source(str(tmp_path / "rows"))
