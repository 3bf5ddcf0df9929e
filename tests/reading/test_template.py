"""The source of a template has one finding and is never changed; a leftover in a rendered sitemap is another matter."""

from __future__ import annotations

import pytest

from tests.recall.shapes import SHOP, url, urlset
from tests.recall.source_files import TEMPLATES
from urlset.model.document import Kind
from urlset.model.trouble import TroubleKind
from urlset.reading.read import LONGEST_TEMPLATE, read
from urlset.settings.check import CheckSettings
from urlset.workflows.check import check
from urlset.workflows.library.check import fix

ROBOTS = {
    "front matter": "---\nlayout: null\n---\nUser-agent: *\nDisallow: /a/\nSitemap: {{ site.url }}/sitemap.xml\n",
    "condition": "{% if jekyll.environment == 'production' %}\nUser-agent: *\nDisallow:\n{% endif %}\n",
    "php": "<?php header('Content-Type: text/plain'); ?>\nUser-agent: *\nDisallow: /a/\n",
}
RENDERED = {
    "a slug left": (urlset(url(f"{SHOP}/"), url(f"{SHOP}/{{{{ slug }}}}")), "L034"),
    "a host left": (urlset(url("https://{{ host }}/a")), "L034"),
    "an expression left": (urlset(url(f"{SHOP}/"), url("${base}/a")), "L034"),
    "a date left": (urlset(url(f"{SHOP}/", "<lastmod>{{ page.date }}</lastmod>\n")), "D021"),
    "an output between entries": (urlset(url(f"{SHOP}/"), "{{ more }}"), "S017"),
    "code in a comment": (urlset("<!-- {% for a in b %} -->", url(f"{SHOP}/?a=1&b=2")), "X010"),
    "code in a title": (
        urlset(
            url(
                f"{SHOP}/",
                "<image:image><image:loc>/a b.png</image:loc><image:title>{% raw %}</image:title></image:image>",
            ),
            attributes=' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
        ),
        "M004",
    ),
    "code in a section": (urlset(url(f"{SHOP}/"), url(f"<![CDATA[{SHOP}/<% a %>]]>")), "L034"),
    "an address of a person": (urlset(url(f"{SHOP}/@foreach/post"), url(f"{SHOP}/a b")), "L007"),
}


def codes(text: str, name: str = "sitemap.xml") -> dict[str, int]:
    return dict(check([read(text.encode(), name=name)], CheckSettings()).counts)


@pytest.mark.parametrize("text", TEMPLATES.values(), ids=TEMPLATES)
def test_a_template_has_one_finding(text: str) -> None:
    assert codes(text) == {"X031": 1}


@pytest.mark.parametrize("text", ROBOTS.values(), ids=ROBOTS)
def test_a_template_of_robots_has_one_finding_and_is_still_robots(text: str) -> None:
    assert codes(text, "robots.txt") == {"X031": 1}
    assert read(text.encode(), name="robots.txt").kind is Kind.ROBOTS


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("text", [*TEMPLATES.values(), *ROBOTS.values()], ids=[*TEMPLATES, *ROBOTS])
def test_a_template_is_never_changed(text: str, unsafe: bool) -> None:
    result = fix(text.encode(), unsafe=unsafe, at="https://a.test/robots.txt" if "agent" in text else None)
    assert result.data.decode() == text
    assert not result.changed
    assert result.refused is not None
    assert "template" in result.refused


@pytest.mark.parametrize(("text", "code"), RENDERED.values(), ids=RENDERED)
def test_a_leftover_in_a_rendered_sitemap_is_what_it_was(text: str, code: str) -> None:
    found = codes(text)
    assert code in found
    assert "X031" not in found


def test_a_large_file_is_no_template() -> None:
    text = urlset("{% for a in b %}", *(url(f"{SHOP}/{number:06}") for number in range(LONGEST_TEMPLATE // 40)))
    assert not read(text.encode()).troubles.has(TroubleKind.UNRENDERED)


def test_a_page_with_front_matter_is_no_sitemap() -> None:
    assert codes("---\ntitle: About\n---\nHello\n") == {"S001": 1}
