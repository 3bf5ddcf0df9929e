"""Is the host public, not a placeholder, and in normal form? Reported once per host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import msgspec

from urlset.checking.declare import bad, good, reader_error, reader_info, reader_warning
from urlset.findings.finding import quoted
from urlset.model.address import Address, HostFault
from urlset.model.place import Place
from urlset.rules import Fix, Has, Problem, Safety, Severity, Sitemap
from urlset.rules.loc import OriginRows, first_place, head_of, origins, replaced, share
from urlset.spec import generator_artifacts
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import DEFAULT_PORTS

# A host → why search engines cannot or should not reach it, if so.

MALFORMED: dict[HostFault, str] = {
    HostFault.EMPTY_HOST: "has no host",
    HostFault.EMPTY_LABEL: "has an empty label: two dots in a row or a leading dot",
    HostFault.LABEL_TOO_LONG: "has a label of more than 63 characters",
    HostFault.HOST_TOO_LONG: "has more than 253 characters",
    HostFault.HYPHEN_AT_EDGE: "has a label that starts or ends with a hyphen",
    HostFault.BAD_CHARACTER: "contains a character that is illegal in host names",
    HostFault.UNDERSCORE: "contains an underscore, which is illegal in host names",
    HostFault.NOT_IDNA: "cannot be encoded as a host name",
    HostFault.BAD_IP: "is neither an IP address nor a host name",
    HostFault.BAD_PORT: "is not a port from 1 to 65535",
}
"""problem → the message after the quoted host; the first that applies is reported"""

UNREACHABLE: dict[HostFault, str] = {
    HostFault.LOOPBACK_IP: "a loopback address; use the public host",
    HostFault.LINK_LOCAL_IP: "a link-local address; use the public host",
    HostFault.PRIVATE_IP: "a private network address; use the public host",
    HostFault.LOCAL_NAME: "a name that public DNS does not resolve; use the public host",
    HostFault.DOCUMENTATION_NAME: "a name reserved for documentation; use your own host",
}


_ENDS_IN_TUNNEL = tuple(f".{domain}" for domain in generator_artifacts.TUNNEL_DOMAINS)
_ENDS_IN_USER_DOMAIN = tuple(f".{domain}" for domain in generator_artifacts.USER_DOMAINS)
_EXAMPLE = "a domain used in documentation; use your own host"
_LEFT_IN = "which looks like a placeholder; use your own host"


class PrivateReason(msgspec.Struct, frozen=True):
    """The end of the message about the host."""

    why: str
    severity: Severity | None = None
    """set where it is lower than the rule's severity"""


def is_malformed(head: OriginRows) -> bool:
    """The host is malformed, and not because of a template placeholder."""
    return bool(head.faults) and not MALFORMED.keys().isdisjoint(head.faults) and not head.unfilled


def non_public(sitemap: Sitemap, head: OriginRows) -> PrivateReason | None:
    """Cached on the head because all host and location rules need it."""
    if "_reason" not in vars(head):
        vars(head)["_reason"] = _reason(sitemap, head)
    reason: PrivateReason | None = vars(head)["_reason"]
    return reason


def _reason(sitemap: Sitemap, head: OriginRows) -> PrivateReason | None:
    if not head.is_web or head.unfilled or is_malformed(head):
        return None
    if sitemap.address is not None and sitemap.address.host_ascii == head.host:
        return None  # the sitemap was fetched from that host: a check of a development or staging site
    for fault, why in UNREACHABLE.items():
        if fault in head.faults:
            return PrivateReason(why)
    if HostFault.IP_LITERAL in head.faults:
        return None
    host = head.host.removesuffix(".")
    if host in ("http", "https"):
        return PrivateReason("a scheme that is written twice; write it once")
    if "." not in host:
        return PrivateReason("a name without a domain, which only resolves in a local network; use the public host")
    if host.endswith(_ENDS_IN_TUNNEL):
        return PrivateReason("a tunnel to a development machine; use the public host")
    return _where_sites_are_tried(sitemap, host)


