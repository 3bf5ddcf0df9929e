"""Image codes that are not rules."""

from __future__ import annotations

from urlset.rules.non_rule_codes import NonRuleCode

ACCOUNTED: tuple[NonRuleCode, ...] = ()
