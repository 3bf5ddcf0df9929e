"""Link headers, well and badly formed → links."""

from __future__ import annotations

import pytest

from urlset.auditing.facts import header_links


@pytest.mark.parametrize(
    ("value", "links"),
    [
        ('<https://e.test/a>; rel="canonical"', [("https://e.test/a", ("canonical",))]),
        ("</a>;rel=canonical", [("/a", ("canonical",))]),
        ('</a,b;c>; rel="canonical"', [("/a,b;c", ("canonical",))]),
        ('</a>; rel="next Canonical"; rel="prev"', [("/a", ("next", "canonical"))]),
        ('</a>; title="x, <y>; z"; rel=prev, </b>; rel=next', [("/a", ("prev",)), ("/b", ("next",))]),
        ('</a>; rel="canonical', [("/a", ())]),
        ("</a>", [("/a", ())]),
        ("nonsense", []),
        ("<never closed", []),
        ("", []),
        (", , </a>; rel=x,", [("/a", ("x",))]),
    ],
)
def test_links(value: str, links: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(each.target, each.rels) for each in header_links([value])] == links


def test_attributes_and_several_headers() -> None:
    first, second = header_links(['</de>; rel=alternate; hreflang="de-AT"', '</b>; rel="canonical"; type=text/html'])
    assert first.attributes["hreflang"] == "de-AT"
    assert second.attributes["type"] == "text/html"


def test_a_hostile_header_is_bounded() -> None:
    assert len(list(header_links(["<a>;" * 100_000, '<a>; x="' + "\\" * 60_000]))) <= 500
