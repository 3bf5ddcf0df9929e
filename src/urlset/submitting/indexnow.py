"""IndexNow: a key, its file on the site, and batches of changed URLs → Refused or nothing."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from urlset.spec.protocol import INDEXNOW_KEY_CHARACTERS, INDEXNOW_KEY_LENGTH
from urlset.spec.submission import CHANNELS, Channel
from urlset.submitting.receipt import Refused, Status
from urlset.web.api import Api, ApiAnswer, ApiRequest

_SHORTEST, _LONGEST = INDEXNOW_KEY_LENGTH
_KEY = re.compile(f"{INDEXNOW_KEY_CHARACTERS}{{{_SHORTEST},{_LONGEST}}}")


def new_key() -> str:
    """32 hexadecimal digits, which satisfies every reading of the documentation."""
    return secrets.token_hex(16)


def key_problem(key: str) -> str | None:
    """Why a key cannot be used; None for a good one."""
    if _KEY.fullmatch(key):
        return None
    return f"an IndexNow key has {_SHORTEST} to {_LONGEST} characters of A-Z, a-z, 0-9 and -"


def key_address(origin: str, key: str) -> str:
    return f"{origin.rstrip('/')}/{key}.txt"


def within_reach(url: str, key_location: str) -> bool:
    """A key file counts for its host, and for the folder it is in when that is not the root."""
    place, page = urlsplit(key_location), urlsplit(url)
    folder = place.path.rpartition("/")[0] + "/"
    return (page.netloc or "").lower() == (place.netloc or "").lower() and (page.path or "/").startswith(folder)


class IndexNow:
    """One key at one endpoint; the endpoint shares what it receives with the others."""

    def __init__(self, api: Api, key: str, *, environment: Mapping[str, str] = os.environ) -> None:
        self._api, self.key = api, key
        facts = CHANNELS[Channel.INDEXNOW]
        self._endpoint = environment.get(facts.endpoint_variable, "").strip() or facts.endpoint

    async def verify(self, location: str) -> None:
        """Raises Refused unless the key file is in place and holds the key."""
        answer = await self._api.call(ApiRequest("GET", location))
        if answer.failure is not None:
            raise Refused(Status.UNREACHABLE, f"could not fetch the key file {location}: {answer.failure}")
        if answer.status != 200:
            raise Refused(
                Status.REFUSED,
                f"the key file {location} answers {answer.status}; put a file there whose only content is the key",
            )
        if answer.body.decode("utf-8", "replace").removeprefix("\ufeff").strip() != self.key:
            raise Refused(Status.REFUSED, f"the key file {location} does not hold the key")

    def submission(self, host: str, location: str, urls: Sequence[str]) -> ApiRequest:
        body = {"host": host, "key": self.key, "keyLocation": location, "urlList": list(urls)}
        return ApiRequest("POST", self._endpoint, json=body)

    async def submit(self, host: str, location: str, urls: Sequence[str]) -> str:
        """Returns what the endpoint said, in words; raises Refused."""
        answer = await self._api.call(self.submission(host, location, urls))
        if answer.status == 200:
            return ""
        if answer.status == 202:
            return "received; the key is validated later"
        raise _refusal(answer)


def _refusal(answer: ApiAnswer) -> Refused:
    if answer.failure is not None:
        return Refused(Status.UNREACHABLE, f"IndexNow could not be reached: {answer.failure}")
    if answer.status == 429:
        return Refused(Status.POSTPONED, "IndexNow answered 429 (too many requests); wait at least 10 minutes")
    if answer.status in (500, 502, 503, 504):
        return Refused(Status.UNREACHABLE, f"IndexNow answered {answer.status}")
    meaning = {
        400: "the request is malformed",
        403: "the key is not valid: its file is missing or holds something else",
        422: "a URL is not on the host, or the key does not match",
    }.get(answer.status or 0, f"status {answer.status}")
    return Refused(Status.REFUSED, f"IndexNow refused: {meaning}")
