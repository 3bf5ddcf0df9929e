"""A readable record of requests and responses ⇄ the subjects of live rules; used for rule examples.

    listed: https://example.com/a lastmod=2026-01-01
    > GET https://example.com/a
    < 301
    Location: https://example.com/b

    > GET https://example.com/b
    < 200
    Content-Type: text/html

    <title>B</title>

Lines before the first request state known facts: `listed` (with `lastmod=`, `in=` the sitemap, `row=`), `alternate:
de URL`, `ledger: DATE`, `soft 404: 0.9 sign; sign`, `thin: …`, `retried: 503`, `twin: URL alike= pages=`, `links:
clicks= inlinks= first=`, `kind: KIND 0.9 evidence`, `named by: SOURCE row=`, `asked for: image`, `crawl: complete` or
the reason why not, `found: URL on PAGE` (`start`, `noindex`, `canonical=`). `! tls_expired` instead of
`<` is a failure, `< 200 after 12.5 s` a slow response; `(tried 3 times)` may follow either. In a body, `[2,500,000
more bytes]` means that many bytes, `[hex 89504e47]` binary data, and `[truncated]` the size limit. `[rendered]`
separates the HTML as sent from what scripts make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from tests.auditing.visits import visit_of
from tests.checking.engine_examples import parse_page, parse_sitemap
from tests.checking.over_time_examples import parse_dated_file, parse_site_change
from urlset.auditing.duplicates import ContentTwin
from urlset.auditing.page_kinds import PageKind
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.examples import context_of
from urlset.checking.live_page import (
    Comparison,
    Crawled,
    DatedFile,
    Delivery,
    InspectedPage,
    ListingPlace,
    LivePage,
    MediaAsset,
    MediaKind,
    PageInSite,
    PageLinks,
    SiteChange,
    SubmittedSitemap,
)
from urlset.model.address import key_of
from urlset.model.answer import Answer, Failure, FailureKind, Hop
from urlset.model.entry import Alternate
from urlset.model.page import join
from urlset.model.visit import Likelihood, Visit
from urlset.reading.host_robots import HostRobots, origin_of, path_of
from urlset.reading.read import read
from urlset.spec.engines import Engine
from urlset.spec.protocol import ROBOTS_PLACE

_REQUEST = "> GET "
_STATUS = re.compile(r"< (\d{3})(?: after ([\d.]+) s)?")
_FAILURE = re.compile(r"! ([a-z_]+)(?: (.*))?")
_TRIES = re.compile(r" \(tried (\d+) times\)$")
_MORE = re.compile(r"\[([\d,]+) more bytes\]")
_HEX = re.compile(r"\[hex ((?:[0-9a-f]{2} ?)+)\]")
_TRUNCATED = "[truncated]"
_RENDERED = b"[rendered]\n"
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Transcript(msgspec.Struct, frozen=True):
    """The known facts as (key, value), and the responses with their redirects combined."""

    notes: tuple[tuple[str, str], ...]
    answers: tuple[Answer, ...]

    def all(self, key: str) -> list[str]:
        return [value for name, value in self.notes if name == key]

    def first(self, key: str) -> str | None:
        return next(iter(self.all(key)), None)

    @property
    def asked(self) -> tuple[Answer, ...]:
        """Without requests for robots.txt."""
        return tuple(answer for answer in self.answers if path_of(answer.url) != ROBOTS_PLACE)

    def robots_for(self, url: str) -> HostRobots | None:
        origin = origin_of(url)
        for answer in self.answers:
            if path_of(answer.url) == ROBOTS_PLACE and origin is not None and origin_of(answer.url) == origin:
                return HostRobots.of(origin, answer)
        return None


def parse(text: str, moment: str = "") -> Transcript:
    """Raises ValueError for an invalid transcript, or one that ends in a redirect without its target."""
    head, *requests = re.split(rf"^{_REQUEST}", text.strip("\n"), flags=re.MULTILINE)
    notes = []
    for line in head.splitlines():
        key, colon, value = line.partition(": ")
        if not colon:
            raise ValueError(f"{line!r} is neither a fact nor a request")
        notes.append((key.strip(), value.strip()))
    answers: list[Answer] = []
    hops: tuple[Hop, ...] = ()
    for request in requests:
        answer = _answer(request, moment)
        if hops and join(hops[-1].url, hops[-1].location) != join(answer.url, ""):
            raise ValueError(f"{hops[-1].url} redirects to {hops[-1].location}, which is not requested")
        location = answer.header("location")
        if answer.status in _REDIRECTS and location is not None and answer.failure is None:
            hops = (*hops, Hop(answer.url, answer.status or 0, location))
            continue
        first = hops[0].url if hops else answer.url
        answers.append(msgspec.structs.replace(answer, url=first, final_url=answer.url, hops=hops))
        hops = ()
    if hops:
        raise ValueError(f"{hops[-1].url} redirects to {hops[-1].location}, which is not requested")
    return Transcript(tuple(notes), tuple(answers))


def _answer(request: str, moment: str) -> Answer:
    url, _, rest = request.partition("\n")
    top, _, body = rest.partition("\n\n")
    status, seconds, failure, tries = None, 0.0, None, 1
    headers: list[tuple[str, str]] = []
    for written in top.splitlines():
        line = _TRIES.sub("", written)
        if line != written:
            tries = int(_TRIES.findall(written)[0])
        if found := _STATUS.fullmatch(line):
            status, seconds = int(found[1]), float(found[2] or 0)
        elif found := _FAILURE.fullmatch(line):
            failure = Failure(FailureKind[found[1].upper()], found[2] or "")
        else:
            name, _, value = line.partition(":")
            headers.append((name.strip().lower(), value.strip()))
    if status is None and failure is None:
        raise ValueError(f"no response to the request for {url.strip()}")
    data, truncated = _body(body)
    return Answer(
        url=url.strip(),
        final_url=url.strip(),
        status=status,
        headers=tuple(headers),
        body=data,
        truncated=truncated,
        failure=failure,
        wire_bytes=len(data),
        seconds=seconds,
        first_byte=seconds,
        tries=tries,
        moment=moment,
    )


def _body(text: str) -> tuple[bytes, bool]:
    pieces: list[bytes] = []
    truncated = False
    for line in text.strip("\n").splitlines():
        if more := _MORE.fullmatch(line):
            pieces.append(b" " * int(more[1].replace(",", "")))
        elif digits := _HEX.fullmatch(line):
            pieces.append(bytes.fromhex(digits[1]))
        elif line == _TRUNCATED:
            truncated = True
        else:
            pieces.append(f"{line}\n".encode("utf-8", "surrogatepass"))
    return b"".join(pieces), truncated


def write(answers: Iterable[Answer]) -> str:
    """The reverse; data that a response does not keep (the headers of its redirects) is missing."""
    return "\n".join(line for answer in answers for line in _written(answer))


def _written(answer: Answer) -> Iterator[str]:
    for hop in answer.hops:
        yield from (f"{_REQUEST}{hop.url}", f"< {hop.status}", f"Location: {hop.location}", "")
    yield f"{_REQUEST}{answer.final_url or answer.url}"
    tries = f" (tried {answer.tries} times)" if answer.tries > 1 else ""
    if answer.status is not None:
        yield f"< {answer.status}" + (f" after {answer.seconds:g} s" if answer.seconds else "") + tries
    if answer.failure is not None:
        yield f"! {answer.failure.kind.name.lower()} {answer.failure.detail}".rstrip() + tries
    yield from (f"{name.title()}: {value}" for name, value in answer.headers)
    yield ""
    if answer.body:
        text = answer.body.decode("utf-8", "replace")
        yield from text.splitlines() if _body(text)[0] == answer.body else [f"[hex {answer.body.hex()}]"]
    if answer.truncated:
        yield _TRUNCATED
    yield ""


def page_of(text: str, context: Context) -> LivePage:
    """The listed page, or the first requested one."""
    transcript = parse(text, _moment(context))
    visits = {key_of(answer.url): _visit(answer) for answer in transcript.asked}
    listing = _listing(transcript)
    visit = _judged(visits[key_of(listing.loc)], transcript)
    visits[key_of(listing.loc)] = visit
    return LivePage(
        visit,
        listing,
        context,
        robots=transcript.robots_for(listing.loc),
        find=lambda url: visits.get(key_of(url)),
        seen_changed=transcript.first("ledger"),
        in_site=PageInSite(
            _twin(transcript.first("twin")), _links(transcript.first("links")), _kind(transcript.first("kind"))
        ),
    )


def _twin(text: str | None) -> ContentTwin | None:
    if text is None:
        return None
    keep, facts = _with_facts(text)
    return ContentTwin(keep, float(facts["alike"]), int(facts["pages"]))


def _links(text: str | None) -> PageLinks | None:
    if text is None:
        return None
    _, facts = _with_facts(f"- {text}")
    return PageLinks(int(facts["clicks"]), int(facts["inlinks"]), facts["first"])


def _kind(text: str | None) -> PageKind | None:
    if text is None:
        return None
    kind, certainty, evidence = text.split(" ", 2)
    return PageKind(kind, float(certainty), evidence)


def _moment(context: Context) -> str:
    return context.now.strftime("%Y-%m-%dT%H:%M:%SZ")


def _visit(answer: Answer) -> Visit:
    sent, mark, shown = answer.body.partition(_RENDERED)
    if not mark:
        return visit_of(answer)
    from urlset.auditing.second_look import compared
    from urlset.reading.html import read_page

    answer = msgspec.structs.replace(answer, body=sent)
    return msgspec.structs.replace(visit_of(answer), rendered=compared(answer, read_page(sent), read_page(shown)))


def _listing(transcript: Transcript) -> ListingPlace:
    line = transcript.first("listed") or transcript.asked[0].url
    alternates = tuple(
        Alternate(code, href) for code, _, href in (text.partition(" ") for text in transcript.all("alternate"))
    )
    return _listed(line, alternates)


def _listed(line: str, alternates: tuple[Alternate, ...] = ()) -> ListingPlace:
    loc, facts = _with_facts(line)
    row = facts.get("row")
    return ListingPlace(loc, facts.get("in", ""), int(row) if row else None, facts.get("lastmod"), alternates)


def _with_facts(line: str) -> tuple[str, dict[str, str]]:
    first, *rest = line.split()
    return first, {name: value for name, _, value in (word.partition("=") for word in rest)}


def _judged(visit: Visit, transcript: Transcript) -> Visit:
    """An example has only a few lines of a page, so the judgment on the whole page is stated, not computed."""
    soft, thin = (_likelihood(transcript.first(key)) for key in ("soft 404", "thin"))
    retried = transcript.first("retried") or ""
    return msgspec.structs.replace(visit, soft_404=soft, thin=thin, retried=retried)


def _likelihood(text: str | None) -> Likelihood | None:
    if text is None:
        return None
    certainty, _, signs = text.partition(" ")
    return Likelihood(float(certainty), tuple(sign.strip() for sign in signs.split(";") if sign.strip()))


def delivery_of(text: str, context: Context) -> Delivery:
    """The sitemap requested last, or robots.txt if nothing else is requested."""
    transcript = parse(text, _moment(context))
    is_robots = not transcript.asked
    answer = (transcript.asked or transcript.answers)[-1]
    parent, facts = _with_facts(transcript.first("named by") or "-")
    row = facts.get("row")
    return Delivery(
        answer,
        context,
        document=read(answer.body, name=answer.url, url=answer.url) if answer.ok and answer.body else None,
        parent=None if parent == "-" else parent,
        row=int(row) if row else None,
        robots=transcript.robots_for(answer.url),
        is_robots=is_robots,
    )


def asset_of(text: str, context: Context) -> MediaAsset:
    transcript = parse(text, _moment(context))
    answer = transcript.asked[0]
    listing = _listed(transcript.first("listed") or "https://example.com/")
    kind = MediaKind(transcript.first("asked for") or "image")
    return MediaAsset(kind, answer, listing, context, robots=transcript.robots_for(answer.url))


def comparison_of(text: str, context: Context) -> Comparison:
    transcript = parse(text)
    crawl = transcript.first("crawl") or "complete"
    complete = crawl == "complete"
    return Comparison(
        tuple(_listed(line) for line in transcript.all("listed")),
        tuple(_found(line) for line in transcript.all("found")),
        context,
        complete=complete,
        reasons=() if complete else tuple(reason.strip() for reason in crawl.split(";")),
    )


def _found(line: str) -> Crawled:
    url, facts = _with_facts(line.replace(" on ", " on="))
    return Crawled(
        url,
        final_url=facts.get("final", ""),
        canonical=facts.get("canonical"),
        indexable="noindex" not in facts,
        linked_from=facts.get("on"),
        is_start="start" in facts,
    )


_MAKERS = {
    LivePage: page_of,
    Delivery: delivery_of,
    MediaAsset: asset_of,
    Comparison: comparison_of,
    SubmittedSitemap: parse_sitemap,
    InspectedPage: parse_page,
    DatedFile: parse_dated_file,
    SiteChange: parse_site_change,
}


def subject_of(rule: AnyRule, example: Bad | Good, engines: tuple[Engine, ...]) -> object:
    """The subject of an example of a live rule."""
    return _MAKERS[rule.on](example.text, context_of(example, engines))
