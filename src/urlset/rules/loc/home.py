"""A sitemap's own address and robots.txt → which of the listed hosts it may speak for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.checking.subjects import Sitemap
from urlset.model.address import Address
from urlset.model.address_key import key_of
from urlset.rules.loc.origins import Head, origins
from urlset.rules.loc.public import is_malformed, non_public
from urlset.spec.protocol import DEFAULT_PORTS


def home_of(sitemap: Sitemap) -> Address | None:
    """The sitemap's own address, if it has a usable one."""
    address = sitemap.address
    return address if address is not None and address.is_web and address.host_ascii else None


def comparable(sitemap: Sitemap) -> Iterator[Head]:
    """Heads whose host is in order; what is wrong with the others is told by the rules on hosts."""
    for head in origins(sitemap):
        sound = head.address.is_web and not head.unfilled and not is_malformed(head)
        if sound and non_public(sitemap, head) is None:
            yield head


def rows_of(origins_: Iterable[Head]) -> list[int]:
    return sorted(row for head in origins_ for row in head.rows)


def is_www_twin(host: str, other: str) -> bool:
    return host == f"www.{other}" or other == f"www.{host}"


def at_home(home: Address, sitemap: Sitemap) -> Iterator[Head]:
    """Heads on the sitemap's host, give or take the www."""
    own = home.host_ascii or ""
    return (head for head in comparable(sitemap) if head.host == own or is_www_twin(head.host, own))


def _named_port(address: Address) -> int | None:
    """None for the port of the scheme, written out or not."""
    port = address.port_effective
    return None if port == DEFAULT_PORTS.get((address.scheme or "").lower()) else port


def on_another_port(head: Head, home: Address) -> bool:
    """As the protocol has it: each address begins with the sitemap's own scheme, host and port.

    Where the schemes differ and neither names a port, only the scheme is at fault.
    """
    return _named_port(head.address) != _named_port(home)


def vouched(sitemap: Sitemap, own: str) -> frozenset[str]:
    """Hosts whose robots.txt names the sitemap: those that were asked, and the one that the given file belongs to.

    A robots.txt covers one host: the one it was fetched from. For a file on disk that is the host of the base address,
    or the only other host that the sitemap lists.
    """
    context = sitemap.context
    if not is_announced(sitemap):
        return context.vouched
    known = context.robots_origin or context.base_url
    others = {head.host for head in comparable(sitemap)} - {own}
    covers = {Address.parse(known).host_ascii or ""} if known else others
    return context.vouched | covers if len(covers) == 1 else context.vouched


def is_announced(sitemap: Sitemap) -> bool | None:
    """Whether robots.txt names the sitemap or an index that leads to it; None where there is none at hand."""
    robots = sitemap.context.robots
    if robots is None:
        return None
    named = {key_of(line.value) for line in robots.sitemaps}
    return any(key_of(url) in named for url in (sitemap.document.url or "", *sitemap.context.lineage))
