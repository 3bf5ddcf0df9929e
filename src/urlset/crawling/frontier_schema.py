"""The tables of a crawl."""

from __future__ import annotations

from urlset.writing.state_file import StateFile

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # in the order of discovery, which does not depend on how fast which page answered
    """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    depth INTEGER NOT NULL,
    via INTEGER NOT NULL,
    fate INTEGER NOT NULL,
    source INTEGER,
    chain INTEGER NOT NULL DEFAULT 0,
    row INTEGER NOT NULL DEFAULT 0,
    trap TEXT
)""",
    """
CREATE TABLE visits (
    page INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    unread INTEGER NOT NULL,
    visit BLOB NOT NULL,
    kept BLOB,
    links BLOB,
    outlook INTEGER
)""",
    # found on the level under way; becomes the next level when that is done
    """
CREATE TABLE found (
    url TEXT PRIMARY KEY,
    hop INTEGER NOT NULL,
    source INTEGER NOT NULL,
    position INTEGER NOT NULL,
    via INTEGER NOT NULL
) WITHOUT ROWID""",
    "CREATE TABLE unfollowed (url TEXT PRIMARY KEY, source INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE tracking (name TEXT PRIMARY KEY, source INTEGER NOT NULL, url TEXT NOT NULL) WITHOUT ROWID",
)

FRONTIER = StateFile(
    holder="another crawl of this site",
    application_id=0x75726C63,  # "urlc" in ASCII
    schema=3,
    tables=_TABLES,
)
