"""`urlset fix`: files → fixed files, a diff, or a report of both."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, AnyStr, NamedTuple

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import json_report, readers_may_leave
from urlset.cli.targets import need_root
from urlset.cli.terminal import Style, complain, is_terminal, note, printable, visible
from urlset.findings.card import Severity
from urlset.findings.fix_result import Applied, Change, FixResult
from urlset.fixing.edit_buffer import unified
from urlset.model.shown import amount
from urlset.storage.paths import is_address, is_stored, without_file_scheme

if TYPE_CHECKING:
    from collections.abc import Iterable

    from msgspec import Raw

    from urlset.fixing.audit_remedies import AuditRemedies
    from urlset.settings.fix import FixSettings
    from urlset.workflows.fix import FixTarget


@command(
    "fix",
    usual="diff unsafe only drop timezone using output backup at format quiet",
    epilog="""Examples:
  urlset fix sitemap.xml --diff
  urlset fix public/ --only L007,D001 --backup
  urlset fix sitemap.xml --using audit.json --unsafe""",
)
def fix(settings: FixSettings) -> int:
    """Fix sitemap files: escaping, spelling, order, duplicates, size limits.

    Only safe fixes are applied, unless --unsafe is given. Removing more than half of the entries of a file needs
    --allow-shrink. Bytes outside the edits do not change. Each result is read again and written only if every URL is
    still listed, or its removal is reported, and no new finding appeared. An
    index and its children are fixed together. Gzipped files stay gzipped.

    --using takes the report of `urlset audit --format json`: it removes pages that are gone or noindex, and replaces
    redirects and non-canonical URLs by their targets.

    With --diff, the diff goes to stdout and the report to stderr. Exit code 0: fixed, or nothing to fix; 1: a result
    was rejected, or --diff found changes; 2: a file could not be read or written; 3: no sitemap found.
    """
    if "-" in settings.targets:
        raise click.UsageError("standard input cannot be fixed in place: save it to a file first")
    if any(is_address(target) or is_stored(target) for target in settings.targets):
        raise click.UsageError("a URL cannot be fixed in place: download the sitemap first")
    paths = tuple(map(without_file_scheme, settings.targets))
    settings = replace(settings, targets=paths)
    if settings.at is not None and len(settings.targets) > 1:
        raise click.UsageError("--at is the URL of one file; for several files, set --root and --base-url")
    need_root(settings.root)
    from urlset.fixing.audit_remedies import load

    using = None if settings.using is None else load(Path(settings.using), settings.drop)
    return Work(settings, settings.format, using).run()


class Work:
    """One run of the command: write or show each result as it comes, tell about it, remember the exit code.

    `form` is text, json, brief (one line on stderr, for another command) or none.
    """

    def __init__(self, settings: FixSettings, form: str, using: AuditRemedies | None = None) -> None:
        self._settings, self._form, self._using = settings, form, using
        self._done: list[FixedDocument] = []
        self._facts: list[Raw] = []
        """of the JSON report, one for each document"""
        self._code = OK

    def run(self) -> int:
        from urlset.reading.disk import NoSitemap
        from urlset.workflows.fix import fix_targets

        for found in fix_targets(self._settings, using=self._using):
            if isinstance(found, NoSitemap):
                complain(printable(f"{found.loc}: {found.reason}"))
            elif isinstance(found, str):
                complain(printable(found))
                self._code = BROKEN
            else:
                self._take(found)
        with readers_may_leave():
            if self._form == "json":
                click.echo(json_report("fix", documents=self._facts))
            elif self._form == "brief" and self._done:
                note(summary(self._done, diff=False))
            elif self._form == "text" and len(self._done) > 1 and not (self._settings.diff and self._settings.quiet):
                click.echo(summary(self._done, diff=self._settings.diff), err=self._settings.diff)
        if self._using is not None and self._using.unmet and self._form != "none":
            wanted, unmet = self._using.wanted, self._using.unmet
            complain(f"{unmet:,} of {wanted:,} audited URLs are not in these files")
        return self._code if self._done or self._code else NOTHING

    def _take(self, target: FixTarget) -> None:
        fixed = target.fixed
        with readers_may_leave():
            self._tell(target)
        written = False
        if fixed.refused is not None:
            complain(printable(f"{fixed.source}: not changed: {fixed.refused}"))
            self._code = max(self._code, FINDINGS)
        elif self._settings.diff:
            self._code = max(self._code, FINDINGS if target.changed else OK)
        elif target.claimed is not None:
            complain(printable(f"{fixed.source}: not written: {target.destination} is the output of {target.claimed}"))
            self._code = BROKEN
        elif target.changed or self._settings.output is not None:
            from urlset.workflows.fix import write

            try:
                write(target, backup=self._settings.backup)
                written = True
            except OSError as error:
                reason = error.strerror or str(error)
                complain(printable(f"{fixed.source}: cannot be written: {reason}; the original is unchanged"))
                self._code = BROKEN
        else:
            from urlset.writing.files import sweep_once

            sweep_once(target.destination.parent)  # a killed run may have been killed after its last file
        left = sum(item.count for item in fixed.left if item.severity is not Severity.INFO)
        changed = target.changed and fixed.refused is None
        self._done.append(FixedDocument(changed, len(fixed.applied) if changed else 0, left))
        if self._form == "json":
            self._facts.append(_facts(target, written=written))

    def _tell(self, target: FixTarget) -> None:
        if self._form != "text":
            return
        if self._settings.diff:
            if is_terminal(sys.stdout):
                _print(difference(target.fixed, Style.for_stream(sys.stdout)), "\n")
            else:
                _print(patch(target.fixed), b"\n")
            if self._settings.quiet:  # the difference is the result
                return
        style = Style.for_stream(sys.stderr if self._settings.diff else sys.stdout)
        click.echo("\n".join(report(target.fixed, style, diff=self._settings.diff)), err=self._settings.diff)


def _print(lines: Iterable[AnyStr], line_end: AnyStr) -> None:
    """Many lines at a time: printing one costs more than working it out."""
    rest = iter(lines)
    while block := list(islice(rest, 1000)):
        click.echo(line_end.join(block))


def _facts(target: FixTarget, *, written: bool) -> Raw:
    """What the JSON report says of one document, encoded: a run may have many large files, and none is kept."""
    import msgspec

    fixed = target.fixed
    facts = {
        "source": fixed.source,
        "changed": target.changed,
        "written": written,
        "refused": fixed.refused,
        "passes": fixed.passes,
        "files": [{"name": str(target.place_of(piece)), "bytes": piece.size} for piece in fixed.pieces],
        "applied": list(fixed.applied),
        "left": fixed.left,
        "removed": fixed.removed,
        "renamed": fixed.renamed,
    }
    return msgspec.Raw(msgspec.json.encode(facts))


_PLACES = 3
_WIDTH = 60


def report(fixed: FixResult, style: Style, *, diff: bool) -> Iterator[str]:
    """Lines for a terminal about one document."""
    name, count = style.bold(printable(fixed.source)), len(fixed.applied)
    left = [each for each in fixed.left if each.severity is not Severity.INFO]
    if not count:
        yield f"{name}: nothing to fix" + ("; the rest needs manual review" if left else "")
    else:
        yield f"{name}: {amount(count, 'fix', 'fixes')}{' to apply' if diff else ''}"
        # by rule and title; by rule alone if nearly every change has its own title, such as the date it writes
        by_rule: dict[str, list[Change]] = {}
        for change in fixed.changes(_PLACES):
            by_rule.setdefault(change.code, []).append(change)
        for changes in by_rule.values():
            if len(changes) > _PLACES:
                every = sum(change.count for change in changes)
                yield f"  {style.green(changes[0].code)} {changes[0].name} ({every:,} times)"
                yield from _examples([change.examples[0] for change in changes[:_PLACES]], style)
                yield style.dim(f"    and {every - _PLACES:,} more (--format json lists all)")
                continue
            for change in changes:
                more = f" ({change.count:,} times)" if change.count > 1 else ""
                yield f"  {style.green(change.code)} {change.name}: {printable(change.title)}{more}"
                yield from _examples(change.examples, style)
    if fixed.removed:
        yield f"  removed: {amount(len(fixed.removed), 'entry', 'entries')}"
        yield from _few((f"{each.code}  {printable(each.loc or 'without a URL')}" for each in fixed.removed), style)
    if fixed.renamed:
        yield f"  replaced: {len(fixed.renamed):,}"
        yield from _few((f"{each.code}  {printable(each.loc)} → {printable(each.to)}" for each in fixed.renamed), style)
    if len(fixed.pieces) > 1:
        yield f"  {len(fixed.pieces)} files:"
        yield from (f"    {printable(piece.name)}  {piece.size:,} bytes" for piece in fixed.pieces)
    # only what a person should act on: notes stay with `urlset check`
    if not left:
        return
    yield "  not fixed:"
    for item in left:
        place = f"{item.line}:{item.column}  " if item.line else ""
        times = f" ({item.count:,} times)" if item.count > 1 else ""
        yield f"    {style.yellow(item.code)} {item.name}{times}: {printable(item.reason)}"
        if item.message:
            yield style.dim(f"      {place}{printable(item.message)}")


def difference(fixed: FixResult, style: Style) -> Iterator[str]:
    """The diff for a terminal, coloured; control characters are made visible, the line ends of Windows left out."""
    palettes = {"+": style.green, "-": style.red, "@": style.cyan}
    for line in patch(fixed):
        shown = visible(line.removesuffix(b"\r").decode("utf-8", "replace"))
        yield palettes.get(shown[:1], str)(shown)


def patch(fixed: FixResult) -> Iterator[bytes]:
    """The diff for programs: every byte as in the file."""
    return unified(fixed.original, fixed.edits, printable(fixed.source))


class FixedDocument(NamedTuple):
    """What the summary needs to know of one document."""

    changed: bool
    fixes: int
    left: int


def summary(done: Sequence[FixedDocument], *, diff: bool) -> str:
    """One line about all files."""
    changed = sum(each.changed for each in done)
    fixes, left = sum(each.fixes for each in done), sum(each.left for each in done)
    verb = "would be fixed" if diff else "fixed"
    tail = f"; {amount(left, 'finding')} left" if left else ""
    return f"{changed:,} of {amount(len(done), 'file')} {verb}, {amount(fixes, 'fix', 'fixes')}{tail}"


def _examples(items: Iterable[Applied], style: Style) -> Iterator[str]:
    for item in items:
        texts = [printable(each.strip()) or (repr(each) if each else "") for each in (item.before, item.after)]
        before, after = (each if len(each) <= _WIDTH else f"{each[: _WIDTH - 1]}…" for each in texts)
        wording = f"{before} → {after}" if before and after else f"+ {after}" if after else f"- {before}"
        yield style.dim(f"    {item.line}:{item.column}  {wording}")


def _few(lines: Iterable[str], style: Style) -> Iterator[str]:
    every = list(lines)
    yield from (style.dim(f"    {line}") for line in every[:_PLACES])
    if len(every) > _PLACES:
        yield style.dim(f"    and {len(every) - _PLACES:,} more (--format json lists all)")
