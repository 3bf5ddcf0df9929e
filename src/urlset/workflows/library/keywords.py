"""The keywords of the library's verbs: those of the command of the same name, and what only Python can give.

A test compares them with the declarations in `settings`, which check and convert the values.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from urlset.checking.context import Thresholds
from urlset.checking.policy import Policy
from urlset.web.options import WebOptions

StrPath = str | os.PathLike[str]


class Fetching(TypedDict, total=False):
    headers: Iterable[str]
    """`Name: value`, for the origins of the targets; `https://host=Name: value` for another"""
    cookies: Iterable[str]
    auth: str | Iterable[str]
    """`user:password`"""
    netrc: bool
    maps: Iterable[str]
    """`https://www.example.com=http://127.0.0.1:8000`"""
    resolve: Iterable[str]
    """`www.example.com:443:192.0.2.1`"""
    proxy: str | None
    user_agent: str | None
    concurrency: int
    delay: float
    timeout: float
    allow_private: bool
    private_hosts: Iterable[str]
    insecure: bool
    ca_file: StrPath | None
    record: StrPath | None
    replay: StrPath | None
    web: WebOptions | None
    """all of these at once, and more"""


class SitemapFetching(Fetching, total=False):
    max_files: int


class Judging(TypedDict, total=False):
    engines: Iterable[str]
    select: Iterable[str]
    ignore: Iterable[str]
    """rules by code, family letter or name"""
    severity: Mapping[str, str] | None
    thresholds: Thresholds | Mapping[str, float]
    policy: Policy | Mapping[str, Any] | Iterable[Policy | Mapping[str, Any]]
    """URL patterns that are forbidden or required"""
    root: StrPath | None
    base_url: str | None
    now: datetime | None


class CheckKeywords(Judging, SitemapFetching, total=False):
    at: str | None
    robots: Any
    """a path, bytes or an open file"""
    jobs: int
    executor: str
    ray_address: str | None
    parts: StrPath | None
    """a folder or storage URL: a check that was killed is resumed"""


class FixKeywords(Judging, total=False):
    at: str | None
    robots: StrPath | None
    only: Iterable[str]
    unsafe: bool
    allow_shrink: bool
    """more than half of the entries of a file may be removed"""
    timezone: str | None


class RenderKeywords(TypedDict, total=False):
    render: str
    """`never`, `auto` or `always`"""
    browser: StrPath | None


class AuditKeywords(Judging, RenderKeywords, Fetching, total=False):
    robots: StrPath | None
    sample: int | str | None
    """a number of pages, or a share such as "5%" """
    max_pages: int | None
    max_pages_per_host: int | None
    max_time: float | str | None
    """seconds, or a text such as "10m" """
    media: bool
    check: bool
    crawl: bool
    crawled: Iterable[StrPath]
    exclude: Iterable[str]
    date_changes: Iterable[str]
    ignore_robots: bool
    jobs: int
    executor: str
    ray_address: str | None
    parts: StrPath | None
    """a folder or storage URL for the rows, as Parquet parts"""
    state: StrPath | None
    """a folder: an audit that was stopped is resumed, and the next one fetches what may have changed"""
    fresh: bool
    known: bool


class Crawling(RenderKeywords, Fetching, total=False):
    max_pages: int | None
    max_depth: int | None
    prefix: str | None
    seed_sitemaps: bool
    fresh: bool


class CrawlKeywords(Crawling, total=False):
    parts: StrPath | None
    """a folder or storage URL for the rows, as Parquet parts"""
    include: Iterable[str]
    exclude: Iterable[str]
    follow_nofollow: bool
    ignore_robots: bool
    ignore_traps: Iterable[str]
    state: StrPath | None
    """a folder: an interrupted crawl is resumed"""


class BuildKeywords(Crawling, total=False):
    jobs: int
    executor: str
    ray_address: str | None
    base_url: str | None
    state: StrPath | None
    gzip: bool
    text: bool
    human_view: bool
    feed: Iterable[str]
    llms: bool
    write_robots: bool
    indexnow_key: str | None
    compact: bool
    dry_run: bool
    force: Iterable[str]
    shrink_percent: float
    source_kind: str | None
    db: str | None
    sql: str | None
    timezone: str | None
    source_dir: StrPath | None
    page_style: str
    index_style: str
    images: bool
    videos: bool
    evidence: Iterable[str]
    date_changes: Iterable[str]
    strict: bool
    include: Iterable[str]
    exclude: Iterable[str]
    exclude_kind: Iterable[str]
    keep: Iterable[str]
    hosts: Iterable[str]
    robots: StrPath | None
    sections: Iterable[str]
    sections_by: str
    section_include: Iterable[str]
    section_exclude: Iterable[str]
    section_keep: Iterable[str]
    now: datetime | None
