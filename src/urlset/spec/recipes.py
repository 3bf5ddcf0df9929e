"""The headers and the start of a response → who serves it; a cause of `urlset doctor` → what to change there."""

# ruff: noqa: E501 - a recipe is one line

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

import msgspec

from urlset.spec.lazy_pattern import lazy_pattern


class Platform(StrEnum):
    """In the order in which a request passes them."""

    CLOUDFLARE = "Cloudflare"
    VERCEL = "Vercel"
    NETLIFY = "Netlify"
    NGINX = "nginx"
    APACHE = "Apache"
    """and LiteSpeed, which reads .htaccess too"""
    WORDPRESS = "WordPress"


class PlatformSign(msgspec.Struct, frozen=True):
    platform: Platform
    header: str
    value: str = ""
    """a regular expression; empty for any value"""


_SIGNS = (
    PlatformSign(Platform.CLOUDFLARE, "cf-ray"),
    PlatformSign(Platform.CLOUDFLARE, "server", "^cloudflare"),
    PlatformSign(Platform.VERCEL, "x-vercel-id"),
    PlatformSign(Platform.VERCEL, "server", "^vercel"),
    PlatformSign(Platform.NETLIFY, "x-nf-request-id"),
    PlatformSign(Platform.NETLIFY, "server", "^netlify"),
    PlatformSign(Platform.NGINX, "server", "^(?:nginx|openresty)"),
    PlatformSign(Platform.APACHE, "server", "^(?:apache|litespeed)"),
    PlatformSign(Platform.WORDPRESS, "link", r"api\.w\.org"),
    PlatformSign(Platform.WORDPRESS, "x-redirect-by", "^wordpress"),
    PlatformSign(Platform.WORDPRESS, "x-pingback", r"xmlrpc\.php"),
    PlatformSign(Platform.WORDPRESS, "x-powered-by", "^(?:w3 total cache|wp engine|wp rocket)"),
    PlatformSign(Platform.WORDPRESS, "x-litespeed-cache"),
    PlatformSign(Platform.WORDPRESS, "wp-super-cache"),
)
_WORDPRESS_MARKS = lazy_pattern(
    rb"/wp-content/|/wp-includes/|wp-sitemap|yoast|rank[ -]?math|all in one seo", re.IGNORECASE
)


def platforms_of(headers: Iterable[tuple[str, str]], start: bytes = b"") -> tuple[Platform, ...]:
    """`headers` with names in lowercase, of any responses of the host; `start` of the body."""
    received = list(headers)
    found = {
        sign.platform
        for sign in _SIGNS
        if any(name == sign.header and re.search(sign.value, value, re.IGNORECASE) for name, value in received)
    }
    if _WORDPRESS_MARKS.search(start):
        found.add(Platform.WORDPRESS)
    return tuple(platform for platform in Platform if platform in found)


def recipes_for(cause: str, platforms: Iterable[Platform]) -> tuple[str, ...]:
    """What to change, one line for each platform that has a recipe."""
    known = _RECIPES.get(_ALIKE.get(cause, cause), {})
    return tuple(f"{platform}: {known[platform]}" for platform in platforms if platform in known)


