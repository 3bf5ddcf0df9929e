"""Files on disk that list one another → the documents a tree gives, and what it refuses."""

from __future__ import annotations

import gc
import gzip
import io
import os
import weakref
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.model.document import Document, Kind
from urlset.reading.disk import Absent, SiteFolder
from urlset.reading.read import read
from urlset.reading.tree import DocumentTree, read_tree

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SITE = "https://www.example.com"


def urlset_of(*locs: str) -> bytes:
    return f"<urlset {NAMESPACE}>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>".encode()


def index_of(*locs: str) -> bytes:
    listed = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f"<sitemapindex {NAMESPACE}>{listed}</sitemapindex>".encode()


def put(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def names(tree: DocumentTree, folder: Path) -> list[str]:
    return [Path(os.path.relpath(document.name, folder)).as_posix() for document in tree]


def test_children_come_after_their_index_in_the_order_listed(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "index.xml": index_of(f"{SITE}/b.xml", f"{SITE}/deeper.xml", f"{SITE}/a.xml"),
            "deeper.xml": index_of(f"{SITE}/c.xml"),
            **{name: urlset_of(f"{SITE}/{name}/page") for name in ("a.xml", "b.xml", "c.xml")},
        },
    )
    tree = read_tree(tmp_path / "index.xml")
    assert names(tree, tmp_path) == ["index.xml", "b.xml", "deeper.xml", "c.xml", "a.xml"]
    assert tree.missing == []
    assert [document.url for document in tree][1] == f"{SITE}/b.xml"


def test_circles_end_and_each_file_is_read_once(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "one.xml": index_of(f"{SITE}/one.xml", f"{SITE}/two.xml", f"{SITE}/page.xml"),
            "two.xml": index_of(f"{SITE}/one.xml", f"{SITE}/page.xml"),
            "page.xml": urlset_of(f"{SITE}/"),
        },
    )
    tree = read_tree([tmp_path / "one.xml", tmp_path / "page.xml"])
    assert names(tree, tmp_path) == ["one.xml", "two.xml", "page.xml"]
    assert tree.missing == []


def test_depth_is_limited_and_the_rest_named(tmp_path: Path) -> None:
    put(tmp_path, {f"{n}.xml": index_of(f"{SITE}/{n + 1}.xml") for n in range(5)})
    tree = read_tree(tmp_path / "0.xml", max_depth=2)
    assert names(tree, tmp_path) == ["0.xml", "1.xml", "2.xml"]
    ((loc, parent, reason),) = tree.missing
    assert (loc, Path(parent).name) == (f"{SITE}/3.xml", "2.xml")
    assert "nested more than 2 deep" in reason


@pytest.mark.parametrize(
    ("listed", "lies_at"),
    [
        ("https://www.example.com/maps/a.xml", "maps/a.xml"),
        ("https://www.example.com/maps/a.xml", "maps/a.xml.gz"),
        ("https://www.example.com/maps/a.xml.gz", "maps/a.xml"),
        ("https://www.example.com/caf%C3%A9/a.xml", "café/a.xml"),
        ("https://www.example.com//maps/./a.xml", "maps/a.xml"),
        pytest.param("https://www.example.com/map.php?page=2", "map.php?page=2", marks=pytest.mark.posix),
        ("https://www.example.com/a.xml?from=1&amp;to=2", "a.xml"),
        ("/maps/a.xml", "maps/a.xml"),
        ("a.xml", "indexes/a.xml"),
    ],
)
def test_root_maps_the_paths_of_the_site(tmp_path: Path, listed: str, lies_at: str) -> None:
    packed = gzip.compress(urlset_of(f"{SITE}/page"))
    put(tmp_path, {"indexes/index.xml": index_of(listed), lies_at: packed})
    tree = read_tree(tmp_path / "indexes" / "index.xml", root=tmp_path)
    assert names(tree, tmp_path) == ["indexes/index.xml", lies_at]
    assert tree.missing == []


