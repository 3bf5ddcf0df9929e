"""The keywords of the library's verbs, written by `make docs` from the declarations in `settings`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from urlset.checking.context import Policy, Thresholds
from urlset.web.options import WebOptions

StrPath = str | os.PathLike[str]


class AccessKeywords(TypedDict, total=False):
    headers: Iterable[str]
    """Send a header to the site"""
    cookies: Iterable[str]
    """Send a cookie to the site"""
    auth: Iterable[str]
    """Sign in with basic authentication"""
    netrc: bool
    """Sign in with credentials from .netrc"""
    maps: Iterable[str]
    """Send requests for ORIGIN to SERVER"""
    resolve: Iterable[str]
    """Use this IP address for HOST and PORT"""
    proxy: str | None
    """HTTP proxy for all other requests"""


class FetchKeywords(AccessKeywords, total=False):
    user_agent: str | None
    """Override the User-Agent header"""
    concurrency: int
    """Parallel requests per host"""
    delay: float
    """Pause after each response, one request at a time"""
    timeout: float
    """Time limit for one response"""
    allow_private: bool
    """Fetch the given hosts even on private networks"""
    private_hosts: Iterable[str]
    """Also fetch from this private host"""
    insecure: bool
    """Accept any TLS certificate"""
    ca_file: StrPath | None
    """Extra trusted certificates (PEM)"""
    record: StrPath | None
    """Save every response to FILE"""
    replay: StrPath | None
    """Read responses from FILE, fetch nothing"""
    web: WebOptions | None


class SitemapFetchKeywords(FetchKeywords, total=False):
    max_files: int
    """Fetch at most N sitemaps"""


class RuleKeywords(TypedDict, total=False):
    select: Iterable[str]
    """Run only these rules: codes, families, names"""
    ignore: Iterable[str]
    """Skip these rules"""
    engines: Iterable[str]
    """Search engines to check for"""
    severity: Mapping[str, str] | None
    """Change the severity of a rule"""
    thresholds: Thresholds | Mapping[str, float]
    """Change a threshold"""
    policy: Policy | Mapping[str, Any] | Iterable[Policy | Mapping[str, Any]]
    """Forbid or require URL patterns"""


class SiteKeywords(TypedDict, total=False):
    root: StrPath | None
    """Folder that holds the site's files"""
    base_url: str | None
    """URL that `root` is served at"""
    robots: Any
    """robots.txt of the site"""


class JudgeKeywords(RuleKeywords, SiteKeywords, total=False):
    now: datetime | None


class WorkerKeywords(TypedDict, total=False):
    jobs: int
    """Worker processes; 0 is one per core"""
    executor: str
    """Where files and pages are processed"""
    ray_address: str | None
    """Ray cluster for `executor` ray"""


class PartsKeywords(TypedDict, total=False):
    parts: StrPath | None
    """Keep results there; a killed run resumes"""


class CheckKeywords(JudgeKeywords, SitemapFetchKeywords, WorkerKeywords, PartsKeywords, total=False):
    at: str | None
    """URL of the sitemap file"""


class FixKeywords(JudgeKeywords, total=False):
    unsafe: bool
    """Also apply fixes that may change the meaning"""
    allow_shrink: bool
    """Allow removing more than half of the entries of a file"""
    only: Iterable[str]
    """Apply only the fixes of these rules"""
    timezone: str | None
    """Offset of times without one, such as +02:00"""
    at: str | None
    """URL of the sitemap file"""


class RenderKeywords(TypedDict, total=False):
    render: str
    """Run scripts in a browser; auto: on script shells only"""
    browser: StrPath | None
    """Chromium, Chrome or Edge to use"""


class AuditKeywords(JudgeKeywords, RenderKeywords, FetchKeywords, WorkerKeywords, PartsKeywords, total=False):
    sample: int | str | None
    """Audit N pages or P% of them, stratified"""
    max_pages: int | None
    """Fetch N pages, then stop; run again to resume"""
    max_pages_per_host: int | None
    """The same for each host by itself"""
    max_time: float | str | None
    """Stop after TIME, such as 90s, 10m or 2h"""
    media: bool
    """Also fetch listed images and videos"""
    check: bool
    """Also check the sitemaps themselves"""
    crawl: bool
    """Crawl the site and compare it with the sitemap"""
    crawled: Iterable[StrPath]
    """Compare with the export of a crawler instead"""
    exclude: Iterable[str]
    """With `crawl=True`: skip matching URLs"""
    date_changes: Iterable[str]
    """Parts of a page whose change moves its lastmod"""
    ignore_robots: bool
    """Ignore robots.txt (your own site only)"""
    state: StrPath | None
    """Folder for audit state"""
    fresh: bool
    """Start over instead of resuming"""
    known: bool
    """Report the previous run, fetch nothing"""


