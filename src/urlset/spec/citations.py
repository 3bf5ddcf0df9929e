"""Citation key → the document behind it, for every source a rule or table names."""

from __future__ import annotations

from urlset.spec.citation import Citation, Reading
from urlset.spec.citations_engines import ENGINES
from urlset.spec.citations_google import GOOGLE
from urlset.spec.citations_standards import STANDARDS

__all__ = ["CITATIONS", "Citation", "Reading", "cited"]

CITATIONS: dict[str, Citation] = {citation.key: citation for citation in (*STANDARDS, *GOOGLE, *ENGINES)}


def cited(key: str) -> Citation:
    """The source behind a key; a rule that a package brings may cite a URL instead."""
    known = CITATIONS.get(key)
    return known or Citation(key, key, key if key.startswith("https://") else "", "", "", "", Reading.SECONDARY)
