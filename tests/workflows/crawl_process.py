"""A crawl in a process of its own, to be killed: `python crawl_process.py URL STATE OUT CONCURRENCY`."""

from __future__ import annotations

import sys
from pathlib import Path

from urlset.settings.crawl import CrawlSettings
from urlset.testing import PageAnswer, Request
from urlset.testing.exchange import Reply
from urlset.web.options import WebOptions
from urlset.workflows.crawl import crawling
from urlset.workflows.crawl_pages import crawl_rows


def large(count: int) -> object:
    """A site of so many pages: each links to three others, some redirect, some are gone, all share a menu."""
    menu = "".join(f'<a href="/p/{number}">m</a>' for number in range(1, 8))

    def answer(request: Request) -> Reply:
        number = 0 if request.path == "/" else int(request.path[3:]) if request.path.startswith("/p/") else -1
        if not 0 <= number < count:
            return PageAnswer(404)
        if number and number % 97 == 0:
            return PageAnswer(302, headers={"Location": f"/p/{(number * 31) % count}"})
        if number and number % 211 == 0:
            return PageAnswer(410)
        ahead = (number * 2 + 1, number * 2 + 2, number + 1, (number * 7) % count)
        links = "".join(f'<a href="/p/{each}?utm_source=x">{each}</a>' for each in ahead if each < count)
        return PageAnswer(
            body=f"<!doctype html><html><head><title>{number}</title></head><body>{menu}{links}</body></html>"
        )

    return answer


def main(url: str, state: str, out: str, concurrency: str) -> None:
    web = WebOptions(allow_private=True, concurrency=int(concurrency), backoff=0.01)
    with (
        crawling(CrawlSettings(url=url, state=Path(state), web=web)) as (frontier, report),
        Path(out).open("w", encoding="utf-8") as file,
    ):
        for row in crawl_rows(frontier):
            print(row.url, row.state, row.reason, row.depth, row.via, row.found_on, row.title, sep="\t", file=file)
    sys.stdout.write(f"{report.ended} {report.visited} {report.completeness.complete}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
