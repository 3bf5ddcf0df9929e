"""The options of `urlset init`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from urlset.settings.declare import ONE_RUN, Opt, StrPath
from urlset.settings.groups import RunSettings


class InitSettings(RunSettings):
    in_library: ClassVar[bool] = False

    folder: Annotated[
        StrPath, Opt("Folder of the project", "[FOLDER]", positional=True, scope=ONE_RUN, exists="folder")
    ] = "."
    ci: Annotated[
        Literal["github", "gitlab", "none"] | None,
        Opt("Write a CI job that checks the sitemaps", scope=ONE_RUN, default="ask in a terminal"),
    ] = None
    pre_commit: Annotated[
        bool | None, Opt("Write the pre-commit hooks", scope=ONE_RUN, default="ask in a terminal")
    ] = None
    dates: Annotated[
        Literal["package.json", "netlify", "vercel", "github", "gitlab"] | None,
        Opt("Print the lines that run `urlset dates` after a build", scope=ONE_RUN),
    ] = None
    output: Annotated[str | None, Opt("Folder the site is built into", "DIR", scope=ONE_RUN, default="detected")] = None
    base_url: Annotated[
        str | None, Opt("URL of that folder", "URL", is_url=True, scope=ONE_RUN, default="detected")
    ] = None
    dry_run: Annotated[bool, Opt("Print the files, write nothing", scope=ONE_RUN)] = False
