"""A sitemap's own URL and robots.txt → the hosts whose URLs it may list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.model.address import Address
from urlset.model.address_key import key_of
from urlset.rules import Sitemap
from urlset.rules.loc.origins import OriginRows, origins
from urlset.rules.loc.public import is_malformed, non_public
from urlset.rules.quoting import quoted


def home_of(sitemap: Sitemap) -> Address | None:
    """The sitemap's own URL, if it is usable."""
    address = sitemap.address
    return address if address is not None and address.is_web and address.host_ascii else None


def comparable(sitemap: Sitemap) -> Iterator[OriginRows]:
    """Heads with a valid host; the host rules report the others."""
    for head in origins(sitemap):
        sound = head.is_web and not head.unfilled and not is_malformed(head)
        if sound and non_public(sitemap, head) is None:
            yield head


def rows_of(origins_: Iterable[OriginRows]) -> list[int]:
    return sorted(row for head in origins_ for row in head.rows)


def is_www_twin(host: str, other: str) -> bool:
    return host == f"www.{other}" or other == f"www.{host}"


def at_home(home: Address, sitemap: Sitemap) -> Iterator[OriginRows]:
    """Heads on the sitemap's host, with or without www."""
    own = home.host_ascii or ""
    return (head for head in comparable(sitemap) if head.host == own or is_www_twin(head.host, own))


def on_another_port(head: OriginRows, home: Address) -> bool:
    """Protocol rule: each URL starts with the sitemap's own scheme, host, and port.

    If the schemes differ and neither has an explicit port, only the scheme is wrong.
    """
    return head.address.unusual_port != home.unusual_port


def vouched(sitemap: Sitemap) -> frozenset[str]:
    """Sites (`Address.site`) whose robots.txt lists the sitemap: those fetched, and the site of the given file.

    A robots.txt covers one site: the one it was fetched from, or for a local file that of the base URL. A local file
    without a base URL proves nothing about another site.
    """
    context = sitemap.context
    known = context.robots_origin or context.base_url
    if known is None or not is_announced(sitemap):
        return context.vouched
    return context.vouched | {Address.parse(known).site}


def unplaced_robots(sitemap: Sitemap, site: str) -> str:
    """The end of a message if a robots.txt lists the sitemap, and it is unknown which site the file is from."""
    context = sitemap.context
    if context.robots_origin or context.base_url or not is_announced(sitemap):
        return ""
    return f" (the given robots.txt does; set --base-url if it is the one of {quoted(site)})"


def is_announced(sitemap: Sitemap) -> bool | None:
    """Whether robots.txt lists the sitemap or an index that leads to it; None without a robots.txt."""
    robots = sitemap.context.robots
    if robots is None:
        return None
    named = {key_of(line.value) for line in robots.sitemaps}
    return any(key_of(url) in named for url in (sitemap.document.url or "", *sitemap.context.lineage))
