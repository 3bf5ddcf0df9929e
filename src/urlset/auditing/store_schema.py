"""The tables of an audit."""

from __future__ import annotations

from urlset.writing.state_file import StateFile

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, facts BLOB, data BLOB)",
    """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL UNIQUE,
    url TEXT NOT NULL,
    kind INTEGER NOT NULL,
    run INTEGER NOT NULL,
    position INTEGER NOT NULL,
    source INTEGER NOT NULL,
    row INTEGER,
    lastmod TEXT,
    alternates BLOB,
    chosen INTEGER NOT NULL DEFAULT 1
)""",
    "CREATE UNIQUE INDEX page_order ON pages (run, position)",
    """
CREATE TABLE visits (
    page INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    state TEXT NOT NULL,
    again INTEGER NOT NULL DEFAULT 0,
    visit BLOB NOT NULL,
    text BLOB
)""",
    "CREATE INDEX visit_again ON visits (again) WHERE again = 1",
    "CREATE TABLE asking (page INTEGER PRIMARY KEY, attempts INTEGER NOT NULL)",
    "CREATE TABLE verdicts (page INTEGER PRIMARY KEY, verdict BLOB NOT NULL)",
    "CREATE TABLE robots (origin TEXT PRIMARY KEY, run INTEGER NOT NULL, answer BLOB) WITHOUT ROWID",
    "CREATE TABLE probes (name TEXT PRIMARY KEY, run INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID",
)

STORE = StateFile(
    holder="another audit of this target",
    application_id=0x75726C61,  # "urla" in ASCII
    schema=1,
    tables=_TABLES,
    checkpoint_pages=4_000,
)

ADD_BESIDES = """
INSERT OR IGNORE INTO pages (key, url, kind, run, position, source)
SELECT ?, ?, 5, p.run, (SELECT max(position) + 1 FROM pages WHERE run = p.run), p.source FROM pages p WHERE p.id = ?"""
"""requested because of the page of that number, after all listed pages"""
