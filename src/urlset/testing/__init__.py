"""Real servers on loopback for tests of live code: well-behaved ones that keep a log, and ones that misbehave."""

from __future__ import annotations

from urlset.testing.exchange import PageAnswer, Raw, Reply, Request, Route, Routes, redirect
from urlset.testing.process import SiteProcess
from urlset.testing.site import Site

__all__ = ["PageAnswer", "Raw", "Reply", "Request", "Route", "Routes", "Site", "SiteProcess", "redirect"]
