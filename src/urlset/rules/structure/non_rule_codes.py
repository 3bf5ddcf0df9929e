"""Codes of family S that are not rules: none so far, every one of them is judged."""

from __future__ import annotations

from urlset.rules.non_rule_codes import NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = ()
