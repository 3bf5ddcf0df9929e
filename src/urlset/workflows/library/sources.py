"""Whatever a program calls a sitemap, or pages → what the workflows take. The only place that decides what is what."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from errno import EACCES, ENOENT
from glob import has_magic
from typing import IO, TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from urlset.model.document import Document
from urlset.model.entry import Entry, IndexEntry
from urlset.model.errors import ArgumentTypeError, ArgumentValueError, FileMissingError
from urlset.reading.read import read_chunks
from urlset.settings.convert import with_scheme
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.storage.paths import is_address, is_stored, without_file_scheme

if TYPE_CHECKING:
    from urlset.building.candidate import Candidate

StrPath = str | os.PathLike[str]
Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | IO[str] | Document
"""a path, a URL, XML as text or bytes, an open file (text or binary), a Document"""
Sources = Source | Iterable[Source]
Page = str | Entry | Mapping[str, object] | tuple[object, object]
"""an address, an entry, named values, or an address with its date"""
Pages = Iterable[Page] | Source
"""pages one by one, or a sitemap that lists them"""
Named = str | Document
"""a path, pattern, folder or URL; or a document in memory"""

EXPECTED = "a path, a URL, XML as text or bytes, an open file, or a Document"
EXPECTED_PAGES = "an iterable of URLs, Entry values, mappings or pairs of URL and date"
_DECLARED = lazy_pattern(r"\s*<\?xml\s[^<>]*?\bencoding\s*=\s*[\"']([\w.:-]+)[\"']", re.IGNORECASE)
_LONGEST_SHOWN = 60


def source_of(given: object, *, name: str | None = None, url: str | None = None, cap: int | None = None) -> Named:
    """One source; content is read here, paths and URLs are left to the workflow.

    `name` and `url` are those of content. Raises ArgumentTypeError and ArgumentValueError.
    """
    if isinstance(given, Document):
        return given
    if isinstance(given, os.PathLike):
        path: object = os.fspath(given)
        if not isinstance(path, str):
            raise ArgumentTypeError(f"a path of {type(path).__name__}: expected {EXPECTED}")
        return _possible(path)
    if isinstance(given, str) and not is_content(given):
        text = given.strip()
        if not text:
            raise ArgumentValueError(f"the source is an empty text: expected {EXPECTED}")
        if is_address(text):
            return text
        given = _possible(without_file_scheme(given))
        if with_scheme(given) != given and not os.path.lexists(given):
            raise FileMissingError(ENOENT, f"{os.strerror(ENOENT)}; for a site write {with_scheme(given)}", given)
        return given
    limits = {} if cap is None else {"cap": cap}
    if isinstance(given, (str, bytes, bytearray, memoryview)):
        return read_chunks([encoded(given)], name=name or "", url=url, **limits)
    if callable(getattr(given, "read", None)):
        shown = name or str(getattr(given, "name", ""))
        return read_chunks(_chunks(cast("IO[Any]", given)), name=shown, url=url, **limits)
    raise ArgumentTypeError(f"a source of type {type(given).__name__}: expected {EXPECTED}")


def _possible(path: str) -> str:
    if "\0" in path:
        raise ArgumentValueError(f"a path cannot contain a null character: {_shown(path)}")
    return path


def sources_of(given: object, *, url: str | None = None) -> list[Named]:
    """One source, or several in any iterable."""
    if _is_one(given):
        return [source_of(given, url=url)]
    if isinstance(given, Mapping) or not isinstance(given, Iterable):
        raise ArgumentTypeError(f"a source of type {type(given).__name__}: expected {EXPECTED}, or several of them")
    found = [source_of(each, url=url) for each in given]
    if not found:
        raise ArgumentValueError("no source is given: the list is empty")
    return found


def need_readable(sources: Iterable[Named]) -> None:
    """Raises OSError for a path that cannot be opened. It is not tried: a named pipe would lose what is in it."""
    for path in sources:
        if not isinstance(path, str) or is_address(path) or is_stored(path):
            continue
        if has_magic(path) and not os.path.lexists(path):
            continue
        os.stat(path)  # noqa: PTH116 - raises OSError with the path as given
        if not os.access(path, os.R_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), path)


def named_source(
    given: object, *, name: str | None = None, otherwise: str | None = None
) -> tuple[str, dict[str, Document]]:
    """For workflows that know a source by its name: the name, and the document of that name where there is one.

    A document is called `name`, or by its URL or file, or `otherwise`.
    """
    source = source_of(given, name=name)
    if isinstance(source, str):
        return source, {}
    known = name or source.url or source.name or otherwise or f"<{len(source.data):,} bytes>"
    return known, {known: source if source.name else replace(source, name=known)}


def url_of(given: object, verb: str) -> str:
    """For verbs about a site: a text, or a document whose URL is known."""
    if isinstance(given, Document) and given.url:
        return given.url
    if not isinstance(given, str):
        raise ArgumentTypeError(f"{verb}() takes a URL, such as 'https://www.example.com/', not {_described(given)}")
    url = with_scheme(given.strip())
    if not is_address(url) and not url.startswith("sc-domain:"):
        raise ArgumentValueError(f"{verb}() takes a URL, such as 'https://www.example.com/', not {_shown(given)}")
    return url


def path_of(given: object, verb: str, what: str) -> str:
    """For arguments that name a file or folder."""
    path: object = os.fspath(given) if isinstance(given, (str, os.PathLike)) else given
    if not isinstance(path, str):
        raise ArgumentTypeError(f"{verb}(): {what} is a path, not {_described(given)}")
    if not path:
        raise ArgumentValueError(f"{verb}(): {what} is an empty text")
    return _possible(path)


def pages_of(given: object) -> Iterator[Page | Candidate] | Named:
    """Pages one by one, each of a type that can be one; or the source that lists them."""
    if _is_one(given):
        return source_of(given)
    if isinstance(given, (Entry, IndexEntry, Mapping)):
        raise ArgumentTypeError(f"one {type(given).__name__} is not {EXPECTED_PAGES}: put it into a list")
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"pages of type {type(given).__name__}: expected {EXPECTED_PAGES}")
    return map(page_of, cast("Iterable[object]", given))


def page_of(given: object) -> Page | Candidate:
    """Raises ArgumentTypeError for what cannot be one."""
    # called for each row: an abstract type takes longest to compare with, so it comes last
    if isinstance(given, (str, dict)) or (isinstance(given, tuple) and len(given) == 2):
        return given
    if isinstance(given, (Entry, Mapping)):
        return given
    if isinstance(given, list) and len(given) == 2:
        return (given[0], given[1])
    from urlset.building.candidate import Candidate  # a build of a crawl; takes longer to load than a small check

    if isinstance(given, Candidate):
        return given
    raise ArgumentTypeError(
        f"a page of type {_described(given)}: expected a URL, an Entry, a mapping or a pair of URL and date"
    )


def is_content(text: str) -> bool:
    """XML or a list of URLs, not the name of one."""
    return text.lstrip("\ufeff \t\r\n").startswith("<") or "\n" in text.strip()


def is_on_the_web(source: object) -> bool:
    return isinstance(source, str) and is_address(source)


def encoded(content: str | bytes | bytearray | memoryview) -> bytes:
    """Text in the encoding that it declares: the declaration must be true."""
    if not isinstance(content, str):
        return bytes(content)
    declared = _DECLARED.match(content)
    if declared is not None:
        try:
            return content.encode(declared[1])
        except (LookupError, UnicodeError):
            pass
    return content.encode("utf-8", "replace")


def _chunks(file: IO[Any]) -> Iterator[bytes]:
    """A text file gives its bytes as they are on disk, unless some of it was read already."""
    if isinstance(file, io.TextIOWrapper) and (not file.seekable() or file.tell() == 0):
        file = file.buffer
    first = file.read(1 << 20)
    if isinstance(first, str):
        yield encoded(first + file.read())
        return
    while first:
        if not isinstance(first, (bytes, bytearray, memoryview)):
            raise ArgumentTypeError(f"read() of the source gave {_described(first)}: expected bytes or text")
        yield bytes(first)
        first = file.read(1 << 20)


def _is_one(given: object) -> bool:
    if isinstance(given, (str, bytes, bytearray, memoryview, os.PathLike, Document)):
        return True
    return callable(getattr(given, "read", None))


def _described(given: object) -> str:
    if isinstance(given, tuple):
        return f"tuple of {len(given)}"
    return "None" if given is None else type(given).__name__


def _shown(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")
