"""Can crawlers read all of robots.txt, do they know its lines, and do its Sitemap lines contain usable URLs?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urljoin

from urlset.checking.declare import bad, error_rule, good, google_info, google_warning, info_rule, warning_rule
from urlset.findings.finding import Fix, Problem, Safety, delete, quoted, replace
from urlset.model.address import Address
from urlset.model.document import LineKind, RobotsLine
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.rules import ADDRESS, EVERYONE, Engine, Has, RobotsText, Severity, Sitemap
from urlset.rules.xml.prolog import is_robots
from urlset.spec import protocol
from urlset.spec.generator_artifacts import PLACEHOLDER, SEARCH_ENGINE_PAGE
from urlset.spec.lazy_pattern import lazy_pattern

# Does robots.txt contain Noindex lines?

_SITEMAP = "Sitemap: https://example.com/sitemap.xml\n"


@google_info("A030", cites=("google-noindex",))
@bad(_SITEMAP + "User-agent: *\n«Noindex: /drafts/»\n")
@good(
    _SITEMAP + "User-agent: *\nDisallow: /noindex/\n",
    _SITEMAP + "User-agent: *\nDisallow: /drafts/ # Noindex: /drafts/\n",
)
def noindex_in_robots_txt(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt has a Noindex line, which has no effect.

    Google never documented it and stopped supporting it in 2019. To keep pages out of the index, use a robots meta tag
    or an X-Robots-Tag header on pages that may be crawled.
    """
    for line in robots.robots.lines:
        if line.kind is LineKind.NOINDEX:
            yield Problem(
                line.place, f"Noindex {quoted(line.value.strip())} is ignored; use a robots meta tag or a header"
            )


# Do the Sitemap lines contain usable URLs?

_HOME = "https://example.com/robots.txt"
# Lines that crawlers cannot use.

_RULES = "User-agent: *\nDisallow: /private\n"
_LINE = "Sitemap: https://example.com/sitemap.xml\n"
_COMMENT = b"# " + b"-" * 61 + b"\n"


def _sized(size: int) -> bytes:
    """A robots.txt of exactly that many bytes that ends with its Sitemap line."""
    lines, rest = divmod(size - len(_RULES) - len(_LINE), len(_COMMENT))
    return _RULES.encode() + _COMMENT * lines + b"#" * (rest - 1) + b"\n" + _LINE.encode()


