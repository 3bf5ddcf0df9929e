"""Names of sections, whatever they contain → parts of file names that are safe, readable and distinct."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from urlset.spec.lazy_pattern import lazy_pattern

WITHOUT_SECTION = "pages"
"""used in file names for pages that belong to no section"""

_SAFE = lazy_pattern(r"[a-z0-9](?:[a-z0-9_-]{0,58}[a-z0-9])?")
_UNSAFE_RUN = lazy_pattern(r"[^a-z0-9_]+")
_LONGEST = 48


def slugs_of(sections: Iterable[str], former: Mapping[tuple[str, str], int] | None = None) -> dict[str, str]:
    """One slug for each section; two never share one. A name that is safe is its own slug, unless it is taken.

    `former` counts the pages of a section in files of a slug: a section keeps its slug.
    Capitals are folded, because on some file systems `News` and `news` are one file.
    """
    wanted = sorted(set(sections))
    slugs: dict[str, str] = {}
    claims = sorted((former or {}).items(), key=lambda claim: (-claim[1], claim[0]))
    for (name, slug), _ in claims:
        if slug in (_readable(name), _marked(name)) and slug not in slugs.values():
            slugs.setdefault(name, slug)
    taken = set(slugs.values())
    for name in sorted(wanted, key=lambda name: not _SAFE.fullmatch(name)):
        if name not in slugs:
            slug = _readable(name) if _readable(name) not in taken else _marked(name)
            while slug in taken:
                slug += "x"
            slugs[name] = slug
            taken.add(slug)
    return slugs


def _readable(name: str) -> str:
    if not name:
        return WITHOUT_SECTION
    if _SAFE.fullmatch(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _UNSAFE_RUN.sub("-", plain).strip("-_")[:_LONGEST].strip("-_") or _marked(name)


def _marked(name: str) -> str:
    mark = blake2b(name.encode("utf-8", "replace"), digest_size=4).hexdigest()
    slug = _UNSAFE_RUN.sub("-", name.lower()).strip("-_")[:_LONGEST].strip("-_")
    return f"{slug or 'section'}-{mark}"
