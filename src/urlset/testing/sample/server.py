"""The sample site, served on loopback; its set of sitemaps can be replaced by one that lies in a folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from urlset.testing.exchange import PageAnswer
from urlset.testing.sample.site import SET, SampleSite, sample_site, sent
from urlset.testing.site import Site


class SampleServer:
    """`with SampleServer(now) as server:` serves until the block ends."""

    def __init__(self, now: datetime, *, port: int = 0) -> None:
        self._now = now
        self.site = Site({}, port=port)

    def __enter__(self) -> Self:
        self.site.start()
        self.sample: SampleSite = sample_site(self.site.origin, self._now)
        self.site.routes.update(self.sample.routes)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.site.__exit__(kind, fault, trace)

    @property
    def origin(self) -> str:
        return self.site.origin

    def save(self, folder: Path) -> None:
        """robots.txt and the sitemaps as they are at first."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self.sample.files().items():
            (folder / name).write_bytes(data)

    def publish(self, folder: Path) -> None:
        """Serve the sitemaps of the folder instead; each in the manner of the one that it takes the place of."""
        routes = self.site.routes
        before = {path: routes.pop(path) for path in (*SET, *self._published) if path in routes}
        files = [path for path in folder.iterdir() if path.name == "robots.txt" or ".xml" in path.suffixes]
        self._published = tuple(f"/{path.name}" for path in files)
        for path in files:
            data, place = path.read_bytes(), f"/{path.name}"
            fresh = sent(place.removesuffix(".gz"), data)
            old = before.get(place)
            if isinstance(old, PageAnswer):
                fresh = PageAnswer(body=data, type=old.type, headers=fresh.headers if old.pairs() else {})
            routes[place] = fresh

    _published: tuple[str, ...] = ()
