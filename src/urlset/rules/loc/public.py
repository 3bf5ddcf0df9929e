"""A host → why search engines cannot or should not reach it, if so."""

from __future__ import annotations

import msgspec

from urlset.checking.subjects import Sitemap
from urlset.findings.severity import Severity
from urlset.model.address import Address, HostFault
from urlset.rules.loc.origins import Head, origins
from urlset.spec.generator_artifacts import (
    PLACEHOLDER_ENDINGS,
    PLACEHOLDER_NAME,
    PLACEHOLDER_USER,
    POSSIBLE_TEST_LABEL,
    SECOND_LEVEL_LABELS,
    TEST_LABEL,
    TUNNEL_DOMAINS,
    USER_DOMAINS,
)

MALFORMED: dict[HostFault, str] = {
    HostFault.EMPTY_HOST: "names no host",
    HostFault.EMPTY_LABEL: "has two dots in a row or begins with one",
    HostFault.LABEL_TOO_LONG: "has a part of more than 63 characters",
    HostFault.HOST_TOO_LONG: "has more than 253 characters",
    HostFault.HYPHEN_AT_EDGE: "has a part that begins or ends with a hyphen",
    HostFault.BAD_CHARACTER: "has a character that no host name may have",
    HostFault.UNDERSCORE: "has an underscore, which no host name may have",
    HostFault.NOT_IDNA: "has no legal spelling as a host name",
    HostFault.BAD_IP: "is no IP address and no name either",
    HostFault.BAD_PORT: "is no port: ports go from 0 to 65535",
}
"""what is wrong with a host, and how a message goes on after quoting it; the first that applies is told"""

UNREACHABLE: dict[HostFault, str] = {
    HostFault.LOOPBACK_IP: "which is the machine that asks",
    HostFault.LINK_LOCAL_IP: "which is reachable only on the same wire",
    HostFault.PRIVATE_IP: "which is in a private network",
    HostFault.LOCAL_NAME: "a name that no public name server knows",
    HostFault.DOCUMENTATION_NAME: "a name reserved for manuals",
}


_ENDS_IN_USER_DOMAIN = tuple(f".{domain}" for domain in USER_DOMAINS)
_EXAMPLE = "a domain used in documentation; replace it with your own host"
_LEFT_IN = "which looks like a placeholder for your own host"


class PrivateReason(msgspec.Struct, frozen=True):
    """How the sentence about the host goes on."""

    why: str
    severity: Severity | None = None
    """where it is milder than the card of the rule"""


def is_malformed(head: Head) -> bool:
    """The host cannot be one, and not because a template was left unfilled."""
    return not MALFORMED.keys().isdisjoint(head.faults) and not head.unfilled


def non_public(sitemap: Sitemap, head: Head) -> PrivateReason | None:
    """Kept with the head, because every rule on hosts and locations asks."""
    if "_reason" not in vars(head):
        vars(head)["_reason"] = _reason(sitemap, head)
    reason: PrivateReason | None = vars(head)["_reason"]
    return reason


def _reason(sitemap: Sitemap, head: Head) -> PrivateReason | None:
    if not head.address.is_web or head.unfilled or is_malformed(head):
        return None
    if sitemap.address is not None and sitemap.address.host_ascii == head.host:
        return None  # it was read from that very host: the site is looked at where it is worked on
    for fault, why in UNREACHABLE.items():
        if fault in head.faults:
            return PrivateReason(why)
    if HostFault.IP_LITERAL in head.faults:
        return None
    host = head.host.removesuffix(".")
    if "." not in host:
        return PrivateReason("a name without a domain, which means nothing outside one network")
    if host.endswith(tuple(f".{domain}" for domain in TUNNEL_DOMAINS)):
        return PrivateReason("a tunnel to a machine that is being worked on")
    return _where_sites_are_tried(sitemap, host)


def _where_sites_are_tried(sitemap: Sitemap, host: str) -> PrivateReason | None:
    labels = own_labels(host)
    surely = any(TEST_LABEL.fullmatch(label) for label in labels)
    if not surely and not any(POSSIBLE_TEST_LABEL.fullmatch(label) for label in labels):
        return None
    why = "which looks like a host where the site is tried out"
    if sitemap.address is not None and sitemap.address.host_ascii:
        if sitemap.address.host_ascii == host:
            return None
        return PrivateReason(why) if surely or _same_site(host, sitemap.address.host_ascii) else None
    beside = any(other.host != host and _same_site(host, other.host) for other in origins(sitemap)[:100])
    if beside:
        return PrivateReason(why)
    return PrivateReason(why, Severity.WARNING) if surely else None


def placeholder(sitemap: Sitemap, head: Head) -> PrivateReason | None:
    """The host of a manual or a starter template, which was to be replaced.

    Kept apart from `non_public`: such a host is in order as far as the other rules on hosts and locations go.
    """
    if not head.address.is_web or head.unfilled or is_malformed(head) or HostFault.IP_LITERAL in head.faults:
        return None
    host = head.host.removesuffix(".")
    name = registered(host)
    own = _own_names(sitemap)
    if "." not in host or name in own:
        return None  # the site really has that name
    if name.partition(".")[0] == "example":
        if own:  # on an example site, other example hosts are expected; L015 reports foreign ones
            return None if _are_examples(own) else PrivateReason(_EXAMPLE, Severity.WARNING)
        everywhere = _are_examples({registered(other.host) for other in origins(sitemap)[:100]})
        return PrivateReason(_EXAMPLE, Severity.INFO if everywhere else Severity.WARNING)
    if host.endswith(_ENDS_IN_USER_DOMAIN):
        domain = max((domain for domain in USER_DOMAINS if host.endswith(f".{domain}")), key=len)
        user = host.removesuffix(f".{domain}").rpartition(".")[2]
        return PrivateReason(_LEFT_IN, Severity.WARNING) if PLACEHOLDER_USER.fullmatch(user) else None
    if host.rpartition(".")[2] in PLACEHOLDER_ENDINGS or PLACEHOLDER_NAME.fullmatch(name.partition(".")[0]):
        return PrivateReason(_LEFT_IN, Severity.WARNING)
    return None


def _own_names(sitemap: Sitemap) -> set[str]:
    """The registered names that the site is known by: from where the sitemap is, and from the base address given."""
    base = sitemap.context.base_url
    known = (sitemap.address, Address.parse(base) if base else None)
    return {registered(address.host_ascii) for address in known if address is not None and address.host_ascii}


def _are_examples(names: set[str]) -> bool:
    return all(name.partition(".")[0] == "example" for name in names)


def own_labels(host: str) -> list[str]:
    """What stands before the registered name."""
    labels = host.split(".")
    suffix = 2 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SECOND_LEVEL_LABELS else 1
    return labels[: -suffix - 1]


def _same_site(host: str, other: str) -> bool:
    return registered(host) == registered(other) and len(own_labels(other)) <= len(own_labels(host))


def registered(host: str) -> str:
    """The name that was registered, with what it ends in."""
    host = host.removesuffix(".")
    return ".".join(host.split(".")[len(own_labels(host)) :])
