"""The faults planted in the sample site, each by its code and place: what urlset must find there, and nothing else."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Stage(StrEnum):
    """The step that finds a fault."""

    CHECK = "check"
    """in the sitemaps and in how they are served"""
    AUDIT = "audit"
    """in the answers of listed pages"""
    CRAWL = "crawl"
    """between the sitemaps and the links of the site"""


class Label(msgspec.Struct, frozen=True):
    stage: Stage
    code: str
    at: str
    """the address concerned, without the origin of the site: of a page, or of the sitemap as a whole"""
    why: str
    stays: bool = False
    """no change to the sitemaps alone fixes it"""
