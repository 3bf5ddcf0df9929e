"""Many faulty pages → few causes, told as one difference between addresses."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.auditing.causes import Cause, Causes
from urlset.auditing.sections import CauseScope, scopes, section_of, whole_sections
from urlset.auditing.symptoms import differences, doubt_of, symptom_of
from urlset.model.answer import Failure, FailureKind
from urlset.model.page import BotDirectives, Canonical
from urlset.model.visit import Likelihood, State, Visit


@pytest.mark.parametrize(
    ("listed", "target", "found"),
    [
        ("http://e.test/a", "https://e.test/a", ("http instead of https",)),
        ("https://e.test/a", "https://www.e.test/a", ("host without www.",)),
        ("https://www.e.test/a", "https://e.test/a", ("host with www.",)),
        ("https://e.test/a", "https://f.test/a", ("host e.test instead of f.test",)),
        ("https://e.test:8443/a", "https://e.test/a", ("port 8443 instead of none",)),
        ("https://e.test/a", "https://e.test/a/", ("missing trailing slash",)),
        ("https://e.test/a/", "https://e.test/a", ("extra trailing slash",)),
        ("https://e.test/A/b", "https://e.test/a/b", ("uppercase letters in the path",)),
        ("https://e.test/a/b", "https://e.test/A/b", ("different letter case in the path",)),
        ("https://e.test/a.html", "https://e.test/a", ("extra extension .html",)),
        ("https://e.test/a.html", "https://e.test/a/", ("extra extension .html",)),
        ("https://e.test/a", "https://e.test/a.php", ("missing extension .php",)),
        ("https://e.test/a.php", "https://e.test/a.html", ("extension .php instead of .html",)),
        ("https://e.test/a/index.html", "https://e.test/a/", ("superfluous index.html",)),
        ("https://e.test/index.php", "https://e.test/", ("superfluous index.php",)),
        ("https://e.test//a", "https://e.test/a", ("doubled slash",)),
        ("https://e.test/%C3%A4(1)", "https://e.test/%C3%A4%281%29", ("other percent-encoding",)),
        ("https://e.test/a", "https://e.test/en/a", ("missing language /en",)),
        ("https://e.test/de-AT/a", "https://e.test/a", ("superfluous language /de-AT",)),
        ("https://e.test/blog/a", "https://e.test/news/a", ("path prefix /blog instead of /news",)),
        ("https://e.test/blog/a", "https://e.test/a", ("superfluous folder /blog",)),
        ("https://e.test/a?sid=1", "https://e.test/a", ("extra session parameter sid",)),
        ("https://e.test/a?b=1&a=2", "https://e.test/a?a=2&b=1", ("different parameter order",)),
        ("https://e.test/a", "https://e.test/a?lang=en", ("missing parameter lang",)),
        ("https://e.test/a?p=1", "https://e.test/a?p=2", ("different parameter values",)),
        (
            "http://e.test/a",
            "https://www.e.test/a/",
            ("http instead of https", "host without www.", "missing trailing slash"),
        ),
        (
            "https://e.test/Old/a",
            "https://e.test/new/A/",
            ("missing trailing slash", "path prefix /Old instead of /new"),
        ),
        ("https://e.test/x/y", "https://e.test/", ("another page",)),
        ("https://e.test/a", "https://e.test/b", ("another page",)),
        ("https://e.test/en/blog/a", "https://e.test/en/news/a", ("path prefix /blog instead of /news",)),
        (
            "https://e.test/a?color=1&utm_source=x&sid=2",
            "https://e.test/a",
            ("extra parameter color", "extra session parameter sid", "extra tracking parameter utm_source"),
        ),
        ("https://e.test/a", "https://e.test/a", ()),
        ("no address", "https://e.test/a", ("another page",)),
    ],
)
def test_differences(listed: str, target: str, found: tuple[str, ...]) -> None:
    assert tuple(map(str, differences(listed, target))) == found


def redirected(url: str, target: str) -> Visit:
    return Visit(url=url, state=State.REDIRECTED, status=200, final_url=target)


def gone(url: str) -> Visit:
    return Visit(url=url, state=State.GONE, status=404, reason="404 Not Found")


def fine(url: str) -> Visit:
    return Visit(url=url, state=State.OK, status=200)


def explained(visits: Iterable[Visit], source: str = "sitemap.xml", most: int = 4000) -> list[Cause]:
    causes = Causes(most)
    for visit in visits:
        causes.listed(visit.url, source)
        symptom = symptom_of(visit, {}, 2) or doubt_of(visit)
        if symptom is not None:
            causes.add(symptom, visit.url, source, symptom.codes[:1])
    return sorted((each for each in causes.found() if not each.is_rest), key=lambda each: (-each.count, each.title))


def said(visits: Iterable[Visit]) -> list[str]:
    return list(map(str, explained(visits)))


def test_one_cause_for_many_redirects() -> None:
    slash = [redirected(f"https://e.test/p/{number}", f"https://e.test/p/{number}/") for number in range(986)]
    secure = [redirected(f"http://e.test/q/{number}", f"https://e.test/q/{number}") for number in range(5)]
    single = [redirected("https://e.test/x", "https://e.test/y"), fine("https://e.test/fine")]
    first, second = explained([*slash, *secure, *single])
    assert str(first) == "986 of 992 redirected: missing trailing slash"
    assert first.examples[0] == ("https://e.test/p/0", "https://e.test/p/0/")
    assert (len(first.examples), first.lost) == (3, 0)
    assert (second.title, second.count) == ("http instead of https", 5)


def test_a_page_with_two_differences_belongs_to_the_more_frequent() -> None:
    slash = [redirected(f"https://e.test/p/{number}", f"https://e.test/p/{number}/") for number in range(50)]
    both = [redirected(f"http://e.test/q/{number}", f"https://e.test/q/{number}/") for number in range(5)]
    assert said([*slash, *both]) == ["55 of 55 redirected: missing trailing slash"]
    always = [redirected(f"http://e.test/q/{n}", f"https://www.e.test/q/{n}") for n in range(9)]
    assert said(always) == ["9 of 9 redirected: http instead of https and host without www."]


def test_one_move_from_many_folders_is_one_cause() -> None:
    names = ("tables", "chairs", "sofas", "desks", "beds")
    moved = [redirected(f"https://e.test/{n}/{i}", f"https://e.test/p/{i}") for n in names for i in range(4)]
    other = [redirected(f"https://e.test/blog/{i}", f"https://e.test/news/{i}") for i in range(3)]
    assert said([*moved, *other]) == [
        "20 of 23 redirected: path prefix changed to /p, from /beds, /chairs, /desks, and 2 more",
        "3 of 23 redirected: path prefix /blog instead of /news",
    ]


def test_filters_are_one_cause_and_sessions_another() -> None:
    def copy(url: str) -> Visit:
        return Visit(url=url, state=State.OK, status=200, canonicals=(Canonical(url.partition("?")[0]),))

    queries = {"color=1": 9, "size=2": 8, "color=1&size=2": 7, "material=3": 6, "PHPSESSID=ab12": 5}
    copies = [copy(f"https://e.test/p/{i}?{query}") for query, count in queries.items() for i in range(count)]
    assert said(copies) == [
        "30 of 35 not canonical: extra parameters color, size, material",
        "5 of 35 not canonical: extra session parameter PHPSESSID",
    ]


def test_many_pages_led_to_the_home_page() -> None:
    home = [redirected(f"https://e.test/old/{number}", "https://e.test/") for number in range(40)]
    sale = [redirected(f"https://e.test/x-{number}", "https://e.test/sale") for number in range(7)]
    found = explained([*home, *sale])
    assert [(each.title, each.lost) for each in found] == [
        ("redirect to the home page: https://e.test/", 40),
        ("many pages point to https://e.test/sale", 7),
    ]


def test_products_that_lead_to_their_categories_are_one_cause() -> None:
    moved = [
        redirected(f"https://e.test/p/{c}x{i}", f"https://e.test/c/kind-{c}/") for c in range(20) for i in range(5)
    ]
    assert said(moved) == ["100 of 100 redirected: /p/* → /c/*/"]


def test_missing_pages_are_one_cause_across_folders_and_a_missing_section_another() -> None:
    shop = [
        (gone if number % 20 == 0 else fine)(f"https://e.test/{name}/{number}")
        for name in ("tables", "chairs", "sofas")
        for number in range(400)
    ]
    outlet = [gone(f"https://e.test/outlet/{number}") for number in range(100)]
    assert said([*shop, *outlet]) == [
        "100 of 160 gone: 404 Not Found below /outlet/* (all 100 pages)",
        "60 of 160 gone: 404 Not Found below /chairs/*, /sofas/*, /tables/*",
    ]
    assert said(shop) == ["60 of 60 gone: 404 Not Found below /chairs/*, /sofas/*, /tables/*"]
    assert said(outlet) == ["100 of 100 gone: 404 Not Found below /outlet/* (all 100 pages)"]


def test_pages_with_a_trailing_slash_are_not_sections() -> None:
    names = ("felt", "paper", "glass", "brass", "oak")
    shop = [
        (gone if number == 3 else fine)(f"https://e.test/{name}/{word}/")
        for number, word in enumerate(("alpha", "beta", "gamma", "delta", "epsilon", "zeta"))
        for name in names
    ]
    assert said(shop) == ["5 of 5 gone: 404 Not Found below /brass/*, /felt/*, /glass/*, and 2 more"]


def test_whole_sections_of_different_sitemaps_have_different_causes() -> None:
    causes = Causes()
    for source, name in (("https://e.test/post-sitemap1.xml", "posts"), ("https://e.test/tag-sitemap.xml", "tags")):
        for number in range(10):
            visit = gone(f"https://e.test/{name}/{number}")
            symptom = symptom_of(visit, {}, 2)
            assert symptom is not None
            causes.listed(visit.url, source)
            causes.add(symptom, visit.url, source, ("A001",))
    assert sorted((each.title, each.count) for each in causes.found()) == [
        ("404 Not Found below /posts/* (all 10 pages)", 10),
        ("404 Not Found below /tags/* (all 10 pages)", 10),
    ]


def test_a_flat_site_is_divided_by_its_sitemaps() -> None:
    causes = Causes()
    for source, word, faulty in (("posts.xml", "post", 10), ("tags.xml", "tag", 1)):
        for number in range(200):
            visit = (gone if number % faulty == 0 else fine)(f"https://e.test/{word}-{number}")
            causes.listed(visit.url, source)
            symptom = symptom_of(visit, {}, 2)
            if symptom is not None:
                causes.add(symptom, visit.url, source, ("A001",))
    assert sorted((each.count, each.title) for each in causes.found()) == [
        (20, "404 Not Found in posts.xml"),
        (200, "404 Not Found in tags.xml"),
    ]


def test_few_pages_with_a_symptom_are_no_cause() -> None:
    timeout = Failure(FailureKind.READ_TIMEOUT)
    slow = Visit(url="https://e.test/slow", state=State.ERROR, failure=timeout, reason="the server stopped answering")
    assert said([slow, gone("https://e.test/a"), gone("https://e.test/b")]) == []


def test_server_errors_of_several_kinds_are_one_cause() -> None:
    reasons = {500: "500 Internal Server Error", 502: "502 Bad Gateway", 503: "503 Service Unavailable"}
    failed = [
        Visit(url=f"https://e.test/r/{code}x{i}", state=State.ERROR, status=code, reason=reason)
        for code, reason in reasons.items()
        for i in range(5)
    ]
    (cause,) = said([*failed, *(fine(f"https://e.test/s/{i}") for i in range(50))])
    assert cause == (
        "15 of 15 failed: server errors (500 Internal Server Error, 502 Bad Gateway, 503 Service Unavailable)"
        " below /r/* (all 15 pages)"
    )


def test_what_pages_say_of_themselves() -> None:
    visits = []
    for number in range(4):
        url = f"https://e.test/tag/{number}"
        visits.append(Visit(url=url, state=State.OK, status=200, robots=(BotDirectives("robots", ("noindex",)),)))
        other = f"https://e.test/p/{number}?ref=1"
        visits.append(Visit(url=other, state=State.OK, status=200, canonicals=(Canonical(f"/p/{number}"),)))
        visits.append(Visit(url=f"https://e.test/c/{number}", state=State.OK, status=200, soft_404=Likelihood(0.9)))
        visits.append(Visit(url=f"https://e.test/t/{number}", state=State.OK, status=200, thin=Likelihood(0.9)))
    found = {(each.kind, each.title, each.code, each.lost) for each in explained(visits)}
    assert found == {
        ("noindex", "noindex in the page below /tag/* (all 4 pages)", "A006", 4),
        ("not canonical", "extra parameter ref", "A012", 0),
        ("soft 404", "error pages sent with status 200 below /c/* (all 4 pages)", "A019", 4),
        ("thin", "almost no unique content below /t/* (all 4 pages)", "A019", 0),
    }


def test_what_follows_from_a_cause_is_counted_with_it() -> None:
    causes = Causes()
    for number in range(5):
        visit = redirected(f"https://e.test/de/{number}", f"https://e.test/de/{number}/")
        symptom = symptom_of(visit, {}, 2)
        assert symptom is not None
        for _ in range(number):
            causes.follows(symptom, section_of(visit.url), "H024")
        group = causes.add(symptom, visit.url, "s.xml", ("A003",))
    (cause,) = causes.found()
    assert (cause.count, cause.affected, cause.consequences) == (5, 15, {"H024": 10})
    assert causes.cause_of[group] == 0


def test_sections() -> None:
    assert section_of("https://e.test/en/tables/oak/x.html?a=/b/") == "/en/tables/oak/"
    assert section_of("https://e.test/shop/2024-01/x") == "/shop/"
    assert (
        section_of("https://e.test/lamps/wall/felt/") == section_of("https://e.test/lamps/wall/felt") == "/lamps/wall/"
    )
    assert section_of("https://e.test/about/") == section_of("https://e.test/") == "/"
    assert section_of("https://e.test/x") == section_of("no address") == "/"
    listed = {"/de/a/": 10, "/de/b/": 10, "/en/a/": 10, "/": 1}
    assert scopes({"/de/a/": 10, "/de/b/": 10}, listed) == (CauseScope("/de/", 20, 20),)
    assert scopes({"/de/a/": 10, "/": 1}, listed) == (CauseScope("/de/a/", 10, 10), CauseScope("/", 1, 1))


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 300), st.integers(1, 300)), min_size=1))
def test_whole_sections_are_nearly_all_faulty(pages: dict[str, tuple[int, int]]) -> None:
    listed = {name: bad + good for name, (bad, good) in pages.items()}
    faulty = {name: bad for name, (bad, _) in pages.items() if bad}
    for name in whole_sections(faulty, listed):
        assert faulty[name] >= 0.8 * listed[name]


def test_memory_is_bounded_however_many_the_causes() -> None:
    tracemalloc.start()
    try:
        found = explained(
            (
                redirected(f"https://e.test/a{number}x/b{number}y/c", f"https://h{number}.test/b{number}/{number}")
                for number in range(4_000)
            ),
            most=100,
        )
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert sum(each.count for each in found) > 3_900
    assert len(found) < 5