def _where_sites_are_tried(sitemap: Sitemap, host: str) -> PrivateReason | None:
    labels = [label for label in own_labels(host) if label != "www"]
    surely = any(generator_artifacts.TEST_LABEL.fullmatch(label) for label in labels)
    if not surely and not any(generator_artifacts.POSSIBLE_TEST_LABEL.fullmatch(label) for label in labels):
        return None
    why = "which looks like a staging host; use the public host"
    name, depth = registered(host), len(own_labels(host))
    if sitemap.address is not None and sitemap.address.host_ascii:
        if sitemap.address.host_ascii == host:
            return None
        other = sitemap.address.host_ascii
        same = registered(other) == name and len(own_labels(other)) <= depth
        return PrivateReason(why) if surely or same else None
    if any(other != host and name == own and below <= depth for other, own, below in _first_hosts(sitemap)):
        return PrivateReason(why)
    return PrivateReason(why, Severity.WARNING) if surely else None


def placeholder(sitemap: Sitemap, head: OriginRows) -> PrivateReason | None:
    """A host from documentation or a starter template that was not replaced.

    Separate from `non_public`: the other host and location rules accept such a host.
    """
    if not head.is_web or head.unfilled or is_malformed(head) or HostFault.IP_LITERAL in head.faults:
        return None
    host = head.host.removesuffix(".")
    name = registered(host)
    base = sitemap.context.base_url
    known = (sitemap.address, Address.parse(base) if base else None)
    own = {registered(address.host_ascii) for address in known if address is not None and address.host_ascii}
    if "." not in host or name in own:
        return None  # the site really has that name
    if name.partition(".")[0] == "example":
        if own:  # on an example site, other example hosts are expected; L015 reports foreign ones
            return None if _are_examples(own) else PrivateReason(_EXAMPLE, Severity.WARNING)
        every = sitemap.cached("example", lambda: _are_examples({own for _, own, _ in _first_hosts(sitemap)}))
        return PrivateReason(_EXAMPLE, Severity.INFO if every else Severity.WARNING)
    if host.endswith("undefined"):
        return PrivateReason("which ends in an unfilled value; fix the template")
    if host.endswith(_ENDS_IN_USER_DOMAIN):
        domain = max((domain for domain in generator_artifacts.USER_DOMAINS if host.endswith(f".{domain}")), key=len)
        user = host.removesuffix(f".{domain}").rpartition(".")[2]
        return (
            PrivateReason(_LEFT_IN, Severity.WARNING) if generator_artifacts.PLACEHOLDER_USER.fullmatch(user) else None
        )
    is_left_in = (
        host.rpartition(".")[2] in generator_artifacts.PLACEHOLDER_ENDINGS
        or generator_artifacts.PLACEHOLDER_WORD.fullmatch(name) is not None
        or generator_artifacts.PLACEHOLDER_NAME.fullmatch(name.partition(".")[0]) is not None
    )
    return PrivateReason(_LEFT_IN, Severity.WARNING) if is_left_in else None


def _first_hosts(sitemap: Sitemap) -> list[tuple[str, str, int]]:
    """Some hosts of the entries, each with its registered domain and the number of labels before that."""
    return sitemap.cached(
        "first hosts",
        lambda: [(each.host, registered(each.host), len(own_labels(each.host))) for each in origins(sitemap)[:100]],
    )


def _are_examples(names: set[str]) -> bool:
    return all(name.partition(".")[0] == "example" for name in names)


def own_labels(host: str) -> list[str]:
    """The labels before the registered domain."""
    labels = host.split(".")
    suffix = (
        2 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in generator_artifacts.SECOND_LEVEL_LABELS else 1
    )
    return labels[: -suffix - 1]


def registered(host: str) -> str:
    """The registered domain, including its public suffix, judged by its form; all of an IP address."""
    host = host.lower().rstrip(".")
    return host if host.rpartition(".")[2].isdigit() else ".".join(host.split(".")[len(own_labels(host)) :])


_DEVIATIONS = frozenset("ßς\u200c\u200d")
"""characters that IDNA 2003 and IDNA 2008 encode differently"""
_PUNYCODE_TEXT = lazy_pattern(r"[\x00-$&-\x7f]*+")
_NO_USER = lazy_pattern(r"[^@]*+")
_LOWER_CASE = lazy_pattern(r"[\x00-@\[-\x7f]*+")
_SECOND_SCHEMES = ("http:", "https:")
_NO_PORT = lazy_pattern(r"[^:]*+:[^:]*+")


def _unlike(sitemap: Sitemap, ordinary: re.Pattern[str]) -> Iterator[OriginRows]:
    """The origins that may have a problem; a file can have as many as entries."""
    return (head for head in origins(sitemap) if not ordinary.fullmatch(head.text))


