"""A page → its bytes in a file, and files → the bytes of their index; equal input, equal bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from urlset.building.manifest import PublishedFile, url_of
from urlset.building.shards import FileForm
from urlset.model.entry import Entry, IndexEntry
from urlset.model.moment import Moment
from urlset.writing.urlset import entry_bytes, line_bytes, write_index

_ZONE_OF = itemgetter(slice(19, None))


def written(entry: Entry, form: FileForm = FileForm.XML) -> bytes:
    """What the entry adds to a file; raises `Unwritable` when no file can hold it."""
    return line_bytes(entry.loc or "") if form is FileForm.TEXT else entry_bytes(entry)


def render_index(files: Sequence[PublishedFile], base_url: str) -> Iterator[bytes]:
    """The index of files that live beside it, each with the newest date inside or with none."""
    return write_index(IndexEntry(url_of(base_url, file.name), file.newest) for file in files)


def newest_of(lastmods: Iterable[str | None]) -> str | None:
    """The text of the latest date; illegal ones do not count.

    Where two overlap, as a day and an hour of it, the one that begins later is taken.
    """
    # Texts of one length and zone sort by time as they sort by letter: only the last of each kind is read.
    texts = set(filter(None, lastmods))
    kinds: dict[tuple[int, str], set[str]] = {}
    if len(set(map(len, texts))) == len(set(map(_ZONE_OF, texts))) == 1:
        kinds[0, ""] = texts
    else:
        for text in texts:
            kinds.setdefault((len(text), text[-6:] if len(text) > 10 and text[-1] != "Z" else ""), set()).add(text)
    latest = (_latest(each) for each in kinds.values())
    return max((each for each in latest if each is not None), key=_rank, default=None)


def _latest(texts: set[str]) -> str | None:
    last = max(texts)
    if _when(last) is not None:
        return last
    return next((text for text in sorted(texts, reverse=True) if _when(text) is not None), None)


def _when(text: str) -> tuple[float, float] | None:
    moment = Moment.parse(text)
    interval = moment.interval() if moment.w3c_valid and not moment.padded else None
    return None if interval is None else (interval[0].timestamp(), -interval[1].timestamp())


def _rank(text: str) -> tuple[tuple[float, float], str]:
    return _when(text) or (0.0, 0.0), text
