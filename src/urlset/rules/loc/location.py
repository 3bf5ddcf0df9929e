"""May a sitemap at this URL list these URLs? Reported once per host or scheme."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

from urlset.checking.declare import bad, error_rule, good
from urlset.findings.finding import quoted
from urlset.model.address import Address, key_of
from urlset.rules import ADDRESS, Engine, Fix, Has, ListedPage, Problem, Safety, Severity, Sitemap
from urlset.rules.loc import OriginRows, first_place, origins, replaced, share
from urlset.rules.loc.host import is_malformed, non_public

# A sitemap's own URL and robots.txt → the hosts whose URLs it may list.


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


_LISTED_ONE_BY_ONE = 20
"""foreign hosts reported one by one; the rest share one message"""


location_error = partial(error_rule, kinds=Has.PAGES)


@location_error(
    "L015",
    engines={Engine.PROTOCOL: Severity.ERROR, Engine.YANDEX: Severity.ERROR, Engine.GOOGLE: Severity.WARNING},
    cites=("sitemaps-protocol", "google-build", "gsc-report", "yandex-sitemap"),
    needs=ADDRESS,
)
@bad(
    "<url><loc>https://www.example.com/</loc></url><url><loc>https://«blog.example.com»/</loc></url>"
    "<url><loc>https://blog.example.com/a</loc></url><url><loc>http://«example.org»/</loc></url>",
    at="https://www.example.com/sitemap.xml",
)
@good("<loc>https://WWW.example.com/a</loc>", at="https://www.example.com/sitemap.xml")
@good("<loc>https://bücher.example.com/</loc>", at="https://xn--bcher-kva.example.com/sitemap.xml")
@good(
    "<loc>https://www.example.com/a</loc>",
    at="https://cdn.example.net/sitemap.xml",
    robots="Sitemap: https://cdn.example.net/sitemap.xml\n",
    base_url="https://www.example.com/",
)
def host_not_the_sitemaps(sitemap: Sitemap) -> Iterator[Problem]:
    """URLs are on a different host than the sitemap.

    A sitemap may only list URLs of its own host. Engines accept other hosts only with proof of ownership:
    Google accepts them if both sites are verified in Search Console, or if the robots.txt of the other host
    lists this sitemap. A local robots.txt counts as that of the host in --base-url.
    """
    home = home_of(sitemap)
    if home is None:
        return
    own = home.host_ascii or ""
    lifted = vouched(sitemap)
    foreign: dict[str, list[OriginRows]] = {}
    for head in comparable(sitemap):
        if head.host != own and not is_www_twin(head.host, own) and head.site not in lifted:
            foreign.setdefault(head.host, []).append(head)
    for host, group in list(foreign.items())[:_LISTED_ONE_BY_ONE]:
        count = sum(map(len, group))
        yield Problem(
            first_place(sitemap, group[0], *(group[0].address.parts.host or (0, 0))),
            f"{share(count, sitemap, 'are')} on {quoted(host)}, but the sitemap is on {quoted(own)}; "
            f"list it in the robots.txt of {quoted(host)}{unplaced_robots(sitemap, host)} or use one sitemap per host",
            count=count,
            rows=rows_of(group),
        )
    rest = list(foreign.values())[_LISTED_ONE_BY_ONE:]
    if rest:
        count = sum(len(head) for group in rest for head in group)
        yield Problem(
            first_place(sitemap, rest[0][0], *(rest[0][0].address.parts.host or (0, 0))),
            f"{share(count, sitemap, 'are')} on {len(rest):,} more hosts other than the sitemap's; "
            "use one sitemap per host",
            count=count,
            rows=rows_of(head for group in rest for head in group),
        )


@location_error(
    "L016",
    engines=(Engine.PROTOCOL, Engine.GOOGLE),
    cites=("sitemaps-protocol", "gsc-report"),
    needs=ADDRESS,
    partly=True,
)
@bad(
    "<url><loc>«http»://example.com/</loc></url><url><loc>http://example.com/a</loc></url>",
    at="https://example.com/sitemap.xml",
    fixed="<url><loc>https://example.com/</loc></url><url><loc>https://example.com/a</loc></url>",
)
@bad("<loc>«https»://example.com/</loc>", at="http://example.com/sitemap.xml")
@bad("<loc>«http»://example.com:80/</loc>", at="https://example.com/sitemap.xml")
@bad("<url><loc>https://acme.shop/</loc></url><url><loc>«http»://acme.shop/a</loc></url>")
@good("<loc>HTTPS://example.com/</loc>", at="https://example.com/sitemap.xml")
@good("<loc>https://example.com/http://a</loc>", at="https://example.com/sitemap.xml")
@good("<loc>http://acme.shop/a</loc>")
def scheme_not_the_sitemaps(sitemap: Sitemap) -> Iterator[Problem]:
    """URLs have a different scheme than the sitemap.

    http and https are two sites. Usually the sitemap was not regenerated when the site moved to https, and
    all listed URLs redirect. If the URL of the sitemap is unknown, a file with both schemes is a warning, because it
    cannot match both.
    """
    home = home_of(sitemap)
    if home is None:
        yield from _both_schemes(sitemap)
        return
    own = (home.scheme or "").lower()
    wrong = [head for head in at_home(home, sitemap) if (head.address.scheme or "").lower() != own]
    if not wrong:
        return
    count = sum(map(len, wrong))
    fix = None
    if own == "https" and all(head.address.parts.port is None for head in wrong):
        changes = [(head, [(*(head.address.parts.scheme or (0, 0)), "https")]) for head in wrong]
        fix = Fix("write https", replaced(sitemap, changes), Safety.REVIEW)
    scheme = (wrong[0].address.scheme or "").lower()
    yield Problem(
        first_place(sitemap, wrong[0], *(wrong[0].address.parts.scheme or (0, 0))),
        f"{share(count, sitemap, 'use')} {scheme}://, but the sitemap is at {own}://; use the same scheme",
        fix,
        count=count,
        rows=rows_of(wrong),
    )


def _both_schemes(sitemap: Sitemap) -> Iterator[Problem]:
    """http beside https of the same host; a page that is listed with both is what L023 reports."""
    if len(origins(sitemap)) < 2:
        return
    usable = list(comparable(sitemap))
    secure = [head for head in usable if (head.address.scheme or "").lower() == "https"]
    hosts = {head.host for head in secure}
    plain = [head for head in usable if (head.address.scheme or "").lower() == "http" and head.host in hosts]
    if not plain:
        return
    locs = sitemap.columns.locs
    listed = {locs[row] for head in secure for row in head.rows}
    alone = [row for row in rows_of(plain) if f"https{(locs[row] or '').strip()[4:]}" not in listed]
    if alone:
        first = ListedPage(sitemap, alone[0])
        yield Problem(
            first.part(*(first.address.parts.scheme or (0, 0))),
            f"{share(len(alone), sitemap, 'use')} http://, but others of the same host use https://; use one scheme",
            count=len(alone),
            rows=alone,
            severity=Severity.WARNING,
        )


@location_error("L017", engines=(Engine.PROTOCOL,), cites=("sitemaps-protocol",), needs=ADDRESS)
@bad("<loc>https://«example.com»/a</loc>", at="https://example.com:8443/sitemap.xml")
@bad("<loc>https://example.com:«8443»/a</loc>", at="https://example.com/sitemap.xml")
@bad("<loc>http://«www.example.com»/a</loc>", at="http://www.example.com:100/sitemap.xml")
@good("<loc>https://example.com:443/a</loc>", at="https://example.com/sitemap.xml")
@good("<loc>https://example.com:8443/a</loc>", at="https://example.com:8443/sitemap.xml")
@good(
    "<loc>https://example.com:8443/a</loc>",
    at="https://example.com/sitemap.xml",
    robots="Sitemap: https://example.com/sitemap.xml\n",
    base_url="https://example.com:8443/",
)
def port_not_the_sitemaps(sitemap: Sitemap) -> Iterator[Problem]:
    """URLs have a different port than the sitemap.

    The port is part of the site. URLs on another port belong to another site. A sitemap may only list them if the
    robots.txt of that site lists the sitemap.
    """
    home = home_of(sitemap)
    if home is None:
        return
    lifted = vouched(sitemap)
    for head in at_home(home, sitemap):
        address = head.address
        if not on_another_port(head, home) or head.site in lifted:
            continue
        span = address.parts.port if address.port else address.parts.host
        yield Problem(
            first_place(sitemap, head, *(span or (0, 0))),
            f"{share(len(head), sitemap, 'are')} on port {address.port_effective}, "
            f"but the sitemap is on port {home.port_effective}; use the same port, or list the sitemap in the "
            f"robots.txt of {quoted(head.site)}{unplaced_robots(sitemap, head.site)}",
            count=len(head),
            rows=head.rows,
        )


_WITH_ROBOTS: dict[bool | None, tuple[str, Severity | None]] = {
    True: ("; robots.txt lists the sitemap, but Google documents an exception only for Search Console", Severity.INFO),
    False: (", and robots.txt does not list the sitemap; list it there or move it to the root", None),
    None: ("; list the sitemap in robots.txt or move it to the root", Severity.WARNING),
}
"""by whether robots.txt lists the sitemap: the end of the message, and the severity if it is not the card's"""
_PATHS = "<url><loc>https://example.com/catalog/a</loc></url><url><loc>https://example.com{}</loc></url>"