def test_without_root_the_last_part_of_the_path_is_next_to_the_index(tmp_path: Path) -> None:
    put(tmp_path, {"index.xml": index_of(f"{SITE}/far/away/a.xml"), "a.xml.gz": urlset_of(f"{SITE}/")})
    assert names(read_tree(tmp_path / "index.xml"), tmp_path) == ["index.xml", "a.xml.gz"]


def test_base_url_is_what_root_stands_for(tmp_path: Path) -> None:
    inside, outside, elsewhere = f"{SITE}/shop/a.xml", f"{SITE}/a.xml", "https://other.example/shop/a.xml"
    put(tmp_path, {"index.xml": index_of(inside, outside, elsewhere), "a.xml": urlset_of(f"{SITE}/")})
    tree = read_tree(tmp_path / "index.xml", root=tmp_path, base_url=f"{SITE}/shop/")
    documents = list(tree)
    assert [document.url for document in documents] == [f"{SITE}/shop/index.xml", inside]
    assert [(missing.loc, missing.reason) for missing in tree.missing] == [
        (outside, f"is outside {SITE}/shop/"),
        (elsewhere, f"is outside {SITE}/shop/"),
    ]


@pytest.mark.parametrize(
    "listed",
    [
        "https://www.example.com/../secret.xml",
        "https://www.example.com/%2e%2e/secret.xml",
        "https://www.example.com/maps/..%2F..%2Fsecret.xml",
        "https://www.example.com/..%5Csecret.xml",
        "https://www.example.com/link.xml",
        "https://www.example.com/folder/secret.xml",
        "https://www.example.com/%00secret.xml",
        "https://www.example.com/",
        "https://www.example.com/maps",
        "https://www.example.com/" + "x" * 5000,
        "file:///etc/passwd",
        "../secret.xml",
    ],
)
@pytest.mark.parametrize("with_root", [True, False])
def test_an_index_cannot_lead_out_of_the_folder(tmp_path: Path, listed: str, with_root: bool) -> None:
    put(tmp_path, {"secret.xml": urlset_of(f"{SITE}/secret"), "site/index.xml": index_of(listed)})
    site = tmp_path / "site"
    (site / "maps").mkdir()
    (site / "link.xml").symlink_to(tmp_path / "secret.xml")
    (site / "folder").symlink_to(tmp_path)
    tree = read_tree(site / "index.xml", root=site if with_root else None)
    assert names(tree, site) == ["index.xml"]
    ((loc, _, reason),) = tree.missing
    assert loc == listed
    assert reason


@given(st.text())
def test_any_text_as_an_address_is_found_or_refused(loc: str) -> None:
    assert isinstance(SiteFolder(Path("/nowhere")).find(loc, None), Absent)
    assert isinstance(SiteFolder().find(loc, Path("/nowhere")), Absent)


def test_a_missing_child_is_named_with_its_index(tmp_path: Path) -> None:
    put(tmp_path, {"index.xml": index_of(f"{SITE}/gone.xml", f"{SITE}/a.xml"), "a.xml": urlset_of(f"{SITE}/")})
    tree = read_tree(tmp_path / "index.xml")
    for _ in range(2):  # an iteration starts the list afresh
        assert names(tree, tmp_path) == ["index.xml", "a.xml"]
        ((loc, parent, reason),) = tree.missing
        assert (loc, parent) == (f"{SITE}/gone.xml", str(tmp_path / "index.xml"))
        assert reason.startswith("no file ")


def test_robots_txt_leads_to_its_sitemaps(tmp_path: Path) -> None:
    robots = f"User-agent: *\nDisallow:\n\nSitemap: {SITE}/a.xml\n".encode()
    put(tmp_path, {"robots.txt": robots, "a.xml": urlset_of(f"{SITE}/")})
    assert [document.kind for document in read_tree(tmp_path / "robots.txt")] == [Kind.ROBOTS, Kind.URLSET]


