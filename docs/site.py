"""docs/*.md → the site: a page per command cut out of cli.md, navigation for commands and rules, links to code,
the validator.

MkDocs loads this file as a hook (`hooks:` in mkdocs.yml). Run `make docs-site`.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

GUIDES = {
    "audit": ["audit.md", "audit-quality.md"],
    "build": ["building.md", "sources.md"],
    "check": ["ci.md", "live.md", "output.md"],
    "crawl": ["crawl.md"],
    "doctor": ["engines.md"],
    "engines": ["engines.md"],
    "fix": ["fixing.md"],
    "logs": ["logs.md"],
    "submit": ["engines.md"],
}
"""command → pages that explain it at length; a command without one has its reference only"""
TRY_IT = """
<details class="try-it"><summary>Try it: check and fix the first example here</summary>
<iframe data-src="../../validator/index.html?embed#rule={code}" title="Validator with an example of {code}"
width="100%" height="760" style="border: 0"></iframe>
</details>
"""
_RULE = re.compile(r"^## (?P<code>[A-Z]\d{3}) .*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^## `urlset ([\w-]+)(?: [\w -]+)?`$", re.MULTILINE)
_RELATIVE = re.compile(r"(?<=\]\()(?P<target>(?!https?://|#|/|mailto:)[^)#\s]+)(?=[)#])")


def commands(reference: str) -> dict[str, str]:
    """Command → its part of cli.md, sub-commands included."""
    found: dict[str, str] = {}
    headings = list(_COMMAND.finditer(reference))
    for at, heading in enumerate(headings):
        end = headings[at + 1].start() if at + 1 < len(headings) else len(reference)
        found[heading[1]] = found.get(heading[1], "") + reference[heading.start() : end]
    return found


def command_page(name: str, section: str, titles: dict[str, str]) -> str:
    """The reference of one command as a page of its own."""
    links = [f"[{titles[guide]}](../{guide})" for guide in GUIDES.get(name, ())]
    guide = f"Guides: {', '.join(links)}.\n\n" if links else ""
    heading, _, rest = section.partition("\n")
    return f"# {heading.removeprefix('## ')}\n\n{guide}{rest.lstrip()}"


def notebook_page(notebook: str) -> str:
    """A notebook as a page: its texts, its code, and what the code printed."""
    parts = []
    for cell in json.loads(notebook)["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            text = "".join(output.get("text") or output.get("data", {}).get("text/plain", ""))
            parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill the sections whose pages come and go with the code."""
    sys.path.insert(0, str(Path(config.docs_dir).parent))  # neighbors of this file; MkDocs undoes it while loading
    docs = Path(config.docs_dir)
    reference = commands((docs / "cli.md").read_text(encoding="utf-8"))
    families = sorted(path.name for path in (docs / "rules").glob("?.md"))
    sections: dict[str, list[Any]] = {
        "Commands": ["cli.md", *({f"urlset {name}": f"commands/{name}.md"} for name in reference)],
        "Reference": _reference_nav(),
        "Rules": ["rules/README.md", *(f"rules/{name}" for name in families), "coverage.md"],
    }
    config.nav = [
        {name: sections.get(name, target) for name, target in each.items()} if isinstance(each, dict) else each
        for each in config.nav or []
    ]
    return config


def _reference_nav() -> list[Any]:
    """The pages of the reference by group."""
    from docs.reference_pages import title_of
    from urlset.spec.topics import topics

    groups: dict[str, list[Any]] = {}
    for topic in topics():
        groups.setdefault(topic.group, []).append({title_of(topic): f"reference/{topic.slug}.md"})
    messages = {"Messages of search engines": "reference/messages.md"}
    return ["reference/README.md", messages, *({name: pages} for name, pages in groups.items())]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page of each command and notebook."""
    from mkdocs.structure.files import File

    docs = Path(config.docs_dir)
    files.append(File.generated(config, "validator/index.html", content=""))  # links find it; written after the build
    titles = {path: title(docs / path) for guides in GUIDES.values() for path in guides}
    for name, section in commands((docs / "cli.md").read_text(encoding="utf-8")).items():
        files.append(File.generated(config, f"commands/{name}.md", content=command_page(name, section, titles)))
    for path in sorted(docs.rglob("*.ipynb")):
        name = path.relative_to(docs).with_suffix(".md").as_posix()
        files.append(File.generated(config, name, content=notebook_page(path.read_text(encoding="utf-8"))))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to files outside docs/ lead to the repository, and links to notebooks to the pages made of them."""
    folder = PurePosixPath("docs", page.file.src_uri).parent
    root = Path(config.docs_dir).parent

    def linked(match: re.Match[str]) -> str:
        parts: list[str] = []
        for part in (folder / match["target"]).parts:
            if part == "..":
                parts.pop()
            else:
                parts.append(part)
        if parts[0] == "docs" or not root.joinpath(*parts).exists():
            return match[0]
        return f"{config.repo_url}/blob/main/{'/'.join(parts)}"

    del files
    if page.file.src_uri.startswith("rules/"):
        markdown = _with_examples_to_try(markdown)
    return _RELATIVE.sub(linked, markdown).replace(".ipynb)", ".md)")


def _with_examples_to_try(markdown: str) -> str:
    """The validator below each rule that has an example for it; it is loaded when it is opened."""
    from docs.validator_site import examples

    known = examples()

    def added(section: re.Match[str]) -> str:
        if section["code"] not in known:
            return section[0]
        return section[0] + TRY_IT.format(code=section["code"])

    return _RULE.sub(added, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """The validator is no page of the theme: one file that works alone, with everything it needs beside it."""
    from mkdocs.exceptions import PluginError

    from docs.validator_engine import EngineError
    from docs.validator_site import HOME, write_validator

    site = Path(config.site_dir)
    sitemap = (site / "sitemap.xml").read_text(encoding="utf-8")
    sitemap = sitemap.replace("</urlset>", f"  <url>\n    <loc>{HOME}</loc>\n  </url>\n</urlset>")
    (site / "sitemap.xml").write_text(sitemap, encoding="utf-8")
    (site / "sitemap.xml.gz").write_bytes(gzip.compress(sitemap.encode(), mtime=0))
    try:
        write_validator(site / "validator")
    except EngineError as error:
        shutil.rmtree(site / "validator", ignore_errors=True)
        raise PluginError(str(error)) from error
