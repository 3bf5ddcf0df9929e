"""Is what came back a page worth indexing: a real one, small enough to be read whole, of a type that is indexed?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.live_page import SURE_ENOUGH, LivePage
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.visit import Likelihood
from urlset.rules.live.wording import of_target, readable
from urlset.rules.quoting import quoted
from urlset.spec.engines import Engine
from urlset.spec.media_types import (
    HTML_TYPES,
    INDEXED_PREFIXES,
    INDEXED_TYPES,
    PDF_TYPE,
    UNINDEXED_PREFIXES,
    UNINDEXED_TYPES,
)
from urlset.spec.protocol import HTML_BYTES_GOOGLE, PDF_BYTES_GOOGLE
from urlset.spec.signals import PageSignal

_A = "> GET https://example.com/a\n"
_PAGE = f"{_A}< 200\nContent-Type: text/html\n\n<title>A</title><p>Words.\n"
_ERROR_PAGE = f"{_A}< 200\nContent-Type: text/html\n\n<title>Page not found</title><p>Sorry.\n"


@rule(
    "A019",
    "soft-404",
    on=LivePage,
    when=PageSignal.NOT_A_PAGE,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-troubleshoot", "google-http"),
    bad=(
        Bad(
            f'soft 404: 0.95 its title says "Page not found"; it equals the answer to a made-up address\n{_ERROR_PAGE}'
        ),
        Bad(f"thin: 0.8 three words besides what every page has\n{_PAGE}"),
    ),
    good=(
        Good(_PAGE),
        Good(f'soft 404: 0.2 its text says "not found"\n{_PAGE}'),
        Good(f"{_A}< 404\nContent-Type: text/html\n\n<title>Page not found</title>\n"),
    ),
)
def soft_404(page: LivePage) -> Iterator[Problem]:
    """A listed page answers with success, but looks like an error page.

    Google treats such pages like missing ones. It is a judgement: the message says how certain it is and what speaks
    for it. A page that merely has next to no content of its own is a remark.
    """
    visit = page.visit
    if not readable(page) or visit.size == 0:  # which A020 tells
        return
    if visit.soft_404 is not None and visit.soft_404.certainty >= SURE_ENOUGH:
        yield page.problem(
            f"looks like an error page though it answers {visit.status or 200}{_grounds(visit.soft_404)}"
        )
    elif visit.thin is not None and visit.thin.certainty >= SURE_ENOUGH:
        said = f"has next to no content of its own{of_target(page)}{_grounds(visit.thin)}"
        yield page.problem(said, severity=Severity.INFO)


def _grounds(likelihood: Likelihood) -> str:
    signs = f", because {'; '.join(dict.fromkeys(likelihood.signs))}" if likelihood.signs else ""
    return f" (certainty {likelihood.certainty:.0%}{signs})"


@rule(
    "A026",
    "page-too-large",
    on=LivePage,
    when=PageSignal.SIZE,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-googlebot", "google-crawlers"),
    bad=(Bad(f"{_PAGE}[2,097,152 more bytes]\n"),),
    good=(Good(f"{_PAGE}[2,000,000 more bytes]\n"), Good(_PAGE)),
)
def page_too_large(page: LivePage) -> Iterator[Problem]:
    """A page is larger than Google reads.

    Googlebot takes the first 2 MB of a page, unpacked, and 64 MB of a PDF. What comes later is not indexed, and its
    links are not followed.
    """
    visit = page.visit
    is_pdf = visit.media_type == PDF_TYPE
    if not readable(page) or not (is_pdf or visit.media_type is None or visit.media_type in HTML_TYPES):
        return
    limit = PDF_BYTES_GOOGLE if is_pdf else HTML_BYTES_GOOGLE
    if visit.size > limit:
        size = f"{'at least ' if visit.truncated else ''}{visit.size:,} bytes"
        yield page.problem(f"{size}{of_target(page)}; Google reads the first {limit:,}")


def _typed(media_type: str) -> str:
    return f"{_A}< 200\nContent-Type: {media_type}\n\nbytes\n"


@rule(
    "A034",
    "content-type-not-indexed",
    on=LivePage,
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
        Good(f"{_A}< 200\n\n<title>A</title>\n"),
        Good(f"{_A}< 404\nContent-Type: application/json\n\n" + '{"error": "not found"}\n'),
    ),
)
def content_type_not_indexed(page: LivePage) -> Iterator[Problem]:
    """A listed page is served as a type of file that cannot be a search result.

    Google indexes pages, documents, pictures and videos of the types that it lists. A warning for archives, programs,
    styles, scripts and fonts; a remark for a type that is merely not listed. A page without a type is left alone: it
    is guessed from the content.
    """
    media_type = page.visit.media_type
    if media_type is None or not readable(page) or page.visit.size == 0:
        return
    if media_type in INDEXED_TYPES or media_type.startswith(INDEXED_PREFIXES):
        return
    served = f"served as {quoted(media_type)}{of_target(page)}"
    if media_type in UNINDEXED_TYPES or media_type.startswith(UNINDEXED_PREFIXES):
        yield page.problem(f"{served}, which is no page and cannot be indexed; take it out or correct the type")
    else:
        yield page.problem(f"{served}, which is not among the types that Google indexes", severity=Severity.INFO)
