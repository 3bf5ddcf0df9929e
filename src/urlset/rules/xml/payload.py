"""Is the file non-empty, and not a web page?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.model.trouble import TroubleKind
from urlset.rules import Bad, Good, Kind, Problem, Severity, Sitemap, rule
from urlset.rules.quoting import quoted
from urlset.rules.robots.lines import is_robots
from urlset.spec import namespaces

_ROOT = f'<urlset xmlns="{namespaces.SITEMAP}">\n'
_SOUND = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'


@rule(
    "X021",
    "html-instead-of-sitemap",
    severity=Severity.ERROR,
    names_other=True,
    cites=("gsc-report", "general-knowledge"),
    bad=("«<!doctype html>»\n<title>Log in</title>\n", "«<html><body>Not found</body></html>»\n"),
    good=(_SOUND, _SOUND.replace("<urlset", "<!-- <!doctype html> --><urlset")),
)
def html_instead_of_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is an HTML page.

    The sitemap URL returns a login form, an error page, or the home page. Engines report an unsupported format and
    find no URLs.
    """
    if sitemap.kind is Kind.HTML and not is_robots(sitemap.document):  # R011 reports robots.txt
        for trouble in sitemap.troubles(TroubleKind.NOT_A_SITEMAP):
            message = f"the file is an HTML page, starting with {quoted(trouble.detail)}; serve the sitemap at this URL"
            yield Problem(trouble.place, message)


@rule(
    "X031",
    "unrendered-template",
    severity=Severity.ERROR,
    names_other=True,
    cites=("general-knowledge", "seen-in-the-wild"),
    bad=(
        Bad("«---\nlayout: null\n---»\n" + _SOUND, title="front matter of Jekyll"),
        Bad(_ROOT + "«{% for page in pages %}»\n<url><loc>{{ page.url }}</loc></url>\n{% endfor %}\n</urlset>\n"),
        Bad(_ROOT + "«{{ range .Pages }}»<url><loc>{{ .Permalink }}</loc></url>{{ end }}</urlset>\n"),
        "<url><loc>«<?php echo $url; ?>»</loc></url>",
        Bad(_ROOT + "«<% pages.forEach(page => { %>»<url><loc><%= page.url %></loc></url><% }) %></urlset>\n"),
        "<loc>«${process.env.SITE_URL}/a»</loc>",
        Bad("User-agent: *\n«{% if site.live %}»\nAllow: /\n{% endif %}\n", at="https://example.com/robots.txt"),
    ),
    good=(
        _SOUND,
        Good(
            "<image:caption>How to use {% for %} in a template</image:caption>", title="a text about template languages"
        ),
        _SOUND.replace("<url>", "<!-- {% comment %} --><url>"),
    ),
)
def unrendered_template(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is the source of a template.

    Front matter, a loop or condition between elements, or a tag of PHP or ERB means that no engine has run: crawlers
    get program code. So does a file in which every URL begins with a placeholder. Nothing else is reported about such
    a file, and `fix` does not change it. A sitemap with rendered URLs in which some value has a leftover such as
    `{{ slug }}` is not a template: L034 reports the URL. Files over 256 KiB are not templates.
    """
    for trouble in sitemap.troubles(TroubleKind.UNRENDERED):
        message = f"unrendered template: {quoted(trouble.detail)} was not executed; publish the rendered file"
        yield Problem(trouble.place, message)


@rule(
    "X022",
    "empty-file",
    severity=Severity.ERROR,
    cites=("yandex-errors",),
    bad=(
        Bad(data=b"", marks=((0, 0),), title="a file of 0 bytes"),
        Bad(data=b" \r\n\n", marks=((0, 4),), title="a file of spaces and line breaks"),
    ),
    good=(
        Good(_SOUND),
        Good("https://example.com/\n"),
        Good(data=b"", at="https://example.com/robots.txt", title="an empty robots.txt, which allows everything"),
    ),
)
def empty_file(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is empty.

    Engines report that the response contains no data. The generator probably failed.
    """
    damaged = any(sitemap.troubles(TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP))
    for trouble in sitemap.troubles(TroubleKind.EMPTY):
        if not damaged and not is_robots(sitemap.document):
            size = sitemap.document.envelope.size
            words = f"the file contains only whitespace ({size:,} bytes)" if size else "the file is empty"
            yield Problem(trouble.place, f"{words}; check the program that generates it")
