"""Is the file below its limits, compressed, at the root, up to date, and without internal details?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import ADDRESS, Bad, Good, rule
from urlset.checking.subjects import ListedPage, Sitemap
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit
from urlset.model.document import Kind
from urlset.model.moment import Moment
from urlset.model.place import Place
from urlset.rules.loc.origins import PAGES, READERS
from urlset.rules.quoting import quoted
from urlset.spec.generator_artifacts import TELLTALE_COMMENT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import MAX_BYTES, MAX_INDEX_ENTRIES, MAX_URLS

_LISTS = (*PAGES, Kind.SITEMAPINDEX)
_LINE = b"https://example.com/\n"


@rule(
    "Q002",
    "nearly-full",
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-protocol", "google-combine"),
    kinds=_LISTS,
    bad=(Bad(data=lambda: _LINE * 45_001, marks=((0, 0),), title="a list of 45,001 URLs"),),
    good=(Good(data=lambda: _LINE * 45_000, title="a list of 45,000 URLs"),),
)
def nearly_full(sitemap: Sitemap) -> Iterator[Problem]:
    """A file is close to a limit.

    Engines reject a file with more than 50,000 entries or 50 MiB before compression. A growing site exceeds the limit
    unnoticed. Extensions such as images count toward the size.
    """
    share = sitemap.context.thresholds.nearly_full_share
    limits = (
        (len(sitemap.columns), MAX_INDEX_ENTRIES if sitemap.kind is Kind.SITEMAPINDEX else MAX_URLS, "entries"),
        (sitemap.document.envelope.size, MAX_BYTES, "bytes"),
    )
    for number, limit, unit in limits:
        if share * limit < number <= limit:
            yield Problem(
                sitemap.root_tag,
                f"{number:,} {unit} are {number / limit:.0%} of the limit of {limit:,}; split the file",
            )


@rule(
    "Q003",
    "large-without-gzip",
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-protocol",),
    kinds=_LISTS,
    bad=(),
    good=("<loc>https://example.com/</loc>",),
)
def large_without_gzip(sitemap: Sitemap) -> Iterator[Problem]:
    """A large file is not compressed.

    Gzip compresses sitemaps to about a tenth, and all engines support it. The limit of 50 MiB applies to the
    uncompressed size.
    """
    envelope = sitemap.document.envelope
    if envelope.compression is None and envelope.size > sitemap.context.thresholds.gzip_advice_bytes:
        yield Problem(sitemap.root_tag, f"{envelope.size:,} bytes uncompressed; compress it with gzip to about a tenth")


@rule(
    "Q005",
    "sitemap-not-at-root",
    severity=Severity.INFO,
    engines=READERS,
    cites=("sitemaps-protocol", "google-build"),
    needs=ADDRESS,
    kinds=_LISTS,
    bad=(
        Bad(
            '«<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">»'
            "<url><loc>https://example.com/a/b/c</loc></url></urlset>",
            at="https://example.com/a/b/sitemap.xml",
        ),
    ),
    good=(
        Good("<loc>https://example.com/a</loc>", at="https://example.com/sitemap.xml"),
        Good("<loc>https://example.com/a</loc>", at="https://example.com/?map=/a/b/"),
        Good("<loc>https://example.com/a</loc>", at="https://example.com"),
    ),
)
def sitemap_not_at_root(sitemap: Sitemap) -> Iterator[Problem]:
    """A sitemap is in a folder.

    It only covers URLs in that folder unless it is submitted in Search Console. At the root, it covers the whole site.
    """
    address = sitemap.address
    if address is not None and address.is_web and address.path.count("/") > 1:
        folder = address.path.rpartition("/")[0] + "/"
        message = f"the sitemap is in {quoted(folder)} and only covers URLs below it; move it to the root"
        yield Problem(sitemap.root_tag, message)


_OLD = "<url><loc>https://example.com/{}</loc><lastmod>{}</lastmod></url>"
_ISO = lazy_pattern(r"[0-9]{4}(?:-[0-9]{2}){0,2}(?:T.*)?")
_LOOKED_AT = 65_536
_ANY_DIGIT = bytes.maketrans(b"123456789", b"000000000")
"""comments that differ in numbers alone are judged once, except for numbers with dots, as in the address of a host"""
_DOTTED = lazy_pattern(rb"0\.0")
"""bytes of a comment that are searched"""
_ONE_OF_SEVERAL = lazy_pattern(r"[0-9][^/]*$")


@rule(
    "Q014",
    "stale-sitemap",
    severity=Severity.INFO,
    engines=READERS,
    cites=("general-knowledge",),
    kinds=(Kind.URLSET,),
    bad=(_OLD.format("a", "2024-01-01") + _OLD.format("b", "«2024-03-01T10:00:00Z»"),),
    good=(
        _OLD.format("a", "2020-01-01T10:00:00Z") + _OLD.format("b", "2026-03-01T10:00:00Z"),
        Good(_OLD.format("a", "2019-05-01T10:00:00Z"), at="https://example.com/sitemap-posts-2019.xml"),
        "<loc>https://example.com/</loc>",
    ),
)
def stale_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """No date in the file is recent.

    Either the site does not change, or the sitemap is no longer regenerated and new pages are missing. Files with a
    number or a year in their name belong to a series and are not reported.
    """
    if _ONE_OF_SEVERAL.search((sitemap.document.url or sitemap.document.name).partition("?")[0]):
        return
    dates = {(lastmod or "").strip() for lastmod in sitemap.lastmods} - {""}
    if not dates or not all(map(_ISO.fullmatch, dates)):
        return
    newest = Moment.parse(max(dates))  # offsets change the text order only within a day
    interval = newest.certain_interval()
    if interval is None or interval[1] is None:
        return
    days = (sitemap.context.now - interval[1]).days
    if days > sitemap.context.thresholds.stale_days:
        row = next(row for row, lastmod in enumerate(sitemap.columns.lastmods) if (lastmod or "").strip() == newest.raw)
        yield Problem(
            ListedPage(sitemap, row).whole("lastmod"),
            f"the newest of {sum(sitemap.dates.values()):,} dates is {days:,} days old; "
            "check that the sitemap is regenerated",
        )


@rule(
    "Q017",
    "telltale-comment",
    severity=Severity.INFO,
    engines=READERS,
    cites=("seen-in-the-wild",),
    kinds=_LISTS,
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc></url>\n«<!-- db=10.0.0.5 -->»",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        "<url><loc>https://example.com/</loc></url>\n«<!-- Memory for sitemap: 2MB; Total queries: 31 -->»",
        "<url>«<!-- /var/www/export.php -->»<loc>https://example.com/<!-- /var/www/export.php --></loc></url>",
        '<url><loc>https://example.com/</loc></url>\n«<!-- sitemap-generator-version="4.0.8" -->»',
    ),
    good=(
        "<url><!-- products --><loc>https://example.com/</loc></url>",
        "<url><!-- urlset: ignore L013 --><loc>https://example.com/#a</loc></url>",
        "<url><loc>https://example.com/</loc></url><!-- made by hand on 15 November -->",
        "<url><loc>https://example.com/</loc></url><!-- version 2 of our host list -->",
    ),
)
def telltale_comment(sitemap: Sitemap) -> Iterator[Problem]:
    """A comment exposes internal details.

    Host addresses, folders, queries, and software versions do not help search engines, but they help attackers.
    """
    data = sitemap.data
    found: list[tuple[Place, bytes]] = []
    known: dict[bytes, bool] = {}
    for place in sitemap.columns.comments:
        end = min(place.end, place.offset + _LOOKED_AT)
        shape = data[place.offset : end].translate(_ANY_DIGIT)
        if shape not in known:
            known[shape] = bool(TELLTALE_COMMENT.search(shape) or _DOTTED.search(shape))
        stated = TELLTALE_COMMENT.search(data, place.offset, end) if known[shape] else None
        if stated is not None:
            found.append((place, stated[0]))
    if found:
        first, stated_first = found[0]
        many = f" ({len(found):,} such comments)" if len(found) > 1 else ""
        edits = tuple(Edit(with_its_line(data, place), b"") for place, _ in found)
        yield Problem(
            first,
            f"comment exposes internal details: {quoted(stated_first.decode('utf-8', 'replace'))}{many}; remove it",
            Fix("remove the comments with internal details", edits, Safety.SAFE),
            count=len(found),
            places=[place for place, _ in found],
        )
