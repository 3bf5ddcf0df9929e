"""Files and trees of sitemaps → fixed files, written only when the result is proven."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from errno import ELOOP
from pathlib import Path

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.fixability import is_other
from urlset.checking.select import UnknownSelectorError
from urlset.checking.tree import newest
from urlset.findings.finding import Safety
from urlset.findings.fix_result import Applied, FixedFile, FixResult, Left
from urlset.fixing.audit_remedies import AuditRemedies
from urlset.fixing.choose import FixOptions
from urlset.fixing.fix import as_it_was, fix_document, is_plain, verified
from urlset.fixing.shards import IsFree, RowChange, SplitLimits, SplitResult, follow, separate, sibling, split
from urlset.model.document import Document, Envelope
from urlset.model.entry import IndexEntry
from urlset.model.moment import Moment
from urlset.reading.disk import Missing, NoSitemap, SiteFolder, expand, folder_of
from urlset.reading.read import read
from urlset.reading.tree import DocumentTree
from urlset.rules.catalogue import find
from urlset.settings.fix import FixSettings
from urlset.spec.engines import ENGINES
from urlset.workflows.check_file import chosen_rules
from urlset.writing.files import write_atomically
from urlset.writing.gzip import compress

MAX_DEPTH = 8
_NEEDS_CONSENT = "unsafe fix: apply it with --unsafe"


def fix_document_alone(document: Document, settings: FixSettings) -> FixResult:
    """One sitemap in memory, with no other next to it. Nothing is written."""
    fixed = _Run(settings, Outlet()).finish(document, listed=False).fixed
    if fixed.recoded or is_plain(document.envelope):
        return fixed
    # the files in the encoding that they declare
    stored = (as_it_was(document.envelope, piece.data) or piece.data for piece in fixed.pieces)
    pieces = (FixedFile(piece.name, (data,)) for piece, data in zip(fixed.pieces, stored, strict=True))
    return msgspec.structs.replace(fixed, pieces=tuple(pieces))


def fix_targets(
    settings: FixSettings, *, using: AuditRemedies | None = None, unsafe_codes: tuple[str, ...] = ()
) -> Iterator[FixTarget | NoSitemap | str]:
    """Fix every document behind the targets, children before the index that lists them.

    `using` are the remedies of the audit in `settings.using`; every file is read once before, to know what is listed
    where. `unsafe_codes` are the rules that `settings.unsafe` is meant for, all if empty. Write each target as it
    comes. A text instead of a target is the reason why a file could not be read; NoSitemap is a folder that holds none.
    Raises UnknownSelectorError for a bad selector.
    """
    if using is not None:
        for document in DocumentTree(settings.targets, root=settings.root, base_url=settings.base_url):
            using.note(document)
            del document  # one at a time: they may be large
    folder = Path(settings.output) if settings.output else None
    run = _Run(settings, Outlet(folder, settings.targets), using, unsafe_codes)
    for target in settings.targets:
        base = folder_of(target) if folder is None else None
        for found in expand(target):
            if isinstance(found, NoSitemap):
                yield found
            elif isinstance(found, Missing):
                yield f"{found.loc}: {found.reason}"
            elif not isinstance(found, Path):
                yield f"{found}: objects cannot be fixed in place: download the sitemap first"
            elif base is not None and not is_inside(found, base):
                yield f"{found}: not changed: it {leads_outside(base)}; name the file itself to fix it"
            else:
                yield from run.start(found)


def _code(name: str) -> str:
    """No families here: a fix that must be named should not be made because of a letter."""
    rule = find(name)
    if rule is None:
        raise UnknownSelectorError(f"--only: unknown rule {name!r} (`urlset explain rules` lists them)")
    return rule.code


class _Run:
    """One run over any number of files."""

    def __init__(
        self,
        settings: FixSettings,
        outlet: Outlet,
        using: AuditRemedies | None = None,
        unsafe_codes: tuple[str, ...] = (),
    ) -> None:
        self._rules: tuple[AnyRule, ...] = chosen_rules(settings, on_disk=using is None)
        if using is not None:
            self._rules += using.rules({rule.code: rule.card for rule in self._rules})
        self._names = {rule.code: rule.name for rule in self._rules}
        self._options = FixOptions(
            unsafe=settings.unsafe,
            unsafe_codes=unsafe_codes,
            only=tuple(map(_code, settings.only)),
            allow_shrink=settings.allow_shrink,
            timezone=settings.timezone,
        )
        self._at = settings.at
        self._base = settings.base_url
        self._context = Context(
            settings.now or datetime.now(UTC),
            settings.engines,
            settings.thresholds,
            read(settings.robots).robots if settings.robots else None,
            settings.base_url,
            settings.timezone,
        )
        self._site_folder = SiteFolder(Path(settings.root) if settings.root else None, settings.base_url)
        self._outlet = outlet
        self._seen: set[str] = set()

    def start(self, path: Path) -> Iterator[FixTarget | str]:
        document = self._read(path, self._at or self._site_folder.address_of(path))
        if isinstance(document, str):
            yield document
        elif document is not None and document.kind.lists_sitemaps:
            yield from self._index(document, path, 0)
        elif document is not None:
            yield self._target(document, path, self.finish(document, listed=False).fixed)

    def _read(self, path: Path, url: str | None) -> Document | str | None:
        """None for a file that was dealt with before."""
        identity = os.path.realpath(path)
        if identity in self._seen:
            return None
        self._seen.add(identity)
        try:
            return read(path, url=url)
        except OSError as error:
            return f"{path}: cannot be read: {error.strerror or error}"

    def finish(self, document: Document, *, listed: bool) -> SplitResult:
        """Fixed, separated if it lists both kinds, split if it is too large."""
        fixed = fix_document(document, self._rules, self._context, self._options)
        return self._apart(fixed, document, fixed, listed=listed)

    def _apart(self, fixed: FixResult, document: Document, earlier: FixResult, *, listed: bool) -> SplitResult:
        address = document.url or self._at
        if address is None and self._base is not None and document.name:
            address = sibling(self._base.rstrip("/") + "/", document.name)
        is_free = self._outlet.is_free(Path(document.name), document)
        named = self._options.names
        if named("S006"):
            fixed = separate(fixed, document, unsafe=self._options.unsafe, address=address, is_free=is_free)
        result = SplitResult(fixed)
        if len(fixed.pieces) <= 1 and any(named(left.code) for left in fixed.left):
            most = min(ENGINES[engine].max_bytes for engine in self._context.engines)
            limits = SplitLimits(bytes=most, address=address, listed=listed, is_free=is_free)
            result = split(fixed, document, limits, unsafe=self._options.unsafe)
        return msgspec.structs.replace(result, fixed=verified(result.fixed, earlier, document.envelope))

    def _target(self, document: Document, path: Path, fixed: FixResult) -> FixTarget:
        packed, reported = repacking(document, self._names, self._options)
        codes = {item.code for item in reported}
        left = tuple(each for each in fixed.left if each.code not in codes)
        applied = (*fixed.applied, *reported) if reported else fixed.applied
        whole = msgspec.structs.replace(fixed, applied=applied, left=left)
        return self._outlet.target(path, document, whole, packed=packed, repacked=bool(reported))

    # trees

    def _index(self, document: Document, path: Path, depth: int) -> Iterator[FixTarget | str]:
        """The children first; then the index, which follows what became of them."""
        fixed = fix_document(document, self._rules, self._context, self._options)
        present = document if fixed.data is document.data else read(fixed.data, name=document.name, url=document.url)
        changes: dict[int, RowChange] = {}
        for row, loc in enumerate(present.columns.locs):
            child = self._child(loc, path)
            if isinstance(child, str):
                yield child
            elif child is not None and child[1].kind.lists_sitemaps and depth < MAX_DEPTH:
                if self._may("I005", Safety.REVIEW):
                    changes[row] = yield from self._flattened(child[1], child[0], depth + 1)
                else:
                    yield from self._index(child[1], child[0], depth + 1)
                    fixed = self._left_nested(fixed, child[0])
            elif child is not None:
                change = yield from self._listed(child[1], child[0], present.columns.lastmods[row])
                if change is not None:
                    changes[row] = change
        followed = follow(fixed, present, changes)
        yield self._target(document, path, self._apart(followed, document, fixed, listed=False).fixed)

    def _may(self, code: str, safety: Safety) -> bool:
        return code in self._names and self._options.allows(code, safety)

    def _child(self, loc: str | None, index: Path) -> tuple[Path, Document] | str | None:
        """None for a child that is not here, or was dealt with before."""
        if not loc or not loc.strip():
            return None
        path = self._site_folder.find(loc.strip(), index.parent)
        if not isinstance(path, Path):
            return None
        document = self._read(path, loc.strip())
        return document if document is None or isinstance(document, str) else (path, document)

    def _listed(
        self, document: Document, path: Path, lastmod: str | None
    ) -> Generator[FixTarget | str, None, RowChange | None]:
        result = self.finish(document, listed=True)
        yield self._target(document, path, result.fixed)
        if result.parts and result.fixed.refused is None:
            code = result.fixed.applied[-1].code
            title = f"list the {len(result.parts)} parts instead"
            return RowChange(code, self._names.get(code, ""), title, Safety.SAFE, instead=result.parts)
        # a newer date for a child that is dated before the newest page in it
        latest = newest(document.columns.lastmods)
        given = (lastmod or "").strip()
        if not given or latest is None or not self._may("I015", Safety.SAFE):
            return None
        moment = Moment.parse(latest)
        if not moment.newer_than(Moment.parse(given)) or moment.is_after(self._context.now):
            return None
        return RowChange("I015", self._names["I015"], f"write {latest}", Safety.SAFE, lastmod=latest)

    def _flattened(self, document: Document, path: Path, depth: int) -> Generator[FixTarget | str, None, RowChange]:
        """What the nested index lists, at any depth, to be listed by the one above."""
        found: list[IndexEntry] = []
        for entry in document.children():
            child = self._child(entry.loc, path)
            if isinstance(child, str):
                yield child
            elif child is not None and child[1].kind.lists_sitemaps and depth < MAX_DEPTH:
                deeper = yield from self._flattened(child[1], child[0], depth + 1)
                found += deeper.instead or ()
                continue
            elif child is not None:
                change = yield from self._listed(child[1], child[0], entry.lastmod)
                if change is not None and change.instead is not None:
                    found += change.instead
                    continue
                if change is not None:
                    entry = IndexEntry(entry.loc, change.lastmod)  # noqa: PLW2901 - the same child, dated anew
            if entry.loc:
                found.append(entry)
        title = f"list its {len(found):,} sitemaps here"
        return RowChange("I005", self._names["I005"], title, Safety.REVIEW, instead=tuple(found))

    def _left_nested(self, fixed: FixResult, path: Path) -> FixResult:
        if "I005" not in self._names or any(each.code == "I005" for each in fixed.left):
            return fixed
        message = f"{path} is also an index; its sitemaps are not read"
        left = Left("I005", self._names["I005"], 1, _NEEDS_CONSENT, message=message)
        return msgspec.structs.replace(fixed, left=(*fixed.left, left))


# Fixed documents → files in their place or in another folder, each written atomically.

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
        replaces = target.repacked or target.fixed.recoded or target.fixed.data != target.fixed.original
        if path == target.path and not replaces:
            continue  # only new files come from it
        path.parent.mkdir(parents=True, exist_ok=True)
        if target.changed:
            chunks = _on_disk(piece, target.envelope, packed=target.packed, recoded=target.fixed.recoded)
        else:
            chunks = [target.path.read_bytes()]
        write_atomically(path, chunks, backup=backup and path.exists())
        written.append(path)
    return written


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a file to write is in a folder, links followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def leads_outside(folder: Path) -> str:
    return f"is a symlink that points outside {folder}"


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
