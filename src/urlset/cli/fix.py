"""`urlset fix`: files → mended files, a diff, or a report of both."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from urlset.cli.exit_codes import BROKEN, FINDINGS, NOTHING, OK
from urlset.cli.settings_options import CommaList, load_settings, rule_options, site_options
from urlset.cli.terminal import Style, complain, printable

if TYPE_CHECKING:
    from urlset.workflows.fix import Target


@click.command(epilog="Example: urlset fix sitemap.xml --diff")
@click.argument("files", nargs=-1, required=True, metavar="FILE|PATTERN|FOLDER...")
@click.option("--diff", is_flag=True, help="Show what would change and write nothing.")
@click.option("--unsafe", is_flag=True, help="Apply fixes too that may change what the sitemap says.")
@click.option("--only", type=CommaList(), multiple=True, metavar="CODES", help="Apply only the fixes of these rules.")
@click.option(
    "--timezone",
    metavar="OFFSET",
    help="What times without an offset are meant in, such as +02:00 or Z (with --unsafe).",
)
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
    """Mend sitemap files: escape, respell, reorder, split; never guess.

    Only safe fixes are applied unless --unsafe is given. Everything outside the edits stays as it is, byte for
    byte; the result is read again, and written only if every address is still there (or its removal is listed)
    and no new finding appeared. gzip stays gzip.

    Exit code 0: mended, or nothing to mend; 1: a result was refused, or with --diff there is something to
    change; 2: a file could not be read or written; 3: nothing to mend.
    """
    from urlset.checking.select import UnknownSelectorError
    from urlset.fixing.mend import FixOptions
    from urlset.workflows.fix import fix_targets

    timezone = _timezone(given.pop("timezone"))
    only = tuple(code.upper() for codes in given.pop("only") for code in codes)
    options = FixOptions(unsafe=given.pop("unsafe"), only=only, timezone=timezone)
    profile, config_file, at = given.pop("profile"), given.pop("config_file"), given.pop("at")
    flags = {name.replace("_", "-"): value for name, value in given.items()}
    settings = load_settings(profile, config_file, flags).settings
    done: list[Target] = []
    code = OK
    try:
        for found in fix_targets(files, settings, options, at=at):
            if isinstance(found, str):
                complain(printable(found))
                code = BROKEN
                continue
            code = max(code, _finish(found, form, output, diff=diff, backup=backup))
            done.append(found)
    except UnknownSelectorError as error:
        raise click.UsageError(str(error)) from error
    if form == "json":
        click.echo(_json(done, written=not diff))
    return code if done or code else NOTHING


def _timezone(text: str | None) -> str | None:
    if text is not None and not re.fullmatch(r"Z|[+-](?:0\d|1[0-4]):[0-5]\d", text):
        raise click.UsageError(f"--timezone {text!r} is not an offset like +02:00 or Z")
    return text


def _finish(target: Target, form: str, output: str | None, *, diff: bool, backup: bool) -> int:
    """Write or show one result; its exit code."""
    from urlset.workflows.fix import write

    style = Style.for_stream(sys.stdout)
    mended = target.mended
    if form == "text":
        from urlset.cli.mending import report

        click.echo("\n".join(report(mended, style, diff=diff)))
    if mended.refused is not None:
        complain(printable(f"{mended.source}: left as it is: {mended.refused}"))
        return FINDINGS
    if diff:
        return FINDINGS if mended.changed else OK
    if mended.changed or output is not None:
        try:
            write(target, folder=Path(output) if output else None, backup=backup)
        except OSError as error:
            complain(
                printable(f"{mended.source}: cannot be written: {error.strerror or error}; the original is untouched")
            )
            return BROKEN
    return OK


def _json(done: list[Target], *, written: bool) -> str:
    import msgspec

    from urlset.version import __version__

    documents = [
        {
            "source": each.mended.source,
            "changed": each.mended.changed,
            "written": written and each.mended.refused is None and each.mended.changed,
            "refused": each.mended.refused,
            "passes": each.mended.passes,
            "files": [{"name": piece.name, "bytes": len(piece.data)} for piece in each.mended.pieces],
            "applied": each.mended.applied,
            "left": each.mended.left,
            "removed": each.mended.removed,
        }
        for each in done
    ]
    report = {"schema": 1, "urlset": __version__, "command": "fix", "documents": documents}
    return msgspec.json.format(msgspec.json.encode(report), indent=2).decode()
