"""Fixed documents → files in their place or in another folder, each written atomically."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from errno import ELOOP
from pathlib import Path

import msgspec

from urlset.checking.completeness import is_other
from urlset.findings.fix import Safety
from urlset.findings.fix_result import Applied, FixedFile, FixResult
from urlset.fixing.choose import FixOptions
from urlset.fixing.names import IsFree
from urlset.fixing.recode import as_it_was, is_plain
from urlset.model.document import Document, Envelope
from urlset.writing.files import write_atomically
from urlset.writing.gzip import compress

_UNPACKED_NAMES = (".xml", ".txt")
_CHUNK = 1 << 20


class FixTarget(msgspec.Struct, frozen=True):
    """One fixed document, and where it is written."""

    path: Path
    fixed: FixResult
    destination: Path
    """where the file that takes the place of the original is written; the others lie beside it"""
    packed: bool
    repacked: bool
    """the bytes on disk change even if what is in them does not"""
    envelope: Envelope
    claimed: str | None = None
    """the file that is written to the same place"""
    within: Path | None = None
    """the folder of results, which no link leads out of"""

    @property
    def changed(self) -> bool:
        return self.repacked or self.fixed.changed

    @property
    def replaces_original(self) -> bool:
        """False when only new files come from it."""
        return self.repacked or self.fixed.recoded or self.fixed.data != self.fixed.original

    def place_of(self, piece: FixedFile) -> Path:
        return self.destination if piece is self.fixed.pieces[0] else self.destination.with_name(Path(piece.name).name)


class Outlet:
    """Where results go: over the originals, or below one folder in the same arrangement."""

    def __init__(self, folder: Path | None = None, targets: Sequence[str] = ()) -> None:
        self._folder = folder
        self._base = _common_folder(targets) if folder is not None else None
        self._claims: dict[Path, str] = {}

    def target(self, path: Path, document: Document, fixed: FixResult, *, packed: bool, repacked: bool) -> FixTarget:
        destination = self._destination(path)
        owner = self._claims.setdefault(destination, str(path))
        claimed = owner if owner != str(path) else None
        return FixTarget(path, fixed, destination, packed, repacked, document.envelope, claimed, self._folder)

    def is_free(self, path: Path, document: Document) -> IsFree:
        """Never overwrite an unrelated file; leftovers of an interrupted run may be replaced."""
        folder = self._destination(path).parent
        packed = document.envelope.compression == "gzip"

        def check(piece: FixedFile) -> bool:
            place = folder / Path(piece.name).name
            if self._claims.get(place, str(path)) != str(path):
                return False
            return not os.path.lexists(place) or _same(place, _on_disk(piece, document.envelope, packed=packed))

        return check

    def _destination(self, path: Path) -> Path:
        if self._folder is None:
            return path
        whole = Path(os.path.abspath(path))  # noqa: PTH100 - links are kept
        if self._base is not None and whole.is_relative_to(self._base):
            return self._folder / whole.relative_to(self._base)
        return self._folder / path.name


def _common_folder(targets: Sequence[str]) -> Path | None:
    folders = [os.path.abspath(target if os.path.isdir(target) else os.path.dirname(target)) for target in targets]  # noqa: PTH100, PTH112, PTH120
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:
        return None


def repacking(document: Document, rules: dict[str, str], options: FixOptions) -> tuple[bool, list[Applied]]:
    """Whether the file is compressed from now on, and what that fixes: compressed twice, or a misleading name."""
    envelope = document.envelope
    packed = envelope.compression == "gzip"
    other = is_other(document)
    reported: list[Applied] = []

    def tell(code: str, title: str, safety: Safety, before: str, after: str) -> bool:
        allowed = code in rules and envelope.complete and not other and options.allows(code, safety)
        if allowed:
            reported.append(Applied(code, rules[code], title, safety, 1, 1, before, after))
        return allowed

    if packed and envelope.layers > 1:
        tell("X020", "compress it once", Safety.SAFE, f"{envelope.layers} layers of gzip", "one layer")
    name = Path(document.name).name.lower()
    if name.endswith(".gz") and envelope.compression is None and len(document):
        packed = tell("X017", "compress it to match its name", Safety.REVIEW, "plain text", "gzip")
    elif packed and name.endswith(_UNPACKED_NAMES):
        packed = not tell("X017", "uncompress it to match its name", Safety.REVIEW, "gzip", "plain text")
    return packed, reported


def write(target: FixTarget, *, backup: bool = False) -> list[Path]:
    """Put the result in place: new files first, the one that takes the original's place last.

    Raises OSError; files that are already there are whole, and the original is untouched.
    """
    written: list[Path] = []
    for piece in reversed(target.fixed.pieces):
        path = target.place_of(piece)
        if target.within is not None and not is_inside(path, target.within):
            raise OSError(ELOOP, f"{path.name} {leads_outside(target.within)}")
        if path == target.path and not target.replaces_original:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, _chunks(target, piece), backup=backup and path.exists())
        written.append(path)
    return written


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a file to write is in a folder, links followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def leads_outside(folder: Path) -> str:
    return f"is a symlink that points outside {folder}"


def _chunks(target: FixTarget, piece: FixedFile) -> Iterable[bytes]:
    if not target.changed:
        return [target.path.read_bytes()]
    return _on_disk(piece, target.envelope, packed=target.packed, recoded=target.fixed.recoded)


def _on_disk(piece: FixedFile, envelope: Envelope, *, packed: bool, recoded: bool = False) -> Iterable[bytes]:
    chunks: Iterable[bytes | memoryview] = piece.chunks
    if not recoded and not is_plain(envelope):
        kept = as_it_was(envelope, piece.data)
        chunks = chunks if kept is None else [kept]
    return compress(_small(chunks)) if packed else _small(chunks)


def _small(chunks: Iterable[bytes | memoryview]) -> Iterator[bytes]:
    """A view of a large file must not be copied at once."""
    for chunk in chunks:
        for start in range(0, len(chunk), _CHUNK):
            yield bytes(chunk[start : start + _CHUNK])


def _same(path: Path, chunks: Iterable[bytes]) -> bool:
    try:
        with path.open("rb") as file:
            return all(file.read(len(chunk)) == chunk for chunk in chunks) and not file.read(1)
    except OSError:
        return False
