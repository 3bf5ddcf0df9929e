"""The tables of `urlset watch`. Times are ISO 8601 in UTC with seconds, so they sort as texts."""

from __future__ import annotations

from datetime import UTC, datetime

from urlset.writing.state_file import StateFile

FILE_NAME = "watch.sqlite"
LOCK_NAME = "watch.lock"

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    """
CREATE TABLE jobs (
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    due TEXT,
    started TEXT,
    finished TEXT,
    has_baseline INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (site, kind)
) WITHOUT ROWID""",
    """
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    started TEXT NOT NULL,
    finished TEXT NOT NULL,
    result TEXT NOT NULL,
    message TEXT NOT NULL,
    requests INTEGER NOT NULL,
    urls INTEGER,
    sitemaps INTEGER,
    findings TEXT NOT NULL,
    states TEXT NOT NULL
)""",
    "CREATE INDEX runs_by_site ON runs (site, kind, started)",
    """
CREATE TABLE sitemaps (
    site TEXT NOT NULL,
    url TEXT NOT NULL,
    state TEXT NOT NULL,
    entries INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    listed_lastmod TEXT,
    read TEXT,
    PRIMARY KEY (site, url)
) WITHOUT ROWID""",
    """
CREATE TABLE conditions (
    site TEXT NOT NULL,
    job TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    state TEXT NOT NULL,
    since TEXT NOT NULL,
    seen TEXT NOT NULL,
    pending TEXT,
    pending_since TEXT,
    level INTEGER,
    level_at TEXT,
    sequence INTEGER NOT NULL DEFAULT 0,
    alerted INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    content TEXT,
    PRIMARY KEY (site, job, kind, subject)
) WITHOUT ROWID""",
    """
CREATE TABLE alerts (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    site TEXT NOT NULL,
    kind TEXT NOT NULL,
    phase TEXT NOT NULL,
    severity TEXT NOT NULL,
    subject TEXT NOT NULL,
    message TEXT NOT NULL,
    at TEXT NOT NULL,
    since TEXT NOT NULL,
    details TEXT NOT NULL,
    run INTEGER NOT NULL
)""",
    "CREATE INDEX alerts_by_site ON alerts (site, at)",
    """
CREATE TABLE outbox (
    alert INTEGER NOT NULL,
    channel TEXT NOT NULL,
    not_before TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    tried TEXT,
    again TEXT,
    delivered TEXT,
    error TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (channel, alert)
) WITHOUT ROWID""",
    "CREATE INDEX outbox_pending ON outbox (channel, alert) WHERE delivered IS NULL",
    """
CREATE TABLE budgets (
    site TEXT NOT NULL, day TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (site, day)
) WITHOUT ROWID""",
)

STATE = StateFile(
    holder="another `urlset watch` with this state",
    application_id=0x75726C77,  # "urlw" in ASCII
    schema=1,
    tables=_TABLES,
    shared=True,
)


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
