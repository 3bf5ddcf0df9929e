"""This machine → the Chromium, Chrome or Edge that is installed on it; none is ever downloaded."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
)
_MAC = ("Chromium", "Google Chrome", "Microsoft Edge")
_WINDOWS = (r"Chromium\Application\chrome.exe", r"Google\Chrome\Application\chrome.exe")
_EDGE = r"Microsoft\Edge\Application\msedge.exe"
MISSING_PACKAGE = "rendering needs the browser extra: pip install 'urlset[browser]'"
MISSING_BROWSER = "no Chromium, Chrome or Edge was found; install one or name it with --browser PATH"


class BrowserError(Exception):
    """There is no browser that can be used; the message says what to do."""


def find_browser(given: Path | None = None) -> Path:
    """Raises BrowserError."""
    from importlib.util import find_spec

    if find_spec("playwright") is None:
        raise BrowserError(MISSING_PACKAGE)
    if given is not None:
        found = shutil.which(str(given))
        if found is None:
            raise BrowserError(f"no such browser: {given}")
        return Path(found)
    for name in _NAMES:
        if (found := shutil.which(name)) is not None:
            return Path(found)
    for place in _usual_places():
        if place.is_file():
            return place
    raise BrowserError(MISSING_BROWSER)


def _usual_places() -> list[Path]:
    if sys.platform == "darwin":
        return [Path(f"/Applications/{name}.app/Contents/MacOS/{name}") for name in _MAC]
    if os.name == "nt":
        folders = [os.environ.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")]
        return [Path(folder) / place for folder in folders if folder for place in (*_WINDOWS, _EDGE)]
    return []
