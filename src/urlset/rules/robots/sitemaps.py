"""Do the Sitemap lines of robots.txt name sitemaps that can be found?"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin

from urlset.checking.declare import ADDRESS, Bad, Good, rule
from urlset.checking.subjects import RobotsText
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety, delete, replace
from urlset.findings.severity import Severity
from urlset.model.address import Address
from urlset.model.place import Place, between
from urlset.model.robots import RobotsLine
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine
from urlset.spec.generator_artifacts import PLACEHOLDER

_HOME = "https://example.com/robots.txt"
_RULES = "User-agent: *\nDisallow:\n"
_LINE = "Sitemap: https://example.com/sitemap.xml\n"


@rule(
    "R001",
    "missing-sitemap-line",
    on=RobotsText,
    severity=Severity.INFO,
    cites=("sitemaps-protocol", "google-build", "bing-2022"),
    bad=(f"«»{_RULES}", f"«»# Sitemap: https://example.com/sitemap.xml\n{_RULES}"),
    good=(_RULES + _LINE, f"{_RULES}sitemap:https://example.com/sitemap.xml"),
)
def missing_sitemap_line(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt names no sitemap.

    A Sitemap line is the one way of announcing a sitemap that every engine reads without an account. It is not
    needed where the sitemap is submitted to each engine by hand.
    """
    if not robots.robots.sitemaps:
        yield Problem(Place(0), "no Sitemap line: engines to which no sitemap was submitted will not find it")


@rule(
    "R002",
    "sitemap-line-not-absolute",
    on=RobotsText,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "google-robots", "yandex-robots"),
    bad=(
        Bad("Sitemap: «/sitemap.xml»\n", at=_HOME, fixed=_LINE),
        Bad("Sitemap: «//example.com/sitemap.xml»\n", at=_HOME, fixed=_LINE),
        Bad("Sitemap: «sitemap.xml»\n", at=_HOME, fixed=_LINE),
        Bad("Sitemap: «example.com/sitemap.xml»\n", at=_HOME, fixed=_LINE),
        Bad("Sitemap: «/sitemap.xml»\n"),
        Bad("Sitemap: «ftp://example.com/sitemap.xml»\n"),
        Bad(_LINE + "«Sitemap:»\n"),
        Bad(
            "Sitemap: «https://example.com/a.xml https://example.com/b.xml»\n",
            fixed="Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\n",
        ),
        Bad("Sitemap: «{{ site.url }}/sitemap.xml»\n"),
        Bad("Sitemap: «https://{{domain}}/sitemap.xml»\n"),
        Bad("Sitemap: «https://example.com/a b.xml»\n", fixed="Sitemap: https://example.com/a%20b.xml\n"),
    ),
    good=(_LINE, "Sitemap: HTTP://example.com/übersicht.xml\n", "Sitemap: https://example.com/s.xml # the only one\n"),
)
def sitemap_line_not_absolute(robots: RobotsText) -> Iterator[Problem]:
    """A Sitemap line does not give one complete address.

    The line stands outside all groups and must say scheme, host and path. An engine that meets anything less
    ignores the line, and the sitemap with it.
    """
    for line in robots.robots.sitemaps:
        several = line.value.split()
        if not line.value:
            yield Problem(line.place, "the Sitemap line names no address")
        elif PLACEHOLDER.search(line.value):
            message = f"{quoted(line.value)} holds a value that was never filled in, so no sitemap is found"
            yield Problem(line.value_place, message)
        elif len(several) > 1 and all(Address.parse(each).is_web for each in several):
            message = f"{len(several):,} addresses in one Sitemap line; each needs a line of its own"
            yield Problem(line.value_place, message, _one_per_line(line, several))
        elif not Address.parse(line.value).is_web:
            message = f"{quoted(line.value)} is not a complete http or https address, so no sitemap is found"
            yield Problem(line.value_place, message, _completed(robots.document.url, line))
        elif len(several) > 1:
            message = f"white space stands inside {quoted(line.value)}; readers cut the address there or refuse it"
            escaped = replace(line.value_place, "%20".join(several), "write it as %20", Safety.REVIEW)
            yield Problem(line.value_place, message, escaped)


