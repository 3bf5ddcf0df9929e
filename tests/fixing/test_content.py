"""A fix removes no text, attribute or element that its finding is not about."""

from __future__ import annotations

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, rule
from urlset.checking.subjects import Sitemap
from urlset.findings.card import Severity
from urlset.findings.finding import Fix, Problem, Safety
from urlset.findings.fix_result import FixResult
from urlset.fixing.choose import FixOptions
from urlset.fixing.fix import fix_document
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.reading.read import read
from urlset.spec import namespaces
from urlset.workflows.library.check import fix

HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{namespaces.SITEMAP}" xmlns:x="urn:x">'


def remover(shown: bytes, *removed: bytes, safety: Safety, added: bytes = b"") -> AnyRule:
    """A rule that shows some bytes and removes others."""

    @rule("XX001", "remover", severity=Severity.WARNING, cites=(), bad=(), good=())
    def check(sitemap: Sitemap):  # type: ignore[no-untyped-def]  # noqa: ANN202
        """One.

        Two.
        """
        data = sitemap.data
        if all(each in data for each in (shown, *removed)):
            edits = [Edit(Place(data.index(each), len(each)), b"") for each in removed]
            edits += [Edit(Place(data.rindex(b"</url>")), added)] if added else []
            yield Problem(Place(data.index(shown), len(shown)), "m", Fix("t", tuple(edits), safety))

    return check


def fixed(inside: str, made: AnyRule) -> FixResult:
    data = f"{HEAD}<url><loc>https://a.org/</loc>{inside}</url></urlset>\n".encode()
    return fix_document(read(data), [made], Context(), FixOptions(unsafe=True))


NOTE = '<x:note id="7"><x:a>kept words</x:a></x:note>'


@pytest.mark.parametrize(
    ("shown", "safety", "removes"),
    [
        pytest.param(NOTE, Safety.SAFE, True, id="all of it is shown"),
        pytest.param("<x:note", Safety.SAFE, False, id="safe, a part is shown"),
        pytest.param("<x:note", Safety.REVIEW, True, id="unsafe, the element is named"),
        pytest.param("<loc>", Safety.REVIEW, False, id="unsafe, another element is named"),
    ],
)
def test_elements_go_only_with_their_finding(shown: str, safety: Safety, removes: bool) -> None:
    result = fixed(NOTE, remover(shown.encode(), NOTE.encode(), safety=safety))
    assert result.changed is removes
    if not removes:
        assert [each.reason for each in result.left] == ["its fix would also remove '7'"]


@pytest.mark.parametrize("added", [b"", NOTE.encode()])
def test_content_may_move(added: bytes) -> None:
    made = remover(b"<x:b/>", NOTE.encode(), b"<x:b/>", safety=Safety.SAFE, added=added)
    assert fixed(NOTE + "<x:b/>", made).changed is bool(added)


@pytest.mark.parametrize("removed", ["<x:b/>", "<!-- words -->", "<priority>0.5</priority>", "<x:b xmlns:y='urn:y'/>"])
def test_markup_without_content_may_go(removed: str) -> None:
    assert fixed(removed, remover(b"<loc>", removed.encode(), safety=Safety.SAFE)).changed


@pytest.mark.parametrize("unsafe", [False, True])
def test_feed_items_of_one_page_with_other_titles_are_kept(unsafe: bool) -> None:
    items = "".join(f"<item><title>{title}</title><link>https://a.org/p</link></item>" for title in ("one", "two"))
    data = f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>{items}</channel></rss>\n'.encode()
    assert fix(data, unsafe=unsafe).data.count(b"<item>") == 2


def test_elements_that_are_unknown_are_not_lost_with_a_duplicate() -> None:
    entry = "<url><loc>https://a.org/p</loc>{}</url>"
    data = f"{HEAD}{entry.format('<x:a>one</x:a>')}{entry.format('<x:a>two</x:a>')}</urlset>\n".encode()
    result = fix(data, unsafe=True)
    assert b"one" in result.data
    assert b"two" in result.data
    assert result.data.count(b"<loc>") == 1
