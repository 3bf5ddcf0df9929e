"""The files of two states → names under which a file of one can be the same as a file of the other.

`public/sitemap-1.xml.gz` in a build folder and `https://www.example.com/sitemap-1.xml` on the web are one file in two
places. So a file is named by its path below the folder that all files of its state share, without `.gz`. Where both
states have a single file, it has no name: nothing can move between files then.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit


def labels(old: Iterable[str], new: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The name of each file of either state."""
    first, second = dict.fromkeys(old), dict.fromkeys(new)
    if len(first) <= 1 and len(second) <= 1:
        return dict.fromkeys(first, ""), dict.fromkeys(second, "")
    return _named(first), _named(second)


def _named(files: Iterable[str]) -> dict[str, str]:
    paths = {file: _path(file).split("/") for file in files}
    folders = [parts[:-1] for parts in paths.values()]
    shared = 0
    while folders and all(len(parts) > shared and parts[shared] == folders[0][shared] for parts in folders):
        shared += 1
    return {file: "/".join(parts[shared:]) for file, parts in paths.items()}


def _path(file: str) -> str:
    if file[:8].lower().startswith(("http://", "https://")):
        parts = urlsplit(file)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    else:
        path = file.replace("\\", "/")
    return path.removesuffix(".gz")