def _one_per_line(line: RobotsLine, addresses: list[str]) -> Fix:
    text = f"\n{line.written}: ".join(addresses)
    return replace(line.value_place, text, "give each address a line of its own")


def _completed(home: str | None, line: RobotsLine) -> Fix | None:
    """Against the address of robots.txt, where that is known; an address without scheme only on the same host."""
    site = Address.parse(home) if home else None
    written = Address.parse(line.value)
    if site is None or home is None or site.host is None or written.scheme is not None or " " in line.value:
        return None
    head = line.value.partition("/")[0]
    if head.lower() == site.host.lower():
        full = f"{site.scheme}://{line.value}"
    elif "." in head and "/" in line.value:
        return None  # another host, or a folder with a dot in its name
    else:
        try:
            full = urljoin(home, line.value)
        except ValueError:  # brackets that hold no IPv6 address
            return None
    return replace(line.value_place, full, f"write {full}")


@rule(
    "R014",
    "repeated-sitemap-line",
    on=RobotsText,
    severity=Severity.INFO,
    cites=("general-knowledge",),
    bad=(
        Bad(f"{_LINE}{_RULES}«Sitemap: https://example.com/sitemap.xml»\n", fixed=_LINE + _RULES),
        Bad(_LINE + "«Sitemap: https://EXAMPLE.com/sitemap.xml»", fixed=_LINE),
    ),
    good=(
        _LINE + "Sitemap: https://example.com/sitemap.xml.gz\n",
        _LINE + "Sitemap: https://example.com/Sitemap.xml\n",
    ),
)
def repeated_sitemap_line(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt names the same sitemap twice.

    It is fetched once all the same; the second line can go.
    """
    seen: dict[str, RobotsLine] = {}
    for line in robots.robots.sitemaps:
        if not line.value:
            continue
        first = seen.setdefault(Address.parse(line.value).key, line)
        if first is not line:
            message = f"{quoted(line.value)} stands on line {first.number:,} already"
            yield Problem(line.place, message, delete(_with_end(robots.document.data, line.place), "drop the line"))


def _with_end(data: bytes, place: Place) -> Place:
    end = place.end
    end += 2 if data[end : end + 2] == b"\r\n" else len(data[end : end + 1])
    return between(place.offset, end)


@rule(
    "R015",
    "sitemap-on-another-host",
    on=RobotsText,
    severity=Severity.INFO,
    engines=(Engine.PROTOCOL, Engine.GOOGLE),
    cites=("sitemaps-protocol", "google-build"),
    needs=ADDRESS,
    bad=(
        Bad("Sitemap: https://«cdn.example.net»/sitemap.xml\n", at=_HOME),
        Bad("Sitemap: https://«www.example.com»/sitemap.xml\n", at=_HOME),
    ),
    good=(
        Good(_LINE, at=_HOME),
        Good("Sitemap: https://EXAMPLE.com:443/sitemap.xml\n", at=_HOME),
        Good("Sitemap: http://example.com/sitemap.xml\n", at=_HOME),
    ),
)
def sitemap_on_another_host(robots: RobotsText) -> Iterator[Problem]:
    """A Sitemap line names a sitemap on another host.

    That is how one host vouches for a sitemap elsewhere, and it is allowed. It holds only for pages of the host
    that this robots.txt belongs to: other pages in that sitemap are not covered by it.
    """
    home = Address.parse(robots.document.url or "").host_ascii
    for line in robots.robots.sitemaps:
        address = Address.parse(line.value)
        if not home or not address.is_web or address.host_ascii in (None, home) or address.parts.host is None:
            continue
        start, end = address.parts.host
        before = len(line.value[:start].encode())
        place = Place(line.value_place.offset + before, len(line.value[start:end].encode()))
        message = f"{quoted(address.host or '')} is not {quoted(home)}: only pages of {home} count in that sitemap"
        yield Problem(place, message)
