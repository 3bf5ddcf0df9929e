"""Which Search Console property a URL belongs to."""

from __future__ import annotations

import pytest

from urlset.submitting.google import Property, exact_name, most_specific

ACCOUNT = [
    Property("sc-domain:example.com", "siteFullUser"),
    Property("https://www.example.com/", "SITE_OWNER"),
    Property("https://www.example.com/shop/", "siteOwner"),
    Property("https://www.example.com/shop/new/", "siteUnverifiedUser"),
    Property("http://www.example.com:8080/", "siteOwner"),
]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.com/sitemap.xml", "https://www.example.com/"),
        ("https://WWW.Example.com:443/sitemap.xml", "https://www.example.com/"),
        ("https://www.example.com/shop/sitemap.xml", "https://www.example.com/shop/"),
        ("https://www.example.com/shop/new/sitemap.xml", "https://www.example.com/shop/"),
        ("http://www.example.com/sitemap.xml", "sc-domain:example.com"),
        ("https://blog.example.com/sitemap.xml", "sc-domain:example.com"),
        ("http://www.example.com:8080/sitemap.xml", "http://www.example.com:8080/"),
        ("https://notexample.com/sitemap.xml", None),
        ("https://www.example.com.evil.test/sitemap.xml", None),
    ],
)
def test_the_most_specific_verified_property_is_chosen(url: str, expected: str | None) -> None:
    found = most_specific(url, ACCOUNT)
    assert (found and found.name) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://www.example.com", "https://www.example.com/"),
        ("https://www.example.com/", "https://www.example.com/"),
        ("sc-domain:Example.com", "sc-domain:example.com"),
        ("example.com", "sc-domain:example.com"),
    ],
)
def test_a_property_is_named_exactly(given: str, expected: str) -> None:
    assert exact_name(given) == expected
