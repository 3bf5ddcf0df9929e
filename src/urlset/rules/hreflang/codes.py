"""Are the language, script and region codes ones that Google reads?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, rule
from urlset.checking.subjects import LinkSet
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.document import Kind
from urlset.rules.hreflang.tag_problems import tag_problems
from urlset.rules.hreflang.tags import TagFault
from urlset.spec.engines import Engine
from urlset.spec.signals import Signal

_SELF = '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'
_GOOGLE = (Engine.GOOGLE,)


def _link(tag: str) -> str:
    return f'{_SELF}<xhtml:link rel="alternate" hreflang="{tag}" href="https://example.com/2"/>'


@rule(
    "H006",
    "unknown-hreflang-language",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang", "iso-639"),
    bad=(_link("«xx»"), _link("«english»"), _link("«xx»-US"), _link("«x»-default-de"), _link("«de,at»")),
    good=(_link("de"), _link("DE"), _link("x-default"), _link("X-Default"), _link(" de "), _link("yi")),
)
def unknown_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """A hreflang value does not begin with a known two-letter language.

    Google reads the languages of ISO 639-1 and nothing else. A link whose language it does not know is
    dropped, so searchers in that language are not sent to that page.
    """
    return tag_problems(links, TagFault.LANGUAGE)


@rule(
    "H007",
    "unknown-hreflang-region",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang", "iso-3166"),
    bad=(_link("en-«XX»"), _link("de-«en»"), _link("en-«USA»"), _link("zh-Hant-«ZZ»")),
    good=(_link("en-GB"), _link("en-gb"), _link("zh-Hant-TW"), _link("sr-Latn-RS")),
)
def unknown_hreflang_region(links: LinkSet) -> Iterator[Problem]:
    """A hreflang value names a region that is not assigned.

    The region must be a two-letter country code of ISO 3166-1. With any other the link does not reach the
    searchers it was meant for.
    """
    return tag_problems(links, TagFault.REGION)


@rule(
    "H008",
    "reserved-hreflang-region",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
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
    """A hreflang value names a reserved code such as UK or EU.

    ISO keeps some two-letter codes back without giving them to a country. Google ignores such a region, so
    the page competes for the whole language. The country code of the United Kingdom is GB.
    """
    return tag_problems(links, TagFault.RESERVED_REGION)


@rule(
    "H012",
    "unknown-hreflang-script",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang", "iso-15924"),
    bad=(_link("zh-«Hanz»"), _link("sr-«Latm»-RS")),
    good=(_link("zh-Hans"), _link("zh-hant"), _link("zh-Hans-US"), _link("sr-Cyrl")),
)
def unknown_hreflang_script(links: LinkSet) -> Iterator[Problem]:
    """A hreflang value names a script that does not exist.

    Four letters behind the language are a script of ISO 15924, such as Hans and Hant for Chinese. A wrong
    one makes the whole value unreadable.
    """
    return tag_problems(links, TagFault.SCRIPT)


@rule(
    "H013",
    "unsupported-hreflang-subtag",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang", "un-m49", "rfc5646"),
    bad=(_link("es-«419»"), _link("de-«1996»"), _link("ca-«valencia»"), _link("en-«x»-«pirate»")),
    good=(_link("es-MX"), _link("es"), _link("x-default")),
)
def unsupported_hreflang_subtag(links: LinkSet) -> Iterator[Problem]:
    """A hreflang value uses language tag parts that Google does not read.

    Language tags may carry UN areas such as 419 for Latin America, spelling variants and private parts;
    hreflang takes only a language, a script and a country. List the countries one by one, or the language alone.
    """
    return tag_problems(links, TagFault.OTHER_SUBTAG)


@rule(
    "H014",
    "three-letter-hreflang-language",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=_GOOGLE,
    cites=("google-hreflang", "iso-639"),
    bad=(_link("«fil»"), _link("«ger»"), _link("«eng»-US")),
    good=(_link("tl"), _link("de"), _link("en-US")),
)
def three_letter_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """A hreflang value begins with a three-letter language code.

    The longer codes of ISO 639-2 and 639-3 are not read in hreflang, not even where they mean a language
    that has a two-letter code as well.
    """
    return tag_problems(links, TagFault.THREE_LETTERS)


@rule(
    "H027",
    "withdrawn-hreflang-language",
    on=LinkSet,
    when=Signal.LINKS,
    kinds=(Kind.URLSET,),
    severity=Severity.WARNING,
    engines=_GOOGLE,
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
    """A hreflang value uses a language code that ISO has withdrawn.

    Some readers still understand the old codes, but the list Google points to no longer has them: he took the
    place of iw, id of in, yi of ji.
    """
    return tag_problems(links, TagFault.WITHDRAWN)
