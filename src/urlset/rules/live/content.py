"""Is the response a real page, small enough to be read completely, and of an indexable type?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.live_page import SURE_ENOUGH
from urlset.model.visit import Likelihood
from urlset.rules import Bad, Engine, Good, LivePage, PageSignal, Problem, Severity, rule
from urlset.rules.live.wording import EVERY_READER, of_target, readable
from urlset.rules.quoting import quoted
from urlset.spec.media_types import (
    HTML_TYPES,
    INDEXED_PREFIXES,
    INDEXED_TYPES,
    PDF_TYPE,
    UNINDEXED_PREFIXES,
    UNINDEXED_TYPES,
)
from urlset.spec.protocol import HTML_BYTES_GOOGLE, PDF_BYTES_GOOGLE

_A = "> GET https://example.com/a\n"
_PAGE = f"{_A}< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_ERROR_PAGE = f"{_A}< 200\nContent-Type: text/html\n\n<title>Page not found</title><p>Sorry.\n"


@rule(
    "A019",
    "soft-404",
    when=PageSignal.NOT_A_PAGE,
    severity=Severity.WARNING,
    engines=EVERY_READER,
    cites=("google-troubleshoot", "google-http", "general-knowledge"),
    bad=(
        Bad(
            f'soft 404: 0.95 its title says "Page not found"; it equals the answer to a made-up address\n{_ERROR_PAGE}'
        ),
        Bad(f"thin: 0.8 three words in addition to the template\n{_PAGE}"),
        Bad(f"{_A}< 200\nContent-Type: text/html\n\n<title>A</title><div id=app></div><script src=a.js></script>\n"),
    ),
    good=(
        Good(_PAGE),
        Good(f'soft 404: 0.2 its text says "not found"\n{_PAGE}'),
        Good(f"{_A}< 404\nContent-Type: text/html\n\n<title>Page not found</title>\n"),
    ),
)
def soft_404(page: LivePage) -> Iterator[Problem]:
    """A listed page returns a success status but looks like an error page.

    Search engines treat such pages as missing. This is a heuristic: the message states the confidence and the
    evidence. A page with almost no content, or with HTML that is empty until scripts run in the browser, is info.
    """
    visit = page.visit
    if not readable(page) or visit.size == 0 or (visit.marks is not None and visit.marks.blank):  # see A020
        return
    if visit.soft_404 is not None and visit.soft_404.certainty >= SURE_ENOUGH:
        yield page.problem(f"looks like an error page, but returns {visit.status or 200}{_grounds(visit.soft_404)}")
    elif visit.thin is not None and visit.thin.certainty >= SURE_ENOUGH:
        said = f"has almost no unique content{of_target(page)}{_grounds(visit.thin)}"
        yield page.problem(said, severity=Severity.INFO)
    elif visit.marks is not None and visit.marks.only_scripts:
        said = f"is empty until a browser runs its scripts{of_target(page)}; send the content in the HTML"
        yield page.problem(said, severity=Severity.INFO)


def _grounds(likelihood: Likelihood) -> str:
    signs = f", because {'; '.join(dict.fromkeys(likelihood.signs))}" if likelihood.signs else ""
    return f" (confidence {likelihood.certainty:.0%}{signs})"


@rule(
    "A026",
    "page-too-large",
    when=PageSignal.SIZE,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-googlebot", "google-crawlers"),
    bad=(Bad(f"{_PAGE}[2,097,152 more bytes]\n"),),
    good=(Good(f"{_PAGE}[2,000,000 more bytes]\n"), Good(_PAGE)),
)
def page_too_large(page: LivePage) -> Iterator[Problem]:
    """A page is larger than Google reads.

    Googlebot reads the first 2 MB of a page, uncompressed, and 64 MB of a PDF. The rest is not indexed, and its links
    are not followed.
    """
    visit = page.visit
    is_pdf = visit.media_type == PDF_TYPE
    if not readable(page) or not (is_pdf or visit.media_type is None or visit.media_type in HTML_TYPES):
        return
    limit = PDF_BYTES_GOOGLE if is_pdf else HTML_BYTES_GOOGLE
    if visit.size > limit:
        size = f"{'at least ' if visit.truncated else ''}{visit.size:,} bytes"
        yield page.problem(f"{size}{of_target(page)} exceed the {limit:,} that Google reads; make the page smaller")


def _typed(media_type: str) -> str:
    return f"{_A}< 200\nContent-Type: {media_type}\n\nbytes\n"


@rule(
    "A034",
    "content-type-not-indexed",
    when=PageSignal.TYPE,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-file-types",),
    bad=(Bad(_typed("application/zip")), Bad(_typed("font/woff2")), Bad(_typed("application/json"))),
    good=(
        Good(_PAGE),
        Good(_typed("application/pdf")),
        Good(_typed("Text/HTML; charset=utf-8")),
        Good(_typed("image/webp")),
        Good(f"{_A}< 200\n\n<title>A</title><p>Words.\n"),
        Good(f"{_A}< 404\nContent-Type: application/json\n\n" + '{"error": "not found"}\n'),
    ),
)
def content_type_not_indexed(page: LivePage) -> Iterator[Problem]:
    """A listed page has a content type that cannot be a search result.

    Google indexes pages, documents, images, and videos of the types it lists. Archives, programs, styles, scripts,
    and fonts are a warning; other types that are not listed are info. A page without a content type is not reported,
    because engines detect the type from the content.
    """
    media_type = page.visit.media_type
    if media_type is None or not readable(page) or page.visit.size == 0:
        return
    if media_type in INDEXED_TYPES or media_type.startswith(INDEXED_PREFIXES):
        return
    served = f"served as {quoted(media_type)}{of_target(page)}"
    if media_type in UNINDEXED_TYPES or media_type.startswith(UNINDEXED_PREFIXES):
        yield page.problem(f"{served}, which cannot be indexed; remove it or correct the Content-Type")
    else:
        yield page.problem(f"{served}, which is not a type that Google indexes", severity=Severity.INFO)
