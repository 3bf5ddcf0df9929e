"""A host → why search engines cannot or should not reach it, if so."""

from __future__ import annotations

import msgspec

from urlset.model.address import Address, HostFault
from urlset.rules import Severity, Sitemap
from urlset.rules.loc.origins import OriginRows, origins
from urlset.rules.structure.kept import kept
from urlset.spec.generator_artifacts import (
    PLACEHOLDER_ENDINGS,
    PLACEHOLDER_NAME,
    PLACEHOLDER_USER,
    PLACEHOLDER_WORD,
    POSSIBLE_TEST_LABEL,
    SECOND_LEVEL_LABELS,
    TEST_LABEL,
    TUNNEL_DOMAINS,
    USER_DOMAINS,
)

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


_ENDS_IN_TUNNEL = tuple(f".{domain}" for domain in TUNNEL_DOMAINS)
_ENDS_IN_USER_DOMAIN = tuple(f".{domain}" for domain in USER_DOMAINS)
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
    surely = any(TEST_LABEL.fullmatch(label) for label in labels)
    if not surely and not any(POSSIBLE_TEST_LABEL.fullmatch(label) for label in labels):
        return None
    why = "which looks like a staging host; use the public host"
    if sitemap.address is not None and sitemap.address.host_ascii:
        if sitemap.address.host_ascii == host:
            return None
        return PrivateReason(why) if surely or _same_site(host, sitemap.address.host_ascii) else None
    name, depth = registered(host), len(own_labels(host))
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
    own = _own_names(sitemap)
    if "." not in host or name in own:
        return None  # the site really has that name
    if name.partition(".")[0] == "example":
        if own:  # on an example site, other example hosts are expected; L015 reports foreign ones
            return None if _are_examples(own) else PrivateReason(_EXAMPLE, Severity.WARNING)
        return PrivateReason(_EXAMPLE, Severity.INFO if _is_an_example(sitemap) else Severity.WARNING)
    if host.endswith("undefined"):
        return PrivateReason("which ends in an unfilled value; fix the template")
    if host.endswith(_ENDS_IN_USER_DOMAIN):
        domain = max((domain for domain in USER_DOMAINS if host.endswith(f".{domain}")), key=len)
        user = host.removesuffix(f".{domain}").rpartition(".")[2]
        return PrivateReason(_LEFT_IN, Severity.WARNING) if PLACEHOLDER_USER.fullmatch(user) else None
    is_left_in = (
        host.rpartition(".")[2] in PLACEHOLDER_ENDINGS
        or PLACEHOLDER_WORD.fullmatch(name) is not None
        or PLACEHOLDER_NAME.fullmatch(name.partition(".")[0]) is not None
    )
    return PrivateReason(_LEFT_IN, Severity.WARNING) if is_left_in else None


def _first_hosts(sitemap: Sitemap) -> list[tuple[str, str, int]]:
    """Some hosts of the entries, each with its registered domain and the number of labels before that."""
    return kept(
        sitemap,
        "first hosts",
        lambda: [(each.host, registered(each.host), len(own_labels(each.host))) for each in origins(sitemap)[:100]],
    )


def _is_an_example(sitemap: Sitemap) -> bool:
    return kept(sitemap, "example", lambda: _are_examples({own for _, own, _ in _first_hosts(sitemap)}))


def _own_names(sitemap: Sitemap) -> set[str]:
    """The registered domains of the site: from the sitemap URL and the base URL."""
    base = sitemap.context.base_url
    known = (sitemap.address, Address.parse(base) if base else None)
    return {registered(address.host_ascii) for address in known if address is not None and address.host_ascii}


def _are_examples(names: set[str]) -> bool:
    return all(name.partition(".")[0] == "example" for name in names)


def own_labels(host: str) -> list[str]:
    """The labels before the registered domain."""
    labels = host.split(".")
    suffix = 2 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SECOND_LEVEL_LABELS else 1
    return labels[: -suffix - 1]


def _same_site(host: str, other: str) -> bool:
    return registered(host) == registered(other) and len(own_labels(other)) <= len(own_labels(host))


def registered(host: str) -> str:
    """The registered domain, including its public suffix."""
    host = host.removesuffix(".")
    return ".".join(host.split(".")[len(own_labels(host)) :])