@location_error(
    "L018",
    engines={Engine.PROTOCOL: Severity.ERROR, Engine.GOOGLE: Severity.WARNING},
    cites=("sitemaps-protocol", "google-build", "google-hreflang"),
    needs=ADDRESS,
)
@bad(_PATHS.format("«/images/a»"), at="https://example.com/catalog/sitemap.xml")
@bad(_PATHS.format("«/catalogue/a»"), at="https://example.com/catalog/sitemap.xml")
@bad(_PATHS.format("«/catalog»"), at="https://example.com/catalog/sitemap.xml")
@bad("<loc>https://example.com«/catalog/../a»</loc>", at="https://example.com/catalog/sitemap.xml")
@bad("<loc>«https://example.com»</loc>", at="https://example.com/catalog/sitemap.xml")
@good(_PATHS.format("/images/a"), at="https://example.com/sitemap.xml")
@good(_PATHS.format("/catalog/"), at="https://example.com/catalog/sitemap.xml")
@good(_PATHS.format("/%63atalog/a"), at="https://example.com/catalog/sitemap.xml")
@good(_PATHS.format("/a"), at="https://example.com/index.php?file=/maps/sitemap.xml")
@good("<loc>https://example.com:8443/catalog/a</loc>", at="https://example.com:8443/catalog/sitemap.xml")
def loc_outside_the_sitemaps_folder(sitemap: Sitemap) -> Iterator[Problem]:
    """URLs are outside the sitemap's folder.

    By the protocol, a sitemap covers the URLs in its own folder and below, and crawlers ignore the rest. A
    Sitemap line in robots.txt, for the file or for its index, extends it to the whole host. Google documents
    this exception only for sitemaps submitted in Search Console, so a note remains. Without a robots.txt this
    is a warning. A sitemap at the root of the site covers all URLs.
    """
    home = home_of(sitemap)
    folder = home.path.rpartition("/")[0] + "/" if home else "/"
    if home is None or folder == "/":
        return
    locs = sitemap.columns.locs
    outside: list[tuple[int, OriginRows]] = []
    for head in at_home(home, sitemap):
        if on_another_port(head, home):
            continue  # a different site, reported by L017
        prefix = head.text + folder
        outside += [
            (row, head)
            for row in head.rows
            if not (locs[row] or "").startswith(prefix) or "/." in (locs[row] or "")
            if not _lies_in(folder, (locs[row] or "").strip(), head)
        ]
    announced = is_announced(sitemap) if outside else None
    if not outside or (announced and Engine.GOOGLE not in sitemap.context.engines):
        return
    row, head = min(outside, key=lambda each: each[0])
    listed = ListedPage(sitemap, row)
    start, end = listed.address.parts.path
    tail, severity = _WITH_ROBOTS[announced]
    yield Problem(
        listed.part(start, end) if start < end else listed.part(0, start),
        f"{share(len(outside), sitemap, 'are')} outside {quoted(folder)}, the sitemap's folder{tail}",
        count=len(outside),
        rows=sorted(row for row, _ in outside),
        severity=severity,
    )


