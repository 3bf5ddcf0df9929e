"""A site with every known kind of bad behaviour, each on its own route, with the right conclusion beside it."""

from __future__ import annotations

from tests.servers import (
    bad_bodies,
    bad_charsets,
    bad_connections,
    bad_headers,
    bad_redirects,
    bot_walls,
    error_pages,
)
from tests.servers.behaviour import Behaviour
from urlset.testing.exchange import Routes
from urlset.testing.site import Site

KINDS = (bad_connections, bad_redirects, bad_bodies, bad_headers, bad_charsets, bot_walls, error_pages)


def behaviours() -> dict[str, Behaviour]:
    """All of them by name, as they are before the first request: some answer differently the second time."""
    found = [each for kind in KINDS for each in kind.behaviours()]
    table = {each.name: each for each in found}
    assert len(table) == len(found), "two behaviours have the same name"
    return table


BEHAVIOURS = behaviours()
"""the table to read; a site has its own copy"""


def bad_routes() -> Routes:
    routes: Routes = {"/robots.txt": "User-agent: *\nAllow: /\n"}
    for each in behaviours().values():
        routes.update(each.routes())
    return routes


def bad_site() -> Site:
    """`with bad_site() as site:` and then `site.url(BEHAVIOURS["gzip-bomb"].at)`. TLS faults: see bad_tls.py."""
    return Site(bad_routes())
