"""One document → its verdict; every check in urlset judges a document here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import check
from urlset.checking.misspelt import misspelt
from urlset.findings.severity import Severity
from urlset.findings.verdict import Verdict, join
from urlset.model.document import Document
from urlset.rules.catalogue import all_rules


def judge(
    document: Document, rules: Sequence[AnyRule], context: Context, *, overrides: Mapping[str, Severity] | None = None
) -> Verdict:
    """Run `rules` and report suppression comments that name an unknown rule.

    `overrides` maps codes to severities. Rules on deliveries, live pages and trees of files are not run on a single
    document; callers may leave them out of `rules`.
    """
    verdict = check(document, rules, context, overrides=dict(overrides or {}))
    return join([verdict, misspelt(document, all_rules, context)])
