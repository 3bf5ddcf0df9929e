"""Search engines on loopback: the addresses, bodies and errors of the real ones, with planted answers and faults."""

from __future__ import annotations

from urlset.testing.engines.fakes import FakeEngines

__all__ = ["FakeEngines"]
