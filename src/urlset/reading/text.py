"""A text list, one address per line → columns; lines that are not URLs become troubles."""

from __future__ import annotations

from urlset.model.columns import Columns
from urlset.model.document import Contents
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading import limits
from urlset.reading.decode import bad_utf8
from urlset.reading.front_matter import front_matter_end
from urlset.spec.lazy_pattern import lazy_pattern

_LINE = lazy_pattern(rb"[^\r\n]+")
_ABSOLUTE = lazy_pattern(rb"[A-Za-z][A-Za-z0-9+.-]*://[^\s]")
_ADDRESS_LIKE = lazy_pattern(
    rb"[A-Za-z][A-Za-z0-9+.-]*+:\S"  # https://…, mailto:…, example.com:8080/
    rb"|/"
    rb"|[Ww]{3}\.\S"
    rb"|[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)+/"  # example.com/page
)
_MARKUP = lazy_pattern(rb"<[A-Za-z!?/]")
_UNUSUAL = lazy_pattern(rb"[^\t\x20-\x7e]")
_USUAL = b"\t\r\n" + bytes(range(0x20, 0x7F))
_CONTROL = lazy_pattern(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_LOOK_AT_BYTES = 1 << 16
_LOOK_AT_LINES = 20
_FEW = 3
_SHOWN = 120


def recognizes(data: bytes) -> bool:
    """At least one address among the first lines, no markup, and not mostly something else."""
    absolute = relative = other = 0
    begin = front_matter_end(data)
    for line in _LINE.finditer(data, begin, begin + _LOOK_AT_BYTES):
        value = line.group().strip()
        if not value or value.startswith(b"#"):
            continue
        if _MARKUP.match(value):
            return False
        if _ABSOLUTE.match(value):
            absolute += 1
        elif _ADDRESS_LIKE.match(value):
            relative += 1
        else:
            other += 1
        if absolute + relative + other == _LOOK_AT_LINES:
            break
    return absolute > 0 and other <= max(_FEW, absolute + relative)


def read(data: bytes) -> Contents:
    """Every line with an address, or something meant as one, is a row; `locs` keep the spaces around it."""
    reader = _TextReader(data)
    reader.run()
    return Contents(reader.columns, reader.troubles)


class _TextReader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.columns = Columns()
        self.troubles = Troubles()

    def run(self) -> None:
        columns, is_address_like = self.columns, _ADDRESS_LIKE.match
        locs, starts, ends = columns.locs, columns.starts, columns.ends
        plain = not self._data.translate(None, _USUAL)
        for line in _LINE.finditer(self._data):
            raw = line.group()
            start = line.start()
            if len(starts) >= limits.MAX_ROWS:
                self.troubles.append(Trouble(TroubleKind.TOO_MANY_ENTRIES, Place(start, 1)))
                break
            if (not plain and _UNUSUAL.search(raw)) or len(raw) > limits.MAX_TOKEN:
                self._unusual(raw, start)
                continue
            value = raw.strip()
            if len(value) != len(raw):
                start += len(raw) - len(raw.lstrip())
            if is_address_like(value):
                locs.append(raw.decode("ascii"))
                starts.append(start)
                ends.append(start + len(value))
            elif value:
                self._not_an_address(value, start)
        absent = [None] * len(locs)
        columns.lastmods += absent
        columns.changefreqs += absent
        columns.priorities += absent
        columns.marks += bytes(len(locs))

    def _unusual(self, raw: bytes, start: int) -> None:
        """A line with anything but printable ASCII in it, or a very long one."""
        if len(raw) > limits.MAX_TOKEN:
            self._trouble(TroubleKind.TOKEN_TOO_LONG, Place(start, len(raw)), f"{len(raw):,} bytes", None)
            return
        text = raw.decode("utf-8", "replace")
        if not text.strip():
            return
        # strip as entries are stripped, so a no-break space at the end is outside in both
        left = len(text[: len(text) - len(text.lstrip())].encode())
        right = len(text[len(text.rstrip()) :].encode())
        value = raw[left : len(raw) - right]
        row = None
        if _ADDRESS_LIKE.match(value):
            row = len(self.columns.locs)
            self.columns.locs.append(text)
            self.columns.starts.append(start + left)
            self.columns.ends.append(start + left + len(value))
        else:
            self._not_an_address(value, start + left)
        for bad_start, bad_end in bad_utf8(raw):
            place = between(start + bad_start, start + bad_end)
            self._trouble(TroubleKind.BAD_UTF8, place, raw[bad_start:bad_end][:8].hex(" ").upper(), row)
        for control in _CONTROL.finditer(raw):
            detail = f"U+{control.group()[0]:04X}"
            self._trouble(TroubleKind.CONTROL_CHARACTER, Place(start + control.start(), 1), detail, row)

    def _not_an_address(self, value: bytes, start: int) -> None:
        detail = value[:_SHOWN].decode("utf-8", "replace")
        self._trouble(TroubleKind.NOT_AN_ADDRESS, Place(start, len(value)), detail, None)

    def _trouble(self, kind: TroubleKind, place: Place, detail: str, row: int | None) -> None:
        self.troubles.add(kind, place.offset, place.length, detail, row)
