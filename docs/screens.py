"""Real runs of the command → the screens that the docs show; a test fails when one is out of date."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from docs.picture import picture
from urlset.cli.main import cli

HERE = Path(__file__).parent
SCREENS = {
    "check.txt": ["check", "samples/shop.xml", "--at", "https://www.example.com/sitemap.xml"],
    "short.txt": ["check", "samples/lamps.xml"],
    "fix.txt": ["fix", "samples/lamps.xml", "--diff"],
    "explain.txt": ["explain", "X010"],
    "info.txt": ["info", "samples/shop.xml"],
}


class Terminal(io.BytesIO):
    """Standard output that claims to be a terminal, for a screen with colors."""

    def isatty(self) -> bool:
        return True


def screen(arguments: list[str], *, color: bool = False) -> str:
    """What the command prints, as if typed in docs/."""
    raw = Terminal() if color else io.BytesIO()
    output = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    before = Path.cwd()
    os.chdir(HERE)
    fixed = {"COLUMNS": "100", "SOURCE_DATE_EPOCH": "1794700800"}  # 2026-11-15: ages of dates are told
    fixed |= {"NO_COLOR": "", "TERM": "xterm"} if color else {}
    kept = {name: os.environ.get(name) for name in fixed}
    os.environ.update(fixed)
    try:
        with contextlib.redirect_stdout(output):
            cli.main(arguments, prog_name="urlset", standalone_mode=False)
    finally:
        os.chdir(before)
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    output.flush()
    return f"$ urlset {' '.join(arguments)}\n\n{raw.getvalue().decode()}"


def demo_screen() -> str:
    """The whole loop on the sample site; apart from the others, as it takes some seconds."""
    return screen(["demo"])


def screens() -> dict[str, str]:
    shown = {f"screens/{name}": screen(arguments) for name, arguments in SCREENS.items()}
    return {**shown, "screens/check.svg": picture(screen(SCREENS["short.txt"], color=True), "urlset check lamps.xml")}


if __name__ == "__main__":
    for name, text in screens().items():
        (HERE / name).write_text(text, encoding="utf-8")
    sys.exit(0)
