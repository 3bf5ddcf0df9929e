"""Files and trees of sitemaps → mended files, written only when the result is proven."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from urlset.checking.context import Context
from urlset.findings.mended import Mended, Piece
from urlset.fixing.mend import FixOptions, mend
from urlset.fixing.shards import split
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.reading.tree import Tree
from urlset.settings.options import Settings
from urlset.workflows.check import chosen_rules
from urlset.writing.atomic import write_atomically
from urlset.writing.gzip import compress


class Target(msgspec.Struct, frozen=True):
    """One document that was mended and where it goes."""

    path: Path
    packed: bool
    mended: Mended


def fix_targets(
    targets: Sequence[str],
    settings: Settings,
    options: FixOptions,
    *,
    at: str | None = None,
    now: datetime | None = None,
) -> Iterator[Target | str]:
    """Mend every document behind the targets; a text is the reason why one could not be read."""
    rules = chosen_rules(settings)
    context = Context(
        now or datetime.now(UTC),
        settings.engines,
        settings.thresholds,
        base_url=settings.base_url,
        timezone=options.timezone,
    )
    tree = Tree(targets, root=settings.root, base_url=settings.base_url)
    told = 0
    for document in tree:
        known = msgspec.structs.replace(document, url=at) if at is not None else document
        mended = mend(known, rules, context, options)
        if mended.refused is None:
            mended = split(mended, known)
        yield Target(Path(document.name), document.envelope.compression == "gzip", mended)
        for missing in tree.missing[told:]:
            if not missing.parent:
                yield f"{missing.loc}: {missing.reason}"
        told = len(tree.missing)
    for missing in tree.missing[told:]:
        if not missing.parent:
            yield f"{missing.loc}: {missing.reason}"


def fix_document(document: Document, settings: Settings, options: FixOptions, *, now: datetime | None = None) -> Mended:
    """The same for one document in memory."""
    context = Context(now or datetime.now(UTC), settings.engines, settings.thresholds, base_url=settings.base_url)
    return mend(document, chosen_rules(settings), context, options)


def write(target: Target, *, folder: Path | None = None, backup: bool = False) -> list[Path]:
    """Put the result in place: new files first, the one that takes the original's place last."""
    written: list[Path] = []
    for piece in reversed(target.mended.pieces):
        path = _destination(target, piece, folder)
        if folder is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        chunks = compress([piece.data]) if target.packed else [piece.data]
        write_atomically(path, chunks, backup=backup and path.exists())
        written.append(path)
    return written


def _destination(target: Target, piece: Piece, folder: Path | None) -> Path:
    name = Path(piece.name).name
    return (folder or target.path.parent) / name


def reread(path: Path) -> Document:
    return read(path)
