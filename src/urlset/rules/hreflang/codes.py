"""Are the language, script, and region codes supported by Google?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.rules import Bad, LinkSet, Problem, Severity
from urlset.rules.hreflang.tag_problems import tag_problems, tag_rule
from urlset.rules.hreflang.tags import TagFault

_SELF = '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'


def _link(tag: str) -> str:
    return f'{_SELF}<xhtml:link rel="alternate" hreflang="{tag}" href="https://example.com/2"/>'


@tag_rule(
    "H006",
    "unknown-hreflang-language",
    severity=Severity.ERROR,
    cites=("google-hreflang", "iso-639"),
    bad=(_link("«xx»"), _link("«english»"), _link("«xx»-US"), _link("«x»-default-de"), _link("«de,at»")),
    good=(_link("de"), _link("DE"), _link("x-default"), _link("X-Default"), _link(" de "), _link("yi")),
)
def unknown_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang does not start with a known two-letter language code.

    Google supports only ISO 639-1 languages. It ignores a link with an unknown language.
    """
    return tag_problems(links, TagFault.LANGUAGE)


@tag_rule(
    "H007",
    "unknown-hreflang-region",
    severity=Severity.ERROR,
    cites=("google-hreflang", "iso-3166"),
    bad=(_link("en-«XX»"), _link("de-«en»"), _link("en-«USA»"), _link("zh-Hant-«ZZ»")),
    good=(_link("en-GB"), _link("en-gb"), _link("zh-Hant-TW"), _link("sr-Latn-RS")),
)
def unknown_hreflang_region(links: LinkSet) -> Iterator[Problem]:
    """hreflang has an unassigned region code.

    The region must be a two-letter ISO 3166-1 country code. With any other code, the link does not reach its audience.
    """
    return tag_problems(links, TagFault.REGION)


@tag_rule(
    "H008",
    "reserved-hreflang-region",
    severity=Severity.ERROR,
    cites=("google-hreflang", "iso-3166"),
    bad=(
        Bad(_link("en-«UK»"), fixed=_link("en-GB")),
        Bad(_link("en-«uk»"), fixed=_link("en-gb")),
        _link("es-«EU»"),
        _link("en-«UN»"),
        Bad(
            '<xhtml:link rel="alternate" hreflang="en-«UK»" href="https://example.com/"/>'
            '<xhtml:link rel="alternate" hreflang="en-GB" href="https://example.com/gb"/>',
        ),
    ),
    good=(_link("en-GB"), _link("uk"), _link("uk-UA"), _link("eu-ES")),
)
def reserved_hreflang_region(links: LinkSet) -> Iterator[Problem]:
    """hreflang has a reserved code such as UK or EU as region.

    ISO reserves some two-letter codes without assigning them to a country. Google ignores such a region, so the page
    targets the whole language. The code of the United Kingdom is GB.
    """
    return tag_problems(links, TagFault.RESERVED_REGION)


@tag_rule(
    "H012",
    "unknown-hreflang-script",
    severity=Severity.ERROR,
    cites=("google-hreflang", "iso-15924"),
    bad=(_link("zh-«Hanz»"), _link("sr-«Latm»-RS")),
    good=(_link("zh-Hans"), _link("zh-hant"), _link("zh-Hans-US"), _link("sr-Cyrl")),
)
def unknown_hreflang_script(links: LinkSet) -> Iterator[Problem]:
    """hreflang has an unknown script code.

    Four letters after the language are an ISO 15924 script, such as Hans and Hant for Chinese. A wrong script makes the
    whole value invalid.
    """
    return tag_problems(links, TagFault.SCRIPT)


@tag_rule(
    "H013",
    "unsupported-hreflang-subtag",
    severity=Severity.ERROR,
    cites=("google-hreflang", "un-m49", "rfc5646"),
    bad=(_link("es-«419»"), _link("de-«1996»"), _link("ca-«valencia»"), _link("en-«x»-«pirate»")),
    good=(_link("es-MX"), _link("es"), _link("x-default")),
)
def unsupported_hreflang_subtag(links: LinkSet) -> Iterator[Problem]:
    """hreflang contains subtags that Google does not support.

    Language tags may contain UN regions such as 419 for Latin America, variants, and private-use subtags. hreflang only
    supports a language, a script, and a country. List the countries one by one, or only the language.
    """
    return tag_problems(links, TagFault.OTHER_SUBTAG)


@tag_rule(
    "H014",
    "three-letter-hreflang-language",
    severity=Severity.ERROR,
    cites=("google-hreflang", "iso-639"),
    bad=(_link("«fil»"), _link("«ger»"), _link("«eng»-US")),
    good=(_link("tl"), _link("de"), _link("en-US")),
)
def three_letter_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang starts with a three-letter language code.

    hreflang does not support ISO 639-2 and 639-3 codes, even if the language has no other code than the two-letter one.
    """
    return tag_problems(links, TagFault.THREE_LETTERS)


@tag_rule(
    "H027",
    "withdrawn-hreflang-language",
    severity=Severity.WARNING,
    cites=("iso-639", "general-knowledge"),
    bad=(
        Bad(_link("«iw»"), fixed=_link("he")),
        Bad(_link("«in»-ID"), fixed=_link("id-ID")),
        Bad(_link("«JI»"), fixed=_link("YI")),
        Bad(_link("«sh»"), fixed=_link("sr")),
        _link("«bh»"),
    ),
    good=(_link("he"), _link("id"), _link("yi"), _link("jv"), _link("ro-MD")),
)
def withdrawn_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang has a language code that ISO has withdrawn.

    Some parsers still support the old codes, but the list that Google references does not contain them: he replaced iw,
    id replaced in, and yi replaced ji.
    """
    return tag_problems(links, TagFault.WITHDRAWN)
