"""Pipes, sockets, devices and links in a build folder: nothing blocks, and each real folder is walked once."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from urlset.building.candidate import RowTrouble
from urlset.building.sources.folder import FolderFile, from_folder, read_regular, walk
from urlset.building.sources.source import SourceOptions

OPTIONS = SourceOptions(base_url="https://www.example.com/")
NOT_REGULAR = "skipped: not a regular file"
AGAIN = "skipped: a symlink to a folder already visited"


def page(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("<title>T</title><p>text")


def seen(folder: Path) -> tuple[list[str], dict[str, str]]:
    """Pages, and what was skipped with the reason."""
    items = list(walk(folder, OPTIONS))
    skipped = {each.origin: each.reason for each in items if isinstance(each, RowTrouble)}
    return [each.relative for each in items if isinstance(each, FolderFile)], skipped


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_names_that_are_not_utf_8_are_skipped(tmp_path: Path) -> None:
    """One page in Latin-1 ended the whole build."""
    for name in (b"caf\xe9.html", "café.html".encode(), b"caf\xe9/a.html"):
        page(tmp_path / os.fsdecode(name))
    reason = "skipped: the name is not UTF-8; rename it"
    assert seen(tmp_path) == (["café.html"], {"caf\\udce9": reason, "caf\\udce9.html": reason})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_skipped_with_a_note(tmp_path: Path) -> None:
    page(tmp_path / "a.html")
    os.mkfifo(tmp_path / "b.html")
    (tmp_path / "c.html").symlink_to("b.html")
    assert seen(tmp_path) == (["a.html"], {"b.html": NOT_REGULAR, "c.html": NOT_REGULAR})
    assert len(list(from_folder(tmp_path, OPTIONS))) == 3, "and the source as a whole does not wait for a writer"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.parametrize("name", ["_redirects", "_headers", ".urlsetignore"])
def test_a_fifo_in_the_place_of_a_configuration_file(tmp_path: Path, name: str) -> None:
    page(tmp_path / "a.html")
    os.mkfifo(tmp_path / name)
    assert len(list(from_folder(tmp_path, OPTIONS))) == 1


@pytest.mark.posix
def test_a_socket_is_skipped_with_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page(tmp_path / "a.html")
    monkeypatch.chdir(tmp_path)  # the path of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.html")
        assert seen(tmp_path) == (["a.html"], {"s.html": NOT_REGULAR})
        with pytest.raises(OSError):  # noqa: PT011 - which one depends on the system
            read_regular(tmp_path / "s.html")


@pytest.mark.posix
def test_a_link_to_a_device(tmp_path: Path) -> None:
    page(tmp_path / "a.html")
    (tmp_path / "zero.html").symlink_to("/dev/zero")
    pages, skipped = seen(tmp_path)
    assert (pages, list(skipped)) == (["a.html"], ["zero.html"])
    with pytest.raises(OSError, match="not a regular file"):
        read_regular(Path("/dev/zero"), 10)


@pytest.mark.posix
def test_links_to_parents_and_circles_are_walked_once(tmp_path: Path) -> None:
    page(tmp_path / "a" / "one.html")
    page(tmp_path / "b" / "two.html")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "a" / "other").symlink_to("../b")
    (tmp_path / "b" / "other").symlink_to("../a")
    (tmp_path / "self").symlink_to(".")
    pages, skipped = seen(tmp_path)
    assert pages == ["a/one.html", "b/two.html"]
    assert skipped == dict.fromkeys(["a/up", "a/other", "b/other", "self"], AGAIN)


@pytest.mark.posix
def test_a_symlink_farm_takes_no_longer_than_its_folders(tmp_path: Path) -> None:
    """Twelve folders that link to each other have billions of paths."""
    names = [f"d{number}" for number in range(12)]
    for name in names:
        page(tmp_path / name / "page.html")
        for other in names:
            (tmp_path / name / f"to-{other}").symlink_to(f"../{other}")
    pages, skipped = seen(tmp_path)
    assert pages == sorted(f"{name}/page.html" for name in names)
    assert len(skipped) == 144
    assert set(skipped.values()) == {AGAIN}


@pytest.mark.posix
def test_the_real_path_counts_even_if_a_link_comes_first_by_name(tmp_path: Path) -> None:
    page(tmp_path / "v2" / "page.html")
    (tmp_path / "latest").symlink_to("v2")
    assert seen(tmp_path) == (["v2/page.html"], {"latest": AGAIN})


@pytest.mark.posix
def test_a_folder_that_is_hidden_is_walked_through_one_of_its_links(tmp_path: Path) -> None:
    page(tmp_path / ".store" / "page.html")
    (tmp_path / "a").symlink_to(".store")
    (tmp_path / "b").symlink_to(".store")
    assert seen(tmp_path) == (["a/page.html"], {"b": AGAIN})
