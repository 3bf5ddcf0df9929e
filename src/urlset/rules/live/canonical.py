"""Is the listed page canonical, with a single canonical in a valid place and form?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.auditing.remedy import may_list, names_home
from urlset.model.address_key import key_of
from urlset.model.canonicals import Named
from urlset.model.visit import State
from urlset.rules import Bad, Engine, Good, LivePage, PageSignal, Problem, Severity, rule
from urlset.rules.live.wording import instead, listed_words, of_target, readable, shown, unsound
from urlset.rules.quoting import quoted
from urlset.spec.lazy_pattern import lazy_pattern

_A = "> GET https://example.com/a\n"
_LINK = _A + '< 200\nContent-Type: text/html\n\n<link rel="canonical" href="{}"><p>Words.\n'
_HEADER = _A + '< 200\nLink: <{}>; rel="canonical"\nContent-Type: text/html\n\n<p>Words.\n'
_BOTH = (
    _A + '< 200\nLink: <{}>; rel="canonical"\nContent-Type: text/html\n\n<link rel="canonical" href="{}"><p>Words.\n'
)
_BODY = _A + '< 200\nContent-Type: text/html\n\n{}<body><p>Words.<link rel="canonical" href="{}">\n'
_SELF, _OTHER = "https://example.com/a", "https://example.com/b"
_ABSOLUTE = lazy_pattern(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_HEAD = '<link rel="canonical" href="https://example.com/a">'


def _all_say(page: LivePage, *, by_header: bool) -> Named | None:
    """The only canonical of the page if it is another page, and if it comes first from this source."""
    named = page.canonicals
    if not named or named[0].by_header is not by_header or len({each.key for each in named}) != 1:
        return None
    return named[0] if named[0].key != page.own_key else None


@rule(
    "A012",
    "canonical-elsewhere",
    when=PageSignal.CANONICALS,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE, Engine.BING, Engine.YANDEX),
    cites=("google-canonical", "yandex-canonical"),
    bad=(
        Bad(_LINK.format(_OTHER)),
        Bad(_LINK.format("https://example.com/a/")),
        Bad(_LINK.format("http://example.com/a")),
        Bad(_LINK.format("https://example.com/a?page=1")),
        Bad(_BOTH.format(_OTHER, _OTHER)),
        Bad(_LINK.format("mailto:a@example.com")),
    ),
    good=(
        Good(_LINK.format(_SELF)),
        Good(_LINK.format("HTTPS://EXAMPLE.com:443/%61#top")),
        Good(_LINK.format("/a")),
        Good(f"{_A}< 301\nLocation: /b\n\n{_LINK.replace('/a', '/b').format(_OTHER)}"),
        Good(_HEADER.format(_OTHER)),
        Good(_BOTH.format(_OTHER, _SELF)),
        Good(f"{_A}< 404\nContent-Type: text/html\n\n<link rel=canonical href=/b><p>Not found.\n"),
    ),
)
def canonical_elsewhere(page: LivePage) -> Iterator[Problem]:
    """A listed page has another page as canonical.

    The sitemap and the page contradict each other, and search engines usually follow the page. URLs are compared after
    normalization: host case, default port, percent-encoding, and fragment do not matter; a trailing slash does.
    """
    named = _all_say(page, by_header=False)
    if named is None:
        return
    if named.target is None:
        yield page.problem(
            f"canonical {quoted(named.written)}{of_target(page)} is not a valid URL and is ignored; correct it",
            severity=Severity.WARNING,
        )
        return
    yield page.problem(f"canonical is {shown(named.target)}{of_target(page)}{_advice(page, named.target)}")


def _advice(page: LivePage, target: str) -> str:
    """If the canonical itself is not listable, or all pages would have the same, the page has to be fixed."""
    if names_home(page.final_url, target):
        return ", the home page, so search engines drop this page; correct the canonical, or remove the entry"
    there = page.find(target) if may_list(page.url, target) else None
    if there is not None and there.state is State.UNKNOWN:
        return ", which could not be fetched; list it instead if it works"
    fault = unsound(there) if there is not None else None
    return f", which {fault}; correct the canonical first" if fault else f"; {instead(page, target)}"


@rule(
    "A013",
    "header-canonical-elsewhere",
    when=PageSignal.CANONICALS,
    severity=Severity.ERROR,
    engines=(Engine.GOOGLE, Engine.YANDEX),
    cites=("google-canonical", "yandex-canonical"),
    bad=(Bad(_HEADER.format(_OTHER)), Bad(_HEADER.format("/b"))),
    good=(
        Good(_HEADER.format(_SELF)),
        Good(_BOTH.format(_SELF, _SELF)),
        Good(_BOTH.format(_OTHER, _OTHER)),
        Good(_A + "< 200\nLink: </b>; rel=next\nContent-Type: text/html\n\n<p>Words.\n"),
    ),
)
def header_canonical_elsewhere(page: LivePage) -> Iterator[Problem]:
    """A listed page has a Link header with another page as canonical.

    The header has the same effect as the link element. Reported if the page itself does not have the same canonical.
    """
    named = _all_say(page, by_header=True)
    if named is not None and named.target is not None:
        yield page.problem(
            f"canonical in the Link header is {shown(named.target)}{of_target(page)}{_advice(page, named.target)}"
        )


@rule(
    "A014",
    "conflicting-canonicals",
    when=PageSignal.CANONICALS,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-canonical",),
    bad=(
        Bad(_BOTH.format(_OTHER, _SELF)),
        Bad(_LINK.format(_SELF).replace("<p>", '<link rel="canonical" href="/b"><p>')),
    ),
    good=(
        Good(_BOTH.format(_SELF, "/a")),
        Good(_LINK.format(_SELF).replace("<p>", '<link rel="canonical" href="/a#x"><p>')),
    ),
)
def conflicting_canonicals(page: LivePage) -> Iterator[Problem]:
    """A page has several different canonicals.

    Search engines then choose one themselves, or ignore all of them.
    """
    named = {each.key: each for each in page.canonicals}
    if len(named) > 1:
        said = [
            f"{shown(each.target or each.written)} ({'Link header' if each.by_header else 'element'})"
            for each in list(named.values())[:3]
        ]
        yield page.problem(f"{len(named)} different canonicals{of_target(page)}: {listed_words(said)}; keep one")


@rule(
    "A015",
    "canonical-outside-head",
    when=PageSignal.CANONICALS,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-canonical", "google-robots-meta"),
    bad=(
        Bad(_BODY.format("", _SELF)),
        Bad(_BODY.format(_HEAD, _OTHER)),
        Bad(_A + f"< 200\nContent-Type: text/html\n\n<title>A</title><div></div>{_HEAD}<p>Words.\n"),
    ),
    good=(
        Good(_LINK.format(_SELF)),
        Good(_BODY.format(_HEAD, _SELF)),
        Good(_BODY.format("", _SELF).replace("link", "b")),
    ),
)
def canonical_outside_head(page: LivePage) -> Iterator[Problem]:
    """The canonical link element is in the body of the page.

    Search engines only accept it in the head (a robots meta tag works anywhere). Often an element that is not allowed
    in the head ends it too early.
    """
    if not readable(page):
        return
    counted = {each.key for each in page.canonicals}
    for each in page.visit.canonicals:
        target = page.resolve(each.href)
        if not each.in_head and (target is None or key_of(target) not in counted):
            message = (
                f"canonical {quoted(each.href)} is in the body{of_target(page)} and is ignored; move it to the head"
            )
            yield page.problem(message)
            return


@rule(
    "A016",
    "qualified-canonical",
    when=PageSignal.CANONICALS,
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-canonical",),
    bad=(Bad(_LINK.replace("rel=", 'hreflang="de" rel=').format(_SELF)),),
    good=(
        Good(_LINK.format(_SELF)),
        Good(_LINK.replace('rel="canonical"', 'rel="alternate" hreflang="de"').format(_OTHER)),
    ),
)
def qualified_canonical(page: LivePage) -> Iterator[Problem]:
    """The canonical link element has attributes that make engines ignore it.

    With hreflang, lang, media, or type, it describes a version of the page and is not a canonical.
    """
    if readable(page) and page.visit.qualified_canonicals:
        href = quoted(page.visit.qualified_canonicals[0])
        yield page.problem(
            f"canonical {href}{of_target(page)} has hreflang, lang, media, or type and is ignored; remove the attribute"
        )


@rule(
    "A017",
    "relative-canonical",
    when=PageSignal.CANONICALS,
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-canonical",),
    bad=(Bad(_LINK.format("/a")), Bad(_HEADER.format("a")), Bad(_LINK.format("//example.com/a"))),
    good=(Good(_LINK.format(_SELF)), Good(_HEADER.format(_SELF))),
)
def relative_canonical(page: LivePage) -> Iterator[Problem]:
    """The canonical is a relative URL.

    This works but is not recommended: on a copy of the site, such as a staging site, it points to the copy.
    """
    for each in page.canonicals:
        if not _ABSOLUTE.match(each.written):
            yield page.problem(f"canonical {quoted(each.written)}{of_target(page)} is relative; write an absolute URL")
            return


@rule(
    "A018",
    "canonical-with-fragment",
    when=PageSignal.CANONICALS,
    severity=Severity.WARNING,
    engines=(Engine.GOOGLE,),
    cites=("google-canonical",),
    bad=(Bad(_LINK.format(f"{_SELF}#top")),),
    good=(Good(_LINK.format(_SELF)), Good(_LINK.format(f"{_SELF}%23top").replace("/a\n", "/a%23top\n"))),
)
def canonical_with_fragment(page: LivePage) -> Iterator[Problem]:
    """The canonical has a fragment.

    Search engines ignore everything after the #, and Google does not support fragments in a canonical.
    """
    for each in page.canonicals:
        if each.written.partition("#")[2]:
            yield page.problem(f"canonical {quoted(each.written)}{of_target(page)} has a fragment; remove it")
            return