_ALIKE = {
    "forbidden": "bot-protection",
    "rate-limited": "bot-protection",
    "blocks-some-bots": "bot-protection",
    "connection-reset": "bot-protection",
    "redirect": "redirect-loop",
    "gzip-unlabeled": "double-gzip",
    "gz-encoded": "double-gzip",
    "bad-encoding": "double-gzip",
    "timeout": "slow",
    "robots-unavailable": "blocked-by-robots",
    "no-sitemap": "not-found",
    "not-a-sitemap": "html-instead",
    "empty": "html-instead",
}
"""causes with the recipes of another"""
_CACHES = (
    "exclude `sitemap.*\\.xml` from the page cache (W3 Total Cache: Page Cache, Never cache these pages; WP Super Cache: "
    "Advanced, Rejected URL strings; LiteSpeed Cache: Cache, Excludes; WP Rocket: Advanced Rules), then purge it"
)
_RECIPES: dict[str, dict[Platform, str]] = {
    "bot-protection": {
        Platform.CLOUDFLARE: "Security, WAF, Custom rules: add a rule for the path of the sitemap with the action Skip; turn "
        "Bot Fight Mode off, because no rule skips it",
        Platform.VERCEL: "Firewall: add a custom rule with the action Bypass for the path of the sitemap, or turn Bot "
        "Protection and Attack Challenge Mode off",
        Platform.NETLIFY: "check the firewall traffic rules, edge functions and rate limits of the site",
        Platform.NGINX: "look for `deny`, `limit_req`, `return 403`, `return 444` and `$http_user_agent` in "
        "`nginx -T`; exempt the sitemap with `location = /sitemap.xml { allow all; }`",
        Platform.APACHE: "look for `Require not`, `SetEnvIf User-Agent` and `RewriteCond %{HTTP_USER_AGENT}` in .htaccess "
        "and the virtual host, and for ModSecurity in the error log",
        Platform.WORDPRESS: "security plugins block crawlers by name or rate: check the firewall log of Wordfence, Solid "
        "Security or Sucuri and allow verified crawlers",
    },
    "login": {
        Platform.VERCEL: "Settings, Deployment Protection: protect preview deployments only, not the production domain",
        Platform.NETLIFY: "Project configuration, Visitor access: remove the password of the production site",
        Platform.NGINX: "`location = /sitemap.xml { auth_basic off; }`, and the same for /robots.txt",
        Platform.APACHE: '`<Files "sitemap.xml"> Require all granted </Files>`, and the same for robots.txt',
        Platform.WORDPRESS: "turn off coming-soon, maintenance and password plugins for the sitemap",
    },
    "server-error": {
        Platform.CLOUDFLARE: "520 to 526 are about the origin server: it is down, slow, or its certificate is invalid",
        Platform.VERCEL: "read the function log; render the sitemap at build time instead of on request",
        Platform.NETLIFY: "read the function log; write the sitemap at build time instead of on request",
        Platform.NGINX: "read error.log; 502 and 504 mean that the program behind `proxy_pass` or `fastcgi_pass` is down or "
        "too slow, 500 often a loop of internal redirects in `try_files`",
        Platform.APACHE: "read the error log; 500 is often a line in .htaccess that the server does not allow",
        Platform.WORDPRESS: "set WP_DEBUG_LOG, open the sitemap, read wp-content/debug.log; a large sitemap may exceed the "
        "memory limit: list fewer entries per file",
    },
    "not-found": {
        Platform.VERCEL: "put the file at public/sitemap.xml, or add app/sitemap.ts; deploy again",
        Platform.NETLIFY: "the file must be in the publish directory after the build",
        Platform.NGINX: "`location = /sitemap.xml { root /path/to/site; try_files $uri =404; }`, before locations that proxy",
        Platform.APACHE: "the file must be in DocumentRoot; exempt it from rewriting with `RewriteRule ^sitemap\\.xml$ - [L]`",
        Platform.WORDPRESS: "Settings, Permalinks, Save writes the rewrite rules again; WordPress itself serves "
        "/wp-sitemap.xml, Yoast and Rank Math /sitemap_index.xml",
    },
    "html-instead": {
        Platform.CLOUDFLARE: "purge the cache of the URL: a page may be cached in place of the sitemap",
        Platform.VERCEL: 'exclude the sitemap from rewrites: `"source": "/((?!sitemap).*)"` in vercel.json',
        Platform.NETLIFY: "put the file into the publish directory and remove `force` (`200!`) from `/* /index.html`",
        Platform.NGINX: "`location ~ \\.xml$ { try_files $uri =404; }`, before the fallback to /index.html",
        Platform.APACHE: "`RewriteRule ^sitemap.*\\.xml$ - [L]`, before the rule that rewrites to index.html or index.php",
        Platform.WORDPRESS: _CACHES,
    },
    "content-type": {
        Platform.VERCEL: "set Content-Type for the path under `headers` in vercel.json",
        Platform.NETLIFY: "set Content-Type for the path in the file `_headers`",
        Platform.NGINX: "`include mime.types;`, or `location = /sitemap.xml { types {} default_type application/xml; }`",
        Platform.APACHE: "`AddType application/xml .xml` in .htaccess",
        Platform.WORDPRESS: f"a page cache replays the sitemap as HTML: {_CACHES}",
    },
    "double-gzip": {
        Platform.CLOUDFLARE: "Rules, Compression Rules: no compression for the path of the sitemap",
        Platform.NGINX: "`location ~ \\.gz$ { gzip off; types {} default_type application/gzip; }`, without "
        "`add_header Content-Encoding`",
        Platform.APACHE: "`RemoveEncoding .gz`, `AddType application/gzip .gz` and "
        "`SetEnvIf Request_URI \\.gz$ no-gzip=1`",
        Platform.WORDPRESS: "compress in one place only: turn off either zlib.output_compression or the compression of the "
        "cache plugin",
    },
    "text-before-xml": {
        Platform.NGINX: "remove `add_before_body`, `sub_filter` and `ssi` from the location of the sitemap",
        Platform.WORDPRESS: "a blank line or byte order mark before `<?php` or after `?>` in wp-config.php, the theme's "
        "functions.php or a plugin: `LC_ALL=C grep -rlPz '\\A(\\s|\\xEF\\xBB\\xBF)+<\\?php|\\?>\\s*\\n\\s*\\n\\s*\\Z' wp-config.php wp-content`",
    },
    "redirect-loop": {
        Platform.CLOUDFLARE: "SSL/TLS mode Flexible with a redirect to https at the origin is a loop: choose Full (strict)",
        Platform.VERCEL: "check `redirects` and `trailingSlash` in vercel.json, and the primary domain under Domains",
        Platform.NETLIFY: "check `_redirects`, and the primary domain under Domain management",
        Platform.NGINX: "`return 301 https://$host$request_uri;` belongs into the server of port 80 only; behind a proxy test "
        "`$http_x_forwarded_proto`",
        Platform.APACHE: "behind a proxy test `%{HTTP:X-Forwarded-Proto}` instead of `%{HTTPS}`; exempt the sitemap from "
        "rewriting",
        Platform.WORDPRESS: "both addresses under Settings, General must be the final ones; redirect plugins must not match "
        "the sitemap",
    },
    "tls": {
        Platform.CLOUDFLARE: "SSL/TLS, Edge Certificates: the host must be covered; deeper subdomains need their own",
        Platform.NGINX: "`ssl_certificate` must name the whole chain (fullchain.pem); reload after every renewal: "
        "`certbot renew --deploy-hook 'nginx -s reload'`",
        Platform.APACHE: "`SSLCertificateFile` must name the whole chain (fullchain.pem); reload after every renewal",
    },
    "http-version": {
        Platform.NGINX: "remove `http2` from the `listen` line of the port without TLS: it has no fallback there",
        Platform.APACHE: "`Protocols h2 http/1.1`",
    },
    "slow": {
        Platform.CLOUDFLARE: "Caching, Cache Rules: make the sitemap eligible for cache; XML is not cached by default",
        Platform.VERCEL: "render the sitemap at build time, or set `revalidate`",
        Platform.NETLIFY: "write the sitemap at build time instead of in a function",
        Platform.NGINX: "serve a file, or cache the program's response with `proxy_cache`; remove `limit_rate`",
        Platform.WORDPRESS: "list fewer entries per file (Yoast: the filter `wpseo_sitemap_entries_per_page`) and use an "
        "object cache",
    },
    "blocked-by-robots": {
        Platform.CLOUDFLARE: "AI Crawl Control can put its own lines in front of robots.txt: check what it adds",
        Platform.NGINX: "serve /robots.txt as a file: `location = /robots.txt { root /path/to/site; }`",
        Platform.WORDPRESS: 'Settings, Reading: turn "Discourage search engines" off; a robots.txt file in the root wins over '
        "the plugin's",
    },
    "cut-short": {
        Platform.NGINX: "look for `upstream prematurely closed` and permissions of `proxy_temp_path` in error.log",
        Platform.WORDPRESS: "a memory or time limit of PHP ends the script: list fewer entries per file",
    },
}
