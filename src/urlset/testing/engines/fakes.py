"""One loopback server → Search Console, its token endpoint, Bing, Yandex, IndexNow and Baidu."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from urlset.testing.engines.bing import FakeBing
from urlset.testing.engines.google import FakeGoogle
from urlset.testing.engines.indexnow import FakeBaidu, FakeIndexNow
from urlset.testing.engines.yandex import FakeYandex
from urlset.testing.exchange import Raw, Reply, Request
from urlset.testing.site import Site

BING_KEY = "bing-key-4711"
YANDEX_TOKEN = "yandex-token-4711"
BAIDU_TOKEN = "baidu-token-4711"


class FakeEngines:
    """`with FakeEngines() as engines:` serves until the block ends; `engines.environment(folder)` points urlset at it.

    `plant(part_of_path, reply, …)` answers the next requests whose method and path contain the text with these
    replies, one each, before the engine itself answers again.
    """

    def __init__(self) -> None:
        self.google = FakeGoogle()
        self.bing = FakeBing(BING_KEY)
        self.yandex = FakeYandex(YANDEX_TOKEN)
        self.indexnow = FakeIndexNow()
        self.baidu = FakeBaidu(BAIDU_TOKEN)
        self._planted: list[tuple[str, deque[Reply]]] = []
        self.site = Site(self._reply)

    def __enter__(self) -> Self:
        self.site.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.site.__exit__(kind, fault, trace)

    @property
    def log(self) -> list[Request]:
        return self.site.log

    def plant(self, part_of_path: str, *replies: Reply) -> None:
        self._planted.append((part_of_path, deque(replies)))

    def calls(self, part_of_path: str) -> list[Request]:
        return [request for request in self.log if part_of_path in f"{request.method} {request.target}"]

    def environment(self, folder: Path) -> dict[str, str]:
        """Endpoints and credentials; the service account key is written into `folder`."""
        key_file = folder / "service-account.json"
        key_file.write_text(json.dumps(self.google.service_account(self.site.url("/token"))), encoding="utf-8")
        return {**self.endpoints(), "GOOGLE_APPLICATION_CREDENTIALS": str(key_file)}

    def endpoints(self) -> dict[str, str]:
        """Where the engines are, and the keys of those that have simple ones."""
        return {
            "URLSET_GOOGLE_ENDPOINT": self.site.url("/google"),
            "URLSET_BING_ENDPOINT": self.site.url("/bing"),
            "URLSET_BING_KEY": BING_KEY,
            "URLSET_YANDEX_ENDPOINT": self.site.url("/yandex/v4"),
            "URLSET_YANDEX_TOKEN": YANDEX_TOKEN,
            "URLSET_INDEXNOW_ENDPOINT": self.site.url("/indexnow"),
            "URLSET_BAIDU_ENDPOINT": self.site.url("/baidu"),
            "URLSET_BAIDU_TOKEN": BAIDU_TOKEN,
        }

    def _reply(self, request: Request) -> Reply | None:
        for part, replies in self._planted:
            if replies and part in f"{request.method} {request.target}":
                return replies.popleft()
        engines: dict[str, Callable[[Request, str], Reply]] = {
            "/token": self.google.token,
            "/google/": self.google.answer,
            "/bing/": self.bing.answer,
            "/yandex/v4/": self.yandex.answer,
            "/indexnow": self.indexnow.answer,
            "/baidu": self.baidu.answer,
        }
        for prefix, answer in engines.items():
            if request.path.startswith(prefix):
                return answer(request, request.target.removeprefix(prefix))
        return None


def cut_connection() -> Raw:
    """A server that closes the connection instead of answering."""
    return Raw(end="reset")
