"""Is there anything in the file, and is it not a web page?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.model.trouble import TroubleKind
from urlset.rules.quoting import quoted
from urlset.rules.robots.form import is_robots
from urlset.spec import namespaces

_SOUND = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'


@rule(
    "X021",
    "html-instead-of-sitemap",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("gsc-report", "general-knowledge"),
    bad=("«<!doctype html>»\n<title>Log in</title>\n", "«<html><body>Not found</body></html>»\n"),
    good=(_SOUND, _SOUND.replace("<urlset", "<!-- <!doctype html> --><urlset")),
)
def html_instead_of_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is a web page.

    A log-in form, an error page or a start page answers at the sitemap's address. Engines report an
    unsupported format and find no addresses.
    """
    if sitemap.kind is Kind.HTML and not is_robots(sitemap.document):  # of that one R011 tells
        for trouble in sitemap.troubles(TroubleKind.NOT_A_SITEMAP):
            yield Problem(trouble.place, f"{quoted(trouble.detail)} begins a web page; engines find no address in it")


@rule(
    "X022",
    "empty-file",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("yandex-errors",),
    bad=(
        Bad(data=b"", marks=((0, 0),), title="a file of 0 bytes"),
        Bad(data=b" \r\n\n", marks=((0, 4),), title="a file of spaces and line ends"),
    ),
    good=(
        Good(_SOUND),
        Good("https://example.com/\n"),
        Good(data=b"", at="https://example.com/robots.txt", title="an empty robots.txt, which allows everything"),
    ),
)
def empty_file(sitemap: Sitemap) -> Iterator[Problem]:
    """There is nothing in the file.

    Engines report that the answer holds no data. The script that writes the file probably failed half-way.
    """
    damaged = any(sitemap.troubles(TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP))
    for trouble in sitemap.troubles(TroubleKind.EMPTY):
        if not damaged and not is_robots(sitemap.document):
            size = sitemap.document.envelope.size
            words = f"the file holds {size:,} bytes of white space" if size else "the file has no bytes"
            yield Problem(trouble.place, f"{words}; engines find no address in it")
