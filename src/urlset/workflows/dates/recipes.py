"""A place where sites are built → the lines that run `urlset dates` there after each build."""

from __future__ import annotations

from typing import Literal, NamedTuple

from urlset.version import HOME

Place = Literal["package.json", "netlify", "vercel", "github", "gitlab"]


class Recipe(NamedTuple):
    file: str
    text: str


def recipe(place: Place, folder: str, build: str = "npm run build") -> Recipe:
    """`folder` is what the generator writes, `build` the command that runs it."""
    install = f"pip install git+{HOME}"
    match place:
        case "package.json":
            return Recipe("package.json", f'"scripts": {{ "postbuild": "urlset dates {folder}" }}\n')
        case "netlify":
            command = f"{build} && {install} && urlset dates {folder}"
            return Recipe("netlify.toml", f'[build]\n  command = "{command}"\n  publish = "{folder.rstrip("/")}"\n')
        case "vercel":
            command = f"{build} && pip3 install git+{HOME} && urlset dates {folder}"
            return Recipe("vercel.json", f'{{ "buildCommand": "{command}" }}\n')
        case "github":
            return Recipe(
                ".github/workflows/deploy.yml",
                f"- run: {build}\n- run: {install} && urlset dates {folder}\n"
                "- run: git diff --exit-code sitemap.lock # or commit it here\n",
            )
        case "gitlab":
            return Recipe(
                ".gitlab-ci.yml",
                f"script:\n  - {build}\n  - {install} && urlset dates {folder}\n"
                "  - git diff --exit-code sitemap.lock\n",
            )
