"""Site generators → built sites with their own sitemaps: pages that can be edited, and a theme that can be swapped.

Hugo, Jekyll, MkDocs and Sphinx run in every test run where they are installed. Those of Node.js are large: name a
folder with `next`, `astro`, `eleventy` and `docusaurus` in it, each with its own `node_modules`, as NODE_GENERATORS.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NODE = os.environ.get("NODE_GENERATORS", "")
BASE = "https://example.com"
TIMEOUT = 300


def body(name: str, text: str = "") -> str:
    """Markdown without its title."""
    return (
        f"The {name} lamp has three bulbs and one switch. {text}\n\n"
        f"It was made for small rooms by the {name} team.\n\n"
        f"- Put {name} on a flat table\n- Press the switch of {name} twice\n"
    )


class GeneratedSite:
    """One site. `write` puts a page, `theme` chooses one of two, `build` runs the generator."""

    program = ""
    output = "public"
    needs_node = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.set_up()
        self.theme(0)

    @classmethod
    def is_installed(cls) -> bool:
        if cls.needs_node:
            return bool(NODE) and Path(NODE, cls.program, "node_modules").is_dir()
        return shutil.which(cls.program) is not None or Path(sys.executable).with_name(cls.program).exists()

    @classmethod
    @contextmanager
    def made(cls, folder: Path) -> Iterator[GeneratedSite]:
        if not cls.needs_node:
            yield cls(folder)
            return
        # Node.js looks for packages in the folders above
        with tempfile.TemporaryDirectory(dir=Path(NODE, cls.program)) as name:
            yield cls(Path(name))

    def run(self, *command: str, check: bool = True, cwd: str = ".") -> str:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        if self.needs_node:
            path = f"{Path(NODE, self.program, 'node_modules', '.bin')}:{path}"
        environment = os.environ | {
            "PATH": path,
            "NO_MKDOCS_2_WARNING": "1",
            "ASTRO_TELEMETRY_DISABLED": "1",
            "NEXT_TELEMETRY_DISABLED": "1",
            "CI": "1",
        }
        done = subprocess.run(
            command,
            cwd=self.folder / cwd,
            check=False,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            env=environment,
        )
        if check and done.returncode:
            raise RuntimeError(f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout + done.stderr

    def put(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def set_up(self) -> None: ...

    def theme(self, number: int) -> None: ...

    def source(self, name: str) -> str:
        """The path of the source of a page; `index` is the home page."""
        raise NotImplementedError

    def write(self, name: str, text: str = "") -> None:
        self.put(self.source(name), self.page(name, text))

    def page(self, name: str, text: str) -> str:
        return f"---\ntitle: Guide to {name}\n---\n\n{body(name, text)}"

    def rename(self, old: str, new: str) -> None:
        target = self.folder / self.source(new)
        target.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / self.source(old)).rename(target)

    def build(self) -> None:
        raise NotImplementedError

    def version(self) -> str:
        raise NotImplementedError

    @property
    def public(self) -> Path:
        return self.folder / self.output


MARKED = (
    "<!doctype html><html><head><title>{{ .Title }}</title></head><body><header>Lamps</header>"
    "<main><h1>{{ .Title }}</h1>{{ .Content }}</main><footer>© 2026 Lamps, built {{ now }}</footer></body></html>"
)
"""a theme that says which part of the page is the content"""
PLAIN = (
    '<!doctype html><html><head><title>{{ .Title }} | Lamps</title></head><body><div id="top">All our lamps</div>'
    '<div class="crumbs"><a href="/">Home</a> / {{ .Title }}</div><div class="text"><h1>{{ .Title }}</h1>'
    '{{ .Content }}</div><div class="bottom">© 2027 The new shop, all rights reserved.</div></body></html>'
)
"""a theme of nothing but div elements"""


class Hugo(GeneratedSite):
    program = "hugo"
    themes = (MARKED, PLAIN)

    def set_up(self) -> None:
        self.put("config.toml", f'baseURL = "{BASE}/"\ntitle = "Lamps"\ndisableKinds = ["taxonomy", "term", "RSS"]\n')

    def theme(self, number: int) -> None:
        for name in ("_default/single.html", "_default/list.html", "index.html"):
            self.put(f"layouts/{name}", self.themes[number])

    def source(self, name: str) -> str:
        return "content/_index.md" if name == "index" else f"content/{name}.md"

    def build(self) -> None:
        self.run("hugo", "--quiet", "--cleanDestinationDir")

    def version(self) -> str:
        return self.run("hugo", "version").split()[1].partition("+")[0]


class Jekyll(GeneratedSite):
    program = "jekyll"
    output = "_site"
    sitemap = (
        '---\n---\n<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        "{% for page in site.pages %}{% if page.layout == 'page' %}<url><loc>{{ page.url | replace: 'index.html', '' | "
        "absolute_url }}</loc><lastmod>{{ site.time | date_to_xmlschema }}</lastmod></url>\n{% endif %}{% endfor %}"
        "</urlset>\n"
    )

    def set_up(self) -> None:
        self.put("_config.yml", f"url: {BASE}\ntitle: Lamps\npermalink: pretty\n")
        self.put("sitemap.xml", self.sitemap)

    def theme(self, number: int) -> None:
        html = Hugo.themes[number].replace(".Title", "page.title").replace(".Content", "content")
        self.put("_layouts/page.html", html.replace("{{ now }}", "{{ site.time }}"))

    def source(self, name: str) -> str:
        return f"{name}.md"

    def page(self, name: str, text: str) -> str:
        return f"---\nlayout: page\ntitle: Guide to {name}\n---\n\n{body(name, text)}"

    def build(self) -> None:
        self.run("jekyll", "build", "--quiet")

    def version(self) -> str:
        return self.run("jekyll", "--version").split()[-1]


class Mkdocs(GeneratedSite):
    program = "mkdocs"
    output = "site"
    themes = ("mkdocs", "readthedocs")

    def theme(self, number: int) -> None:
        self.put("mkdocs.yml", f"site_name: Lamps\nsite_url: {BASE}/\ntheme: {self.themes[number]}\n")

    def source(self, name: str) -> str:
        return f"docs/{name}.md"

    def page(self, name: str, text: str) -> str:
        return f"# Guide to {name}\n\n{body(name, text)}"

    def build(self) -> None:
        self.run("mkdocs", "build", "--quiet")

    def version(self) -> str:
        return self.run("mkdocs", "--version").split()[2]


class MkdocsMaterial(Mkdocs):
    themes = ("material", "mkdocs")


class Sphinx(GeneratedSite):
    """With the sitemap of sphinx-sitemap, which is a list of all pages without a date of their own."""

    program = "sphinx-build"
    output = "_build"
    themes = ("alabaster", "classic")

    def theme(self, number: int) -> None:
        theme = f'html_theme = "{self.themes[number]}"\nhtml_last_updated_fmt = ""\n'
        self.put("conf.py", f'project = "Lamps"\nhtml_baseurl = "{BASE}/"\n{theme}')

    def source(self, name: str) -> str:
        return f"{name}.rst"

    def page(self, name: str, text: str) -> str:
        title = f"Guide to {name}"
        toc = "\n.. toctree::\n   :glob:\n   :hidden:\n\n   *\n" if name == "index" else ""
        return f"{title}\n{'=' * len(title)}\n\n{body(name, text)}{toc}"

    def build(self) -> None:
        self.run("sphinx-build", "-q", "-E", ".", self.output)
        pages = sorted(path.stem for path in self.folder.glob("*.rst"))
        rows = "".join(f"<url><loc>{BASE}/{name}.html</loc><lastmod>2026-11-18</lastmod></url>\n" for name in pages)
        xml = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
        (self.public / "sitemap.xml").write_text(xml, encoding="utf-8")

    def version(self) -> str:
        return self.run("sphinx-build", "--version").split()[-1]


class Eleventy(GeneratedSite):
    program = "eleventy"
    output = "_site"
    needs_node = True

    def set_up(self) -> None:
        self.put("package.json", '{"name": "lamps", "private": true}')
        self.put(
            "sitemap.njk",
            '---\npermalink: /sitemap.xml\neleventyExcludeFromCollections: true\n---\n<?xml version="1.0" '
            'encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{%- for page in '
            f"collections.all %}}\n<url><loc>{BASE}{{{{ page.url }}}}</loc><lastmod>{{{{ page.date.toISOString() }}}}"
            "</lastmod></url>\n{%- endfor %}\n</urlset>\n",
        )

    def theme(self, number: int) -> None:
        html = Hugo.themes[number].replace(".Title", "title").replace("{{ .Content }}", "{{ content | safe }}")
        self.put("_includes/page.njk", html.replace("{{ now }}", "{{ page.date }}"))

    def source(self, name: str) -> str:
        return f"{name}.md"

    def page(self, name: str, text: str) -> str:
        return f"---\nlayout: page.njk\ntitle: Guide to {name}\n---\n\n{body(name, text)}"

    def build(self) -> None:
        shutil.rmtree(self.public, ignore_errors=True)
        self.run("eleventy", "--quiet")

    def version(self) -> str:
        return _package(self.program, "@11ty/eleventy")


class Astro(GeneratedSite):
    program = "astro"
    output = "dist"
    needs_node = True

    def set_up(self) -> None:
        self.put("package.json", '{"name": "lamps", "private": true, "type": "module"}')
        self.put(
            "astro.config.mjs",
            "import { defineConfig } from 'astro/config';\nimport sitemap from '@astrojs/sitemap';\n"
            f"export default defineConfig({{ site: '{BASE}', integrations: [sitemap({{ lastmod: new Date() }})] }});\n",
        )

    def theme(self, number: int) -> None:
        html = re.sub(r"\{\{ now \}\}", "{new Date().toISOString()}", Hugo.themes[number])
        html = html.replace("{{ .Title }}", "{frontmatter.title}").replace("{{ .Content }}", "<slot />")
        self.put("src/layouts/Page.astro", f"---\nconst {{ frontmatter }} = Astro.props;\n---\n{html}\n")

    def source(self, name: str) -> str:
        return f"src/pages/{name}.md"

    def page(self, name: str, text: str) -> str:
        return f"---\nlayout: ../layouts/Page.astro\ntitle: Guide to {name}\n---\n\n{body(name, text)}"

    def build(self) -> None:
        self.run("astro", "build")

    def version(self) -> str:
        return f"{_package(self.program, 'astro')}, @astrojs/sitemap {_package(self.program, '@astrojs/sitemap')}"


class Next(GeneratedSite):
    """The app router, `sitemap.ts` with `new Date()`, exported as files or served."""

    program = "next"
    output = "out"
    needs_node = True
    is_exported = True

    def set_up(self) -> None:
        self.put("package.json", '{"name": "lamps", "private": true}')
        export = "output: 'export', " if self.is_exported else ""
        self.put(
            "next.config.mjs",
            f"export default {{ {export}trailingSlash: true, turbopack: {{ root: '../..' }} }};\n",
        )

    def theme(self, number: int) -> None:
        before, after = (
            ("<header>Lamps</header><main>", "</main><footer>© 2026 {String(new Date())}</footer>"),
            ("<nav>All our lamps</nav><main><p>Shop</p>", "</main><footer>© 2027 New shop</footer>"),
        )[number]
        self.put(
            "app/layout.js",
            'export default function Layout({ children }) {\n  return <html lang="en"><body>'
            f"{before}{{children}}{after}</body></html>;\n}}\n",
        )

    def source(self, name: str) -> str:
        return "app/page.js" if name == "index" else f"app/{name}/page.js"

    def page(self, name: str, text: str) -> str:
        dynamic = "" if self.is_exported else "export const dynamic = 'force-dynamic';\n"
        return (
            f"{dynamic}export default function Page() {{\n  return <article><h1>Guide to {name}</h1>\n"
            f"  <p>The {name} lamp has three bulbs and one switch. {text}</p>\n"
            f"  <p>It was made for small rooms by the {name} team.</p></article>;\n}}\n"
        )

    def build(self) -> None:
        names = sorted(path.parent.name for path in (self.folder / "app").glob("*/page.js"))
        urls = json.dumps([f"{BASE}/", *(f"{BASE}/{name}/" for name in names)])
        self.put(
            "app/sitemap.js",
            "export const dynamic = 'force-static';\nexport default function sitemap() {\n"
            f"  return {urls}.map((url) => ({{ url, lastModified: new Date() }}));\n}}\n",
        )
        shutil.rmtree(self.folder / ".next", ignore_errors=True)
        self.run("next", "build")

    def version(self) -> str:
        return _package(self.program, "next")


class NextServer(Next):
    output = ""
    is_exported = False


class Docusaurus(GeneratedSite):
    program = "docusaurus"
    output = "build"
    needs_node = True

    def set_up(self) -> None:
        self.put("package.json", '{"name": "lamps", "private": true}')

    def theme(self, number: int) -> None:
        footer = ("© 2026 Lamps", "© 2027 New shop")[number]
        title = ("Lamps", "All our lamps")[number]
        options = {
            "title": title,
            "url": BASE,
            "baseUrl": "/",
            "trailingSlash": True,
            "onBrokenLinks": "ignore",
            "presets": [
                ["classic", {"docs": {"routeBasePath": "/"}, "blog": False, "sitemap": {"changefreq": "weekly"}}]
            ],
            "themeConfig": {"navbar": {"title": title}, "footer": {"copyright": footer}},
        }
        self.put("docusaurus.config.js", f"module.exports = {json.dumps(options)};\n")

    def source(self, name: str) -> str:
        return f"docs/{name}.md"

    def page(self, name: str, text: str) -> str:
        slug = "slug: /\n" if name == "index" else ""
        return f"---\ntitle: Guide to {name}\n{slug}---\n\n{body(name, text)}"

    def build(self) -> None:
        self.run("docusaurus", "build")

    def version(self) -> str:
        return _package(self.program, "@docusaurus/core")


def _package(folder: str, name: str) -> str:
    package = Path(NODE, folder, "node_modules", name, "package.json")
    return str(json.loads(package.read_text(encoding="utf-8"))["version"])


GENERATORS = (Hugo, Jekyll, Mkdocs, MkdocsMaterial, Sphinx, Eleventy, Astro, Next, Docusaurus)
