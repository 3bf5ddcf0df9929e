"""Do the listed URLs keep to the policies in the site's own settings?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from urlset.checking.context import Policy, compiled, requirements
from urlset.checking.declare import bad, error_rule, good
from urlset.findings.finding import quoted
from urlset.model.place import Place
from urlset.rules import Has, ListedPage, Problem, Severity, Sitemap, TreeView

_STAGING = (Policy(forbid=("/staging/*",), message="staging pages are not public"),)
_ENGLISH = (Policy(only=("https://www.example.com/en/*",)),)
_CONTACT = (Policy(require=("/contact/", "/"), severity=Severity.WARNING),)
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_ROOT = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
_HOME = "<url><loc>https://example.com/</loc></url>"


policy_error = partial(error_rule, cites=("own-policy",))


@policy_error("P001", kinds=Has.PAGES)
@bad("<loc>«https://www.example.com/staging/home»</loc>", policies=_STAGING)
@good("<loc>https://www.example.com/guides/staging/</loc>", policies=_STAGING)
@good("<loc>https://www.example.com/staging/home</loc>")
def forbidden_by_policy(sitemap: Sitemap) -> Iterator[Problem]:
    """A URL matches a pattern that the site's policy forbids.

    The patterns are in the settings of the site, under `forbid` in `[tool.urlset.policy]`.
    """
    for policy in compiled(sitemap.context.policies):
        if not policy.forbid:
            continue
        for row, loc in enumerate(sitemap.columns.locs):
            found = policy.forbid.find((loc or "").strip())
            if found is not None:
                yield _at(sitemap, row, policy.policy, f"the policy forbids {quoted(found.written)}")


@policy_error("P002")
@bad(files={"sitemap.xml": f"{_XML}«{_ROOT}»{_HOME}</urlset>"}, policies=_CONTACT)
@good(
    files={"sitemap.xml": f"{_XML}{_ROOT}{_HOME}<url><loc>https://example.com/contact/</loc></url></urlset>"},
    policies=_CONTACT,
)
def required_by_policy(tree: TreeView) -> Iterator[Problem]:
    """No URL matches a pattern that the site's policy requires.

    The patterns are in the settings of the site, under `require` in `[tool.urlset.policy]`. Each of them must match at
    least one URL of all files that were checked together.
    """
    summaries = [summary for summary in tree.summaries if summary.kind.lists_pages]
    if not summaries or tree.lost:  # what was not read may list it
        return
    missing = set.intersection(*(set(summary.unmet) for summary in summaries))
    for number, (policy, pattern) in enumerate(requirements(tree.context.policies)):
        if number in missing:
            fact = f"no listed URL matches {quoted(pattern.written)}, which the policy requires"
            yield Problem(Place(0), policy.said(fact), source=tree.summaries[0].source, severity=policy.severity)


@policy_error("P003", kinds=Has.PAGES)
@bad("<loc>«https://www.example.com/de/»</loc>", policies=_ENGLISH)
@good("<loc>https://www.example.com/en/guides/</loc>", policies=_ENGLISH)
def outside_policy(sitemap: Sitemap) -> Iterator[Problem]:
    """A URL matches none of the patterns that the site's policy allows.

    The patterns are in the settings of the site, under `only` in `[tool.urlset.policy]`.
    """
    for policy in compiled(sitemap.context.policies):
        if not policy.only:
            continue
        allowed = ", ".join(quoted(pattern.written) for pattern in policy.only.patterns)
        for row, loc in enumerate(sitemap.columns.locs):
            text = (loc or "").strip()
            if text and policy.only.find(text) is None:
                yield _at(sitemap, row, policy.policy, f"the policy allows only {allowed}")


def _at(sitemap: Sitemap, row: int, policy: Policy, fact: str) -> Problem:
    listed = ListedPage(sitemap, row)
    return Problem(listed.whole(), policy.said(fact), subject=listed.loc, severity=policy.severity)
