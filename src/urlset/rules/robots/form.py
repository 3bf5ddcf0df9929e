"""Can crawlers read all of robots.txt, and do they know its lines?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import EVERYONE
from urlset.findings.finding import replace
from urlset.model.address import Address
from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.model.robots import LineKind, RobotsLine
from urlset.model.trouble import TroubleKind
from urlset.rules import Bad, Engine, Fix, Good, Has, Problem, RobotsText, Safety, Severity, Sitemap, rule
from urlset.rules.quoting import quoted
from urlset.rules.robots.lines import is_address, is_robots, junk_lines, unmatchable_rules
from urlset.spec.protocol import (
    ROBOTS_MAX_LINE_BYTES_GOOGLE,
    ROBOTS_MAX_RULE_CHARS_YANDEX,
    ROBOTS_MAX_RULES_YANDEX,
    ROBOTS_MIN_PARSED_BYTES,
    ROBOTS_PLACE,
)

# Does robots.txt contain Noindex lines?

_SITEMAP = "Sitemap: https://example.com/sitemap.xml\n"


@rule(
    "A030",
    "noindex-in-robots-txt",
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-noindex",),
    bad=(Bad(_SITEMAP + "User-agent: *\n«Noindex: /drafts/»\n"),),
    good=(
        Good(_SITEMAP + "User-agent: *\nDisallow: /noindex/\n"),
        Good(_SITEMAP + "User-agent: *\nDisallow: /drafts/ # Noindex: /drafts/\n"),
    ),
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


_HOME = "https://example.com/robots.txt"
_RULES = "User-agent: *\nDisallow: /private\n"
_LINE = "Sitemap: https://example.com/sitemap.xml\n"
_COMMENT = b"# " + b"-" * 61 + b"\n"


def _sized(size: int) -> bytes:
    """A robots.txt of exactly that many bytes that ends with its Sitemap line."""
    lines, rest = divmod(size - len(_RULES) - len(_LINE), len(_COMMENT))
    return _RULES.encode() + _COMMENT * lines + b"#" * (rest - 1) + b"\n" + _LINE.encode()


@rule(
    "R006",
    "robots-too-large",
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("rfc9309", "google-robots"),
    bad=(
        Bad(
            data=lambda: _sized(ROBOTS_MIN_PARSED_BYTES + len(_LINE)),
            marks=((ROBOTS_MIN_PARSED_BYTES, len(_LINE) - 1),),
            title="a robots.txt of 512,041 bytes whose last line is the Sitemap line",
        ),
    ),
    good=(Good(data=lambda: _sized(ROBOTS_MIN_PARSED_BYTES), title="a robots.txt of exactly 512,000 bytes"),),
)
def robots_too_large(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt is larger than the 500 KiB that Google reads.

    Google ignores everything after the first 512,000 bytes: rules have no effect, and sitemaps are not found. Other
    crawlers may have the same limit.
    """
    size, limit = robots.document.envelope.size, ROBOTS_MIN_PARSED_BYTES
    if size > limit:
        data = robots.document.data
        start = min(limit, len(data))
        end = data.find(b"\n", start)
        lost = sum(line.place.end > start for line in robots.robots.lines)
        lines = "1 line" if lost == 1 else f"{lost:,} lines"
        message = f"{size:,} bytes exceed Google's limit of {limit:,}, so it ignores {lines} from here on"
        yield Problem(between(start, len(data) if end == -1 else end), message)


_UTF16 = _RULES.encode("utf-16")


@rule(
    "R010",
    "robots-encoding-or-place",
    severity=Severity.WARNING,
    cites=("rfc9309", "google-robots"),
    bad=(
        Bad(data=_UTF16, marks=((0, 0),), fixed_data=_RULES.encode(), title="a robots.txt in UTF-16"),
        Bad(
            data=b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /\xfcber\n",
            marks=((28, 1),),
            title="a robots.txt with ISO 8859-1 characters",
        ),
        Bad(f"«»{_RULES}", at="https://example.com/shop/robots.txt"),
    ),
    good=(
        Good(_RULES, at=_HOME),
        Good(data=b"\xef\xbb\xbf" + _RULES.encode(), title="a byte order mark, which is ignored"),
        Good("User-agent: *\nDisallow: /café\n"),
        Good(data=b"# caf\xe9\n" + _RULES.encode(), title="a comment in another encoding"),
    ),
)
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
    path = Address.parse(document.url).path if document.url else ROBOTS_PLACE
    if path != ROBOTS_PLACE:
        yield Problem(Place(0), f"crawlers fetch {ROBOTS_PLACE}, not {quoted(path)}; move the file")


@rule(
    "R011",
    "robots-is-html",
    names_other=True,
    kinds=Has.WEB_PAGE,
    severity=Severity.ERROR,
    cites=("google-robots",),
    bad=(Bad("«<!doctype html><title>Not found</title>»\n<p>Sorry\n", at=_HOME),),
    good=(Good(_RULES + _LINE, at=_HOME), Good(f"# <html>\n{_RULES}{_LINE}", at=_HOME)),
)
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


