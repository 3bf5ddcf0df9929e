"""What a server said by which a copy can be recognised as current → the headers that ask whether it is."""

from __future__ import annotations

import msgspec


class Validators(msgspec.Struct, frozen=True):
    """Header values as the server sent them."""

    etag: str | None = None
    last_modified: str | None = None
    url: str | None = None
    """the `final_url` that gave them, where redirects led there: a date means nothing to any other address"""

    def headers(self) -> dict[str, str]:
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value and value.isprintable()}

    def __bool__(self) -> bool:
        return bool(self.etag or self.last_modified)
