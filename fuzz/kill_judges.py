"""What a killed run left on disk → the first thing that is wrong with it, by gzip, expat, hashes and SQLite alone."""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit
from xml.parsers import expat


class BrokenError(AssertionError):
    """Something that no kill may do."""


def parsed(path: Path) -> tuple[str, list[str]]:
    """Name of the root and the text of every loc."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    names: list[str] = []
    locs: list[str] = []
    inside = [False]
    parser = expat.ParserCreate()

    def start(name: str, _: dict[str, str]) -> None:
        names.append(name)
        if name == "loc":
            inside[0] = True
            locs.append("")

    def text(piece: str) -> None:
        if inside[0]:
            locs[-1] += piece

    def end(name: str) -> None:
        if name == "loc":
            inside[0] = False

    parser.StartElementHandler, parser.CharacterDataHandler, parser.EndElementHandler = start, text, end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise BrokenError(f"{path.name} is not well-formed: {error}") from error
    return names[0], locs


def listed(out: Path) -> Counter[str]:
    """Every address a reader finds from the entry point on; an index may name no file that is missing."""
    root, locs = parsed(out / "sitemap.xml")
    if root == "urlset":
        return Counter(locs)
    found: Counter[str] = Counter()
    for loc in locs:
        child = out / urlsplit(loc).path.rpartition("/")[2]
        if not child.is_file():
            raise BrokenError(f"the index names {child.name}, which is not there")
        found.update(parsed(child)[1])
    return found


def judge_manifest(state: Path, out: Path) -> None:
    """Where no build is under way, every published file is the one in the manifest."""
    if (state / "publishing.json").exists() or not (state / "manifest.json").exists():
        return
    for file in json.loads((state / "manifest.json").read_bytes())["files"]:
        if hashlib.sha256((out / file["name"]).read_bytes()).hexdigest() != file["sha256"]:
            raise BrokenError(f"{file['name']} is not the file in the manifest")


def judge_databases(folder: Path) -> None:
    for path in folder.rglob("*.db"):
        with sqlite3.connect(path) as connection:
            said = connection.execute("PRAGMA integrity_check").fetchone()[0]
        connection.close()
        if said != "ok":
            raise BrokenError(f"{path.name}: {said}")


def judge_foreign(files: dict[Path, bytes]) -> None:
    for path, content in files.items():
        if not path.is_file() or path.read_bytes() != content:
            raise BrokenError(f"{path.name} is not urlset's, and was touched")


def judge_leftovers(*folders: Path) -> None:
    """After a run that was left in peace nothing of the killed ones is there, except a marker that was torn."""
    for folder in folders:
        for path in folder.glob("*urlset-*"):
            if path.is_dir() and {each.name for each in path.iterdir()} - {".urlset-owner.json"}:
                raise BrokenError(f"{path} was left")
