"""The tables of the engines' state."""

from __future__ import annotations

_KNOWN = """
CREATE TABLE known (
    engine TEXT NOT NULL, host TEXT NOT NULL, url TEXT NOT NULL, stamp TEXT NOT NULL, PRIMARY KEY (engine, url)
) WITHOUT ROWID"""
_STARTS = """
CREATE TABLE starts (
    engine TEXT NOT NULL, host TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (engine, host)
) WITHOUT ROWID"""
_QUEUE = """
CREATE TABLE queue (
    engine TEXT NOT NULL, host TEXT NOT NULL, url TEXT NOT NULL, stamp TEXT, PRIMARY KEY (engine, url)
) WITHOUT ROWID"""
_RECEIPTS = """
CREATE TABLE receipts (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    engine TEXT NOT NULL,
    target TEXT NOT NULL,
    status TEXT NOT NULL,
    sent INTEGER NOT NULL,
    accepted INTEGER NOT NULL,
    message TEXT NOT NULL
)"""
_SITEMAPS = """
CREATE TABLE sitemaps (
    engine TEXT NOT NULL, url TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (engine, url)
) WITHOUT ROWID"""
_KEYS = "CREATE TABLE keys (host TEXT PRIMARY KEY, key TEXT NOT NULL, location TEXT NOT NULL, verified TEXT)"
_QUOTA = """
CREATE TABLE quota (
    property TEXT NOT NULL,
    day TEXT NOT NULL,
    used INTEGER NOT NULL,
    exhausted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (property, day)
) WITHOUT ROWID"""
_INSPECTIONS = """
CREATE TABLE inspections (
    url TEXT PRIMARY KEY, property TEXT NOT NULL, first TEXT NOT NULL, at TEXT NOT NULL, result BLOB NOT NULL
) WITHOUT ROWID"""

TABLES = (_KNOWN, _STARTS, _QUEUE, _RECEIPTS, _SITEMAPS, _KEYS, _QUOTA, _INSPECTIONS)