host_error = partial(reader_error, on=Sitemap, kinds=Has.LOCS)
host_info = partial(reader_info, on=Sitemap, kinds=Has.LOCS)
host_warning = partial(reader_warning, on=Sitemap, kinds=Has.LOCS)


@host_info("L011", cites=("google-robots", "rfc5890"))
@bad(
    "<url><loc>https://«bücher.example.com»/</loc></url><url><loc>https://bücher.example.com/a</loc></url>",
    fixed="<url><loc>https://xn--bcher-kva.example.com/</loc></url>"
    "<url><loc>https://xn--bcher-kva.example.com/a</loc></url>",
)
@bad(
    "<sitemap><loc>https://«bücher.example.com»/a.xml</loc></sitemap>",
    fixed="<sitemap><loc>https://xn--bcher-kva.example.com/a.xml</loc></sitemap>",
)
@good("<loc>https://xn--bcher-kva.example.com/</loc>", "<loc>https://example.com/b%C3%BCcher</loc>")
def host_not_punycode(sitemap: Sitemap) -> Iterator[Problem]:
    """A host name contains non-ASCII characters.

    DNS and search engine reports use the punycode form. Crawlers that do not convert the name cannot find the
    host.
    """
    for head in _unlike(sitemap, _PUNYCODE_TEXT):
        host, span = head.address.host, head.address.parts.host
        if not host or span is None or (host.isascii() and "%" not in host) or head.unfilled or is_malformed(head):
            continue
        spelled = head.address.host_ascii
        if spelled is None:
            continue
        safety = Safety.SAFE if _DEVIATIONS.isdisjoint(host) else Safety.REVIEW
        yield Problem(
            first_place(sitemap, head, *span),
            f"{share(len(head), sitemap, 'have')} the non-ASCII host {quoted(host)}; write {quoted(spelled)}",
            Fix(f"write {spelled}", replaced(sitemap, [(head, [(*span, spelled)])]), safety),
            count=len(head),
            rows=head.rows,
        )


@host_error("L014", cites=("rfc3986", "general-knowledge"))
@bad(
    "<loc>https://«me:secret@»example.com/</loc>",
    "<loc>https://«me@»example.com/</loc>",
    "<sitemap><loc>https://«me:secret@»example.com/a.xml</loc></sitemap>",
)
@good("<loc>https://example.com/@me</loc>", "<loc>https://example.com/?mail=me@example.com</loc>")
def credentials_in_loc(sitemap: Sitemap) -> Iterator[Problem]:
    """A URL contains a user name or a password.

    The sitemap is public, so the password is too. Search engines do not send it.
    """
    for head in _unlike(sitemap, _NO_USER):
        span = head.address.parts.userinfo
        if span is not None:
            what = "a password" if ":" in (head.address.userinfo or "") else "a user name"
            yield Problem(
                first_place(sitemap, head, span[0], span[1] + 1),
                f"{share(len(head), sitemap, 'contain')} {what}, which is public in a sitemap; remove it",
                count=len(head),
                rows=head.rows,
            )


@host_info("L027", cites=("rfc3986",))
@bad("<loc>«HTTPS://Example.COM»/A</loc>", fixed="<loc>https://example.com/A</loc>")
@bad("<loc>https://«Example.com»/A</loc>", fixed="<loc>https://example.com/A</loc>")
@bad("<loc>«Https»://me:Secret@example.com/A</loc>", fixed="<loc>https://me:Secret@example.com/A</loc>")
@bad(
    "<sitemap><loc>https://«Example.com»/A.xml</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/A.xml</loc></sitemap>",
)
@good("<loc>https://example.com/A</loc>", "<loc>https://example.com/?u=HTTPS://E.COM</loc>")
def upper_case_host(sitemap: Sitemap) -> Iterator[Problem]:
    """The scheme or host contains uppercase letters.

    Uppercase and lowercase are equivalent here, but a text comparison treats them as different URLs.
    """
    for head in _unlike(sitemap, _LOWER_CASE):
        parts, address = head.address.parts, head.address
        if parts.scheme is None or parts.host is None or head.unfilled or is_malformed(head):
            continue
        changes = [(*parts.scheme, address.scheme or "")]
        if address.host and address.host.isascii() and "%" not in address.host:
            changes.append((*parts.host, address.host))
        changes = [(start, end, text.lower()) for start, end, text in changes if text != text.lower()]
        if changes:
            start, end = changes[0][0], changes[-1][1]
            yield Problem(
                first_place(sitemap, head, start, end),
                f"{share(len(head), sitemap, 'start')} with {quoted(head.text[start:end])}; use lowercase",
                Fix("convert to lowercase", replaced(sitemap, [(head, changes)]), Safety.SAFE),
                count=len(head),
                rows=head.rows,
            )


