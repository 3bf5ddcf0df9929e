"""Some removed URLs of a live site → where they redirect now; robots.txt is obeyed, other hosts are not asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import islice

from urlset.reading.host_robots import origin_of
from urlset.snapshots.delta import Loose
from urlset.web.client import Client
from urlset.web.loop import run
from urlset.web.options import WebOptions

_CAP = 1 << 12
"""bytes of a page that are read: only its address matters"""


def redirects_of(removed: Iterable[Loose], site: str, most: int, web: WebOptions) -> dict[str, str]:
    """URL → where it ended, for those on the host of `site` that redirect to a page that is there."""
    origin = origin_of(site)
    wanted = list(islice((each.loc for each in removed if origin_of(each.loc) == origin), most))
    return run(_ask(wanted, site, web)) if wanted else {}


async def _ask(urls: list[str], site: str, web: WebOptions) -> dict[str, str]:
    async with Client(web, named=[site], resumed=True) as client:
        answers = await asyncio.gather(*(_target(client, url) for url in urls))
    return {url: target for url, target in zip(urls, answers, strict=True) if target is not None}


async def _target(client: Client, url: str) -> str | None:
    robots = await client.robots(url)
    if not robots.match(client.options.token, url).allowed:
        return None
    answer = await client.get(url, cap=_CAP)
    return answer.final_url if answer.hops and answer.status == 200 and answer.final_url else None
