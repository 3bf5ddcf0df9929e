"""Sites that look endless and are not: each is read to its end, and none is called a trap."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.workflows.crawled_sites import crawled, html
from urlset.reading.read import read
from urlset.testing import PageAnswer, Request, Site

ITEMS = [f"/item/{number}" for number in range(900)]
MONTHS = [(year, month) for year in range(2025, 2010, -1) for month in range(12, 0, -1)]
POSTS = {month: [f"/{month[0]}/{month[1]:02}/post-{number}" for number in range(3)] for month in MONTHS}
NEWEST_FIRST = [post for month in MONTHS for post in POSTS[month]]


def a_long_list_of_known_things(request: Request) -> str | None:
    if request.path == "/":
        return html("/all", "/list?page=1")
    if request.path == "/all":
        return html(*ITEMS)
    if request.path != "/list":
        return html("/")
    page = int(request.query.partition("=")[2])
    beside = [f"/list?page={number}" for number in (page - 1, page + 1) if 1 <= number <= 300]
    return html(*ITEMS[(page - 1) * 3 : page * 3], *beside)


def fifteen_years_of_a_blog(request: Request) -> str | None:
    """Every post is known from the front pages long before the archive comes to its month."""
    parts = request.path.strip("/").split("/")
    if parts == [""]:
        return html("/page/1", "/2025/12/")
    if parts[0] == "page":
        page = int(parts[1])
        return html(*NEWEST_FIRST[page * 10 - 10 : page * 10], *([f"/page/{page + 1}"] if page < 54 else []))
    if len(parts) == 3:
        return html("/", title=parts[2])
    at = MONTHS.index((int(parts[0]), int(parts[1])))
    earlier = [f"/{year}/{month:02}/" for year, month in MONTHS[at + 1 : at + 2]]
    return html(*POSTS[MONTHS[at]], *earlier)


def a_comic_read_backwards(request: Request) -> str | None:
    if request.path == "/":
        return html("/strip/400")
    number = int(request.path.rpartition("/")[2])
    name = "".join(chr(ord("a") + int(digit)) for digit in str(number * 7919))
    return html("/", *([f"/strip/{number - 1}"] if number > 1 else []), title=f"Strip {number}: {name}")


def a_forum_of_few_long_topics(request: Request) -> str | None:
    if request.path == "/":
        return html(*(f"/topic.php?f=1&t={topic}" for topic in range(4)))
    asked = dict(piece.split("=") for piece in request.query.split("&"))
    topic, start = asked["t"], int(asked.get("start", 0))
    links = [f"/topic.php?f=1&t={topic}&start={start + 15}"] if start < 15 * 60 else []
    if not start:
        links += [f"/topic.php?t={topic}{more}" for more in ("", "&view=next", "&f=1&view=print", "&f=1&hilit=x")]
        links.append(f"/topic.php?f=1&t={topic}&sk=t&sd=a")
    return html(*links, title=f"Topic {topic}")


def a_forum_of_many_topics(request: Request) -> str | None:
    if request.path == "/":
        return html(*(f"/forum.php?f={forum}" for forum in range(20)))
    forum = request.query.partition("=")[2]
    if request.path == "/forum.php":
        return html(*(f"/topic.php?f={forum}&t={forum}{topic:02}" for topic in range(50)))
    return html("/", title=request.query)


def a_catalogue_in_sequence(request: Request) -> str | None:
    """Each product leads to the next one only; titles and addresses differ in the number, texts in what they say."""
    if request.path == "/":
        return html("/product/1")
    if not request.path.startswith("/product/"):
        return None
    number = int(request.path.rpartition("/")[2])
    name = " ".join("".join(chr(ord("a") + int(digit)) for digit in str(number * factor)) for factor in (7919, 104729))
    links = [f"/product/{each}" for each in (number - 1, number + 1) if 1 <= each <= 300]
    return html(*links, title=f"Product {number}", body=f"<p>A lamp of {name}, made by hand.</p>")


def five_languages(request: Request) -> str | None:
    languages = ("en", "de", "fr", "pt-br", "zh-hans")
    if request.path == "/":
        return html(*(f"/{each}/" for each in languages))
    own, _, rest = request.path.strip("/").partition("/")
    if own not in languages:
        return None
    beside = [f"/{each}/{rest}/" if rest else f"/{each}/" for each in languages]
    return html(*beside, *(f"/{own}/shop/{number}/shop/" for number in range(20)), f"/{own}/{own}/")


@pytest.mark.parametrize(
    ("site", "pages"),
    [
        (a_long_list_of_known_things, 900 + 300 + 2),
        (fifteen_years_of_a_blog, 1 + 54 + 180 + 540),
        (a_comic_read_backwards, 401),
        (a_forum_of_few_long_topics, 1 + 4 * (1 + 60 + 5)),
        (a_forum_of_many_topics, 1 + 20 + 1000),
        (a_catalogue_in_sequence, 301),
        (five_languages, 1 + 5 * (1 + 20 + 5)),
    ],
)
def test_read_to_the_end(site: Callable[[Request], str | None], pages: int, tmp_path: Path) -> None:
    def answer(request: Request) -> PageAnswer:
        body = None if request.path == "/robots.txt" else site(request)
        return PageAnswer(404) if body is None else PageAnswer(body=body)

    with Site(answer) as served:
        found = crawled(served, tmp_path, max_pages=3_000)
    assert found.report.traps == ()
    assert found.report.completeness.complete
    assert found.report.visited == pages


def test_a_build_lists_a_catalogue_in_sequence(tmp_path: Path) -> None:
    with Site(a_catalogue_in_sequence) as site:
        ran = run("build", site.url("/"), "--allow-private", "--out", tmp_path / "out", "--state", tmp_path / "state")
    assert ran.code == 0, ran.err + ran.text
    assert len(list(read(tmp_path / "out" / "sitemap.xml").entries())) == 301
