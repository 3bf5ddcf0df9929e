"""Codes of family S that are not rules: none, all of them are checked."""

from __future__ import annotations

from urlset.rules.non_rule_codes import NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = ()
