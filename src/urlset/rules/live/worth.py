"""Does a page deserve its entry: is it unique, fast, reliable, well linked, and of a kind that people search for?"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from urlset.checking.declare import bad, good, reader_info, reader_warning
from urlset.model.visit import State
from urlset.rules import LivePage, PageSignal, Problem, Severity
from urlset.rules.live import readable, shown
from urlset.spec import page_kinds

_PAGE = "> GET https://example.com/a\n< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_SAME = "twin: https://example.com/b alike=1 pages=3\n"
_NEAR = "twin: https://example.com/b alike=0.94 pages=2\n"
_OTHER_ORIGIN = "twin: https://www.example.com/a alike=1 pages=2\n"
_SURE = 0.8


def _on_another_origin(page: LivePage) -> bool:
    """The page to keep has the same path and query."""
    if page.twin is None:
        return False
    one, other = urlsplit(page.url), urlsplit(page.twin.keep)
    return (one.path or "/", one.query) == (other.path or "/", other.query)


@reader_warning("A043", when=PageSignal.DUPLICATE, cites=("google-canonical", "general-knowledge"))
@bad(f"{_SAME}{_PAGE}")
@good(_PAGE, f"{_NEAR}{_PAGE}", f"{_OTHER_ORIGIN}{_PAGE}")
def duplicate_content(page: LivePage) -> Iterator[Problem]:
    """Several listed pages have the same main content.

    Search engines index one of them and choose it by themselves. Pages are compared by their own text, without what
    the site repeats on all pages. Pages with a canonical, with noindex, or with little text are not compared, nor are
    the language versions of one page. Reported on every page of a group but the one to keep.
    """
    twin = page.twin
    if twin is not None and twin.alike == 1 and not _on_another_origin(page):
        yield page.problem(
            f"same main content as {shown(twin.keep)} ({twin.pages:,} listed pages have it);"
            " set its canonical to that page, and remove the entry"
        )


@reader_warning("A044", when=PageSignal.DUPLICATE, cites=("google-canonical", "general-knowledge"))
@bad(f"{_NEAR}{_PAGE}")
@good(_PAGE, f"{_SAME}{_PAGE}")
def near_duplicate_content(page: LivePage) -> Iterator[Problem]:
    """Several listed pages have nearly the same main content.

    Compared are sequences of three words of a page's own text, from a sample of 256 per page. Pages that share at
    least 90 % of them are reported; `near-duplicate-share` is another threshold. Search engines treat such pages as
    copies.
    """
    twin = page.twin
    if twin is not None and twin.alike < 1:
        yield page.problem(
            f"{twin.alike:.0%} of its text is that of {shown(twin.keep)} ({twin.pages:,} listed pages are alike);"
            " set its canonical to that page, or give it its own text"
        )


@reader_warning("A045", when=PageSignal.DUPLICATE, cites=("google-canonical", "general-knowledge"))
@bad(f"{_OTHER_ORIGIN}{_PAGE}", f"twin: https://example.com/a alike=1 pages=2\n{_PAGE.replace('https', 'http')}")
@good(_PAGE, f"{_SAME}{_PAGE}")
def same_page_on_two_origins(page: LivePage) -> Iterator[Problem]:
    """A page is listed on two hosts, or with http and https.

    Both answer with the same content, so search engines have to choose one. List one of them, and redirect the other
    or set its canonical.
    """
    if page.twin is not None and page.twin.alike == 1 and _on_another_origin(page):
        yield page.problem(f"the same page is listed as {shown(page.twin.keep)}; redirect to it, and remove the entry")


_SLOW = _PAGE.replace("< 200", "< 200 after 4.2 s")


@reader_warning("A046", when=PageSignal.SPEED, cites=("google-http", "general-knowledge"))
@bad(_SLOW)
@good(_PAGE, _PAGE.replace("< 200", "< 200 after 2.9 s"), _SLOW.replace("200", "404"))
def slow_page(page: LivePage) -> Iterator[Problem]:
    """A page is slow.

    Measured is the time to the last byte of the HTML, redirects included and pauses of the audit excluded. Search
    engines crawl a slow site less. The threshold is 3 seconds; `slow-page-seconds` is another one.
    """
    visit, most = page.visit, page.context.thresholds.slow_page_seconds
    if readable(page) and visit.seconds > most:
        yield page.problem(
            f"took {visit.seconds:.1f} s ({visit.first_byte:.1f} s to the first byte), more than {most:g} s;"
            " make it faster, or cache it"
        )


_RETRIED = "retried: 503\n"


@reader_warning("A047", when=PageSignal.SPEED, cites=("google-http", "general-knowledge"))
@bad(f"{_RETRIED}{_PAGE}", f"retried: connection reset\n{_PAGE}")
@good(_PAGE, f"retried: 429\n{_PAGE}", f"{_RETRIED}{_PAGE.replace('< 200', '< 404')}")
def flaky_page(page: LivePage) -> Iterator[Problem]:
    """A page answered only on a second try.

    Search engines slow down after server errors, and drop pages that fail for days. A failed connection is info,
    because the network of the audit may be the reason. A refusal because of too many requests (429) is not reported.
    """
    said = page.visit.retried
    if readable(page) and said and said not in ("429", "420"):
        failed = f"returned {said}" if said.isdigit() else f"failed ({said})"
        yield page.problem(
            f"{failed} on the first try and answered on a later one; find out why in the server's log",
            severity=None if said.isdigit() else Severity.INFO,
        )


@reader_info("A048", when=PageSignal.LINKS, cites=("google-url-structure", "general-knowledge"))
@bad(f"links: clicks=6 inlinks=4 first=https://example.com/\n{_PAGE}")
@good(_PAGE, f"links: clicks=5 inlinks=4 first=https://example.com/\n{_PAGE}")
def deep_page(page: LivePage) -> Iterator[Problem]:
    """A page is many clicks away from the start page.

    Search engines treat such pages as unimportant and crawl them rarely. Known after a complete crawl of the site
    (`--crawl`). The threshold is 5 clicks; `deep-page-clicks` is another one.
    """
    most = page.context.thresholds.deep_page_clicks
    if page.links is not None and page.visit.state is State.OK and page.links.clicks > most:
        yield page.problem(
            f"{page.links.clicks} clicks away from the start page, more than {most}; link to it from a page higher up"
        )


@reader_info("A049", when=PageSignal.LINKS, cites=("google-url-structure", "general-knowledge"))
@bad(f"links: clicks=2 inlinks=1 first=https://example.com/b\n{_PAGE}")
@good(_PAGE, f"links: clicks=2 inlinks=2 first=https://example.com/b\n{_PAGE}")
def single_internal_link(page: LivePage) -> Iterator[Problem]:
    """Only one page of the site links to a listed page.

    One change on that page makes it an orphan. Known after a complete crawl of the site (`--crawl`).
    """
    if page.links is not None and page.visit.state is State.OK and page.links.inlinks == 1:
        yield page.problem(f"only {shown(page.links.first)} links to it; link to it from related pages")


# Kinds of pages that many sites do not want in their sitemap.


def _of_kind(page: LivePage, *kinds: str) -> Iterator[Problem]:
    found = page.kind
    if found is not None and found.kind in kinds and found.certainty >= _SURE and page.visit.state is State.OK:
        said = f"looks like {_NAMES[found.kind]} ({found.certainty:.0%} certain: {found.evidence})"
        yield page.problem(f"{said}; remove the entry unless people should find it in search")


_NAMES = {
    page_kinds.TAG: "a tag archive",
    page_kinds.AUTHOR: "an author archive",
    page_kinds.DATE: "a date archive",
    page_kinds.SEARCH: "an internal search result",
    page_kinds.ACCOUNT: "a cart, login or account page",
    page_kinds.PAGINATION: "a further page of a list",
    page_kinds.FACET: "a filtered list",
    page_kinds.EXPIRED_PRODUCT: "an expired product",
    page_kinds.PAST_EVENT: "a past event",
}


def _kind(name: str, certainty: float = 0.9) -> str:
    return f"kind: {name} {certainty} the address says so\n{_PAGE}"


@reader_info("A050", when=PageSignal.KIND, cites=("general-knowledge",))
@bad(_kind(page_kinds.TAG))
@good(_PAGE, _kind(page_kinds.TAG, 0.6), _kind(page_kinds.AUTHOR))
def tag_archive_listed(page: LivePage) -> Iterator[Problem]:
    """A tag archive is listed.

    Tag archives repeat the texts of other pages. Most sites leave them out of the sitemap.
    """
    return _of_kind(page, page_kinds.TAG)


@reader_info("A051", when=PageSignal.KIND, cites=("general-knowledge",))
@bad(_kind(page_kinds.AUTHOR))
@good(_PAGE, _kind(page_kinds.AUTHOR, 0.6), _kind(page_kinds.TAG))
def author_archive_listed(page: LivePage) -> Iterator[Problem]:
    """An author archive is listed.

    A page that only lists the articles of an author repeats the texts of other pages.
    """
    return _of_kind(page, page_kinds.AUTHOR)


@reader_info("A052", when=PageSignal.KIND, cites=("general-knowledge",))
@bad(_kind(page_kinds.DATE, 0.95))
@good(_PAGE, _kind(page_kinds.DATE, 0.6), _kind(page_kinds.TAG))
def date_archive_listed(page: LivePage) -> Iterator[Problem]:
    """A date archive is listed.

    A page with all articles of a month repeats the texts of other pages.
    """
    return _of_kind(page, page_kinds.DATE)


@reader_info("A053", when=PageSignal.KIND, cites=("google-url-structure", "general-knowledge"))
@bad(_kind(page_kinds.SEARCH, 0.85))
@good(_PAGE, _kind(page_kinds.SEARCH, 0.6), _kind(page_kinds.TAG))
def internal_search_listed(page: LivePage) -> Iterator[Problem]:
    """A search result page of the site is listed.

    Google advises against indexing internal search results: there is one for every word.
    """
    return _of_kind(page, page_kinds.SEARCH)


@reader_info("A054", when=PageSignal.KIND, cites=("general-knowledge",))
@bad(_kind(page_kinds.ACCOUNT))
@good(_PAGE, _kind(page_kinds.ACCOUNT, 0.6), _kind(page_kinds.SEARCH))
def cart_or_account_listed(page: LivePage) -> Iterator[Problem]:
    """A cart, checkout, login or account page is listed.

    It is different for each visitor, and no visitor searches for it.
    """
    return _of_kind(page, page_kinds.ACCOUNT)


@reader_info("A055", when=PageSignal.KIND, cites=("general-knowledge",))
@bad(_kind(page_kinds.PAGINATION, 0.95))
@good(_PAGE, _kind(page_kinds.PAGINATION, 0.6), _kind(page_kinds.TAG))
def further_list_page_listed(page: LivePage) -> Iterator[Problem]:
    """Page 2 or a later page of a list is listed.

    Search engines find it by its links. Its content moves whenever the list grows.
    """
    return _of_kind(page, page_kinds.PAGINATION)


@reader_warning("A056", when=PageSignal.KIND, cites=("google-url-structure", "google-canonical", "general-knowledge"))
@bad(f"kind: facet 0.9 12 of 12 pages with the parameter color repeat another page\n{_PAGE}")
@good(_PAGE, _kind(page_kinds.FACET, 0.6), _kind(page_kinds.TAG))
def filtered_list_listed(page: LivePage) -> Iterator[Problem]:
    """A filtered list is listed that repeats another page.

    Known by behavior: pages with that parameter repeat another page of the same path, redirect to it, or name it as
    canonical.
    """
    return _of_kind(page, page_kinds.FACET)


@reader_info("A057", when=PageSignal.KIND, cites=("google-url-structure", "general-knowledge"))
@bad(_kind(page_kinds.EXPIRED_PRODUCT, 0.95))
@good(_PAGE, _kind(page_kinds.EXPIRED_PRODUCT, 0.4), _kind(page_kinds.PAST_EVENT))
def expired_product_listed(page: LivePage) -> Iterator[Problem]:
    """A product that is no longer sold is listed.

    All its offers are discontinued, or its text says that it is no longer available. Out of stock is not expired.
    """
    return _of_kind(page, page_kinds.EXPIRED_PRODUCT)


@reader_info("A058", when=PageSignal.KIND, cites=("general-knowledge",))
@bad(_kind(page_kinds.PAST_EVENT, 0.95))
@good(_PAGE, _kind(page_kinds.PAST_EVENT, 0.6), _kind(page_kinds.EXPIRED_PRODUCT))
def past_event_listed(page: LivePage) -> Iterator[Problem]:
    """A past event is listed.

    Its end date is over. A postponed or recurring event is not past.
    """
    return _of_kind(page, page_kinds.PAST_EVENT)