def test_a_folder_stands_for_the_sitemaps_in_it(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "b.xml.gz": gzip.compress(urlset_of(f"{SITE}/b")),
            "a.xml": urlset_of(f"{SITE}/a"),
            "list.txt": f"{SITE}/1\n{SITE}/2\n".encode(),
            "notes.txt": b"buy milk\nand bread\n",
            "config.xml": b"<config><x/></config>",
            "robots.txt": b"User-agent: *\nDisallow: /\n",
            "page.html": b"<html></html>",
            "deeper/c.xml": urlset_of(f"{SITE}/c"),
        },
    )
    assert names(read_tree(tmp_path), tmp_path) == ["a.xml", "b.xml.gz", "list.txt"]


def test_patterns_are_expanded_in_order(tmp_path: Path) -> None:
    put(tmp_path, {f"{name}.xml": urlset_of(f"{SITE}/{name}") for name in ("m10", "m9", "other", "x/m1")})
    assert names(read_tree(f"{tmp_path}/m*.xml"), tmp_path) == ["m10.xml", "m9.xml"]
    assert names(read_tree(f"{tmp_path}/**/m1.xml"), tmp_path) == ["x/m1.xml"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    put(tmp_path, {"map[1].xml": urlset_of(f"{SITE}/")})
    assert names(read_tree(tmp_path / "map[1].xml"), tmp_path) == ["map[1].xml"]


@pytest.mark.parametrize("path", ["nowhere.xml", "no*thing.xml", "empty"])
def test_a_start_that_leads_nowhere_raises_at_once(tmp_path: Path, path: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"no such file|no file matches|no sitemap in this folder"):
        read_tree(tmp_path / path)


def test_a_tree_names_bad_starts_and_goes_on(tmp_path: Path) -> None:
    put(tmp_path, {"a.xml": urlset_of(f"{SITE}/")})
    tree = DocumentTree([tmp_path / "nowhere.xml", tmp_path / "a.xml"])
    assert names(tree, tmp_path) == ["a.xml"]
    assert [(missing.parent, missing.reason) for missing in tree.missing] == [("", "no such file")]


def test_an_open_file_is_read_and_its_children_need_a_root(tmp_path: Path) -> None:
    put(tmp_path, {"a.xml": urlset_of(f"{SITE}/")})
    index = index_of(f"{SITE}/a.xml")
    alone = read_tree(io.BytesIO(index))
    assert [document.kind for document in alone] == [Kind.SITEMAPINDEX]
    assert "root" in alone.missing[0].reason
    rooted = read_tree(io.BytesIO(index), root=tmp_path)
    assert [document.kind for document in rooted] == [Kind.SITEMAPINDEX, Kind.URLSET]


@pytest.mark.parametrize("end", ["</urlset>", "", "<url><loc>https://example.com/cut", "<url></loc></url></urlset>"])
def test_nothing_of_a_document_waits_for_the_collector(end: str) -> None:
    data = urlset_of("https://example.com/1").replace(b"</urlset>", end.encode())
    read(data)
    gc.collect()
    gc.disable()
    try:
        document = read(data)
        assert document.kind is Kind.URLSET
        del document
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_document_is_let_go_before_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, {f"{n}.xml": urlset_of(f"{SITE}/{n}") for n in range(3)})
    alive: weakref.WeakSet[Probe] = weakref.WeakSet()
    alive_when_reading: list[int] = []

    def reading(source: Path, *, url: str | None, cap: int) -> Document:
        alive_when_reading.append(len(alive))
        return read(source, url=url, cap=cap)

    monkeypatch.setattr("urlset.reading.tree.read", reading)
    for document in read_tree(tmp_path):
        probe = Probe()
        alive.add(probe)
        document.__dict__["probe"] = probe
        del document, probe
    assert alive_when_reading == [0, 0, 0]


class Probe:
    """Tied to a document, which knows no weak references, to see when it goes."""
