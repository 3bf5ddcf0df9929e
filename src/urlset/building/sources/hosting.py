"""The configuration of the host that lies in or beside a build folder → redirects, robots headers, address style.

`_redirects` and `_headers` lie in the folder. `netlify.toml` and `vercel.json` lie in it, or beside it in the project,
where they count unless they name another folder. Earlier files decide first.
"""

from __future__ import annotations

from pathlib import Path

from urlset.building.candidate import RowTrouble
from urlset.building.sources import hosting_netlify, hosting_vercel
from urlset.building.sources.hosting_netlify import NetlifyConfig
from urlset.building.sources.hosting_rules import HeaderRule, Headers, Redirect, Redirects
from urlset.building.sources.hosting_text import HEADERS_FILE, REDIRECTS_FILE, headers_in, redirects_in
from urlset.building.sources.hosting_vercel import VercelConfig
from urlset.building.sources.options import IndexStyle, PageStyle

_LARGEST = 4 << 20


class Hosting:
    """What the host of a folder does to its pages; `troubles` name files that cannot be used."""

    def __init__(self, folder: Path, *, host: str | None = None, need_force: bool = False) -> None:
        self.troubles: list[RowTrouble] = []
        self.page_style: PageStyle = "auto"
        self.index_style: IndexStyle = "auto"
        """as the host serves pages; `auto` where its files do not say"""
        self._folder = folder
        netlify = self._netlify()
        # where netlify.toml shows which host reads _redirects, a page comes before a rule without `!`
        need_force = need_force or netlify is not None
        redirects: list[Redirect] = list(
            redirects_in(_text_of(folder / REDIRECTS_FILE) or "", host=host, need_force=need_force)
        )
        headers: list[HeaderRule] = list(headers_in(_text_of(folder / HEADERS_FILE) or "", host=host))
        if netlify is not None:
            redirects.extend(netlify.redirects(host))
            headers.extend(netlify.headers(host))
            if netlify.pretty_urls:
                self.page_style, self.index_style = "drop", "slash"
        vercel = self._vercel()
        if vercel is not None:
            redirects.extend(vercel.redirects())
            headers.extend(vercel.headers())
            if vercel.page_style != "auto":
                self.page_style = vercel.page_style
            if vercel.index_style != "auto":
                self.index_style = vercel.index_style
        self.redirects = Redirects(redirects)
        self.headers = Headers(headers)

    def _netlify(self) -> NetlifyConfig | None:
        for path in self._places(hosting_netlify.FILE_NAME):
            try:
                found = NetlifyConfig(_text_of(path) or "")
            except ValueError as error:
                self._complain(path, error)
                continue
            if path.parent == self._folder or found.is_about(self._folder, path.parent):
                return found
        return None

    def _vercel(self) -> VercelConfig | None:
        for path in self._places(hosting_vercel.FILE_NAME):
            try:
                found = VercelConfig(_text_of(path) or "")
            except (ValueError, RecursionError) as error:
                self._complain(path, error)
                continue
            if path.parent == self._folder or found.is_about(self._folder, path.parent):
                return found
        return None

    def _places(self, name: str) -> list[Path]:
        beside = self._folder.resolve().parent / name
        return [path for path in (self._folder / name, beside) if _text_of(path) is not None]

    def _complain(self, path: Path, error: Exception) -> None:
        self.troubles.append(RowTrouble(path.name, f"cannot be used: {error}"))


def _text_of(path: Path) -> str | None:
    """None where there is no regular file, or none of a size that such files have."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None
