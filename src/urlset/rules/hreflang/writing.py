"""Is the hreflang value of the form `language`, `language-REGION`, or `language-Script-REGION`?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.rules import Bad, LinkSet, Problem, Severity
from urlset.rules.hreflang.tag_problems import tag_problems, tag_rule
from urlset.rules.hreflang.tags import TagFault

_SELF = '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'


def _links(*tags: str) -> str:
    others = "".join(
        f'<xhtml:link rel="alternate" hreflang="{tag}" href="https://example.com/{number}"/>'
        for number, tag in enumerate(tags)
    )
    return _SELF + others


@tag_rule(
    "H009",
    "hreflang-region-without-language",
    severity=Severity.ERROR,
    cites=("google-hreflang", "iso-3166"),
    bad=(_links("«us»"), _links("«gb»"), _links("«jp»", "«se»"), _links("«ch»"), _links("«GB»", "«be»", "de")),
    good=(_links("en-us"), _links("be"), _links("be-BY"), _links("ca", "fr"), _links("se", "nb"), _links("uk")),
)
def hreflang_region_without_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang is a country code instead of a language.

    The language always comes first; a country alone has no meaning. Some codes are both: be is Belarusian, not Belgium,
    and ch is Chamorro, not Switzerland. Such a code is only reported if the language is rare on the web, or if the page
    has other countries without a language.
    """
    return tag_problems(links, TagFault.REGION_ALONE)


@tag_rule(
    "H010",
    "hreflang-separator",
    severity=Severity.ERROR,
    cites=("google-hreflang", "rfc5646"),
    bad=(
        Bad(_links("en«_»US"), fixed=_links("en-US")),
        Bad(_links("zh«_»Hant_TW"), fixed=_links("zh-Hant-TW")),
        Bad(_links("x«_»default"), fixed=_links("x-default")),
        Bad(_links("en«\u2013»GB"), fixed=_links("en-GB")),
        Bad(_links("en«--»GB"), fixed=_links("en-GB")),
        _links("en«-»"),
    ),
    good=(_links("en-US"), _links("zh-Hant-TW")),
)
def hreflang_separator(links: LinkSet) -> Iterator[Problem]:
    """The parts of a hreflang value are not separated by a hyphen.

    Locale names in programs are written en_US. hreflang requires en-US; the other form is ignored.
    """
    return tag_problems(links, TagFault.SEPARATOR)


@tag_rule(
    "H011",
    "hreflang-order",
    severity=Severity.ERROR,
    cites=("google-hreflang", "rfc5646"),
    bad=(_links("«US-en»"), _links("zh-TW-«Hant»"), _links("en-US-«GB»")),
    good=(_links("en-US"), _links("zh-Hant-TW"), _links("ca-FR")),
)
def hreflang_order(links: LinkSet) -> Iterator[Problem]:
    """The parts of a hreflang value are in the wrong order.

    The order is language, script, region. In any other order, the region is read as an unknown language.
    """
    return tag_problems(links, TagFault.ORDER)
