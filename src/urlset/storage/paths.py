"""A path or a storage URL → the file that it names; both are opened, listed and written in the same way."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote, unquote, urlsplit

if TYPE_CHECKING:
    from urlset.storage.files import StoredFile

    FilePath = Path | StoredFile


R = TypeVar("R")
_SCHEMES = ("s3://", "gs://", "az://")
_AT_ONCE = 16
"""objects requested at the same time: most of the time of a small one is waiting"""


def is_stored(path: object) -> bool:
    """Whether a text is the URL of an object, a folder or a pattern in a bucket."""
    return str(path)[:5].lower() in _SCHEMES


def file_at(path: str | os.PathLike[str]) -> FilePath:
    """Raises StorageError for a URL that cannot be used, such as one with credentials."""
    if not is_stored(path):
        return Path(path)
    from urlset.storage.files import StoredFile  # most runs have no URL of a store

    return StoredFile(os.fspath(path))


def each_file(function: Callable[[FilePath], R], paths: Sequence[str]) -> Iterator[R]:
    """The function on every file, in order; several objects are requested at the same time."""
    files = map(file_at, paths)
    if not any(map(is_stored, paths[:1])):
        yield from map(function, files)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while some := list(islice(files, 4 * _AT_ONCE)):
            yield from pool.map(function, some)


_LEGAL_IN_ADDRESS = ":/?#[]@!$&'()*+,;=%-._~"


def without_file_scheme(source: str) -> str:
    """`file:///tmp/a%20b.xml` → the path that it names on this system; anything else stays as it is."""
    if source[:7].lower() != "file://":
        return source
    path = unquote(urlsplit(source).path)
    return path.lstrip("/") if os.name == "nt" else path


def is_address(source: str) -> bool:
    return source[:8].lower().startswith(("http://", "https://"))


def uri_of(source: str) -> str:
    """Only slashes stay unescaped, so a colon or a question mark in a name cannot be misread."""
    if is_address(source) or is_stored(source):
        return quote(source, safe=_LEGAL_IN_ADDRESS, errors="surrogatepass")
    source = with_slashes(source)
    drive, rest = os.path.splitdrive(source)
    if drive and rest.startswith("/"):
        place = drive if drive.startswith("/") else f"///{drive}"
        return f"file:{place}{quote(os.fsencode(_without_halves(rest)))}"
    path = quote(os.fsencode(_without_halves(source))) or "-"
    if path.startswith("//"):
        path = "/" + path.lstrip("/")
    return f"file://{path}" if path.startswith("/") else path.removeprefix("./")


def with_slashes(source: str) -> str:
    """As programs on other systems expect a path in a report; only Windows separates folders in another way."""
    return source if os.sep == "/" or is_address(source) else source.replace(os.sep, "/")


def _without_halves(source: str) -> str:
    """Bytes of a file name that are not UTF-8 are restored; other lone surrogates cannot be encoded."""
    return re.sub("[\ud800-\udc7f\udd00-\udfff]", "\ufffd", source)