class CrawlLimitKeywords(TypedDict, total=False):
    max_pages: int | None
    """Stop after N pages"""
    max_depth: int | None
    """Follow links up to N clicks from the start"""
    prefix: str | None
    """Crawl only below this path"""
    seed_sitemaps: bool
    """Also visit URLs listed in the site's sitemaps"""
    fresh: bool
    """Start over instead of resuming"""


class CrawlKeywords(CrawlLimitKeywords, RenderKeywords, FetchKeywords, PartsKeywords, total=False):
    include: Iterable[str]
    """Visit only matching URLs (glob or re:REGEX)"""
    exclude: Iterable[str]
    """Skip matching URLs (glob or re:REGEX)"""
    follow_nofollow: bool
    """Follow nofollow links"""
    ignore_robots: bool
    """Ignore robots.txt (your own site only)"""
    ignore_traps: Iterable[str]
    """Follow URL patterns that look endless"""
    state: StrPath | None
    """Folder for crawl state"""


class SourceKeywords(TypedDict, total=False):
    source_kind: str | None
    """Read every source as this kind"""
    db: str | None
    """Database to read, such as sqlite:///site.db"""
    sql: str | None
    """Query for a database"""
    sql_changed: str | None
    """Query whose result changes when rows do"""
    timezone: str | None
    """Offset of dates without one, such as +02:00"""
    source_dir: StrPath | None
    """Files a generator made the pages from, for dates"""
    page_style: str
    """URL of about.html: /about.html, /about or /about/"""
    index_style: str
    """URL of about/index.html: /about/ or /about"""
    images: bool
    """List the images of each page"""
    videos: bool
    """List the videos of each page"""
    evidence: Iterable[str]
    """Sources of lastmod, best first"""
    date_changes: Iterable[str]
    """Parts of a page whose change moves its lastmod"""
    lock: StrPath | None
    """Lock file that dates the pages, such as sitemap.lock"""
    strict: bool
    """Stop at the first row or page that is unusable"""


class SelectionKeywords(TypedDict, total=False):
    include: Iterable[str]
    """List only matching URLs (glob or re:REGEX)"""
    exclude: Iterable[str]
    """Exclude matching URLs (glob or re:REGEX)"""
    exclude_kind: Iterable[str]
    """Exclude a kind of pages, such as tag-archive"""
    keep: Iterable[str]
    """List pages despite REASON, such as paginated"""
    hosts: Iterable[str]
    """Also list pages of this host"""
    robots: StrPath | None
    """robots.txt to obey"""


class SectionKeywords(TypedDict, total=False):
    sections: Iterable[str]
    """Write matching URLs to a separate sitemap"""
    sections_by: str
    """Split the remaining URLs"""
    section_include: Iterable[str]
    """In a section, list only matching URLs"""
    section_exclude: Iterable[str]
    """In a section, exclude matching URLs"""
    section_keep: Iterable[str]
    """In a section, list pages despite REASON"""


class BuildKeywords(
    SourceKeywords,
    SelectionKeywords,
    SectionKeywords,
    CrawlLimitKeywords,
    RenderKeywords,
    FetchKeywords,
    WorkerKeywords,
    total=False,
):
    now: datetime | None
    base_url: str | None
    """URL that the output folder is served at"""
    state: StrPath | None
    """State folder of this output"""
    gzip: bool
    """Compress the files below the index"""
    text: bool
    """Write plain text lists instead of XML"""
    human_view: bool
    """Write an HTML page that lists the sitemaps"""
    feed: Iterable[str]
    """Write a feed of the newest changes"""
    llms: bool
    """Write llms.txt from titles and sections"""
    write_robots: bool
    """Create robots.txt if there is none"""
    indexnow_key: str | None
    """Write the IndexNow key file KEY.txt"""
    replace_others: bool
    """Remove the sitemaps of another tool from the folder"""
    compact: bool
    """Repack pages to fill gaps"""
    dry_run: bool
    """Show what would change and write nothing"""
    force: Iterable[str]
    """Override a safety check"""
    shrink_percent: float
    """Refuse a set that loses more URLs than this"""


