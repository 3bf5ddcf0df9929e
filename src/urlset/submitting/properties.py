"""A URL and the properties of an account → the most specific property that contains it."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

import msgspec

DOMAIN = "sc-domain:"
_UNVERIFIED = "siteunverifieduser"


class Property(msgspec.Struct, frozen=True):
    """A site in Search Console, named exactly as Google names it."""

    name: str
    permission: str = ""

    @property
    def verified(self) -> bool:
        return folded(self.permission) != _UNVERIFIED

    def contains(self, url: str) -> bool:
        if self.name.startswith(DOMAIN):
            domain, host = self.name.removeprefix(DOMAIN).lower(), (urlsplit(url).hostname or "").lower()
            return host == domain or host.endswith(f".{domain}")
        return _normal(url).startswith(_normal(self.name))


def folded(text: str) -> str:
    """Enum values as the wire and the discovery document spell them alike: `siteOwner` and `SITE_OWNER`."""
    return text.replace("_", "").lower()


def most_specific(url: str, properties: Iterable[Property]) -> Property | None:
    """The longest verified prefix; a domain property only where no prefix fits."""
    fitting = [each for each in properties if each.verified and each.contains(url)]
    return max(fitting, key=lambda each: (not each.name.startswith(DOMAIN), len(each.name)), default=None)


def exact_name(text: str) -> str:
    """A property as a person may write it → as Search Console names it: a prefix ends with a slash."""
    text = text.strip()
    if text.startswith(DOMAIN) or not text:
        return text.lower()
    if "://" not in text:
        return f"{DOMAIN}{text.lower().rstrip('/')}" if "/" not in text.rstrip("/") else f"https://{text}"
    return text if text.endswith("/") else f"{text}/"


def _normal(url: str) -> str:
    parts = urlsplit(url)
    default = {"http": 80, "https": 443}.get(parts.scheme.lower())
    port = f":{parts.port}" if parts.port and parts.port != default else ""
    return f"{parts.scheme.lower()}://{(parts.hostname or '').lower()}{port}{parts.path or '/'}"
