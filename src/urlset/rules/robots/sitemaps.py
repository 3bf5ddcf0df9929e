"""Do the Sitemap lines in robots.txt contain usable URLs?"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qsl, urljoin

from urlset.findings.finding import delete, replace
from urlset.model.address import Address
from urlset.model.place import Place, between
from urlset.model.robots import RobotsLine
from urlset.rules import ADDRESS, Bad, Engine, Fix, Good, Problem, RobotsText, Safety, Severity, rule
from urlset.rules.quoting import quoted
from urlset.spec.generator_artifacts import PLACEHOLDER, SEARCH_ENGINE_PAGE

_HOME = "https://example.com/robots.txt"
_RULES = "User-agent: *\nDisallow:\n"
_LINE = "Sitemap: https://example.com/sitemap.xml\n"


@rule(
    "R001",
    "missing-sitemap-line",
    severity=Severity.INFO,
    cites=("sitemaps-protocol", "google-build", "bing-2022"),
    bad=(f"«»{_RULES}", f"«»# Sitemap: https://example.com/sitemap.xml\n{_RULES}"),
    good=(_RULES + _LINE, f"{_RULES}sitemap:https://example.com/sitemap.xml"),
)
def missing_sitemap_line(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt lists no sitemap.

    A Sitemap line announces a sitemap to all engines without an account. It is optional if the sitemap is submitted to
    each engine.
    """
    if not robots.robots.sitemaps:
        yield Problem(Place(0), "no Sitemap line, so engines only find a submitted sitemap; add one")


@rule(
    "R002",
    "sitemap-line-not-absolute",
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
    """A Sitemap line does not contain exactly one absolute URL.

    The line is independent of groups and needs scheme, host, and path. Engines ignore an incomplete line, so the
    sitemap is not found.
    """
    for line in robots.robots.sitemaps:
        several = line.value.split()
        if not line.value:
            yield Problem(line.place, "the Sitemap line has no URL; add one")
        elif PLACEHOLDER.search(line.value):
            message = f"{quoted(line.value)} contains an unfilled placeholder; fix the template"
            yield Problem(line.value_place, message)
        elif len(several) > 1 and all(Address.parse(each).is_web for each in several):
            message = f"{len(several):,} URLs in one Sitemap line; use one line per URL"
            yield Problem(line.value_place, message, _one_per_line(line, several))
        elif not Address.parse(line.value).is_web:
            message = f"{quoted(line.value)} is not an absolute http or https URL, so the sitemap is not found"
            yield Problem(line.value_place, message, _completed(robots.document.url, line))
        elif len(several) > 1:
            message = f"unescaped space in {quoted(line.value)}; write %20"
            escaped = replace(line.value_place, "%20".join(several), "write it as %20", Safety.REVIEW)
            yield Problem(line.value_place, message, escaped)


_SITEMAP_URL = "https://example.com/sitemap.xml"


@rule(
    "R030",
    "sitemap-line-of-a-search-engine",
    severity=Severity.ERROR,
    cites=("seen-in-the-wild",),
    bad=(
        Bad(f"Sitemap: «https://www.google.com/search?q={_SITEMAP_URL}»\n", fixed=f"Sitemap: {_SITEMAP_URL}\n"),
        Bad(
            "Sitemap: «https://www.google.de/url?sa=t&url=https%3A%2F%2Fexample.com%2Fsitemap.xml&usg=x»\n",
            fixed=f"Sitemap: {_SITEMAP_URL}\n",
        ),
        "Sitemap: «https://www.bing.com/search?q=site%3Aexample.com»\n",
    ),
    good=(_LINE, "Sitemap: https://example.com/search?q=sitemap\n", "Sitemap: https://sites.google.com/search.xml\n"),
)
def sitemap_line_of_a_search_engine(robots: RobotsText) -> Iterator[Problem]:
    """A Sitemap line has the URL of a search engine's results.

    Such a URL was copied from a browser. It is a page of results, not a sitemap, so no sitemap is found.
    """
    for line in robots.robots.sitemaps:
        if SEARCH_ENGINE_PAGE.match(line.value.strip()):
            meant = _searched_for(line.value)
            fix = replace(line.value_place, meant, f"write {meant}", Safety.REVIEW) if meant else None
            advice = f"write {quoted(meant)}" if meant else "write the URL of the sitemap"
            message = f"{quoted(line.value)} is a page of a search engine, not a sitemap; {advice}"
            yield Problem(line.value_place, message, fix)


def _searched_for(address: str) -> str | None:
    """The only URL in the query."""
    values = {value.strip() for _, value in parse_qsl(address.partition("?")[2])}
    urls = [value for value in values if Address.parse(value).is_web and not value.split()[1:]]
    return urls[0] if len(urls) == 1 else None


def _one_per_line(line: RobotsLine, addresses: list[str]) -> Fix:
    text = f"\n{line.written}: ".join(addresses)
    return replace(line.value_place, text, "use one line per URL")


def _completed(home: str | None, line: RobotsLine) -> Fix | None:
    """Resolved against the URL of robots.txt, if known; a URL without a scheme only on the same host."""
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
        except ValueError:  # brackets without an IPv6 address
            return None
    return replace(line.value_place, full, f"write {full}")


@rule(
    "R014",
    "repeated-sitemap-line",
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
    """robots.txt lists the same sitemap twice.

    The sitemap is fetched only once. Remove the second line.
    """
    seen: dict[str, RobotsLine] = {}
    for line in robots.robots.sitemaps:
        if not line.value:
            continue
        first = seen.setdefault(Address.parse(line.value).key, line)
        if first is not line:
            message = f"{quoted(line.value)} is already listed on line {first.number}; remove the duplicate"
            yield Problem(line.place, message, delete(_with_end(robots.document.data, line.place), "remove the line"))


def _with_end(data: bytes, place: Place) -> Place:
    end = place.end
    end += 2 if data[end : end + 2] == b"\r\n" else len(data[end : end + 1])
    return between(place.offset, end)


@rule(
    "R015",
    "sitemap-on-another-host",
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
    """A Sitemap line has a sitemap on another host.

    This is allowed, and proves ownership for a sitemap on another host. It applies only to pages of the host of this
    robots.txt; other pages in that sitemap are not covered.
    """
    home = Address.parse(robots.document.url or "").host_ascii
    for line in robots.robots.sitemaps:
        address = Address.parse(line.value)
        if not home or not address.is_web or address.host_ascii in (None, home) or address.parts.host is None:
            continue
        start, end = address.parts.host
        before = len(line.value[:start].encode())
        place = Place(line.value_place.offset + before, len(line.value[start:end].encode()))
        message = (
            f"the sitemap is on {quoted(address.host or '')}, not on {quoted(home)}, so only its pages on {home} count"
        )
        yield Problem(place, message)
