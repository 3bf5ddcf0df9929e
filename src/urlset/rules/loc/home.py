"""A sitemap's own URL and robots.txt → the hosts whose URLs it may list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.checking.subjects import Sitemap
from urlset.model.address import Address
from urlset.model.address_key import key_of
from urlset.rules.loc.origins import OriginRows, origins
from urlset.rules.loc.public import is_malformed, non_public
from urlset.spec.protocol import DEFAULT_PORTS


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


def _named_port(address: Address) -> int | None:
    """None for the default port of the scheme, explicit or not."""
    port = address.port_effective
    return None if port == DEFAULT_PORTS.get((address.scheme or "").lower()) else port


def on_another_port(head: OriginRows, home: Address) -> bool:
    """Protocol rule: each URL starts with the sitemap's own scheme, host, and port.

    If the schemes differ and neither has an explicit port, only the scheme is wrong.
    """
    return _named_port(head.address) != _named_port(home)


def vouched(sitemap: Sitemap, own: str) -> frozenset[str]:
    """Hosts whose robots.txt lists the sitemap: the hosts fetched, and the host of the given file.

    A robots.txt covers one host: the one it was fetched from. For a local file, this is the host of the base
    URL, or the only other host in the sitemap.
    """
    context = sitemap.context
    if not is_announced(sitemap):
        return context.vouched
    known = context.robots_origin or context.base_url
    others = {head.host for head in comparable(sitemap)} - {own}
    covers = {Address.parse(known).host_ascii or ""} if known else others
    return context.vouched | covers if len(covers) == 1 else context.vouched


def is_announced(sitemap: Sitemap) -> bool | None:
    """Whether robots.txt lists the sitemap or an index that leads to it; None without a robots.txt."""
    robots = sitemap.context.robots
    if robots is None:
        return None
    named = {key_of(line.value) for line in robots.sitemaps}
    return any(key_of(url) in named for url in (sitemap.document.url or "", *sitemap.context.lineage))
