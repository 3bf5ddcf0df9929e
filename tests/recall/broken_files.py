"""Broken files as generators, content systems and people leave them, each with the codes that must be found."""

from __future__ import annotations

from typing import NamedTuple

from tests.recall.shapes import BLOG, DECLARATION, NEWS, NS, SHOP, dated, index, item, pages, rss, url, urlset


class Broken(NamedTuple):
    """A file under its name, and what is wrong with it."""

    name: str
    text: str
    codes: str


_JEKYLL = f"""---
layout: null
sitemap: false
---
{DECLARATION}<urlset xmlns="{NS}">
  {{% for post in site.posts %}}
  <url>
    <loc>{{{{ site.url }}}}{{{{ post.url }}}}</loc>
    <lastmod>{{{{ post.date | date_to_xmlschema }}}}</lastmod>
  </url>
  {{% endfor %}}
</urlset>
"""
_HUGO = f"""<urlset xmlns="{NS}">
  {{{{ range .Data.Pages }}}}
  <url>
    <loc>{{{{ .Permalink }}}}</loc>
  </url>
  {{{{ end }}}}
</urlset>
"""
_GROUP = "User-agent: *\nDisallow: /admin/\n"
_LINE = f"Sitemap: {SHOP}/sitemap.xml\n"
_NEWS_ATTRIBUTE = f' xmlns:news="{NEWS}"'

HOSTS: dict[str, Broken] = {
    f"placeholder {host}": Broken("sitemap.xml", pages(f"https://{host}"), "L031")
    for host in (
        *("yoursite.com", "www.yoursite.com", "your-site.com", "yourdomain.com", "www.your-domain.com", "mysite.com"),
        *("yourwebsite.com", "mywebsite.com", "domain.com", "www.domain.com", "domain.tld", "yoursite.tld", "site.com"),
        *("example.com", "www.example.com", "example.org", "blog.example.net", "example.co.uk", "mydomain.com"),
        *("username.github.io", "yourusername.github.io", "your-username.github.io", "user.gitlab.io"),
        *("your-app.vercel.app", "yoursite.netlify.app", "your-project.web.app", "your-app-name.herokuapp.com"),
        *("your-store.myshopify.com", "yourblog.wordpress.com", "yourcompany.com", "company.com", "www.xxx.com"),
        *("localhost:3000", "localhost", "127.0.0.1:4000", "mysite.local", "shop.test", "192.168.0.10:8080"),
    )
}

TEMPLATES: dict[str, Broken] = {
    "jekyll source": Broken("sitemap.xml", _JEKYLL, "X031"),
    "jekyll source with nested key": Broken(
        "sitemap.xml", _JEKYLL.replace("sitemap: false", "sitemap:\n  exclude: true"), "X031"
    ),
    "hugo source": Broken("sitemap.xml", _HUGO, "X031"),
    "django source": Broken(
        "sitemap.xml",
        urlset("{% for url in urlset %}", url("{{ url.location }}"), "{% endfor %}"),
        "X031",
    ),
    "loop left around entries": Broken(
        "sitemap.xml", urlset(url(f"{SHOP}/"), "{% for p in products %}", url(f"{SHOP}/a"), "{% endfor %}"), "X031"
    ),
    "condition left inside an entry": Broken(
        "sitemap.xml", urlset(url(f"{SHOP}/", "{{#if lastmod}}<lastmod>2026-01-01</lastmod>{{/if}}\n")), "X031"
    ),
    "blade source": Broken(
        "sitemap.xml", urlset("@foreach ($posts as $post)", url(f"{SHOP}/a"), "@endforeach"), "X031"
    ),
    "php loop left": Broken(
        "sitemap.xml", urlset("<?php foreach ($posts as $post): ?>", url(f"{SHOP}/a"), "<?php endforeach; ?>"), "X031"
    ),
    "php echo as loc": Broken("sitemap.xml", urlset(url("<?php echo $url; ?>")), "X031"),
    "erb source": Broken("sitemap.xml", urlset("<% @posts.each do |post| %>", url("<%= post.url %>")), "X031"),
    "javascript template": Broken("sitemap.xml", pages("${process.env.SITE_URL}"), "X031"),
    "next catch-all route": Broken("sitemap.xml", urlset(url(f"{SHOP}/docs/[[...slug]]")), "L034"),
    "next dynamic route": Broken("sitemap.xml", urlset(url(f"{SHOP}/blog/[slug]")), "L034"),
    "express route": Broken("sitemap.xml", urlset(url(f"{SHOP}/user/:id")), "L034"),
    "undefined slug": Broken("sitemap.xml", urlset(url(f"{SHOP}/product/undefined")), "L034"),
    "object as text": Broken("sitemap.xml", urlset(url(f"{SHOP}/[object Object]")), "L034"),
    "robots source": Broken(
        "robots.txt", f"---\nlayout: null\n---\n{_GROUP}Sitemap: {{{{ site.url }}}}/sitemap.xml\n", "X031"
    ),
    "robots with a filled-in path": Broken("robots.txt", _GROUP + "Sitemap: https://{{domain}}/sitemap.xml\n", "R002"),
    "robots control line": Broken("robots.txt", "{% if site.live %}\n" + _GROUP + _LINE, "X031"),
    "page with front matter": Broken(
        "sitemap.xml", "---\ntitle: About\nsitemap:\n  priority: 0.5\n---\nHello\n", "S001"
    ),
    "list with front matter": Broken("sitemap.txt", f"---\nsitemap: false\n---\n{SHOP}/\n{SHOP}/a\n", "X031"),
}

