"""The options of `urlset init`."""

from __future__ import annotations

from typing import Literal

from urlset.settings.declare import ONE_RUN, StrPath, argument, opt
from urlset.settings.groups import RunSettings


class InitSettings(RunSettings, in_library=False):
    folder: StrPath = argument(".", "Folder of the project", "[FOLDER]", scope=ONE_RUN, exists="folder")
    ci: Literal["github", "gitlab", "none"] | None = opt(
        None, "Write a CI job that checks the sitemaps", scope=ONE_RUN, default="ask in a terminal"
    )
    pre_commit: bool | None = opt(None, "Write the pre-commit hooks", scope=ONE_RUN, default="ask in a terminal")
    dates: Literal["package.json", "netlify", "vercel", "github", "gitlab"] | None = opt(
        None, "Print the lines that run `urlset dates` after a build", scope=ONE_RUN
    )
    output: str | None = opt(None, "Folder the site is built into", "DIR", scope=ONE_RUN, default="detected")
    base_url: str | None = opt(None, "URL of that folder", "URL", is_url=True, scope=ONE_RUN, default="detected")
    dry_run: bool = opt(False, "Print the files, write nothing", scope=ONE_RUN)
