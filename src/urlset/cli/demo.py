"""`urlset demo`: sample sitemaps, and a short tour of what the commands say of them."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack, chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from urlset.cli.exit_codes import OK
from urlset.cli.terminal import Style


@click.command(short_help="Tour good and broken sample sitemaps.")
@click.option("--into", type=click.Path(file_okay=False), metavar="DIR", help="Keep the sample files in DIR.")
@click.pass_context
def demo(context: click.Context, into: str | None) -> int:
    """Write sample sitemaps, good and broken, and take a tour of them."""
    from urlset.workflows.demo import STEPS, write_samples

    root = context.find_root().command
    style = Style.for_stream(sys.stdout)
    with ExitStack() as stack:
        folder = Path(into or stack.enter_context(TemporaryDirectory(prefix="urlset-demo-")))
        try:
            write_samples(folder)
        except FileExistsError as error:
            raise click.ClickException(str(error)) from error
        stack.enter_context(chdir(folder))
        for step in STEPS:
            click.echo(f"\n{style.dim('# ' + step.remark)}")
            click.echo(f"{style.green('$')} {style.bold('urlset ' + shlex.join(step.arguments))}\n")
            sys.stdout.flush()
            root.main(list(step.arguments), prog_name="urlset", standalone_mode=False)
    kept = f"The samples are in {into}." if into else "To keep the samples and try for yourself: urlset demo --into DIR"
    click.echo(f"\n{style.dim('# ' + kept)}")
    return OK