@host_error(
    "L031", cites=("rfc6761", "rfc2606", "google-canonical", "seen-in-the-wild"), kinds=Has.LOCS | Has.ROBOTS_LINES
)
@bad(
    "<url><loc>http://«localhost»:3000/</loc></url><url><loc>http://localhost:3000/a</loc></url>",
    "<loc>http://«192.168.1.20»/</loc>",
    "<loc>http://«[::1]»:8080/</loc>",
    "<loc>https://«shop.local»/</loc>",
    "<loc>https://«intranet»/a</loc>",
)
@bad("<loc>https://«staging.example.com»/</loc>", at="https://www.example.com/sitemap.xml")
@bad("<loc>https://«www-stg.acme.co.uk»/</loc>")
@bad("<loc>https://«dev.example.com»/</loc>", at="https://www.example.com/sitemap.xml")
@bad(
    "<url><loc>https://www.acme.shop/</loc></url><url><loc>https://«test.acme.shop»/</loc></url>",
    "<loc>https://«www.yoursite.com»/</loc>",
    "<loc>https://«your-domain.com»/</loc>",
    "<loc>https://«domain.tld»/</loc>",
    "<loc>https://«www.tu-dominio.es»/</loc>",
    "<loc>https://«meinewebsite.de»/</loc>",
    "<loc>https://«https»://acme.shop/</loc>",
    "<loc>https://«www.acme.comundefined»/a</loc>",
    "<loc>https://«username.github.io»/</loc>",
    "<loc>https://«your-app.vercel.app»/</loc>",
    "<loc>https://«www.example.com»/</loc>",
    "<url><loc>https://acme.shop/</loc></url><url><loc>https://«example.com»/a</loc></url>",
    "<sitemap><loc>http://«localhost»/sitemap-1.xml</loc></sitemap>",
    "User-agent: *\nDisallow:\nSitemap: https://«yourdomain.com»/sitemap.xml\n",
)
@good(
    "<loc>https://www.acme.shop/localhost</loc>",
    "<loc>https://staging.co.uk/</loc>",
    "<loc>https://dev.acme.shop/</loc>",
    "<loc>https://test.com/</loc>",
    "<loc>https://backstage.acme.shop/</loc>",
    "<loc>http://203.0.113.5/</loc>",
    "<loc>https://yourstory.com/</loc>",
    "<loc>https://mijndomein.nl/</loc>",
    "<loc>https://www.domain.com.au/</loc>",
    "<loc>https://tuenti.es/</loc>",
    "<loc>https://mitienda.com/</loc>",
    "<loc>https://octocat.github.io/your-site/</loc>",
    "<loc>https://example.github.io.acme.shop/</loc>",
)
@good("<loc>https://staging.example.com/</loc>", at="https://staging.example.com/sitemap.xml")
@good("<loc>http://localhost:3000/</loc>", at="http://localhost:3000/sitemap.xml")
@good("<loc>https://domain.com/</loc>", at="https://domain.com/sitemap.xml")
@good("<loc>https://example.com/</loc>", at="https://example.com/sitemap.xml")
def host_not_public(sitemap: Sitemap) -> Iterator[Problem]:
    """A host is not public.

    The host is localhost, in a private network, a staging host, or a placeholder from documentation or a
    starter template. The sitemap was generated with the settings of another environment, or without settings.
    """
    for head in origins(sitemap):
        reason = non_public(sitemap, head) or placeholder(sitemap, head)
        if reason is not None:
            yield Problem(
                first_place(sitemap, head, *(head.address.parts.host or (0, 0))),
                f"{share(len(head), sitemap, 'are')} on {quoted(head.address.host or '')}, {reason.why}",
                count=len(head),
                rows=head.rows,
                severity=reason.severity,
            )
    robots = sitemap.document.robots
    for line in robots.sitemaps if robots is not None else ():
        named = head_of(line.value)
        reason = None if named is None else non_public(sitemap, named) or placeholder(sitemap, named)
        if named is not None and reason is not None:
            start, end = named.address.parts.host or (0, 0)
            before = len(line.value[:start].encode("utf-8", "surrogatepass"))
            size = len(line.value[start:end].encode("utf-8", "surrogatepass"))
            yield Problem(
                Place(line.value_place.offset + before, size),
                f"the sitemap is on {quoted(named.address.host or '')}, {reason.why}",
                severity=reason.severity,
            )


