"""`urlset fix`: files → mended files, a diff, or a report of both."""

from __future__ import annotations

import re
import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, AnyStr

import click

from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.output import readers_may_leave
from urlset.cli.settings_options import CommaList, load_settings, need_root, rule_options, site_options
from urlset.cli.terminal import Style, complain, is_terminal, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from urlset.fixing.choose import FixOptions
    from urlset.fixing.using import Using
    from urlset.settings.options import Settings
    from urlset.workflows.fix.files import FixTarget


@click.command(short_help="Mend sitemap files; show a diff first.", epilog="Example: urlset fix sitemap.xml --diff")
@click.argument("files", nargs=-1, required=True, type=click.Path(readable=False), metavar="FILE|PATTERN|FOLDER...")
@click.option("--diff", is_flag=True, help="Show what would change and write nothing.")
@click.option("--unsafe", is_flag=True, help="Apply fixes too that may change what the sitemap says.")
@click.option(
    "--only",
    type=CommaList(),
    multiple=True,
    metavar="CODES",
    help="Apply only the fixes of these rules, by code or name.",
)
@click.option(
    "--using",
    type=click.Path(exists=True, dir_okay=False),
    metavar="AUDIT.json",
    help="Take out what an audit found gone or noindex, list targets of redirects and canonicals; needs --unsafe.",
)
@click.option("--timezone", metavar="OFFSET", help="What times without an offset are meant in, such as +02:00 or Z.")
@click.option(
    "--output",
    type=click.Path(file_okay=False),
    metavar="DIR",
    help="Write the results into DIR, not over the originals.",
)
@click.option("--backup", is_flag=True, help="Keep each original as NAME.bak.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How to report."
)
@rule_options
@site_options
def fix(files: tuple[str, ...], diff: bool, form: str, output: str | None, backup: bool, **given: Any) -> int:
    """Mend sitemap files: escape, respell, reorder, merge, split; never guess.

    Only safe fixes are applied unless --unsafe is given. Everything outside the edits stays as it is, byte for
    byte; the result is read again, and written only if every address is still there (or its removal is listed)
    and no new finding appeared. An index and its children are mended together. gzip stays gzip.

    With --using, the report of `urlset audit --format json` says which pages to drop or to replace.

    With --diff the diff goes to stdout and the report to stderr. Exit code 0: mended, or nothing to mend in it;
    1: a result was refused, or with --diff there is something to change; 2: a file could not be read or
    written; 3: no sitemap in the folder.
    """
    from urlset.fixing.choose import FixOptions

    if "-" in files:
        raise click.UsageError("fix mends files; standard input cannot be written back: save it to a file first")
    timezone = _timezone(given.pop("timezone"))
    only = tuple(_code(name) for names in given.pop("only") for name in names)
    options = FixOptions(unsafe=given.pop("unsafe"), only=only, timezone=timezone)
    using = _using(given.pop("using"))
    profile, config_file, at = given.pop("profile"), given.pop("config_file"), given.pop("at")
    if at is not None and len(files) > 1:
        raise click.UsageError("--at is the address of one file; for several, give --root and --base-url")
    flags = {name.replace("_", "-"): value for name, value in given.items()}
    settings = load_settings(profile, config_file, flags).settings
    need_root(settings)
    work = Work(form=form, diff=diff, backup=backup, folder=Path(output) if output else None, using=using)
    return work.run(files, settings, options, at)


def _using(path: str | None) -> Using | None:
    from urlset.fixing.using import UsingError, load

    if path is None:
        return None
    try:
        return load(Path(path))
    except UsingError as error:
        raise click.UsageError(str(error)) from error


def _timezone(text: str | None) -> str | None:
    if text is not None and not re.fullmatch(r"Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00", text):
        raise click.UsageError(f"--timezone {text!r} is not an offset like +02:00 or Z")
    return text


def _code(name: str) -> str:
    """No families here: a fix that must be named should not be made because of a letter."""
    from urlset.rules.catalogue import find

    rule = find(name)
    if rule is None:
        raise click.UsageError(f"--only {name}: no rule has that code or name; `urlset rules` lists them")
    return rule.code