NAMES: dict[str, Broken] = {
    "xml named txt": Broken("sitemap.txt", pages(SHOP), "S032"),
    "index named txt": Broken("sitemap.txt", index(f"{SHOP}/a.xml", f"{SHOP}/b.xml"), "S032"),
    "robots named xml": Broken("sitemap.xml", _GROUP + _LINE, "S001"),
    "robots named sitemap.txt": Broken("sitemap.txt", _GROUP + _LINE, "S001"),
    "list named xml": Broken("sitemap.xml", f"{SHOP}/\n{SHOP}/a\n", "S032"),
    "html named xml": Broken("sitemap.xml", "<!DOCTYPE html>\n<html><body>Not found</body></html>\n", "X021"),
    "json named xml": Broken("sitemap.xml", '{"urls": ["/a"]}\n', "S001"),
}

ROBOTS: dict[str, Broken] = {
    "full address as rule": Broken("robots.txt", f"User-agent: *\nDisallow: {SHOP}/admin/\n{_LINE}", "R012"),
    "rule without slash": Broken("robots.txt", f"User-agent: *\nDisallow: admin\n{_LINE}", "R012"),
    "sentence": Broken("robots.txt", f"{_GROUP}Please do not crawl us at night\n{_LINE}", "R012"),
    "markup": Broken("robots.txt", f"{_GROUP}<br>\n{_LINE}", "R012"),
    "address alone": Broken("robots.txt", f"{_GROUP}{SHOP}/sitemap.xml\n", "R012"),
    "rule before the agent": Broken("robots.txt", f"Disallow: /tmp/\n{_GROUP}{_LINE}", "R012"),
    "two paths in a rule": Broken("robots.txt", f"User-agent: *\nDisallow: /a/ /b/\n{_LINE}", "R012"),
    "missing colon": Broken("robots.txt", f"User-agent: *\nDisallow /a/\n{_LINE}", "R012"),
    "relative sitemap": Broken("robots.txt", _GROUP + "Sitemap: /sitemap.xml\n", "R002"),
    "placeholder sitemap": Broken("robots.txt", _GROUP + "Sitemap: https://www.yourdomain.com/sitemap.xml\n", "L031"),
    "local sitemap": Broken("robots.txt", _GROUP + "Sitemap: http://localhost:4321/sitemap-index.xml\n", "L031"),
    "php before the rules": Broken("robots.txt", f"<?php header('x'); ?>\n{_GROUP}{_LINE}", "X031"),
    "merge conflict": Broken("robots.txt", f"<<<<<<< HEAD\n{_GROUP}=======\n{_GROUP}>>>>>>> main\n{_LINE}", "R012"),
    "all in one line": Broken("robots.txt", f"User-agent: * Disallow: /admin/ Sitemap: {SHOP}/sitemap.xml\n", "R012"),
    "error message": Broken("robots.txt", '{"error": "not found"}\n', "R012"),
    "misspelt field": Broken("robots.txt", "User-agent: *\nDissalow: /a/\n" + _LINE, "R012"),
}

