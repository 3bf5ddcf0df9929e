"""A real HTTP server on loopback, for tests of code that fetches pages or sitemaps."""

from __future__ import annotations

from urlset.testing.exchange import PageAnswer, Raw, Reply, Request, Route, Routes, redirect
from urlset.testing.site import Site

__all__ = ["PageAnswer", "Raw", "Reply", "Request", "Route", "Routes", "Site", "redirect"]