class Work:
    """One run of the command: write or show each result as it comes, tell about it, remember the exit code.

    `form` is text, json, brief (one line on stderr, for a command that goes on from here) or none.
    """

    def __init__(self, *, form: str, diff: bool, backup: bool, folder: Path | None, using: Using | None = None) -> None:
        self._form = form
        self._diff = diff
        self._backup = backup
        self._folder = folder
        self._using = using
        self._done: list[dict[str, Any]] = []
        self._code = OK

    def run(self, files: tuple[str, ...], settings: Settings, options: FixOptions, at: str | None) -> int:
        from urlset.checking.select import UnknownSelectorError
        from urlset.reading.starts import NoSitemap
        from urlset.workflows.fix.fix import fix_targets

        try:
            for found in fix_targets(files, settings, options, at=at, folder=self._folder, using=self._using):
                if isinstance(found, NoSitemap):
                    complain(printable(f"{found.loc}: {found.reason}"))
                elif isinstance(found, str):
                    complain(printable(found))
                    self._code = BROKEN
                else:
                    self._take(found)
        except UnknownSelectorError as error:
            raise click.UsageError(str(error)) from error
        with readers_may_leave():
            self._close()
        self._tell_unmet()
        return self._code if self._done or self._code else NOTHING

    def _tell_unmet(self) -> None:
        """An audit older than the files, or of others, is no fault; but it should be known."""
        if self._using is not None and self._using.unmet and self._form != "none":
            wanted, unmet = self._using.wanted, self._using.unmet
            complain(f"{unmet:,} of the {wanted:,} entries that the audit would change are not in these files")

    def _take(self, target: FixTarget) -> None:
        fixed = target.fixed
        with readers_may_leave():
            self._tell(target)
        written = False
        if fixed.refused is not None:
            complain(printable(f"{fixed.source}: left as it is: {fixed.refused}"))
            self._code = max(self._code, FINDINGS)
        elif self._diff:
            self._code = max(self._code, FINDINGS if target.changed else OK)
        elif target.claimed is not None:
            complain(printable(f"{fixed.source}: not written: {target.destination} already holds {target.claimed}"))
            self._code = BROKEN
        elif target.changed or self._folder is not None:
            written = self._write(target)
        else:
            from urlset.writing.work_folder import sweep_once

            sweep_once(target.destination.parent)  # a killed run may have been killed after its last file
        self._done.append(_facts(target, written=written))

    def _write(self, target: FixTarget) -> bool:
        from urlset.workflows.fix.files import write

        try:
            write(target, backup=self._backup)
        except OSError as error:
            reason = error.strerror or str(error)
            complain(printable(f"{target.fixed.source}: cannot be written: {reason}; the original is untouched"))
            self._code = BROKEN
            return False
        return True

    def _tell(self, target: FixTarget) -> None:
        from urlset.cli.fix_report import difference, patch, report

        if self._form != "text":
            return
        if self._diff:
            shown = is_terminal(sys.stdout)
            if shown:
                _print(difference(target.fixed, Style.for_stream(sys.stdout)), "\n")
            else:
                _print(patch(target.fixed), b"\n")
        style = Style.for_stream(sys.stderr if self._diff else sys.stdout)
        click.echo("\n".join(report(target.fixed, style, diff=self._diff)), err=self._diff)

    def _close(self) -> None:
        from urlset.cli.fix_report import summary

        if self._form == "json":
            click.echo(_json(self._done))
        elif self._form == "brief" and self._done:
            click.echo(summary(self._done, diff=False), err=True)
        elif self._form == "text" and len(self._done) > 1:
            click.echo(summary(self._done, diff=self._diff), err=self._diff)


def _print(lines: Iterable[AnyStr], line_end: AnyStr) -> None:
    """Many lines at a time: printing one costs more than working it out."""
    rest = iter(lines)
    while block := list(islice(rest, 1000)):
        click.echo(line_end.join(block))


def _facts(target: FixTarget, *, written: bool) -> dict[str, Any]:
    """What the JSON report says of one document; no bytes are kept, for a run may have many large files."""
    fixed = target.fixed
    return {
        "source": fixed.source,
        "changed": target.changed,
        "written": written,
        "refused": fixed.refused,
        "passes": fixed.passes,
        "files": [{"name": str(target.place_of(piece)), "bytes": piece.size} for piece in fixed.pieces],
        "applied": fixed.applied,
        "left": fixed.left,
        "removed": fixed.removed,
        "renamed": fixed.renamed,
    }


def _json(documents: list[dict[str, Any]]) -> str:
    import msgspec

    from urlset.version import __version__

    report = {"schema": 1, "urlset": __version__, "command": "fix", "documents": documents}
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()
