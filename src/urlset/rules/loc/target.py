"""Does the URL point to something that can appear in search results?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.fixing.removal import remove_entries
from urlset.model.columns import Mark
from urlset.rules import Bad, Fix, Kind, ListedPage, Problem, Safety, Severity, Signal, rule
from urlset.rules.loc.origins import READERS
from urlset.rules.quoting import quoted
from urlset.spec.generator_artifacts import ARCHIVE_ENDINGS, FEED_FILE, FEED_PARAMETER, SITEMAP_FILE
from urlset.spec.protocol import ROBOTS_PLACE


def ending_of(path: str) -> str:
    """The text after the last dot of the last segment, in lowercase; empty if there is none."""
    name, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if name and dot and ending.isascii() else ""


def drop_entry(listed: ListedPage) -> Fix | None:
    """Not the last entry: a sitemap must list at least one URL."""
    if len(listed.document) == 1:
        return None
    return remove_entries(listed.document, [listed.row], "remove the entry", Safety.REVIEW)


@rule(
    "L035",
    "loc-not-a-page",
    when=Signal.DOWNLOAD | Signal.FEED,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("google-build", "google-file-types", "general-knowledge"),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc></url>\n<url><loc>https://example.com«/sitemap2.xml»</loc></url>",
            fixed="<url><loc>https://example.com/</loc></url>",
        ),
        "<loc>https://example.com«/wp-sitemap-posts-post-1.xml.gz»</loc>",
        "<loc>https://example.com«/robots.txt»</loc>",
        "<loc>https://example.com«/blog/feed.xml»</loc>",
        "<loc>https://example.com/?«feed=rss2»</loc>",
        "<loc>https://example.com«/downloads/setup.exe»?v=2</loc>",
    ),
    good=(
        "<loc>https://example.com/sitemap</loc>",
        "<loc>https://example.com/sitemap.html</loc>",
        "<loc>https://example.com/blog/what-is-a-sitemap.xml-file/</loc>",
        "<loc>https://example.com/blog/robots.txt/</loc>",
        "<loc>https://example.com/feed/</loc>",
        "<loc>https://example.com/report.pdf</loc>",
        "<loc>https://example.com/licence.txt</loc>",
        "<loc>https://example.com/v1.gz/about</loc>",
        "<loc>https://example.com/.env</loc>",
    ),
)
def loc_not_a_page(listed: ListedPage) -> Iterator[Problem]:
    """A URL points to a sitemap, a feed, robots.txt, or a download.

    Search engines do not show these in results. List sitemaps in an index or in robots.txt; crawlers do not read
    them as sitemaps when they are listed as pages.
    """
    address = listed.address
    path, span = address.path, address.parts.path
    ending = ending_of(path)
    query = FEED_PARAMETER.search(address.query or "")
    if path == ROBOTS_PLACE:
        what = "is not a page; remove it"
    elif ending and SITEMAP_FILE.fullmatch(path[path.rfind("/") :]):
        if listed.document.kind is Kind.URLSET and listed.mark & Mark.IRREGULAR and listed.element.local == "sitemap":
            return  # S006 reports it
        what = "is a sitemap, not a page; list it in an index or in robots.txt"
    elif FEED_FILE.fullmatch(path):
        what = "is a feed, which does not appear in search results; remove it"
    elif query is not None and address.parts.query is not None:
        start = address.parts.query[0]
        span = (start + query.start() + query[0].startswith("&"), start + query.end() - query[0].endswith("&"))
        what = "requests a feed, which does not appear in search results; remove it"
    elif ending in ARCHIVE_ENDINGS:
        what = f"is a file of type {ending}, which does not appear in search results; remove it"
    else:
        return
    yield Problem(
        listed.part(*span),
        f"{quoted(listed.loc[slice(*span)])} {what}",
        drop_entry(listed),
    )
