"""Fixes of the host or scheme of all URLs: the links of the file stay spelled like the pages that they name."""

from __future__ import annotations

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import run
from urlset.reading.read import read
from urlset.reading.salvage import apply_edits
from urlset.rules.loc.host import default_port_in_loc, host_not_punycode, upper_case_host
from urlset.rules.loc.location import scheme_not_the_sitemaps
from urlset.spec import namespaces

HEAD = f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:xhtml="{namespaces.XHTML}">'


def link(address: str, name: str = "xhtml:link") -> str:
    return f'<{name} rel="alternate" hreflang="de" href="{address}"/>'


def entry(loc: str, *inside: str) -> str:
    return f"<url><loc>{loc}</loc>{''.join(inside)}</url>"


def fixed(rule: AnyRule, body: str) -> str:
    document = read(f"{HEAD}{body}</urlset>".encode(), url="https://example.com/sitemap.xml")
    (found,) = run(document, [rule], Context()).problems
    fix = found[1].fix
    assert fix is not None
    return (
        apply_edits(document.data, len(HEAD.encode()), len(document.data), fix.edits).decode().removesuffix("</urlset>")
    )


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        (upper_case_host, "https://EXAMPLE.com", "https://example.com"),
        (default_port_in_loc, "https://example.com:443", "https://example.com"),
        (host_not_punycode, "https://b\u00fccher.example.com", "https://xn--bcher-kva.example.com"),
        (scheme_not_the_sitemaps, "http://example.com", "https://example.com"),
    ],
)
def test_links_are_spelled_like_their_pages(rule: AnyRule, before: str, after: str) -> None:
    def body(origin: str) -> str:
        return entry(f"{origin}/", link(f"{origin}/"), link(f"{origin}/de?a")) + entry(
            f"{origin}/de?a", link(f" {origin} ")
        )

    assert fixed(rule, body(before)) == body(after)


def test_another_spelling_of_the_same_host_becomes_the_same() -> None:
    before = entry("https://EXAMPLE.com/", link("https://Example.com/"), link("HTTPS://example.com/de"))
    after = entry("https://example.com/", link("https://example.com/"), link("HTTPS://example.com/de"))
    assert fixed(upper_case_host, before) == after  # the scheme is not written so in any loc


@pytest.mark.parametrize(
    "inside",
    [
        link("https://DE.example.com/"),
        link("https://EXAMPLE.com:8443/"),
        link("https://EXAMPLE.community/"),
        f"<!-- {link('https://EXAMPLE.com/')} -->",
        f"<![CDATA[{link('https://EXAMPLE.com/')}]]>",
        link("https://EXAMPLE.com/", "xhtml:a"),
        '<xhtml:link title=" href=" href="/" data-href="https://EXAMPLE.com/"/>',
        '<image:image xmlns:image="https://EXAMPLE.com/">https://EXAMPLE.com/</image:image>',
        '<link xmlns="urn:x" href="https://EXAMPLE.com/"/>',
    ],
)
def test_other_text_is_left_alone(inside: str) -> None:
    assert fixed(upper_case_host, entry("https://EXAMPLE.com/", inside)) == entry("https://example.com/", inside)


@pytest.mark.parametrize(
    "begin", ["<url xmlns:x='https://EXAMPLE.com'><loc>", "<url><!-- <loc>https://EXAMPLE.com --><loc>\n "]
)
@pytest.mark.parametrize(
    "name", ["xhtml:link", f'x:link xmlns:x="{namespaces.XHTML}"', f'link xmlns="{namespaces.XHTML}"']
)
def test_unusual_entries_are_read_for_it(begin: str, name: str) -> None:
    def body(host: str) -> str:
        return f"{begin}https://{host}/</loc>{link(f'https://{host}/', name)}</url>"

    assert fixed(upper_case_host, body("EXAMPLE.com")) == body("example.com")
