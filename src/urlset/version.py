"""The version and home page of urlset, defined only here."""

from __future__ import annotations

__version__ = "0.1.0"
HOME = "https://github.com/urlset/urlset"