ENTRIES: dict[str, Broken] = {
    "site URL joined twice": Broken("sitemap.xml", urlset(url(f"{SHOP}/{SHOP}/a")), "L034"),
    "site URL joined twice without a slash": Broken("sitemap.xml", urlset(url(f"{SHOP}{SHOP}/a")), "L034"),
    "host joined with nothing": Broken("sitemap.xml", urlset(url(f"{SHOP}undefined/a")), "L031"),
    "http beside https": Broken(
        "sitemap.xml", urlset(url(f"{SHOP}/"), url(f"{SHOP}/a".replace("https", "http"))), "L016"
    ),
    "backslash behind the host": Broken("sitemap.xml", urlset(url(f"{SHOP}\\a")), "L012"),
    "date as words": Broken("sitemap.xml", urlset(dated(f"{SHOP}/", "March 4, 2026")), "D021"),
    "feed with a date of a database": Broken(
        "feed.xml", rss(item(f"<link>{BLOG}/a</link><pubDate>2026-03-06 10:00:00</pubDate>")), "D021"
    ),
    "index over two hosts": Broken("sitemap.xml", index(f"{SHOP}/a.xml", "https://cdn.nordwind.net/b.xml"), "I006"),
    "index with www twin": Broken("sitemap.xml", index(f"{SHOP}/a.xml", "https://nordwind-shop.de/b.xml"), "I006"),
    "index on a placeholder": Broken("sitemap_index.xml", index("https://example.com/post-sitemap.xml"), "L031"),
    "pages of two hosts": Broken("sitemap.xml", urlset(url(f"{SHOP}/"), url("https://nordwind-shop.de/a")), "L037"),
    "padded keyword": Broken("sitemap.xml", urlset(url(f"{SHOP}/", "<changefreq> daily </changefreq>\n")), "F003"),
    "keyword on its own line": Broken(
        "sitemap.xml", urlset(url(f"{SHOP}/", "<changefreq>\n  weekly\n</changefreq>\n")), "F003"
    ),
    "capital keyword": Broken("sitemap.xml", urlset(url(f"{SHOP}/", "<changefreq>Daily</changefreq>\n")), "F002"),
    "padded date": Broken("sitemap.xml", urlset(dated(f"{SHOP}/", " 2026-01-01 ")), "D026"),
    "padded address": Broken("sitemap.xml", urlset(url(f"\n      {SHOP}/\n    ")), "L006"),
    "stray text": Broken("sitemap.xml", urlset(url(f"{SHOP}/"), "and many more"), "S017"),
    "bare ampersand": Broken("sitemap.xml", urlset(url(f"{SHOP}/?a=1&b=2")), "X010"),
    "escaped twice": Broken("sitemap.xml", urlset(url(f"{SHOP}/?a=1&amp;amp;b=2")), "X013"),
    "undated, news declared": Broken(
        "sitemap.xml", urlset(*(url(f"{SHOP}/p/{n}") for n in range(25)), attributes=_NEWS_ATTRIBUTE), "D018"
    ),
    "one stamp, news declared": Broken(
        "sitemap.xml",
        urlset(*(dated(f"{SHOP}/p/{n}", "2026-11-15T08:00:01Z") for n in range(25)), attributes=_NEWS_ATTRIBUTE),
        "D016",
    ),
    "feed with short years": Broken(
        "feed.xml", rss(item(f"<link>{BLOG}/a</link><pubDate>Fri, 06 Mar 26 10:00:00 GMT</pubDate>")), "D021"
    ),
    "feed item with opaque guid": Broken("feed.xml", rss(item('<guid isPermaLink="false">urn:1</guid>')), "S033"),
    "feed link escaped twice": Broken("feed.xml", rss(item(f"<link>{BLOG}/?a=1&amp;amp;b=2</link>")), "X013"),
}

BROKEN: dict[str, Broken] = {**HOSTS, **TEMPLATES, **NAMES, **ROBOTS, **ENTRIES}
