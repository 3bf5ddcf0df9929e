"""Video codes that are not rules."""

from __future__ import annotations

from urlset.rules.accounted import Accounted

ACCOUNTED: tuple[Accounted, ...] = ()
