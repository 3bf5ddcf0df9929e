"""`urlset mcp`: the tools of urlset for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import OK

if TYPE_CHECKING:
    from urlset.settings.serve import McpSettings


@command(
    "mcp",
    usual="root skill read-only state max-files allow-private quiet",
    epilog="Examples:\n  urlset mcp --root public/\n  urlset mcp --root public/ --read-only\n"
    "  urlset mcp --skill > SKILL.md",
)
def mcp(settings: McpSettings) -> int:
    """Serve the tools of urlset to agents, over the Model Context Protocol.

    Start it from an MCP client: it speaks on standard input and output until the client closes them. Files are used
    only below --root. Without --root, only URLs can be named. With --skill, prints a file that tells an agent when to
    use which command, and exits.
    """
    if settings.skill:
        from urlset.workflows.mcp_skill import SKILL

        click.echo(SKILL, nl=False)
        return OK
    try:
        from urlset.workflows.mcp import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "pydantic"):
            raise
        raise click.ClickException("`urlset mcp` needs the MCP SDK: pip install 'urlset[mcp]'") from error
    serve(settings)
    return OK