@google_warning("R006", cites=("rfc9309", "google-robots"))
@bad(
    data=lambda: _sized(protocol.ROBOTS_MIN_PARSED_BYTES + len(_LINE)),
    marks=((protocol.ROBOTS_MIN_PARSED_BYTES, len(_LINE) - 1),),
    title="a robots.txt of 512,041 bytes whose last line is the Sitemap line",
)
@good(data=lambda: _sized(protocol.ROBOTS_MIN_PARSED_BYTES), title="a robots.txt of exactly 512,000 bytes")
def robots_too_large(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt is larger than the 500 KiB that Google reads.

    Google ignores everything after the first 512,000 bytes: rules have no effect, and sitemaps are not found. Other
    crawlers may have the same limit.
    """
    size, limit = robots.document.envelope.size, protocol.ROBOTS_MIN_PARSED_BYTES
    if size > limit:
        data = robots.document.data
        start = min(limit, len(data))
        end = data.find(b"\n", start)
        lost = sum(line.place.end > start for line in robots.robots.lines)
        lines = "1 line" if lost == 1 else f"{lost:,} lines"
        message = f"{size:,} bytes exceed Google's limit of {limit:,}, so it ignores {lines} from here on"
        yield Problem(between(start, len(data) if end == -1 else end), message)


_UTF16 = _RULES.encode("utf-16")


@warning_rule("R010", cites=("rfc9309", "google-robots"))
@bad(data=_UTF16, marks=((0, 0),), fixed_data=_RULES.encode(), title="a robots.txt in UTF-16")
@bad(
    data=b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /\xfcber\n",
    marks=((28, 1),),
    title="a robots.txt with ISO 8859-1 characters",
)
@bad(f"«»{_RULES}", at="https://example.com/shop/robots.txt")
@good(_RULES, at=_HOME)
@good(data=b"\xef\xbb\xbf" + _RULES.encode(), title="a byte order mark, which is ignored")
@good("User-agent: *\nDisallow: /café\n")
@good(data=b"# caf\xe9\n" + _RULES.encode(), title="a comment in another encoding")
def robots_encoding_or_place(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt is not UTF-8, or not at /robots.txt.

    Crawlers request exactly that path and expect UTF-8. In another encoding the rules do not match; at another path
    they are never fetched.
    """
    document = robots.document
    if document.envelope.encoding.lower() not in ("utf-8", "us-ascii"):
        message = f"encoded in {document.envelope.encoding.upper()}, but crawlers expect UTF-8; convert it"
        yield Problem(Place(0), message, Fix("convert the file to UTF-8", ()))
    else:
        bad = [trouble for trouble in document.troubles if trouble.kind is TroubleKind.BAD_UTF8]
        if bad:
            more = f" (and {len(bad) - 1:,} more)" if len(bad) > 1 else ""
            message = f"byte {bad[0].detail} is not valid UTF-8{more}, so the line matches nothing; convert it to UTF-8"
            yield Problem(bad[0].place, message, count=len(bad), places=[each.place for each in bad])
    path = Address.parse(document.url).path if document.url else protocol.ROBOTS_PLACE
    if path != protocol.ROBOTS_PLACE:
        yield Problem(Place(0), f"crawlers fetch {protocol.ROBOTS_PLACE}, not {quoted(path)}; move the file")


@error_rule("R011", names_other=True, kinds=Has.WEB_PAGE, cites=("google-robots",))
@bad("«<!doctype html><title>Not found</title>»\n<p>Sorry\n", at=_HOME)
@good(_RULES + _LINE, at=_HOME)
@good(f"# <html>\n{_RULES}{_LINE}", at=_HOME)
def robots_is_html(sitemap: Sitemap) -> Iterator[Problem]:
    """robots.txt is an HTML page.

    Usually the server returns its home page or an error page. It contains no rules, so everything may be crawled and no
    sitemap is listed.
    """
    document = sitemap.document
    if not is_robots(document):
        return
    first = next(sitemap.troubles(TroubleKind.NOT_A_SITEMAP), None)
    place = first.place if first is not None else Place(0)
    yield Problem(place, "robots.txt is an HTML page, without rules or a Sitemap line; serve a text file")


_RIGHT = {
    LineKind.USER_AGENT: "User-agent",
    LineKind.ALLOW: "Allow",
    LineKind.DISALLOW: "Disallow",
    LineKind.SITEMAP: "Sitemap",
    LineKind.CRAWL_DELAY: "Crawl-delay",
}
_KNOWN = {name.lower(): name for name in _RIGHT.values()}


@warning_rule(
    "R012",
    engines={engine: Severity.INFO if engine is Engine.GOOGLE else Severity.WARNING for engine in EVERYONE},
    cites=("google-robotstxt-parser", "rfc9309"),
)
@bad("«Site-map»: https://example.com/sitemap.xml\n", fixed=_LINE)
@bad(_RULES + "«Sitemaps»: https://example.com/sitemap.xml\n", fixed=_RULES + _LINE)
@bad("User-agent: *\n«Dissallow»: /private\n", fixed=_RULES)
@bad("«Sitemap» https://example.com/sitemap.xml\n" + _RULES, fixed=_LINE + _RULES)
@bad(_RULES + "«Sitemp»: https://example.com/sitemap.xml\n", fixed=_RULES + _LINE)
@bad(_RULES + "«these pages are private»\n" + _LINE)
@bad(_RULES + "«https://example.com/sitemap.xml»\n", fixed=_RULES + _LINE)
@bad("User-agent: *\nDisallow: «https://example.com/private»\n" + _LINE, fixed=_RULES + _LINE)
@bad("User-agent: *\nDisallow: «private»\n" + _LINE, fixed=_RULES + _LINE)
@bad(
    "User-agent: *\nDisallow: «/a /b»\n" + _LINE,
    "«Disallow: /private»\n" + _LINE,
    "User-agent: «* Disallow: /private»\n" + _LINE,
    "User-agent: «Googlebot, Bingbot»\nDisallow: /private\n" + _LINE,
    '«{"error": "not found"}»\n' + _RULES + _LINE,
    _RULES + '«<meta http-equiv="refresh" content="0; url=https://example.com/">»\n' + _LINE,
    _RULES + "«Please mind our terms: https://example.com/terms»\n" + _LINE,
)
@good(
    _RULES + "Disallow: *.pdf$\nAllow: /a%20b\nDisallow:\n" + _LINE,
    _RULES + "SITEMAP: https://example.com/sitemap.xml\n",
    "User-agent: Mozilla/5.0 (compatible; a, b)\nDisallow: /a\nContent-Signal: search=yes, ai-train=no\n" + _LINE,
    _RULES + "Crawl-delay: 5\nHost: example.com\nClean-param: ref /\nRequest-rate: 1/5\nNoindex: /x\n",
)
def misspelt_robots_field(robots: RobotsText) -> Iterator[Problem]:
    """A line in robots.txt has no effect.

    Google's parser accepts common mistakes such as Site-map, Dissallow, or a missing colon. Other crawlers may not.
    All crawlers ignore lines without a known field, and rules before the first User-agent. Rules are compared with
    URL paths: a rule that does not start with / or * matches nothing.
    """
    data = robots.document.data
    yield from junk_lines(robots)
    yield from unmatchable_rules(robots)
    for line in robots.robots.lines:
        field = Place(line.place.cut(data).find(line.written.encode()) + line.place.offset, len(line.written.encode()))
        right = _RIGHT.get(line.kind)
        if line.kind is LineKind.OTHER and not is_address(line):
            from difflib import get_close_matches

            close = get_close_matches(line.written.lower()[:40], _KNOWN, n=1, cutoff=0.8)
            if close:
                name = _KNOWN[close[0]]
                message = f"unknown field {quoted(line.written)}, which crawlers ignore; did you mean {name}?"
                fix = replace(field, name, f"write {name}", Safety.REVIEW)
                yield Problem(field, message, fix, severity=Severity.WARNING)
        elif right is not None and line.written.lower() != right.lower():
            message = f"{quoted(line.written)} is only accepted by Google; write {right}"
            colon = b"" if b":" in _gap(line, field, data) else b":"
            yield Problem(field, message, replace(field, right.encode() + colon, f"write {right}"))
        elif right is not None and b":" not in _gap(line, field, data):
            message = f"{line.written} without a colon is only accepted by Google; add the colon"
            yield Problem(field, message, replace(Place(field.end), ":", "add the colon"))


def _gap(line: RobotsLine, field: Place, data: bytes) -> bytes:
    """The bytes between field and value."""
    return data[field.end : max(line.value_place.offset, field.end)]


_LONG = "Sitemap: https://example.com/?".ljust(protocol.ROBOTS_MAX_LINE_BYTES_GOOGLE, "x")


@google_info("R017", cites=("google-robotstxt-parser",))
@bad(f"User-agent: *\n{_LONG}«yz»\n", title="a line of 16,666 bytes")
@good(f"User-agent: *\n{_LONG}\n", title="a line of 16,664 bytes")
def robots_line_too_long(robots: RobotsText) -> Iterator[Problem]:
    """A line in robots.txt is longer than Google's limit.

    Google's parser truncates a line after 16,664 bytes. A truncated rule matches more URLs than intended.
    """
    limit = protocol.ROBOTS_MAX_LINE_BYTES_GOOGLE
    for line in robots.robots.lines:
        if line.place.length > limit:
            message = f"line {line.number} has {line.place.length:,} bytes and is truncated here; shorten it"
            yield Problem(between(line.place.offset + limit, line.place.end), message)


_MANY = "".join(f"Disallow: /{number}\n" for number in range(protocol.ROBOTS_MAX_RULES_YANDEX))


@info_rule("R024", engines=(Engine.YANDEX,), cites=("yandex-robots",))
@bad(f"User-agent: *\n{_MANY}«Disallow: /last»\nDisallow: /over\n", title="2,050 rules")
@bad(f"User-agent: *\nDisallow: «/{'x' * protocol.ROBOTS_MAX_RULE_CHARS_YANDEX}»\n", title="a rule of 1,025 characters")
@good(f"{_LINE}User-agent: *\n{_MANY}", title="2,048 rules")
@good(
    f"{_LINE}User-agent: *\nDisallow: /{'x' * (protocol.ROBOTS_MAX_RULE_CHARS_YANDEX - 1)}\n",
    title="a rule of 1,024 characters",
)
def yandex_rule_limits(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt has more or longer rules than Yandex supports.

    Yandex supports up to 2,048 rules with up to 1,024 characters each.
    """
    rules = [line for line in robots.robots.lines if line.kind in (LineKind.ALLOW, LineKind.DISALLOW)]
    for line in rules:
        if len(line.value) > protocol.ROBOTS_MAX_RULE_CHARS_YANDEX:
            size = len(line.value)
            message = (
                f"the rule has {size:,} characters; the limit for Yandex is {protocol.ROBOTS_MAX_RULE_CHARS_YANDEX:,}"
            )
            yield Problem(line.value_place, message)
    over = len(rules) - protocol.ROBOTS_MAX_RULES_YANDEX
    if over > 0:
        message = (
            f"{len(rules):,} rules exceed the limit for Yandex of {protocol.ROBOTS_MAX_RULES_YANDEX:,} from here on"
        )
        beyond = [line.place for line in rules[protocol.ROBOTS_MAX_RULES_YANDEX :]]
        yield Problem(beyond[0], message, count=over, places=beyond)


_ALLOW_ALL = "User-agent: *\nDisallow:\n"


@info_rule("R001", cites=("sitemaps-protocol", "google-build", "bing-2022"))
@bad(f"«»{_ALLOW_ALL}", f"«»# Sitemap: https://example.com/sitemap.xml\n{_ALLOW_ALL}")
@good(_ALLOW_ALL + _LINE, f"{_ALLOW_ALL}sitemap:https://example.com/sitemap.xml")
def missing_sitemap_line(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt lists no sitemap.

    A Sitemap line announces a sitemap to all engines without an account. It is optional if the sitemap is submitted to
    each engine.
    """
    if not robots.robots.sitemaps:
        yield Problem(Place(0), "no Sitemap line, so engines only find a submitted sitemap; add one")


@error_rule("R002", cites=("sitemaps-protocol", "google-robots", "yandex-robots"))
@bad("Sitemap: «/sitemap.xml»\n", at=_HOME, fixed=_LINE)
@bad("Sitemap: «//example.com/sitemap.xml»\n", at=_HOME, fixed=_LINE)
@bad("Sitemap: «sitemap.xml»\n", at=_HOME, fixed=_LINE)
@bad("Sitemap: «example.com/sitemap.xml»\n", at=_HOME, fixed=_LINE)
@bad("Sitemap: «/sitemap.xml»\n", "Sitemap: «ftp://example.com/sitemap.xml»\n", _LINE + "«Sitemap:»\n")
@bad(
    "Sitemap: «https://example.com/a.xml https://example.com/b.xml»\n",
    fixed="Sitemap: https://example.com/a.xml\nSitemap: https://example.com/b.xml\n",
)
@bad("Sitemap: «{{ site.url }}/sitemap.xml»\n", "Sitemap: «https://{{domain}}/sitemap.xml»\n")
@bad("Sitemap: «https://example.com/a b.xml»\n", fixed="Sitemap: https://example.com/a%20b.xml\n")
@good(_LINE, "Sitemap: HTTP://example.com/übersicht.xml\n", "Sitemap: https://example.com/s.xml # the only one\n")
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
            text = f"\n{line.written}: ".join(several)
            yield Problem(line.value_place, message, replace(line.value_place, text, "use one line per URL"))
        elif not Address.parse(line.value).is_web:
            message = f"{quoted(line.value)} is not an absolute http or https URL, so the sitemap is not found"
            yield Problem(line.value_place, message, _completed(robots.document.url, line))
        elif len(several) > 1:
            message = f"unescaped space in {quoted(line.value)}; write %20"
            escaped = replace(line.value_place, "%20".join(several), "write it as %20", Safety.REVIEW)
            yield Problem(line.value_place, message, escaped)


_SITEMAP_URL = "https://example.com/sitemap.xml"


@error_rule("R030", cites=("seen-in-the-wild",))
@bad(f"Sitemap: «https://www.google.com/search?q={_SITEMAP_URL}»\n", fixed=f"Sitemap: {_SITEMAP_URL}\n")
@bad(
    "Sitemap: «https://www.google.de/url?sa=t&url=https%3A%2F%2Fexample.com%2Fsitemap.xml&usg=x»\n",
    fixed=f"Sitemap: {_SITEMAP_URL}\n",
)
@bad("Sitemap: «https://www.bing.com/search?q=site%3Aexample.com»\n")
@good(_LINE, "Sitemap: https://example.com/search?q=sitemap\n", "Sitemap: https://sites.google.com/search.xml\n")
def sitemap_line_of_a_search_engine(robots: RobotsText) -> Iterator[Problem]:
    """A Sitemap line has the URL of a search engine's results.

    Such a URL was copied from a browser. It is a page of results, not a sitemap, so no sitemap is found.
    """
    for line in robots.robots.sitemaps:
        if SEARCH_ENGINE_PAGE.match(line.value.strip()):
            values = {value.strip() for _, value in parse_qsl(line.value.partition("?")[2])}
            urls = [value for value in values if Address.parse(value).is_web and not value.split()[1:]]
            meant = urls[0] if len(urls) == 1 else None
            fix = replace(line.value_place, meant, f"write {meant}", Safety.REVIEW) if meant else None
            advice = f"write {quoted(meant)}" if meant else "write the URL of the sitemap"
            message = f"{quoted(line.value)} is a page of a search engine, not a sitemap; {advice}"
            yield Problem(line.value_place, message, fix)


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


@info_rule("R014", cites=("general-knowledge",))
@bad(f"{_LINE}{_ALLOW_ALL}«Sitemap: https://example.com/sitemap.xml»\n", fixed=_LINE + _ALLOW_ALL)
@bad(_LINE + "«Sitemap: https://EXAMPLE.com/sitemap.xml»", fixed=_LINE)
@good(_LINE + "Sitemap: https://example.com/sitemap.xml.gz\n", _LINE + "Sitemap: https://example.com/Sitemap.xml\n")
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
            data, end = robots.document.data, line.place.end
            end += 2 if data[end : end + 2] == b"\r\n" else len(data[end : end + 1])
            yield Problem(line.place, message, delete(between(line.place.offset, end), "remove the line"))


@info_rule("R015", engines=(Engine.PROTOCOL, Engine.GOOGLE), cites=("sitemaps-protocol", "google-build"), needs=ADDRESS)
@bad("Sitemap: https://«cdn.example.net»/sitemap.xml\n", at=_HOME)
@bad("Sitemap: https://«www.example.com»/sitemap.xml\n", at=_HOME)
@good(_LINE, at=_HOME)
@good("Sitemap: https://EXAMPLE.com:443/sitemap.xml\n", at=_HOME)
@good("Sitemap: http://example.com/sitemap.xml\n", at=_HOME)
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


_RULE_KINDS = frozenset({LineKind.ALLOW, LineKind.DISALLOW})
_ANOTHER_FIELD = lazy_pattern(r"\s(?:user-agent|(?:dis)?allow|sitemap|crawl-delay)\s*:", re.IGNORECASE)
_AGENTS = lazy_pattern(r"[\w*.-]+(?:\s*,\s*[\w*.-]+)+,?")
_LISTED_ONE_BY_ONE = 20
"""lines reported one by one; the rest share one message"""


def is_address(line: RobotsLine) -> bool:
    """A URL without a field: its scheme was parsed as the field."""
    return line.kind is LineKind.OTHER and line.written.lower() in ("http", "https") and line.value.startswith("//")


def junk_lines(robots: RobotsText) -> Iterator[Problem]:
    """Lines that are not `field: value`: text, markup, template code, bare URLs."""
    data = robots.document.data
    junk = [trouble for trouble in robots.document.troubles if trouble.kind is TroubleKind.BAD_LINE]
    for trouble in junk[:_LISTED_ONE_BY_ONE]:
        place = _trimmed(data, trouble.place)
        yield _warning(place, f"{quoted(trouble.detail)} is not a 'field: value' line, so crawlers ignore it")
    rest = junk[_LISTED_ONE_BY_ONE:]
    if rest:
        words = f"{len(rest):,} more lines are not 'field: value' lines"
        places = [_trimmed(data, each.place) for each in rest]
        yield Problem(places[0], words, count=len(rest), places=places, severity=Severity.WARNING)
    for line in filter(is_address, robots.robots.lines):
        place = _trimmed(data, between(line.place.offset, line.value_place.end))
        words = f"{quoted(place.cut(data).decode('utf-8', 'replace'))} has no field; did you mean Sitemap?"
        yield _warning(place, words, replace(Place(place.offset), "Sitemap: ", "write Sitemap", Safety.REVIEW))


def unmatchable_rules(robots: RobotsText) -> Iterator[Problem]:
    """Allow and Disallow lines that never match a URL."""
    agents = False
    orphans: list[RobotsLine] = []
    for line in robots.robots.lines:
        agents = agents or line.kind is LineKind.USER_AGENT
        if line.kind is LineKind.USER_AGENT and _ANOTHER_FIELD.search(line.value):
            words = f"several fields in one line: {quoted(line.value)}; write one field per line"
            yield _warning(line.value_place, words)
        elif line.kind is LineKind.USER_AGENT and _AGENTS.fullmatch(line.value):
            words = f"{quoted(line.value)} is read as one name; write one User-agent line per crawler"
            yield _warning(line.value_place, words)
        if line.kind not in _RULE_KINDS:
            continue
        if not agents:
            orphans.append(line)
        if line.value:
            yield from _unmatchable(line)
    if orphans:
        more = f"; {len(orphans) - 1:,} more" if len(orphans) > 1 else ""
        words = f"the rule is before the first User-agent line, so crawlers ignore it{more}"
        places = [line.place for line in orphans]
        yield Problem(places[0], words, count=len(orphans), places=places, severity=Severity.WARNING)


def _unmatchable(line: RobotsLine) -> Iterator[Problem]:
    value = line.value
    address = Address.parse(value)
    if address.is_web and address.host:
        path = value[address.parts.path[0] :].partition("#")[0] or "/"
        words = f"{quoted(value)} is a full URL, but rules match paths, so it matches nothing; write the path"
        yield _warning(line.value_place, words, replace(line.value_place, path, f"write {path}", Safety.REVIEW))
    elif not value.startswith(("/", "*", "$")):
        words = f"{quoted(value)} does not start with / or *, so it matches nothing; add the /"
        yield _warning(
            line.value_place, words, replace(Place(line.value_place.offset), "/", "add the /", Safety.REVIEW)
        )
    elif len(value.split()) > 1:
        words = f"whitespace inside {quoted(value)}; write one path per line"
        yield _warning(line.value_place, words)


def _warning(place: Place, words: str, fix: Fix | None = None) -> Problem:
    return Problem(place, words, fix, severity=Severity.WARNING)


def _trimmed(data: bytes, place: Place) -> Place:
    text = place.cut(data)
    lead = len(text) - len(text.lstrip())
    return Place(place.offset + lead, len(text.strip()))
