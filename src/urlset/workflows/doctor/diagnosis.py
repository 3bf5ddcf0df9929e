"""What was seen of a sitemap → the causes that keep an engine from reading it, most likely first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from urlset.model.answer import Answer, FailureKind
from urlset.model.document import Kind
from urlset.reading.host_robots import Access, HostRobots
from urlset.rules.robots.fetch_state import challenged
from urlset.spec.protocol import MAX_BYTES, MAX_URLS
from urlset.web.reach import Reach
from urlset.workflows.check_file import CheckedFile

SLOW = 10.0
"""seconds from which a fetch is at risk of being given up"""
_TLS = "fix the certificate; engines fetch only over connections they can trust"
_FAILURES = {
    FailureKind.DNS: ("dns", "check the DNS records of the host"),
    FailureKind.REFUSED: ("connection-refused", "start the server, or open the port in the firewall"),
    FailureKind.RESET: ("connection-reset", "look for a firewall or a crashing server that closes connections"),
    FailureKind.UNREACHABLE: ("unreachable", "check the network and the firewall of the server"),
    FailureKind.CONNECT_TIMEOUT: ("connect-timeout", "check the network and the firewall of the server"),
    FailureKind.READ_TIMEOUT: ("timeout", "make the sitemap faster, for example by writing it to a file"),
    FailureKind.TOTAL_TIMEOUT: ("timeout", "make the sitemap faster, for example by writing it to a file"),
    FailureKind.CUT_SHORT: ("cut-short", "look for a proxy or script limit that cuts the answer"),
    FailureKind.BAD_ENCODING: ("bad-encoding", "send the Content-Encoding that the body has, or none"),
    FailureKind.REDIRECT_LOOP: ("redirect-loop", "serve the sitemap at one address without redirects"),
    FailureKind.TOO_MANY_REDIRECTS: ("redirect-loop", "serve the sitemap at one address without redirects"),
    FailureKind.BAD_REDIRECT: ("bad-redirect", "fix the Location header"),
    FailureKind.FORBIDDEN_ADDRESS: ("private-address", "publish the host under a public address"),
}


class Diagnosis(msgspec.Struct, frozen=True):
    cause: str
    evidence: str
    advice: str
    sitemaps: tuple[str, ...] = ()
    """the sitemaps with it, where that is not the one that was diagnosed"""


class Observations(msgspec.Struct, frozen=True):
    """Everything that was looked at, of one sitemap."""

    url: str
    answers: dict[str, Answer]
    """by the name of the user agent; `googlebot` is always there"""
    robots: HostRobots
    reach: tuple[Reach, ...] = ()
    checked: CheckedFile | None = None
    """None where nothing was delivered"""
    property_missing: str | None = None
    """the account whose properties do not contain the sitemap"""

    @property
    def main(self) -> Answer:
        return self.answers["googlebot"]


def diagnose(seen: Observations) -> list[Diagnosis]:
    """The first is the one to look at; an empty list means that nothing wrong was found in what was looked at."""
    found = _access(seen)
    if found:  # nothing more can be said about a file that does not arrive
        return [*found, *_network(seen)]
    return [*_robots(seen), *_content(seen), *_delivery(seen), *_network(seen), *_account(seen)]


def _access(seen: Observations) -> list[Diagnosis]:
    answer = seen.main
    block = challenged(answer)
    if block is not None:
        who = f" ({block.vendor})" if block.vendor else ""
        return [Diagnosis("bot-protection", f"the answer is {block.shows}{who}", _LET_IN)]
    served = {name: each.status for name, each in seen.answers.items() if each.ok}
    if not answer.ok and served:
        others = ", ".join(sorted(served))
        return [
            Diagnosis("bot-protection", f"{_said(answer)} for Googlebot's user agent, but 200 for {others}", _LET_IN),
        ]
    if answer.failure is not None:
        cause, advice = _FAILURES.get(answer.failure.kind, ("fetch-failed", "look at the server's error log"))
        if answer.failure.kind.is_tls:
            cause, advice = "tls", _TLS
        return [Diagnosis(cause, f"{answer.final_url or seen.url}: {answer.failure}", advice)]
    status = answer.status or 0
    if status in (401, 407):
        return [Diagnosis("login", f"status {status}", "serve the sitemap without a login")]
    if status in (403, 429):
        return [Diagnosis("forbidden", f"status {status} for every user agent", _LET_IN)]
    if status >= 500:
        return [Diagnosis("server-error", f"status {status}", "look at the server's error log")]
    if status in (404, 410):
        return [
            Diagnosis("not-found", f"status {status}", "publish the sitemap at this address, or submit the right one")
        ]
    if not 200 <= status < 300:
        return [Diagnosis("bad-status", f"status {status}", "answer 200 with the sitemap")]
    return []


_LET_IN = "let verified search engine bots through the firewall or bot protection for this path"


def _said(answer: Answer) -> str:
    return str(answer.failure) if answer.failure is not None else f"status {answer.status}"


def _robots(seen: Observations) -> list[Diagnosis]:
    if seen.robots.access is Access.NOTHING:
        return [
            Diagnosis(
                "robots-unavailable",
                "robots.txt answers with a server error, which stops all crawling",
                "make /robots.txt answer 200 or 404",
            )
        ]
    match = seen.robots.match("Googlebot", seen.url)
    if match.allowed:
        return []
    line = f" ({match.line.written}: {match.line.value})" if match.line is not None else ""
    return [
        Diagnosis(
            "blocked-by-robots",
            f"robots.txt disallows the sitemap itself for Googlebot{line}",
            "allow the path of the sitemap in robots.txt",
        )
    ]


def _content(seen: Observations) -> list[Diagnosis]:
    answer = seen.main
    if seen.checked is None or seen.checked.summary is None or seen.checked.envelope is None:
        return []
    document, envelope = seen.checked.summary, seen.checked.envelope
    if document.kind is Kind.EMPTY:
        return [Diagnosis("empty", "the answer has no content", "publish the sitemap again")]
    if document.kind is Kind.HTML:
        where = f" at {answer.final_url}" if answer.hops else ""
        return [
            Diagnosis("html-instead", f"an HTML page is served{where}", "serve the XML; check rewrites and the CMS")
        ]
    if document.kind in (Kind.UNKNOWN, Kind.OTHER_XML, Kind.ROBOTS):
        return [Diagnosis("not-a-sitemap", f"the content is {document.kind.value}", "serve a sitemap at this address")]
    found = []
    encoding = (answer.header("content-encoding") or "").strip().lower()
    if envelope.layers > 1:
        found.append(Diagnosis("double-gzip", "the content is gzip inside gzip", _COMPRESS_ONCE))
    elif envelope.layers and encoding not in ("", "identity"):
        evidence = f"a gzip file is sent with Content-Encoding: {encoding}, so it is compressed twice"
        found.append(Diagnosis("double-gzip", evidence, _COMPRESS_ONCE))
    if not document.entries:
        what = "sitemap" if document.kind is Kind.SITEMAPINDEX else "URL"
        found.append(Diagnosis("no-urls", f"it lists no {what}", "list at least one, or remove the sitemap"))
    if envelope.size > MAX_BYTES or document.entries > MAX_URLS:
        size = f"{envelope.size:,} bytes and {document.entries:,} entries"
        found.append(Diagnosis("too-large", size, "split it: `urlset fix` writes parts and an index"))
    return found + _invalid(seen)


_COMPRESS_ONCE = "compress once: file or Content-Encoding"


def _invalid(seen: Observations) -> list[Diagnosis]:
    """Error-level findings, by what they are about."""
    if seen.checked is None:
        return []
    errors = [finding for finding in seen.checked.verdict.findings if finding.severity == "error"]
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
    answer = seen.main
    found = []
    if answer.hops:
        last = answer.final_url
        found.append(
            Diagnosis("redirect", f"{seen.url} redirects to {last}", f"submit {last}, or serve it without redirects")
        )
    if answer.seconds >= SLOW:
        found.append(
            Diagnosis("slow", f"the answer took {answer.seconds:.1f} s", "write the sitemap to a file or cache it")
        )
    differing = sorted(name for name, each in seen.answers.items() if not each.ok)
    if differing:
        others = ", ".join(f"{name}: {_said(seen.answers[name])}" for name in differing)
        found.append(Diagnosis("blocks-some-bots", others, _LET_IN))
    kind = answer.media_type
    if kind is not None and kind not in _TYPES and not kind.endswith(("+xml", "/xml")):
        found.append(Diagnosis("content-type", f"Content-Type is {kind}", "send application/xml"))
    robots = ", ".join(answer.all("x-robots-tag"))
    if "noindex" in robots.lower() or "none" in robots.lower().split(","):
        found.append(
            Diagnosis(
                "noindex-header",
                f"X-Robots-Tag: {robots}",
                "harmless for reading the sitemap according to Google; remove it to rule it out",
            )
        )
    return found


_TYPES = frozenset(
    {"text/plain", "application/gzip", "application/x-gzip", "application/octet-stream", "binary/octet-stream"}
)


def _network(seen: Observations) -> list[Diagnosis]:
    """One address family that fails while the other works: some crawlers meet it, some do not."""
    broken = [each for each in seen.reach if each.problem]
    if not broken or len(broken) == len(seen.reach):
        return []
    each = broken[0]
    return [
        Diagnosis(
            each.family.lower(),
            f"{each.address}: {each.problem}, while other addresses of the host answer",
            f"fix the {each.family} address of the host, or remove its DNS record",
        )
    ]


def _account(seen: Observations) -> list[Diagnosis]:
    if seen.property_missing is None:
        return []
    return [
        Diagnosis(
            "no-property",
            f"no verified Search Console property of {seen.property_missing} contains this sitemap",
            "verify the exact scheme and host, or a domain property, and submit it there",
        )
    ]


def of_others(causes: Mapping[str, Sequence[Diagnosis]], looked: int) -> list[Diagnosis]:
    """URL of another sitemap → its causes: one diagnosis for each cause, that of most sitemaps first."""
    groups: dict[str, list[tuple[str, Diagnosis]]] = {}
    for url, found in causes.items():
        for each in found:
            groups.setdefault(each.cause, []).append((url, each))
    return [
        Diagnosis(cause, _of_some(found, looked), found[0][1].advice, tuple(url for url, _ in found))
        for cause, found in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]


def _of_some(found: Sequence[tuple[str, Diagnosis]], looked: int) -> str:
    url, first = found[0]
    if len(found) == 1:
        return f"sitemap {url}: {first.evidence}"
    return f"{len(found):,} of {looked:,} other sitemaps, such as {url}: {first.evidence}"
