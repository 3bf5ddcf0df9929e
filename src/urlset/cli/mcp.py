"""`urlset mcp`: a server for agents on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from urlset.cli.command import command
from urlset.cli.exit_codes import OK

if TYPE_CHECKING:
    from urlset.settings.mcp import McpSettings


@command("mcp", epilog="Examples:\n  urlset mcp --root public/\n  urlset mcp --root public/ --read-only")
def mcp(settings: McpSettings) -> int:
    """Serve the tools of urlset to agents, over the Model Context Protocol.

    Start it from an MCP client: it speaks on standard input and output until the client closes them. Files are used
    only below --root. Without --root, only URLs can be named.
    """
    try:
        from urlset.workflows.mcp.server import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("mcp", "pydantic"):
            raise
        raise click.ClickException("`urlset mcp` needs the MCP SDK: pip install 'urlset[mcp]'") from error
    serve(settings)
    return OK