def _lies_in(folder: str, loc: str, head: OriginRows) -> bool:
    path = loc[len(head.text) :]
    if "%" in loc or "%" in folder or "/." in path or not loc.isascii():
        key = Address.parse(f"https://a{path}").key
        return key.startswith(Address.parse(f"https://a{folder}").key)
    return path.startswith(folder)


@location_error(
    "L019",
    engines=(Engine.PROTOCOL, Engine.GOOGLE, Engine.YANDEX),
    cites=("gsc-report", "sitemaps-protocol"),
    needs=ADDRESS,
)
@bad(
    "<url><loc>https://«example.com»/</loc></url><url><loc>https://example.com/a</loc></url>",
    at="https://www.example.com/sitemap.xml",
)
@bad("<loc>https://«www.example.com»/</loc>", at="https://example.com/sitemap.xml")
@good("<loc>https://www.example.com/</loc>", at="https://www.example.com/sitemap.xml")
@good("<loc>https://example.com/www.</loc>", at="https://example.com/sitemap.xml")
def www_mismatch(sitemap: Sitemap) -> Iterator[Problem]:
    """URLs and sitemap differ in the www prefix.

    The names with and without www are two hosts. One usually redirects to the other, so either the sitemap or
    its URLs use the wrong one.
    """
    home = home_of(sitemap)
    if home is None:
        return
    own = home.host_ascii or ""
    lifted = vouched(sitemap)
    twins = [head for head in at_home(home, sitemap) if head.host != own and head.site not in lifted]
    if twins:
        count = sum(map(len, twins))
        have = "have no" if own.startswith("www.") else "have a"
        yield Problem(
            first_place(sitemap, twins[0], *(twins[0].address.parts.host or (0, 0))),
            f"{share(count, sitemap, have)} www. prefix, unlike the sitemap's host {quoted(own)}; use the same host",
            count=count,
            rows=rows_of(twins),
        )