class PublishKeywords(TypedDict, total=False):
    index: str
    """Name of the index"""
    base_url: str | None
    """URL that FOLDER is served at"""
    include: Iterable[str]
    """Also publish matching files of FOLDER"""
    endpoint: str | None
    """Endpoint of an S3-compatible store"""
    cache_control: str
    """Cache-Control header of every object"""
    keep: int
    """Generations to keep for a rollback"""
    lock_seconds: float
    """Time after which a lock expires"""
    rollback: int | str | None
    """Restore a generation: a number, or previous"""
    purge: str | None
    """Command that gets changed URLs on stdin"""
    dry_run: bool
    """Show what would change and write nothing"""
    force: Iterable[str]
    """Override a safety check"""
    shrink_percent: float
    """Refuse a set that loses more URLs than this"""


class SnapshotKeywords(SitemapFetchKeywords, WorkerKeywords, total=False):
    state: StrPath | None
    """Folder for snapshots"""
    keep: str
    """Snapshots to keep, or `all`"""
    fresh: bool
    """Do not resume an interrupted snapshot"""
    root: StrPath | None
    """Folder that holds the site's files"""


class LimitKeywords(TypedDict, total=False):
    max_removed: int | str | None
    """Fail if more URLs are removed"""
    max_added: int | str | None
    """Fail if more URLs are added"""
    max_changed: int | str | None
    """Fail if more URLs are changed"""
    require_all: bool
    """Fail unless every URL of OLD is in NEW"""


class DiffKeywords(LimitKeywords, SitemapFetchKeywords, WorkerKeywords, total=False):
    since: str | None
    """Compare with the snapshot of WHEN, like yesterday, 7d"""
    fields: Iterable[str]
    """Fields to compare"""
    ignore_host: bool
    """Compare paths and queries, not hosts"""
    no_renames: bool
    """Report renamed URLs as removed and added"""
    redirects: StrPath | None
    """Known redirects: `OLD NEW` lines or CSV"""
    probe: int
    """Request up to N removed URLs to find redirects"""
    state: StrPath | None
    """Folder of snapshots"""
    root: StrPath | None
    """Folder that holds the site's files"""


class HistoryKeywords(TypedDict, total=False):
    state: StrPath | None
    """Folder of snapshots"""
    since: str | None
    """Start at the snapshot of WHEN, like 30d"""
    last: int | None
    """Show the newest N snapshots"""
    date_changes: Iterable[str]
    """Parts of a page whose change moves its lastmod"""


class LogsKeywords(SitemapFetchKeywords, total=False):
    bot: str
    """Crawler, by its name in the User-Agent"""
    ranges: StrPath | None
    """Published IP ranges of the crawler (JSON)"""
    root: StrPath | None
    """Folder that holds the site's files"""


class PropertyKeywords(TypedDict, total=False):
    property: str | None
    """Search Console property to use"""


class SubmitKeywords(PropertyKeywords, FetchKeywords, total=False):
    to: Iterable[str]
    """Engines to submit to"""
    all: bool
    """Send every URL on the first run"""
    only_if_published: bool
    """Do nothing until the built set is live"""
    key_location: str | None
    """URL of the IndexNow key file"""
    state: StrPath | None
    """Folder for receipts"""
    dry_run: bool
    """Print what would be sent"""


class StatusKeywords(PropertyKeywords, FetchKeywords, total=False):
    to: Iterable[str]
    """Engines to query"""


class IndexKeywords(PropertyKeywords, FetchKeywords, total=False):
    sample: int
    """URLs to inspect"""
    exports: Iterable[StrPath]
    """Search Console download to use"""
    impressions: bool
    """Use Search Analytics as a lower bound"""
    audit: StrPath | None
    """JSON report of `urlset.audit()` to compare with"""
    state: StrPath | None
    """Folder for responses and quota"""


class InfoKeywords(SitemapFetchKeywords, total=False):
    follow: bool
    """Describe the children of an index too"""
    root: StrPath | None
    """Folder that holds the site's files"""
