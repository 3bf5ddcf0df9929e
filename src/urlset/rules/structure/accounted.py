"""Codes of family S that are not rules: none, all of them are checked."""

from __future__ import annotations

from urlset.rules.accounted import Accounted

ACCOUNTED: tuple[Accounted, ...] = ()