@host_warning("L032", cites=("general-knowledge",))
@bad(
    "<loc>http://«203.0.113.5»/</loc>",
    "<loc>http://«[2001:db8::1]»/</loc>",
    "<loc>http://«0xcb007105»/</loc>",
    "<sitemap><loc>http://«203.0.113.5»/a.xml</loc></sitemap>",
)
@good("<loc>https://example.com/203.0.113.5</loc>", "<loc>https://203.example.com/</loc>")
def ip_address_as_host(sitemap: Sitemap) -> Iterator[Problem]:
    """A host is an IP address instead of a name.

    Pages are indexed under the listed host, so the domain name gets no credit for them.
    """
    for head in origins(sitemap):
        if HostFault.IP_LITERAL in head.faults and UNREACHABLE.keys().isdisjoint(head.faults):
            yield Problem(
                first_place(sitemap, head, *(head.address.parts.host or (0, 0))),
                f"{share(len(head), sitemap, 'have')} the IP address {quoted(head.address.host or '')} as host; "
                "use the domain name",
                count=len(head),
                rows=head.rows,
            )


@host_error("L033", cites=("rfc3986", "rfc1123"))
@bad(
    "<loc>https://«-example..com»/</loc>",
    "<loc>https://«my_shop.example.com»/</loc>",
    "<loc>https://«exa mple.com»/</loc>",
    "<loc>https://example.com:«99999»/</loc>",
    "<loc>https://example.com:«port»/</loc>",
    "<loc>https://«999.1.1.1»/</loc>",
    "<loc>«https://»/a</loc>",
    "<sitemap><loc>https://«my_shop.example.com»/a.xml</loc></sitemap>",
)
@good(
    "<loc>https://example.com./</loc>", "<loc>https://a--b.example.com/</loc>", "<loc>https://example.com:8443/</loc>"
)
def malformed_host(sitemap: Sitemap) -> Iterator[Problem]:
    """The host or port is malformed.

    DNS cannot resolve the name, so its pages cannot be fetched.
    """
    for head in origins(sitemap):
        if not is_malformed(head):
            continue
        parts = head.address.parts
        fault = next(fault for fault in MALFORMED if fault in head.faults)
        span = parts.port if fault is HostFault.BAD_PORT else parts.host
        if span is None or span[0] == span[1]:
            span = (0, len(head.text))
        yield Problem(
            first_place(sitemap, head, *span),
            f"{quoted(head.text[slice(*span)])} {MALFORMED[fault]}, so {share(len(head), sitemap)} cannot be fetched; "
            "correct it",
            count=len(head),
            rows=head.rows,
        )


@host_info("L038", cites=("rfc3986",))
@bad("<loc>https://example.com«:443»/</loc>", fixed="<loc>https://example.com/</loc>")
@bad("<loc>http://example.com«:»/</loc>", fixed="<loc>http://example.com/</loc>")
@bad(
    "<sitemap><loc>https://example.com«:443»/a.xml</loc></sitemap>",
    fixed="<sitemap><loc>https://example.com/a.xml</loc></sitemap>",
)
@good("<loc>https://example.com:80/</loc>", "<loc>https://example.com/:443</loc>")
def default_port_in_loc(sitemap: Sitemap) -> Iterator[Problem]:
    """A URL contains the default port of its scheme.

    The port is redundant, and a text comparison treats the two forms as different URLs.
    """
    for head in _unlike(sitemap, _NO_PORT):
        span, scheme = head.address.parts.port, (head.address.scheme or "").lower()
        if span is None or scheme not in DEFAULT_PORTS or head.address.port_effective != DEFAULT_PORTS[scheme]:
            continue
        if head.text.lower().endswith(_SECOND_SCHEMES):
            continue  # not a port but the scheme of a second URL
        yield Problem(
            first_place(sitemap, head, span[0] - 1, span[1]),
            f"{share(len(head), sitemap, 'contain')} {quoted(head.text[span[0] - 1 : span[1]])}, the default port of "
            f"{scheme}; remove it",
            Fix("remove the port", replaced(sitemap, [(head, [(span[0] - 1, span[1], "")])]), Safety.SAFE),
            count=len(head),
            rows=head.rows,
        )