@rule(
    "R012",
    "misspelt-robots-field",
    severity=Severity.WARNING,
    engines={engine: Severity.INFO if engine is Engine.GOOGLE else Severity.WARNING for engine in EVERYONE},
    cites=("google-robotstxt-parser", "rfc9309"),
    bad=(
        Bad("«Site-map»: https://example.com/sitemap.xml\n", fixed=_LINE),
        Bad(_RULES + "«Sitemaps»: https://example.com/sitemap.xml\n", fixed=_RULES + _LINE),
        Bad("User-agent: *\n«Dissallow»: /private\n", fixed=_RULES),
        Bad("«Sitemap» https://example.com/sitemap.xml\n" + _RULES, fixed=_LINE + _RULES),
        Bad(_RULES + "«Sitemp»: https://example.com/sitemap.xml\n", fixed=_RULES + _LINE),
        Bad(_RULES + "«these pages are private»\n" + _LINE),
        Bad(_RULES + "«https://example.com/sitemap.xml»\n", fixed=_RULES + _LINE),
        Bad("User-agent: *\nDisallow: «https://example.com/private»\n" + _LINE, fixed=_RULES + _LINE),
        Bad("User-agent: *\nDisallow: «private»\n" + _LINE, fixed=_RULES + _LINE),
        Bad("User-agent: *\nDisallow: «/a /b»\n" + _LINE),
        Bad("«Disallow: /private»\n" + _LINE),
        Bad("User-agent: «* Disallow: /private»\n" + _LINE),
        Bad("User-agent: «Googlebot, Bingbot»\nDisallow: /private\n" + _LINE),
        Bad('«{"error": "not found"}»\n' + _RULES + _LINE),
        Bad(_RULES + '«<meta http-equiv="refresh" content="0; url=https://example.com/">»\n' + _LINE),
        Bad(_RULES + "«Please mind our terms: https://example.com/terms»\n" + _LINE),
    ),
    good=(
        _RULES + "Disallow: *.pdf$\nAllow: /a%20b\nDisallow:\n" + _LINE,
        _RULES + "SITEMAP: https://example.com/sitemap.xml\n",
        "User-agent: Mozilla/5.0 (compatible; a, b)\nDisallow: /a\nContent-Signal: search=yes, ai-train=no\n" + _LINE,
        _RULES + "Crawl-delay: 5\nHost: example.com\nClean-param: ref /\nRequest-rate: 1/5\nNoindex: /x\n",
    ),
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
            yield Problem(field, message, _respelled(line, field, right, data))
        elif right is not None and b":" not in _gap(line, field, data):
            message = f"{line.written} without a colon is only accepted by Google; add the colon"
            yield Problem(field, message, replace(Place(field.end), ":", "add the colon"))


def _gap(line: RobotsLine, field: Place, data: bytes) -> bytes:
    """The bytes between field and value."""
    return data[field.end : max(line.value_place.offset, field.end)]


def _respelled(line: RobotsLine, field: Place, right: str, data: bytes) -> Fix:
    colon = b"" if b":" in _gap(line, field, data) else b":"
    return Fix(f"write {right}", (Edit(field, right.encode() + colon),))


_LONG = "Sitemap: https://example.com/?".ljust(ROBOTS_MAX_LINE_BYTES_GOOGLE, "x")


@rule(
    "R017",
    "robots-line-too-long",
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-robotstxt-parser",),
    bad=(Bad(f"User-agent: *\n{_LONG}«yz»\n", title="a line of 16,666 bytes"),),
    good=(Good(f"User-agent: *\n{_LONG}\n", title="a line of 16,664 bytes"),),
)
def robots_line_too_long(robots: RobotsText) -> Iterator[Problem]:
    """A line in robots.txt is longer than Google's limit.

    Google's parser truncates a line after 16,664 bytes. A truncated rule matches more URLs than intended.
    """
    limit = ROBOTS_MAX_LINE_BYTES_GOOGLE
    for line in robots.robots.lines:
        if line.place.length > limit:
            message = f"line {line.number} has {line.place.length:,} bytes and is truncated here; shorten it"
            yield Problem(between(line.place.offset + limit, line.place.end), message)


_MANY = "".join(f"Disallow: /{number}\n" for number in range(ROBOTS_MAX_RULES_YANDEX))


@rule(
    "R024",
    "yandex-rule-limits",
    severity=Severity.INFO,
    engines=(Engine.YANDEX,),
    cites=("yandex-robots",),
    bad=(
        Bad(f"User-agent: *\n{_MANY}«Disallow: /last»\nDisallow: /over\n", title="2,050 rules"),
        Bad(f"User-agent: *\nDisallow: «/{'x' * ROBOTS_MAX_RULE_CHARS_YANDEX}»\n", title="a rule of 1,025 characters"),
    ),
    good=(
        Good(f"{_LINE}User-agent: *\n{_MANY}", title="2,048 rules"),
        Good(
            f"{_LINE}User-agent: *\nDisallow: /{'x' * (ROBOTS_MAX_RULE_CHARS_YANDEX - 1)}\n",
            title="a rule of 1,024 characters",
        ),
    ),
)
def yandex_rule_limits(robots: RobotsText) -> Iterator[Problem]:
    """robots.txt has more or longer rules than Yandex supports.

    Yandex supports up to 2,048 rules with up to 1,024 characters each.
    """
    rules = [line for line in robots.robots.lines if line.kind in (LineKind.ALLOW, LineKind.DISALLOW)]
    for line in rules:
        if len(line.value) > ROBOTS_MAX_RULE_CHARS_YANDEX:
            size = len(line.value)
            message = f"the rule has {size:,} characters; the limit for Yandex is {ROBOTS_MAX_RULE_CHARS_YANDEX:,}"
            yield Problem(line.value_place, message)
    over = len(rules) - ROBOTS_MAX_RULES_YANDEX
    if over > 0:
        message = f"{len(rules):,} rules exceed the limit for Yandex of {ROBOTS_MAX_RULES_YANDEX:,} from here on"
        beyond = [line.place for line in rules[ROBOTS_MAX_RULES_YANDEX:]]
        yield Problem(beyond[0], message, count=over, places=beyond)
