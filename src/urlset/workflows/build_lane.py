"""Plain rows of JSON by the million → the files of the set, without an object or a ledger row for each.

Compiled code takes the rows that need no second thought; each of the others goes the ordinary way, in its turn,
and is listed beside them. The ledger seals the files instead of keeping a row for each page (building/sealed.py).
In a later build a row that says what its entry in the last set says is only counted; the others go to the file
that their page was in. A file of which all rows came again as they were, and no others, is not touched; any other
is made again from what is left of it and what came.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from urlset.building.candidate import Decision, EvidenceKind, Verdict
from urlset.building.ledger import LedgerRow, Recording
from urlset.building.ledger_recording import LOST
from urlset.building.policy import Policy
from urlset.building.sealed import SealBrokenError, find_in, sealed_pages, unpacked_file
from urlset.building.sources.lists import LONGEST_LINE, as_utf8, from_json_rows, unpacked
from urlset.building.sources.options import SourceBroken, SourceOptions
from urlset.workflows.build_lane_rows import FileRows, LaneUnfit, NewRows, Part
from urlset.workflows.build_options import BuildOptions
from urlset.workflows.build_pages import Gathering

if TYPE_CHECKING:
    from urlset.building.sources.open import Given

_BLOCK = 1 << 20
_MOST_LOOK_UPS = 200
_FEW_ODD_ROWS = 2000
_MOST_EXPECTED = 1 << 22
"""rows for which room is made before they are there"""
_HELD_IN_ALL = 16 << 20
_HELD = 24 << 20
"""of the rows of one file; less where there are many"""


class CameAgain(NamedTuple):
    """Of the rows of one file of the last build: how many came, of these how many as they were, and their size."""

    rows: int
    kept: int
    kept_bytes: int


class PlainRows(NamedTuple):
    """The compiled module, and the sources it can take."""

    module: Any
    sources: list[tuple[Given, SourceOptions]]


def compiled_rows() -> Any:
    """The compiled module, or None where there is none or it is not wanted."""
    from urlset.reading.scanner import is_compiled

    if not is_compiled():
        return None
    try:
        return import_module("urlset.building.compiled_rows")
    except ImportError:
        return None


def fits(options: BuildOptions, policy: Policy) -> bool:
    """Whether plain rows of this build are listed and dated without a second thought."""
    return (
        policy.plain_head is not None
        and EvidenceKind.GIVEN in options.order
        and not (options.text or options.human_view or options.compact)
    )


class Lane:
    """The plain rows of one build."""

    def __init__(self, module: Any, policy: Policy, recording: Recording, temporary: Path, now: datetime) -> None:
        today = (now.replace(tzinfo=UTC) if now.tzinfo is None else now.astimezone(UTC)).date().isoformat()
        self.module = module
        self._recording = recording
        self.sealed = recording.sealed
        head = (policy.plain_head or "").encode()
        self.rows = module.RowLane(head, today.encode(), recording.build, len(self.sealed))
        self.new = NewRows(temporary / "new-rows", module, recording.build, held=_HELD)
        held = max(1 << 16, min(_HELD, _HELD_IN_ALL // max(1, len(self.sealed))))
        self.shares = [FileRows(temporary / f"rows-{at}", module, held=held) for at in range(len(self.sealed))]
        self.knows_pages = bool(self.sealed)
        self.origin = ""
        self.notes: list[str] = []
        self._odd = 0
        self._look_ups = 0
        self.make_room: Callable[[], None] = self.deal
        """called when no more rows can be held"""
        self._known = [0] * len(self.sealed)
        """pages of each sealed file that were neither met the ordinary way nor lost with the file's copy"""
        self._entries = [0] * len(self.sealed)
        """of each sealed file, those of pages with rows included"""
        self._elsewhere: dict[str, int] = {}
        """sealed pages whose key was met the ordinary way, and not yet their address; with the file"""
        self._opened: dict[int, bytes] = {}
        self._remember()
        policy.share_seen(self)
        recording.look_into_seals = self._look_up

    def _remember(self) -> None:
        self.rows.expect_known(sum(each.count for each in self.sealed))
        for url in self._recording.urls():
            self.knows_pages = True
            self.rows.know_apart(url.encode("utf-8", "surrogatepass"))
        for number, sealed in enumerate(self.sealed):
            try:
                data = unpacked_file(self._recording.kept, sealed)
                first_seen, changed = sealed.seen_and_changed()
                self._known[number] = self.rows.know(data, number, first_seen, changed)
                self._entries[number] = len(first_seen)
            except SealBrokenError as error:
                self.notes.append(LOST.format(error))
            except ValueError as error:
                self.notes.append(LOST.format(f"{sealed.name}: {error}"))

    # rows

    def take(self, given: Given, options: SourceOptions, gathering: Gathering) -> None:
        """Every row of a source."""
        self.origin = self.origin or given.name
        with ExitStack() as stack:
            file = given.file if given.path is None else stack.enter_context(given.path.open("rb"))
            assert file is not None
            size = given.path.stat().st_size if given.path is not None else 0
            try:
                self._take(_Lines(as_utf8(unpacked(file)), size), given.name, options, gathering)
            except (OSError, EOFError, zlib.error) as error:
                raise SourceBroken(f"{given.name} broke off: {error}") from error

    def _take(self, lines: _Lines, name: str, options: SourceOptions, gathering: Gathering) -> None:
        lane, module = self.rows, self.module
        while lines.fill():
            taken, at = lane.rows, lines.at
            lines.at = lane.feed(lines.data, at)
            if lines.number == 0 and lines.at > at:
                lane.expect(min(_MOST_EXPECTED, (lane.rows - taken) * lines.size // (lines.at - at)))
            lines.number += lane.rows - taken
            if lane.why == module.FULL:
                self.make_room()
            elif lane.why in (module.ODD, module.DOUBLE) and lines.whole:
                number, line = lines.next()
                if lane.why == module.DOUBLE:
                    loc = lines.data[lane.loc_start : lane.loc_end].decode()
                    gathering.leave(Decision(loc, Verdict.DUPLICATE, "", f"{name}:{number}"))
                    continue
                gathering.take(from_json_rows([(number, line)], name, options))
                self._odd += 1
                if self._odd > _FEW_ODD_ROWS and self._odd > lane.rows:
                    gathering.take(from_json_rows(lines, name, options))  # most rows are of another kind
                    return

    def deal(self) -> None:
        """Hand the rows held to the files their pages were in."""
        for file, share in self.rows.deal().items():
            if file == self.module.NEW:
                self.new.add(*share[:2])
            else:
                self.shares[file].add(*share)

    def came_again(self, file: int) -> CameAgain:
        return CameAgain(*self.rows.share(file))

    def is_whole(self, file: int) -> bool:
        """Whether every entry of a sealed file came again as it was."""
        return self.came_again(file).kept == self.sealed[file].count == self._entries[file]

    def kept_part(self, file: int) -> Part:
        """The entries of a sealed file that came again as they were."""
        sealed = self.sealed[file]
        try:
            data = unpacked_file(self._recording.kept, sealed)
            return Part(*self.rows.kept(data, file, *sealed.seen_and_changed()))
        except (SealBrokenError, ValueError) as error:
            raise LaneUnfit from error  # it was changed in the meantime

    def count(self, gathering: Gathering) -> None:
        """Add what was taken here to what is told at the end."""
        rows = self.rows
        gathering.added += rows.added
        gathering.redated += rows.redated
        for kind, number in ((EvidenceKind.GIVEN.value, rows.dated), ("none", rows.rows - rows.dated)):
            if number:
                gathering.dated[kind] += number

    # what the ordinary way asks

    def add(self, key: str) -> bool:
        """True when the address is new in this build."""
        file = self.rows.meet(key.encode("utf-8", "surrogatepass"))
        if file is not None and file >= 0:
            self._look_ups += 1
            if self._look_ups > _MOST_LOOK_UPS:
                raise LaneUnfit
            self._elsewhere[key] = file
        return file is not None

    def _look_up(self, url: str) -> LedgerRow | None:
        """A sealed page that this time comes in another way."""
        file = self._elsewhere.pop(url, None)
        if file is None:
            return None
        self._known[file] -= 1
        try:
            if file not in self._opened:
                self._opened = {file: unpacked_file(self._recording.kept, self.sealed[file])}  # the last one only
            return find_in(self._opened[file], self.sealed[file], url)
        except SealBrokenError as error:
            raise LaneUnfit from error

    def lost(self) -> Iterator[LedgerRow]:
        """The sealed pages of the last build that were not met in this one, or only under another spelling."""
        for number, sealed in enumerate(self.sealed):
            if self._known[number] > self.came_again(number).rows:
                try:
                    rows = sealed_pages(self._recording.kept, sealed)
                except SealBrokenError as error:
                    raise LaneUnfit from error
                for row in rows:
                    if row.url in self._elsewhere or not self.rows.has_met(row.url.encode()):
                        yield row


class _Lines:
    """A file in blocks that end where they end, and its lines one at a time where they are wanted."""

    def __init__(self, reader: io.BufferedReader, size: int) -> None:
        self._reader, self.size = reader, size
        self.data = b""
        self.at = 0
        self.number = 0
        self._ended = False

    @property
    def whole(self) -> bool:
        """Whether the line at hand can be taken: it is all here, or longer than any may be."""
        return self.data.find(b"\n", self.at) != -1 or len(self.data) - self.at >= LONGEST_LINE

    def fill(self) -> bool:
        """See to it that a whole line is at hand; False at the end of the file."""
        while not self._ended and not self.whole:
            block = self._reader.read(_BLOCK)
            rest = self.data[self.at :]
            if not block:
                self._ended = True
                block = b"" if not rest else b"\n"
            self.data, self.at = rest + block, 0
        return self.at < len(self.data)

    def next(self) -> tuple[int, bytes | None]:
        """The line at hand with its number; None for one that is too long."""
        self.number += 1
        end = self.data.find(b"\n", self.at) + 1
        if end == 0:
            self._pass_over()
            return self.number, None
        line = self.data[self.at : end]
        self.at = end
        return self.number, line if len(line) <= LONGEST_LINE else None

    def _pass_over(self) -> None:
        self.data, self.at = b"", 0
        while block := self._reader.readline(_BLOCK):
            if block.endswith(b"\n"):
                return
        self._ended = True

    def __iter__(self) -> Iterator[tuple[int, bytes | None]]:
        while self.fill():
            yield self.next()
