"""The list of rule modules; a test compares it with the disk."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from urlset.checking.declare import AnyRule, Rule
from urlset.checking.tool_rules import TOOL_RULES
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.spec.lazy_pattern import lazy_pattern

FOR_FILES = (
    "urlset.rules.xml.characters",
    "urlset.rules.xml.compression",
    "urlset.rules.xml.encoding",
    "urlset.rules.xml.payload",
    "urlset.rules.xml.prolog",
    "urlset.rules.xml.safety",
    "urlset.rules.xml.wellformed",
    "urlset.rules.structure.elements",
    "urlset.rules.structure.entries",
    "urlset.rules.structure.feeds",
    "urlset.rules.structure.legacy",
    "urlset.rules.structure.namespaces",
    "urlset.rules.structure.root",
    "urlset.rules.structure.size",
    "urlset.rules.structure.text_list",
    "urlset.rules.loc.presence",
    "urlset.rules.loc.form",
    "urlset.rules.loc.path",
    "urlset.rules.loc.host",
    "urlset.rules.loc.location",
    "urlset.rules.loc.duplicates",
    "urlset.rules.loc.parameters",
    "urlset.rules.loc.template_leftovers",
    "urlset.rules.loc.target",
    "urlset.rules.lastmod.notation",
    "urlset.rules.lastmod.clock",
    "urlset.rules.lastmod.form",
    "urlset.rules.lastmod.plausible",
    "urlset.rules.lastmod.stamps",
    "urlset.rules.lastmod.presence",
    "urlset.rules.hints.changefreq",
    "urlset.rules.hints.priority",
    "urlset.rules.hints.whole_file",
    "urlset.rules.index.children",
    "urlset.rules.index.dates",
    "urlset.rules.index.duplicates",
    "urlset.rules.index.limits",
    "urlset.rules.index.location",
    "urlset.rules.image.address",
    "urlset.rules.image.extent",
    "urlset.rules.image.fields",
    "urlset.rules.video.required",
    "urlset.rules.video.text",
    "urlset.rules.video.values",
    "urlset.rules.video.dates",
    "urlset.rules.video.audience",
    "urlset.rules.video.address",
    "urlset.rules.video.sharing",
    "urlset.rules.video.legacy",
    "urlset.rules.news.required",
    "urlset.rules.news.publication",
    "urlset.rules.news.dates",
    "urlset.rules.news.file",
    "urlset.rules.news.fields",
    "urlset.rules.hreflang.codes",
    "urlset.rules.hreflang.writing",
    "urlset.rules.hreflang.links",
    "urlset.rules.hreflang.sets",
    "urlset.rules.hreflang.namespace",
    "urlset.rules.hreflang.coverage",
    "urlset.rules.hreflang.reciprocity",
    "urlset.rules.robots.sitemaps",
    "urlset.rules.robots.form",
    "urlset.rules.robots.noindex",
    "urlset.rules.quality.file",
    "urlset.rules.quality.choice",
    "urlset.rules.site.children",
    "urlset.rules.site.duplicates",
    "urlset.rules.policy.addresses",
)
FOR_ANSWERS = (
    "urlset.rules.xml.delivery",
    "urlset.rules.index.delivery",
    "urlset.rules.robots.delivery",
    "urlset.rules.robots.fetched",
    "urlset.rules.live.status",
    "urlset.rules.live.redirects",
    "urlset.rules.live.transport",
    "urlset.rules.live.directives",
    "urlset.rules.live.robots",
    "urlset.rules.live.conflicts",
    "urlset.rules.live.canonical",
    "urlset.rules.live.content",
    "urlset.rules.live.rendering",
    "urlset.rules.live.dates",
    "urlset.rules.live.languages",
    "urlset.rules.live.crawl",
    "urlset.rules.live.media",
    "urlset.rules.lastmod.over_time",
    "urlset.rules.quality.over_time",
    "urlset.rules.engines.sitemaps",
    "urlset.rules.engines.pages",
)
"""modules with rules that check fetched data or snapshots of it"""
MODULES = (*FOR_FILES, *FOR_ANSWERS)
_FOR_MEDIA = ("urlset.rules.image.", "urlset.rules.video.", "urlset.rules.news.", "urlset.rules.hreflang.")
_FOR_KINDS = {
    "urlset.rules.index.": (Kind.SITEMAPINDEX,),
    "urlset.rules.robots.": (Kind.ROBOTS, Kind.HTML),
    "urlset.rules.structure.feeds": (Kind.RSS, Kind.ATOM),
    "urlset.rules.site.": (),
}
"""modules of rules that look at documents of these kinds only"""
_ORDINARY_MARKS = bytes((0, Mark.COMMENTED))
_PREFIXED_TAG = lazy_pattern(rb"<[^\s<>/!?]*:")


@cache
def all_rules() -> tuple[AnyRule, ...]:
    """All declared rules, by code: those of urlset, then those of installed packages. Raises RulePackageError."""
    own, added = own_rules(), _of_packages()
    if added:
        from urlset.rules.packages import RulePackageError

        taken = {rule.name for rule in own}
        for rule in added:
            if rule.name in taken:
                raise RulePackageError(f"rule {rule.code}: the name {rule.name!r} is taken; choose another")
            taken.add(rule.name)
    return (*own, *added)


@cache
def own_rules() -> tuple[AnyRule, ...]:
    """The rules of urlset itself, by code."""
    return _declared(MODULES)


@cache
def file_rules() -> tuple[AnyRule, ...]:
    """Rules that need nothing from the web, by code; a build does not load the others."""
    return (*_declared(FOR_FILES), *_added_for_files())


def _added_for_files() -> tuple[AnyRule, ...]:
    added = _of_packages()
    if not added:
        return ()
    from urlset.checking.live_page import LIVE

    return tuple(rule for rule in added if rule.on not in LIVE)


@cache
def _of_packages() -> tuple[AnyRule, ...]:
    from urlset.rules.packages import package_rules

    return tuple(sorted(package_rules(), key=lambda rule: rule.code))


@cache
def rules_of(kind: Kind, *, media: bool) -> tuple[AnyRule, ...]:
    """The file rules that can apply to such a document; loading the others takes longer than a small check."""
    unable = tuple(name for name, kinds in _FOR_KINDS.items() if kind not in kinds)
    unable += () if media else _FOR_MEDIA
    own = _declared(tuple(name for name in FOR_FILES if not name.startswith(unable)))
    return (*own, *_added_for_files())


def may_have_media(document: Document) -> bool:
    """Whether an entry is out of the ordinary, a tag has a prefix, or the document is of another kind."""
    if document.kind is not Kind.URLSET or document.columns.marks.translate(None, _ORDINARY_MARKS):
        return True
    data = document.data
    return any(_PREFIXED_TAG.search(data, *part) for part in document.columns.outside_fast_path(0, len(data)))


def _declared(modules: tuple[str, ...]) -> tuple[AnyRule, ...]:
    found = [value for name in modules for value in vars(import_module(name)).values() if isinstance(value, Rule)]
    return tuple(sorted(found, key=lambda rule: rule.code))


def find(name: str) -> AnyRule | None:
    """By code or by name."""
    return next((rule for rule in (*all_rules(), *TOOL_RULES) if name.upper() == rule.code or name == rule.name), None)
