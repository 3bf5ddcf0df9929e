"""Namespace declarations: where they are looked for, and which prefixes show what is meant."""

from __future__ import annotations

import pytest

import urlset
from urlset.spec.namespaces import IMAGE, NEWS, SITEMAP, VIDEO, XHTML

LOC = "<loc>https://www.example.org/</loc>"
PICTURE = f"<url>{LOC}<image:image><image:loc>https://www.example.org/a.jpg</image:loc></image:image></url>"
VERSION = '<xhtml:link rel="alternate" hreflang="en" href="https://www.example.org/"/>'
BOUND_THERE = VERSION.replace(" rel", f' xmlns:xhtml="{IMAGE}" rel')


def codes(declarations: str, entries: str) -> set[str]:
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{SITEMAP}"{declarations}>{entries}</urlset>\n'
    return {finding.code for finding in urlset.check(text.encode()).findings}


@pytest.mark.parametrize("uri", [f"{VIDEO[:-1]}0", "urn:shop", SITEMAP.replace("http:", "https:")])
def test_what_a_comment_declares_is_not_reported(uri: str) -> None:
    reported, element = {"S005", "S019", "S021"}, f'<v:video xmlns:v="{uri}"/>'
    assert codes("", f"<!-- {element} --><url>{LOC}</url>").isdisjoint(reported)
    assert not codes("", f"<url>{LOC}{element}</url>").isdisjoint(reported)


@pytest.mark.parametrize(
    ("declaration", "entry", "reported"),
    [
        (f' xmlns:image="{NEWS}"', PICTURE, "M001"),
        (f' xmlns:xhtml="{IMAGE}"', f"<url>{LOC}{VERSION}</url>", "H001"),
        ("", f"<url>{LOC}{BOUND_THERE}</url>", "H001"),
        (f' xmlns:picture="{IMAGE}"', PICTURE.replace("image:", "picture:"), None),
        (f' xmlns:xhtml="{XHTML}"', f"<url>{LOC}{VERSION}</url>", None),
    ],
)
def test_a_usual_prefix_shows_what_is_meant(declaration: str, entry: str, reported: str | None) -> None:
    assert codes(declaration, entry) & {"M001", "N001", "H001"} == ({reported} if reported else set())
