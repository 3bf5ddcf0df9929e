"""Translations: the full set on each page, and no set made of pages that only share a home page."""

from __future__ import annotations

from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from urlset.building.alternates import Alternates
from urlset.model.entry import Alternate, Entry, Image, Media
from urlset.writing.media import media_xml

SITE = "https://example.com/"
NAMES = "ab'cd&ef"


def page(path: str, *links: str, **others: object) -> Entry:
    """Links as `de=a` for the page a."""
    pairs = (link.split("=") for link in links)
    alternates = tuple(Alternate(name, SITE + href) for name, href in pairs)
    return Entry(SITE + path, media=Media(alternates=alternates, **others))  # type: ignore[arg-type]


def completed(*pages: Entry, languages: dict[str, str] | None = None) -> dict[str, list[str]]:
    together = Alternates(Path("translations"))
    for entry in pages:
        together.add(entry, (languages or {}).get((entry.loc or "").removeprefix(SITE)))
    return {
        (entry.loc or "").removeprefix(SITE): [
            f"{link.hreflang}={(link.href or '').removeprefix(SITE)}" for link in together.complete(entry).alternates
        ]
        for entry in pages
    }


def test_half_sets_become_whole() -> None:
    full = ["de=b", "en=a", "fr=c"]
    assert completed(page("a", "en=a", "de=b"), page("b", "de=b", "fr=c"), page("c")) == dict.fromkeys("abc", full)


def test_the_page_itself_is_named_once_its_language_is_known() -> None:
    assert completed(page("a", "de=b"), page("b", "en=a")) == {"a": ["de=b", "en=a"], "b": ["de=b", "en=a"]}
    assert completed(page("a", "de=b"), page("b"), languages={"a": "en"}) == {
        "a": ["de=b", "en=a"],
        "b": ["de=b", "en=a"],
    }
    assert completed(page("a", "de=b")) == {"a": ["de=b"]}


def test_pages_with_one_default_are_not_translations_of_each_other() -> None:
    assert completed(page("a", "en=a", "x-default=home"), page("b", "en=b", "x-default=home"), page("home")) == {
        "a": ["en=a", "x-default=home"],
        "b": ["en=b", "x-default=home"],
        "home": [],
    }


def test_two_defaults_stay_with_their_pages() -> None:
    assert completed(page("a", "en=a", "de=b", "x-default=a"), page("b", "de=b", "en=a", "x-default=b")) == {
        "a": ["de=b", "en=a", "x-default=a"],
        "b": ["de=b", "en=a", "x-default=b"],
    }


def test_a_set_that_contradicts_itself_is_left_alone_and_told() -> None:
    pages = [page("a", "en=a", "fr=home"), page("b", "en=b", "fr=home"), page("home")]
    assert completed(*pages) == {"a": ["en=a", "fr=home"], "b": ["en=b", "fr=home"], "home": []}
    together = Alternates(Path("translations"))
    for entry in pages:
        together.add(entry)
    (trouble,) = together.troubles()
    assert trouble.origin == f"{SITE}a"
    assert trouble.reason == f"hreflang 'en' is used for this page and for '{SITE}b'"


def test_case_makes_no_language() -> None:
    found = completed(page("a", "en-GB=a", "de=b"), page("b", "en-gb=a", "de=b"))
    assert found == {"a": ["de=b", "en-GB=a"], "b": ["de=b", "en-GB=a"]}


def test_other_links_and_extensions_stay() -> None:
    mobile = Alternate(None, f"{SITE}m", media="only screen")
    entry = Entry(f"{SITE}a", media=Media(images=(Image("i"),), alternates=(mobile, Alternate("de", f"{SITE}b"))))
    together = Alternates(Path("translations"))
    together.add(entry, "en")
    found = together.complete(entry)
    assert found.images == entry.images
    assert found.alternates == (Alternate("de", f"{SITE}b"), Alternate("en", f"{SITE}a"), mobile)


LINKS = st.lists(
    st.tuples(st.sampled_from(("de", "DE", "en", "fr", "x-default")), st.sampled_from("abcdef")), max_size=4
)


@given(st.dictionaries(st.sampled_from("abcdef"), LINKS, max_size=6), st.randoms())
def test_sets_are_reciprocal_and_do_not_depend_on_order(site: dict[str, list[tuple[str, str]]], chance: Random) -> None:
    pages = [page(path, *(f"{name}={href}" for name, href in links)) for path, links in site.items()]
    found = completed(*pages)
    chance.shuffle(pages)
    assert completed(*pages) == found
    together = Alternates(Path("translations"))
    for entry in pages:
        together.add(entry)
    if list(together.troubles()):
        return
    for path, links in found.items():
        named = {link for link in links if not link.startswith("x-default")}
        for link in named:
            other = link.partition("=")[2]
            if other in found:
                assert {each for each in found[other] if not each.startswith("x-default")} == named, path


def test_lines_are_what_the_completed_page_would_say() -> None:
    """For any pages; those of one page as it came, and those that it gets from others."""
    for seed in range(2_000):
        random = Random(seed)
        pages = []
        for path in random.sample("abcdef", random.randint(1, 6)):
            named = [
                f"{random.choice(('de', 'DE', 'en', 'fr', 'x-default'))}={random.choice(NAMES)}"
                for _ in range(random.choice((0, 1, 2, 2, 3, 4)))
            ]
            pages.append(page(path, *named))
        together = Alternates(Path("translations"))
        numbers = [together.add(each, random.choice((None, "de", "en"))) for each in pages]
        for each, number in zip(pages, numbers, strict=True):
            lines = together.lines_at(each.loc or "") if number is None else together.lines(number)
            assert lines.decode() == media_xml(together.complete(each).media)


def test_links_to_other_devices_are_not_said_in_lines() -> None:
    mobile = Alternate(href="https://m.example.com/", media="only screen")
    both = Entry(SITE, media=Media(alternates=(Alternate("de", SITE), mobile)))
    assert Alternates(Path("translations")).add(both) is None
