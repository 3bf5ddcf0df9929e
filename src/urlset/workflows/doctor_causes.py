"""What was seen of a sitemap → the causes that keep an engine from reading it, the one to fix first at the top.

Transport comes before content: a file that does not arrive cannot be judged, and "Couldn't fetch" is about the way to
the file. The order is connection, response, robots.txt, transfer, content, details of delivery, network, account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from urlset.findings.finding import Finding, quoted
from urlset.model.answer import Answer, FailureKind
from urlset.model.document import Kind
from urlset.reading.host_robots import Access, HostRobots
from urlset.rules.fetch_state import challenged, led_to_login
from urlset.spec.engines import CRAWLERS, Purpose
from urlset.spec.error_phrases import status_text
from urlset.spec.protocol import MAX_BYTES, MAX_URLS
from urlset.spec.recipes import Platform, recipes_for
from urlset.web.guard import Reach
from urlset.workflows.check_file import CheckedFile

SLOW = 10.0
"""seconds from which a fetch is at risk of being given up"""
MAIN = "Googlebot"
STUCK = "stuck-in-search-console"
"""a healthy file that Search Console does not read; with another cause, that one explains it"""
_FEW = 5
_FASTER = "make the sitemap faster, for example by writing it to a file"
_LOG = "look at the server's error log"
_NO_LOGIN = "serve the sitemap without a login"
_HTTP = "answer HTTP/1.1 requests with HTTP/1.1; in nginx, remove `http2` from the `listen` line of a port without TLS"
_ENCODING = "send the Content-Encoding that the body has and the client accepts, or none"
_FAILURES = {
    FailureKind.DNS: ("dns", "check the DNS records of the host"),
    FailureKind.REFUSED: ("connection-refused", "start the server, or open the port in the firewall"),
    FailureKind.RESET: ("connection-reset", "look for a firewall or a crashing server that closes connections"),
    FailureKind.UNREACHABLE: ("unreachable", "check the network and the firewall of the server"),
    FailureKind.CONNECT_TIMEOUT: ("connect-timeout", "check the network and the firewall of the server"),
    FailureKind.READ_TIMEOUT: ("timeout", _FASTER),
    FailureKind.TOTAL_TIMEOUT: ("timeout", _FASTER),
    FailureKind.CUT_SHORT: ("cut-short", "look for a proxy or script limit that cuts the response"),
    FailureKind.BAD_ENCODING: ("bad-encoding", _ENCODING),
    FailureKind.BAD_HTTP: ("http-version", _HTTP),
    FailureKind.BOMB: ("too-large", "split the sitemap: `urlset fix` writes parts and an index"),
    FailureKind.REDIRECT_LOOP: ("redirect-loop", "serve the sitemap at one URL without redirects"),
    FailureKind.TOO_MANY_REDIRECTS: ("redirect-loop", "serve the sitemap at one URL without redirects"),
    FailureKind.BAD_REDIRECT: ("bad-redirect", "fix the Location header"),
    FailureKind.FORBIDDEN_ADDRESS: ("private-address", "publish the host under a public address"),
    FailureKind.TLS_EXPIRED: ("tls", "renew the certificate, and reload the server after each renewal"),
    FailureKind.TLS_NAME: ("tls", "install a certificate that covers this host name"),
    FailureKind.TLS_UNTRUSTED: (
        "tls",
        "install a certificate of a public authority, with its intermediate certificates",
    ),
    FailureKind.TLS: ("tls", "enable TLS 1.2 or 1.3 on this port"),
}
LET_IN = (
    "let verified search engine bots through the firewall or bot protection for this path; a firewall that verifies"
    " crawlers by IP address may refuse only this test: URL inspection in Search Console shows whether Google gets in"
)
_SLOWER = "raise the rate limit for this path, or exempt verified crawlers"
_STATUSES = {
    401: ("login", _NO_LOGIN),
    403: ("forbidden", LET_IN),
    404: ("not-found", "publish the sitemap at this URL, or submit the right one"),
    407: ("login", _NO_LOGIN),
    410: ("not-found", "publish the sitemap at this URL, or submit the right one"),
    426: ("http-version", _HTTP),
    429: ("rate-limited", _SLOWER),
    505: ("http-version", _HTTP),
}
_COMPRESS_ONCE = "compress once: a .gz file without Content-Encoding, or plain XML with it"


class Diagnosis(msgspec.Struct, frozen=True):
    cause: str
    evidence: str
    advice: str
    sitemaps: tuple[str, ...] = ()
    """the sitemaps with it, where that is not the one that was diagnosed"""
    recipes: tuple[str, ...] = ()
    """what to change on the detected servers and hosts"""


class Observations(msgspec.Struct, frozen=True):
    """Everything that was looked at, of one sitemap."""

    url: str
    answers: dict[str, Answer]
    """by the name of the user agent; that of Googlebot is always there"""
    robots: HostRobots
    reach: tuple[Reach, ...] = ()
    checked: CheckedFile | None = None
    """None where nothing was delivered"""
    fallback: Answer | None = None
    """of a URL that cannot exist, requested where a page came instead of a sitemap"""
    platforms: tuple[Platform, ...] = ()
    account: Diagnosis | None = None
    """what is wrong in Search Console"""

    @property
    def main(self) -> Answer:
        return self.answers[MAIN]


def diagnose(seen: Observations) -> list[Diagnosis]:
    """The first is the one to look at; an empty list means that nothing wrong was found in what was looked at."""
    found = _access(seen)
    if found:  # nothing more can be said about a file that does not arrive
        found += _network(seen)
    else:
        found = [*_robots(seen), *_transfer(seen), *_content(seen), *_delivery(seen), *_network(seen)]
        if seen.account is not None and not (found and seen.account.cause == STUCK):
            found.append(seen.account)
    return [msgspec.structs.replace(each, recipes=recipes_for(each.cause, seen.platforms)) for each in found]


def _access(seen: Observations) -> list[Diagnosis]:
    """The connection and the status."""
    answer = seen.main
    block = challenged(answer)
    if block is not None:
        who = f" ({block.vendor})" if block.vendor else ""
        return [Diagnosis("bot-protection", f"the response is {block.shows}{who}", LET_IN)]
    if led_to_login(answer):
        return [Diagnosis("login", f"redirects to the login {answer.final_url}", _NO_LOGIN)]
    served = sorted(name for name, each in seen.answers.items() if each.ok and challenged(each) is None)
    # where the body failed, others may have read a part of it
    began = answer.status is not None and 200 <= answer.status < 300
    if not answer.ok and served and not began:
        evidence = f"{reported(answer)} for Googlebot's user agent, but 200 for {', '.join(served)}"
        return [Diagnosis("bot-protection", evidence, LET_IN)]
    if answer.failure is not None:
        cause, advice = _FAILURES.get(answer.failure.kind, ("fetch-failed", _LOG))
        said = "the response is not HTTP/1.1, as from a port that speaks HTTP/2 only" if cause == "http-version" else ""
        return [Diagnosis(cause, f"{answer.final_url or seen.url}: {said or answer.failure}", advice)]
    status, said = answer.status or 0, reported(answer)
    if 200 <= status < 300:
        return []
    if b"plain HTTP request was sent to HTTPS port" in answer.body:
        return [Diagnosis("http-on-https-port", f"{said}: the port expects TLS", "use https:// in the URL")]
    other = ("server-error", _LOG) if status >= 500 else ("bad-status", "answer 200 with the sitemap")
    cause, advice = _STATUSES.get(status, other)
    more = {429: f" after {answer.tries} requests", 403: " for every user agent"}.get(status, "")
    return [Diagnosis(cause, f"{said}{more}", advice)]


def reported(answer: Answer) -> str:
    """`404 Not Found`, or the failure."""
    if answer.failure is not None:
        return str(answer.failure)
    return "no response" if answer.status is None else f"status {status_text(answer.status)}"


def _robots(seen: Observations) -> list[Diagnosis]:
    if seen.robots.access is Access.NOTHING:
        said = reported(seen.robots.answer) if seen.robots.answer is not None else "no response"
        evidence = f"robots.txt: {said}, which stops all crawling"
        return [Diagnosis("robots-unavailable", evidence, "make /robots.txt answer 200 or 404")]
    match = seen.robots.match(MAIN, seen.url)
    if match.allowed:
        return []
    line = f" ({match.line.written}: {match.line.value})" if match.line is not None else ""
    evidence = f"robots.txt disallows the sitemap itself for Googlebot{line}"
    return [Diagnosis("blocked-by-robots", evidence, "allow the path of the sitemap in robots.txt")]


def _transfer(seen: Observations) -> list[Diagnosis]:
    """What happens to the bytes on the way: time, other hosts, compression."""
    answer, found = seen.main, []
    if answer.seconds >= SLOW:
        waited = answer.first_byte >= answer.seconds / 2
        what = f"the first byte came after {answer.first_byte:.1f} s" if waited else f"{answer.wire_bytes:,} bytes"
        took = "" if waited else f" took {answer.seconds:.1f} s"
        advice = (
            "write the sitemap to a file or cache it" if waited else "remove the bandwidth limit, or compress the file"
        )
        found.append(Diagnosis("slow", f"{what}{took}", advice))
    kind = seen.checked.summary.kind if seen.checked is not None and seen.checked.summary is not None else None
    if answer.hops and (kind is Kind.HTML or _is_far(answer)):
        page = ", an HTML page" if kind is Kind.HTML else ""
        where = f"{seen.url} redirects to {answer.final_url}{page}"
        count = f" ({len(answer.hops)} redirects)" if len(answer.hops) > 1 else ""
        found.append(Diagnosis("redirect", f"{where}{count}", "serve the sitemap at its URL without redirects"))
    return found + _compression(seen)


def _is_far(answer: Answer) -> bool:
    """On another host, or after more redirects than crawlers need to follow; a new scheme is neither."""
    before, after = urlsplit(answer.url), urlsplit(answer.final_url)
    return before.hostname != after.hostname or len(answer.hops) > _FEW


def _compression(seen: Observations) -> list[Diagnosis]:
    if seen.checked is None or seen.checked.envelope is None:
        return []
    answer, envelope = seen.main, seen.checked.envelope
    encodings = [part.strip().lower() for each in answer.all("content-encoding") for part in each.split(",")]
    sent = ", ".join(each for each in encodings if each not in ("", "identity"))
    called_gz = urlsplit(answer.final_url or seen.url).path.lower().endswith(".gz")
    if envelope.layers > 1 or sent.count("gzip") > 1:
        return [Diagnosis("double-gzip", "the content is gzip inside gzip", _COMPRESS_ONCE)]
    if envelope.layers and sent:
        evidence = f"a gzip file is sent with Content-Encoding: {sent}, so it is compressed twice"
        return [Diagnosis("double-gzip", evidence, _COMPRESS_ONCE)]
    if called_gz and sent:
        evidence = f"a .gz file is sent with Content-Encoding: {sent}, so crawlers unpack it once too often or too few"
        return [Diagnosis("gz-encoded", evidence, "send the .gz file as application/gzip, without Content-Encoding")]
    kind = answer.media_type or ""
    if envelope.layers and not called_gz and "gzip" not in kind and not kind.endswith("octet-stream"):
        evidence = f"the body is gzip, but neither its name, its type ({kind or 'none'}) nor Content-Encoding says so"
        return [Diagnosis("gzip-unlabeled", evidence, "send Content-Encoding: gzip, or serve plain XML")]
    return []


def _content(seen: Observations) -> list[Diagnosis]:
    if seen.checked is None or seen.checked.summary is None or seen.checked.envelope is None:
        return []
    document, envelope = seen.checked.summary, seen.checked.envelope
    if document.kind is Kind.EMPTY:
        return [Diagnosis("empty", "the response has no content", "publish the sitemap again")]
    if document.kind is Kind.HTML:
        if seen.main.hops:
            return []
        evidence, other = "an HTML page is served", seen.fallback
        if other is not None and other.ok and (other.media_type or "").endswith("html"):
            cannot_exist = f"as for {urlsplit(other.url).path}, which cannot exist"
            evidence += f", {cannot_exist}: the server answers every URL with a page"
        return [Diagnosis("html-instead", evidence, "serve the XML; check rewrites, fallbacks and the CMS")]
    if not document.kind.is_sitemap:
        noun = f"the content is {document.kind.noun}"
        return [*_before_xml(seen), Diagnosis("not-a-sitemap", noun, "serve a sitemap at this URL")]
    found = _before_xml(seen)
    if not document.entries:
        what = "sitemap" if document.kind.lists_sitemaps else "URL"
        found.append(Diagnosis("no-urls", f"it lists no {what}", "list at least one, or remove the sitemap"))
    if envelope.size > MAX_BYTES or document.entries > MAX_URLS:
        size = f"{envelope.size:,} bytes and {document.entries:,} entries"
        found.append(Diagnosis("too-large", size, "split it: `urlset fix` writes parts and an index"))
    return found + _invalid(seen)


def _before_xml(seen: Observations) -> list[Diagnosis]:
    """Blank lines, warnings of a script, or a second byte order mark in front of the declaration."""
    findings = seen.checked.verdict.findings if seen.checked is not None else ()
    first = next((each for each in findings if _is_before(each)), None)
    if first is None:
        return []
    mark = " and a byte order mark" if any(each.code == "X006" for each in findings) else ""
    message = first.message.partition(", so ")[0]
    advice = "remove what the program prints before the sitemap; `urlset fix` removes it from a file"
    return [Diagnosis("text-before-xml", f"{message}{mark}", advice)]


def _is_before(finding: Finding) -> bool:
    """An unclosed declaration has the same rule, and is malformed."""
    return finding.code == "X005" and " before the " in finding.message


def _invalid(seen: Observations) -> list[Diagnosis]:
    """Error-level findings, by what they are about."""
    if seen.checked is None:
        return []
    errors = [each for each in seen.checked.verdict.findings if each.severity == "error" and not _is_before(each)]
    groups = {
        "malformed": [each for each in errors if each.code.startswith("X")],
        "wrong-namespace": [each for each in errors if "namespace" in each.name],
        "host-mismatch": [each for each in errors if each.code in ("L015", "L017", "L018", "L019", "I006")],
    }
    known = {id(each) for group in groups.values() for each in group}
    groups["invalid"] = [each for each in errors if id(each) not in known]
    advice = {
        "malformed": "fix the XML: `urlset fix` repairs the usual damage",
        "wrong-namespace": "declare the namespace of the protocol: `urlset fix` does it",
        "host-mismatch": "list only URLs of the sitemap's own host and folder, or verify both hosts at the engine",
        "invalid": "run `urlset check` on the sitemap for every finding",
    }
    return [
        Diagnosis(name, f"{group[0].code}: {group[0].message}", advice[name]) for name, group in groups.items() if group
    ]


def _delivery(seen: Observations) -> list[Diagnosis]:
    """What some crawlers stumble over and others do not."""
    answer, found = seen.main, []
    last = answer.final_url
    if answer.hops and not _is_far(answer) and not _is_page(seen):
        advice = f"submit {last}, or serve it without redirects"
        found.append(Diagnosis("redirect", f"{seen.url} redirects to {last}", advice))
    differing = [each for each in CRAWLERS if each.purpose is Purpose.SEARCH and each.token in seen.answers]
    refused = [each.token for each in differing if not seen.answers[each.token].ok]
    limited = [name for name, each in seen.answers.items() if each.status == 429]
    if limited:
        evidence = f"the first request was answered, and request {list(seen.answers).index(limited[0]) + 1} got 429"
        found.append(Diagnosis("rate-limited", evidence, _SLOWER))
    elif refused:
        others = ", ".join(f"{name}: {reported(seen.answers[name])}" for name in refused)
        found.append(Diagnosis("blocks-some-bots", others, LET_IN))
    kind = answer.media_type
    if kind is not None and kind not in _TYPES and not kind.endswith(("+xml", "/xml")) and not _is_page(seen):
        found.append(Diagnosis("content-type", f"Content-Type is {quoted(kind)}", "send application/xml"))
    return found


_TYPES = frozenset(
    {"text/plain", "application/gzip", "application/x-gzip", "application/octet-stream", "binary/octet-stream"}
)


def _is_page(seen: Observations) -> bool:
    return seen.checked is not None and seen.checked.summary is not None and seen.checked.summary.kind is Kind.HTML


def _network(seen: Observations) -> list[Diagnosis]:
    """One address family that fails while the other works: some crawlers meet it, some do not."""
    broken = [each for each in seen.reach if each.problem]
    if not broken or len(broken) == len(seen.reach):
        return []
    each = broken[0]
    evidence = f"{each.address}: {each.problem}, while other addresses of the host answer"
    advice = f"fix the {each.family} address of the host, or remove its DNS record"
    return [Diagnosis(each.family.lower(), evidence, advice)]


_CONTENT = frozenset(
    {
        *("html-instead", "not-a-sitemap", "empty", "text-before-xml", "no-urls", "too-large"),
        *("malformed", "wrong-namespace", "host-mismatch", "invalid"),
    }
)
_MILD = "content-type"


def together(own: Sequence[Diagnosis], others: Sequence[Diagnosis]) -> list[Diagnosis]:
    """The causes of the sitemap itself and of others: transport before content, what may be harmless last."""
    serious = [each for each in own if each.cause != _MILD]
    ordered = sorted(others, key=lambda each: 2 if each.cause == _MILD else each.cause in _CONTENT)
    return [*serious, *ordered, *(each for each in own if each.cause == _MILD)]


def of_others(causes: Mapping[str, Sequence[Diagnosis]], looked: int) -> list[Diagnosis]:
    """URL of another sitemap → its causes: one diagnosis for each cause, that of most sitemaps first."""
    groups: dict[str, list[tuple[str, Diagnosis]]] = {}
    for url, found in causes.items():
        for each in found:
            groups.setdefault(each.cause, []).append((url, each))
    diagnoses = []
    for cause, having in sorted(groups.items(), key=lambda group: -len(group[1])):
        url, first = having[0]
        who = f"sitemap {url}" if len(having) == 1 else f"{len(having):,} of {looked:,} other sitemaps, such as {url}"
        urls = tuple(url for url, _ in having)
        diagnoses.append(Diagnosis(cause, f"{who}: {first.evidence}", first.advice, urls, first.recipes))
    return diagnoses