@location_error("L037", engines=(Engine.PROTOCOL,), cites=("sitemaps-protocol",))
@bad(
    "https://«a.example.com»/\nhttps://b.example.com/\nhttps://b.example.com/x\n",
    "<url><loc>https://example.com/</loc></url><url><loc>https://«www.example.com»/</loc></url>",
)
@good("<url><loc>http://example.com/</loc></url><url><loc>https://EXAMPLE.com:443/a</loc></url>")
def several_hosts(sitemap: Sitemap) -> Iterator[Problem]:
    """One file lists URLs on several hosts.

    By the protocol, all URLs in a sitemap are on the sitemap's own host. Whichever host serves this file, it may
    not list all of these URLs.
    """
    if home_of(sitemap) is not None or len(origins(sitemap)) < 2:
        return
    by_host: Counter[str] = Counter()
    usable = list(comparable(sitemap))
    for head in usable:
        by_host[head.host] += len(head)
    if len(by_host) < 2:
        return
    main, most = by_host.most_common(1)[0]
    strangers = [head for head in usable if head.host != main]
    first = min(strangers, key=lambda head: head.rows[0])
    shown = ", ".join(f"{quoted(host)} ({count:,})" for host, count in by_host.most_common()[1:4])
    more = f" and {len(by_host) - 4:,} more" if len(by_host) > 4 else ""
    yield Problem(
        first_place(sitemap, first, *(first.address.parts.host or (0, 0))),
        f"{len(by_host):,} hosts in one file: {quoted(main)} ({most:,}), {shown}{more}; use one sitemap per host",
        count=sum(map(len, strangers)),
        rows=rows_of(strangers),
    )
