"""Environment → clients of the engines whose credentials are there; read-only at Google."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from urlset.spec.submission import GOOGLE_READ_SCOPE, Channel
from urlset.submitting.bing import Bing
from urlset.submitting.google import Google, GoogleTokens, load_credentials
from urlset.submitting.secrets import SecretError, find_secret, need_secret
from urlset.submitting.yandex import Yandex
from urlset.web.api import Api


class Accounts(msgspec.Struct, frozen=True):
    google: Google | None = None
    bing: Bing | None = None
    yandex: Yandex | None = None
    notes: tuple[str, ...] = ()


def open_accounts(api: Api, wanted: tuple[Channel, ...], environment: Mapping[str, str] = os.environ) -> Accounts:
    """Those wanted by name must have credentials (SecretError); with none named, all that have are used."""
    notes: list[str] = []
    google = bing = yandex = None
    if Channel.GOOGLE in wanted or not wanted:
        try:
            tokens = GoogleTokens(api, load_credentials(environment), GOOGLE_READ_SCOPE, environment=environment)
            google = Google(api, tokens, environment=environment)
        except SecretError as error:
            if wanted:
                raise
            notes.append(f"google was skipped: {error}")
    if Channel.BING in wanted:
        bing = Bing(api, need_secret("URLSET_BING_KEY", "Bing API key", environment), environment=environment)
    elif not wanted and (key := find_secret("URLSET_BING_KEY", environment)):
        bing = Bing(api, key, environment=environment)
    if Channel.YANDEX in wanted:
        yandex = Yandex(api, need_secret("URLSET_YANDEX_TOKEN", "Yandex token", environment), environment=environment)
    elif not wanted and (token := find_secret("URLSET_YANDEX_TOKEN", environment)):
        yandex = Yandex(api, token, environment=environment)
    if google is None and bing is None and yandex is None:
        raise SecretError("no credentials of any engine were found; see `urlset engines --help`")
    return Accounts(google, bing, yandex, tuple(notes))
