"""Many faulty pages → few causes, told as one difference between addresses."""

from __future__ import annotations

import tracemalloc

import pytest

from urlset.auditing.causes import Causes
from urlset.auditing.differences import differences
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
        ("https://e.test/a?sid=1", "https://e.test/a", ("extra parameter sid",)),
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
            ("missing trailing slash and path prefix /Old instead of /new",),
        ),
        ("https://e.test/x/y", "https://e.test/", ("another page",)),
        ("https://e.test/a", "https://e.test/b", ("another page",)),
        ("https://e.test/a", "https://e.test/login?next=/a", ("redirect to a login page",)),
        ("https://e.test/a", "https://e.test/a", ()),
        ("no address", "https://e.test/a", ("another page",)),
    ],
)
def test_differences(listed: str, target: str, found: tuple[str, ...]) -> None:
    assert differences(listed, target) == found


def redirected(url: str, target: str) -> Visit:
    return Visit(url=url, state=State.REDIRECTED, status=200, final_url=target)


def test_one_cause_for_many_redirects() -> None:
    causes = Causes()
    for number in range(986):
        causes.add(redirected(f"https://e.test/p/{number}", f"https://e.test/p/{number}/"))
    for number in range(5):
        causes.add(redirected(f"http://e.test/q/{number}", f"https://e.test/q/{number}"))
    causes.add(redirected("https://e.test/x", "https://e.test/y"))
    causes.add(Visit(url="https://e.test/fine", state=State.OK, status=200))
    first, second, last = causes.found()
    assert str(first) == "986 of 992 redirected: missing trailing slash"
    assert first.examples[0] == ("https://e.test/p/0", "https://e.test/p/0/")
    assert len(first.examples) == 3
    assert (second.title, second.count) == ("http instead of https", 5)
    assert (last.title, last.count) == ("other", 1)


def test_many_pages_led_to_the_home_page() -> None:
    causes = Causes()
    for number in range(40):
        causes.add(redirected(f"https://e.test/old/{number}", "https://e.test/"))
    for number in range(7):
        causes.add(redirected(f"https://e.test/x-{number}", "https://e.test/sale"))
    titles = [each.title for each in causes.found()]
    assert titles == ["redirect to the home page: https://e.test/", "many pages point to https://e.test/sale"]


def test_what_is_gone_or_failed_by_folder() -> None:
    causes = Causes()
    for number in range(30):
        causes.add(Visit(url=f"https://e.test/shop/{number}", state=State.GONE, status=404, reason="404 Not Found"))
    causes.add(Visit(url="https://e.test/blog/x", state=State.GONE, status=404, reason="404 Not Found"))
    timeout = Failure(FailureKind.READ_TIMEOUT)
    causes.add(
        Visit(url="https://e.test/slow", state=State.ERROR, failure=timeout, reason="the server stopped answering")
    )
    blocked = "403 with a Cloudflare challenge page"
    causes.add(Visit(url="https://e.test/b", state=State.BLOCKED, status=403, reason=blocked))
    found = {(each.kind, each.title): each.count for each in causes.found()}
    assert found == {
        ("gone", "404 Not Found below /shop/*"): 30,
        ("gone", "404 Not Found"): 1,
        ("failed", "the server stopped answering"): 1,
        ("blocked", blocked): 1,
    }


def test_what_pages_say_of_themselves() -> None:
    causes = Causes()
    for number in range(4):
        url = f"https://e.test/tag/{number}"
        causes.add(Visit(url=url, state=State.OK, status=200, robots=(BotDirectives("robots", ("noindex",)),)))
        other = f"https://e.test/p/{number}?ref=1"
        causes.add(Visit(url=other, state=State.OK, status=200, canonicals=(Canonical(f"/p/{number}"),)))
        causes.add(Visit(url=f"https://e.test/c/{number}", state=State.OK, status=200, soft_404=Likelihood(0.9)))
    found = {(each.kind, each.title, each.code) for each in causes.found()}
    assert found == {
        ("noindex", "noindex in the page below /tag/*", "A006"),
        ("not canonical", "extra parameter ref", "A012"),
        ("soft 404", "error pages sent with status 200 below /c/*", "A019"),
    }


def test_pages_that_each_stand_for_another_are_told_by_the_shapes_of_both() -> None:
    causes = Causes(most=20)
    for number in range(50):
        url = f"https://e.test/view?id={number}"
        causes.add(Visit(url=url, state=State.OK, status=200, canonicals=(Canonical(f"/shop/thing-{number}/"),)))
    causes.add(Visit(url="https://e.test/x", state=State.OK, status=200, canonicals=(Canonical("/y/z/w"),)))
    found = [(each.title, each.count) for each in causes.found()]
    assert found == [("/*? → /shop/*/", 50), ("other", 1)]


def test_memory_is_bounded_however_many_the_causes() -> None:
    causes = Causes(most=200)
    tracemalloc.start()
    try:
        for number in range(20_000):
            causes.add(redirected(f"https://e.test/a/{number}", f"https://h{number}.test/b{number}/{number}"))
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
    found = causes.found()
    assert sum(each.count for each in found) == 20_000
    assert found[-1].title == "other"
