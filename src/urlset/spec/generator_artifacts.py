"""Words that generators leave in addresses by mistake: session ids, trackers, placeholders, test hosts, assets.

Lists of what was met, not norms. Each list says in which position a word counts, because nearly every one of
these words is also an honest part of some address. The strings after the type in every `Annotated` are keys of
`urlset.spec.citations`.
"""

from __future__ import annotations

import re
from typing import Annotated

from urlset.spec.lazy_pattern import lazy_pattern

# -- parameters ----------------------------------------------------------------------------------------------

# In lowercase; whatever the value is, the parameter carries a visitor's session.
SESSION_PARAMETERS: Annotated[frozenset[str], "sitemaps-faq", "seen-in-the-wild"] = frozenset(
    {"phpsessid", "jsessionid", "oscsid", "zenid", "cfid", "cftoken", "bv_sessionid", "transid", "sessid"}
)
SESSION_PREFIXES: Annotated[tuple[str, ...], "seen-in-the-wild"] = ("aspsessionid",)
# Names that sites also use for sections, shops or stories: they count only with a value that looks drawn by lot.
AMBIGUOUS_SESSION_PARAMETERS: Annotated[frozenset[str], "sitemaps-faq", "google-troubleshoot"] = frozenset(
    {"sid", "session", "session_id", "sessionid", "sess", "s_id", "xtcsid"}
)
SESSION_VALUE: Annotated[re.Pattern[str], "general-knowledge"] = lazy_pattern(
    r"(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9_-]{16,}"
)
# Of those, names that say what the value is: a short one counts if it is hexadecimal, as conference codes are not.
SHORT_SESSION_PARAMETERS: Annotated[frozenset[str], "seen-in-the-wild"] = frozenset({"sessionid", "session_id"})
SHORT_SESSION_VALUE: Annotated[re.Pattern[str], "general-knowledge"] = lazy_pattern(
    r"(?=[^0-9]*[0-9])(?=[^a-f]*[a-f])[0-9a-f]{5,}"
)
# Matrix parameter of Java servers, cookieless session of ASP.NET.
SESSION_IN_PATH: Annotated[re.Pattern[str], "sitemaps-faq", "seen-in-the-wild"] = lazy_pattern(
    r";(?:jsessionid|phpsessid|sid)=[^;/?#]*|/\([SAF]\([A-Za-z0-9]{16,}\)\)", re.IGNORECASE | re.ASCII
)
# In lowercase; they say where a visitor came from and never what the page is. `ref`, `source` and `campaign`
# are left out: too many sites choose content by them.
TRACKING_PARAMETERS: Annotated[frozenset[str], "google-canonical", "seen-in-the-wild"] = frozenset(
    {
        *("gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "_ga", "_gl", "_gac"),
        *("fbclid", "igshid", "igsh", "msclkid", "yclid", "ysclid", "_openstat", "ttclid", "twclid", "li_fat_id"),
        *("epik", "rdt_cid", "scclid", "sccid", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp"),
        *("mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id", "vero_conv", "wickedid", "rb_clickid", "s_kwcid"),
        *("hsctatracking", "_branch_match_id", "irclickid", "cjevent", "ef_id", "trk_contact", "trk_msg"),
    }
)
TRACKING_PREFIXES: Annotated[tuple[str, ...], "google-canonical", "seen-in-the-wild"] = (
    *("utm_", "hsa_", "mtm_", "pk_", "matomo_", "at_campaign", "at_medium"),
)

# In lowercase; they say where to go afterwards. On a page that one comes to on the way (`SIGN_IN_PAGE`) any value
# counts, elsewhere only one that is an address, and only where there are many: `/proxy?url=/a` may be a page.
RETURN_PARAMETERS: Annotated[frozenset[str], "seen-in-the-wild"] = frozenset(
    {
        *("return", "return_to", "returnto", "returnurl", "return_url", "redirect", "redirect_to", "redirect_uri"),
        *("redirecturl", "redirect_url", "next", "back", "backurl", "back_url", "continue", "goto", "dest"),
        *("destination", "referer", "referrer", "ref_url", "origin", "url", "uri", "target", "came_from", "retour"),
    }
)

# -- residue of templates ------------------------------------------------------------------------------------

# A placeholder with its brackets is never part of a page's name. A brace pair counts only round a bare name, with its
# type or expression behind a colon; `%s` and `%d` only as a whole segment or value, so `/100%sure` stays a bad escape.
# The forms that frameworks give to routes, `:id`, `[slug]` and `<int:pk>`, count only as a whole segment; escaped
# brackets only round the names that are common there, since `/%5Barchive%5D` is a page.
PLACEHOLDER: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"\{\{.*?\}\}|\{%.*?%\}|[$#]\{[^}/]*\}|<%.*?%>"
    r"|\{[?&+.;]?[A-Za-z_][\w.,*-]*(?::[^{}/]*)?\}"
    r"|%7B%7B.*?%7D%7D|%7B[A-Za-z_][\w.-]*%7D"
    r"|(?:\[|%5B)object(?: |%20|\+)[A-Z][A-Za-z]*(?:\]|%5D)"
    r"|(?<=[/=])%[sdi](?=[/?&#]|$)"
    r"|(?<=/)(?:\[\[?(?:\.\.\.)?[a-z_][\w-]*\]?\]|%5B(?:(?:%5B|\.\.\.){1,2}\w+(?:%5D)?|\w*(?:slug|id|lang|locale))%5D"
    r"|<(?:[a-z]+:)?[a-z_][\w-]*>|(?<!//):[a-z_]\w*(?:\([^/]*\))?[*+]?)(?=[/?#]|$)",
    re.IGNORECASE,
)
# Copied from the address bar instead of the link.
SEARCH_ENGINE_PAGE: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"https?://(?:(?:www\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?/(?:search|url)\?"
    r"|(?:www\.|cn\.)?bing\.com/(?:search|ck/a)\?|(?:www\.)?yandex\.[a-z]{2,3}/search"
    r"|(?:www\.)?duckduckgo\.com/\?|search\.yahoo\.com/search|webcache\.googleusercontent\.com/)",
    re.IGNORECASE,
)
# Template code in a text, or a text that is nothing but a stand-in.
PLACEHOLDER_TEXT: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"\{\{.*?\}\}|\{%.*?%\}|[$#]\{\w[^{}]*\}|<%.*?%>|\[object [A-Z]\w+\]|\blorem ipsum\b"
    r"|\A[\[{<%_(]+(?:title|headline|name)[\]}>%_)]+\Z|\A[\[{<%_(]*(?:(?:post|article|news)[ _-](?:title|headline)"
    r"|(?:your|my)[ _-](?:[a-z]+[ _-])?(?:title|headline|name|publication|newspaper|site|website|company|blog)"
    r"|(?:your|my)?[ _-]?(?:publication|newspaper|site|company|publisher)[ _-](?:name|title)"
    r"|(?:sample|example|dummy|test)[ _-](?:title|headline|article|post|name|publication)"
    r"|(?:insert|enter|add|put)[ _-].{1,40}[ _-]here|(?:title|headline|name)[ _-](?:goes[ _-])?here"
    r"|placeholder|untitled(?:[ _-](?:document|post|article|page))?|no[ _-]title|todo|tbd|tba|n/a|xxx+"
    r"|undefined|null|nan|none)[\]}>%_)]*\Z",
    re.IGNORECASE | re.DOTALL,
)
# The lines by which a template language loops and chooses, at the beginning of a text between elements.
TEMPLATE_CODE: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"\{[{%#]|<[%#]|\$\{|\[\[|\[#|<\?|#(?:set|foreach|end|if)\b|@(?:foreach|endforeach|for|endfor|if|endif|forelse|php|each)\b"
    r"|%\s*(?:for|endfor|if|endif|end)\b"
)
# Code that an engine executes and never prints: loops, conditions, definitions. If it is in a file, no engine has run.
# An output such as `{{ slug }}` is not such a sign: it may be what the template of another engine, or a page, is about.
_STATEMENT = (
    r"\{%.*?%\}|\{#.*?#\}|\[%.*?%\]"
    r"|\{\{[-~]?\s*(?:[#/^>!]|\$\w+\s*:?=|(?:range|if|else|with|end|define|block|template|partial|each)\b).*?\}\}"
    r"|\{/?(?:foreach|section|if|else|elseif|include|assign|capture|var|block|literal)\b[^{}]*\}"
)
TEMPLATE_STATEMENT: Annotated[re.Pattern[bytes], "general-knowledge", "seen-in-the-wild"] = lazy_pattern(
    _STATEMENT.encode(), re.DOTALL
)
# The same, and the lines of languages whose signs also begin a comment or a rule of robots.txt.
TEMPLATE_STATEMENT_IN_XML: Annotated[re.Pattern[bytes], "general-knowledge", "seen-in-the-wild"] = lazy_pattern(
    _STATEMENT.encode()
    + rb"|@(?:foreach|endforeach|for|endfor|if|endif|forelse|empty|php|each|while|section|extends|model|using)\b|@\{"
    rb"|#(?:set|foreach|if|else|end|parse|macro)\b|%\s*(?:for|endfor|if|endif|end)\b|\[/?#\w",
    re.DOTALL,
)
# Tags of server languages, which replace them wherever they are, also inside a value.
SERVER_TAG: Annotated[re.Pattern[bytes], "general-knowledge", "seen-in-the-wild"] = lazy_pattern(
    rb"<%[\s=@#!-].*?%>|<\?(?:php\b|=).*?(?:\?>|\Z)|</?#\w", re.DOTALL
)
# An output at the beginning of a value.
TEMPLATE_OUTPUT: Annotated[re.Pattern[str], "general-knowledge", "seen-in-the-wild"] = lazy_pattern(
    r"\{\{|\{%|<%|<\?|[$#]\{|\[%|\{\$"
)
# Namespaces whose elements and attributes an engine executes.
TEMPLATE_NAMESPACES: Annotated[frozenset[str], "general-knowledge"] = frozenset(
    {
        "http://www.w3.org/1999/XSL/Transform",
        "http://www.thymeleaf.org",
        "http://genshi.edgewall.org/",
        "http://purl.org/kid/ns#",
        "http://xml.zope.org/namespaces/tal",
        "http://java.sun.com/JSP/Page",
        "http://java.sun.com/jsp/jstl/core",
        "http://typo3.org/ns/TYPO3/CMS/Fluid/ViewHelpers",
    }
)
# What languages print for "nothing". Only as a whole path segment (with or without a page extension) or as a
# whole value, in just this case: `/null-hypothesis` and `/undefined-behaviour` are articles.
RESIDUE_WORD: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"(?<=[/=])(?:(?:undefined|null|NaN)(?:[-_](?:undefined|null|NaN))*|None|\((?:null|undefined)\))"
    r"(?=(?:\.(?:html?|php|aspx?))?(?:[/?&#]|$))"
)
# Sites that write about programming have pages called `null`; below these segments the word is a subject.
RESIDUE_WORD_AT_HOME: Annotated[frozenset[str], "general-knowledge"] = frozenset(
    {
        *("doc", "docs", "documentation", "reference", "manual", "api", "wiki", "language", "glossary", "dictionary"),
        *("define", "definition", "javascript", "js", "python", "php", "sql", "tag", "tags", "questions", "tagged"),
    }
)

# -- hosts ---------------------------------------------------------------------------------------------------

# A separate label, or joined to another by a hyphen; never the registered name (staging.co.uk).
TEST_LABEL: Annotated[re.Pattern[str], "google-canonical", "seen-in-the-wild"] = lazy_pattern(
    r"(?:.+-)?(?:staging|stg|preprod|pre-prod|preproduction|uat)[0-9]*(?:-.+)?"
)
# Public sites use these too (dev.mysql.com): they count only beside another host of the same site.
POSSIBLE_TEST_LABEL: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"(?:dev|develop|development|test|testing|stage|qa|sandbox|preview|demo|beta|local|acc|acceptance)[0-9]*"
)
# Names that manuals, starter templates and generators use for "your site". Only `example` is reserved (RFC 2606, as
# example.com, .net and .org); the others could be registered, and count as a suspicion.
PLACEHOLDER_ENDINGS: Annotated[frozenset[str], "seen-in-the-wild"] = frozenset({"tld", "yourdomain", "mydomain"})
_SITE_WORD = (
    r"(?:site|domain|web-?site|web-?page|web|blog|app|store|shop|company|business|brand|project|host|hostname|server"
    r"|org|organi[sz]ation|user|user-?name|name|account|page|url|portfolio|repo|team|startup)"
)
# `domain.com` means any site; `domain.com.au` and `domain.me` are sites.
PLACEHOLDER_WORD: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"(?:the-?)?(?:site|domain|web-?site|company|host)(?:-?name)?\.(?:com|net|org|io|ext)"
)
# The registered name: `yoursite.com`, `my-website.net`, `domain.com`, `yourdomainname.co.uk`.
PLACEHOLDER_NAME: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    rf"your-?(?:own-?|new-?|real-?|actual-?|live-?|production-?|custom-?|full-?)?{_SITE_WORD}"
    rf"(?:-?{_SITE_WORD}|-?here|-?goes-?here|-?address)*"
    r"|my-?(?:awesome-?|new-?|cool-?|great-?)?(?:site|domain|web-?site|blog|app|store|shop|company)(?:-?(?:name|url))?"
    r"|some-?(?:site|domain|web-?site|url|host)|(?:site|base)-?url"
    r"|example[0-9]|examples?-?(?:site|domain|web-?site|shop|store|blog)|(?:sample|dummy|fake|test)-?(?:site|domain|web-?site)"
    r"|foo-?bar|foo|x{3,}"
    r"|change-?me|replace-?me|place-?holder|fix-?me|(?:insert|enter|replace)-?(?:with-?)?your-?.+"
    rf"|(?:insert|enter|replace|put)-?(?:the-?)?{_SITE_WORD}(?:-?{_SITE_WORD})*(?:-?here)?"
    r"|(?:tu|su|mi|el-?nombre-?de-?tu)-?(?:dominio|sitio(?:-?web)?|pagina(?:-?web)?)|(?:tu|su)-?(?:tienda|empresa)"
    r"|(?:seu|meu|sua)-?(?:dominio|site)|(?:sua)-?(?:loja|empresa)|(?:tuo|vostro|mio)-?(?:dominio|sito(?:-?web)?)"
    r"|(?:votre|mon)-?(?:nom-?de-?)?(?:domaine|site(?:-?web)?)|votre-?(?:boutique|entreprise)|nom-?de-?domaine"
    r"|(?:ihre|deine|meine|eure)-?(?:domain|website|webseite|homepage)|(?:ihre|deine)-?firma"
    r"|(?:jouw|uw)-?(?:domein(?:naam)?|website|site)"
    r"|(?:beispiel|muster)-?(?:domain|seite|shop|firma)|(?:twoja)-?(?:domena|strona|firma)"
)
# Hosts that give every user a name of their own in front of these; there the user's name is the placeholder.
USER_DOMAINS: Annotated[tuple[str, ...], "general-knowledge"] = (
    *("github.io", "gitlab.io", "codeberg.page", "bitbucket.io", "netlify.app", "netlify.com", "vercel.app", "now.sh"),
    *("pages.dev", "workers.dev", "web.app", "firebaseapp.com", "herokuapp.com", "onrender.com", "fly.dev", "surge.sh"),
    *("azurewebsites.net", "azurestaticapps.net", "amplifyapp.com", "railway.app", "up.railway.app", "deno.dev"),
    *("myshopify.com", "wordpress.com", "blogspot.com", "tumblr.com", "wixsite.com", "webflow.io", "weebly.com"),
    *("squarespace.com", "readthedocs.io", "gitbook.io", "ghost.io", "substack.com", "hashnode.dev", "notion.site"),
    *("framer.website", "glitch.me", "repl.co", "replit.app", "neocities.org", "pythonanywhere.com"),
)
PLACEHOLDER_USER: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    rf"(?:your|my)-?(?:git-?hub-?|git-?lab-?)?{_SITE_WORD}(?:-?{_SITE_WORD}|-?here)*"
    r"|(?:git-?hub-?)?user-?name|user|owner|org-?name|site-?name|app-?name|project-?name|repo-?name|store-?name"
    r"|example(?:-?(?:site|app|store|shop|blog))?|change-?me|x{3,}"
)
# Tunnels to a developer's machine.
TUNNEL_DOMAINS: Annotated[tuple[str, ...], "general-knowledge"] = (
    *("ngrok.io", "ngrok.app", "ngrok-free.app", "trycloudflare.com", "loca.lt", "localtunnel.me", "lhr.life"),
)
# Public suffixes of two labels, by their first one.
SECOND_LEVEL_LABELS: Annotated[frozenset[str], "general-knowledge"] = frozenset(
    {"co", "com", "org", "net", "ac", "gov", "edu", "gob", "or", "ne", "go", "gouv", "govt", "gr", "id", "lg", "ltd"}
    | {"me", "mil", "nhs", "nom", "plc", "sch", "sld"}
)
MOBILE_LABELS: Annotated[tuple[str, ...], "google-build", "seen-in-the-wild"] = ("m", "mobile", "wap")

# -- paths ---------------------------------------------------------------------------------------------------

# Files that search engines read for other purposes than showing them. `/sitemap`, `/sitemap.html` and `/feed/`
# may be pages for people.
SITEMAP_FILE: Annotated[re.Pattern[str], "general-knowledge"] = lazy_pattern(
    r"/[^/]*sitemap[^/]*\.(?:xml|txt)(?:\.gz)?", re.IGNORECASE | re.ASCII
)
FEED_FILE: Annotated[re.Pattern[str], "general-knowledge"] = lazy_pattern(
    r".*/(?:[^/]*\.(?:rss|atom)|(?:rss2?|atom|feeds?)\.xml|feed/(?:rss2?|atom|rdf)/?)|.*/comments/feed/?",
    re.IGNORECASE | re.ASCII,
)
FEED_PARAMETER: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(r"(?:^|&)feed=(?:rss2?|atom|rdf)(?:&|$)")
# Endings that no search engine shows as a page; documents such as pdf, docx, csv and txt are left out because
# Google indexes them.
ARCHIVE_ENDINGS: Annotated[frozenset[str], "google-file-types", "general-knowledge"] = frozenset(
    {
        *("zip", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "tar", "jar", "war"),
        *("exe", "msi", "dmg", "pkg", "deb", "rpm", "apk", "ipa", "iso", "bin", "dll"),
        *("sql", "bak", "log", "ini", "env", "map", "wasm"),
    }
)
ASSET_ENDINGS: Annotated[dict[str, str], "general-knowledge"] = {
    **dict.fromkeys(("css", "scss", "less"), "a style sheet"),
    **dict.fromkeys(("js", "mjs", "ts"), "a script"),
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "bmp", "tif", "tiff"), "an image"),
    **dict.fromkeys(("woff", "woff2", "ttf", "otf", "eot"), "a font"),
}
# Names that end like a file and are pages: product names, and MediaWiki's description pages.
PAGE_NAMES_LIKE_ASSETS: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"(?:^|/)(?:(?:node|next|vue|nuxt|react|angular|three|d3|express|ember|backbone|alpine|chart|moment|discord)\.?js"
    r"|[A-Z][a-z]+:[^/]*)$",
    re.IGNORECASE,
)
# The first segments of a path, after the language if there is one.
PRIVATE_PATHS: Annotated[dict[str, str], "google-troubleshoot", "seen-in-the-wild"] = {
    **dict.fromkeys(("cart", "basket", "shopping-cart", "shoppingcart", "checkout/cart"), "a shopping cart"),
    **dict.fromkeys(("checkout",), "a checkout"),
    **dict.fromkeys(
        (
            *("login", "log-in", "signin", "sign-in", "sign_in", "logout", "log-out", "signout", "sign-out"),
            *("wp-login.php", "user/login", "users/login", "users/sign_in", "users/sign_up", "account/login"),
            *("account/register", "customer/account", "my-account", "wp-admin", "administrator", "admin/login"),
        ),
        "a page behind a login",
    ),
    **dict.fromkeys(("search", "catalogsearch", "search-results", "searchresults"), "a search result"),
}
# The whole last segment, with or without the ending of a program: `/login-tips` and `/login/help` are articles.
SIGN_IN_PAGE: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"/(?:(?:wp-)?log[-_]?(?:in|on|out|off)|sign[-_]?(?:in|on|out|up)|register|create[-_]?account"
    r"|(?:forgot|lost|reset)[-_]?password|Special:(?:User(?:Login|Logout)|CreateAccount))"
    r"(?:\.(?:php|aspx?|jsp|html?|do))?/?\Z",
    re.IGNORECASE,
)
LANGUAGE_SEGMENT: Annotated[re.Pattern[str], "general-knowledge"] = lazy_pattern(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")
# `p` is left out: WordPress numbers its articles with it.
PAGE_PARAMETERS: Annotated[frozenset[str], "google-troubleshoot", "seen-in-the-wild"] = frozenset(
    {"page", "paged", "pg", "pageno", "page_no", "pagenum", "pagenumber", "page_number"}
)
PAGE_IN_PATH: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(r"/page[/-]0*([0-9]{1,6})/?$")
FACET_PARAMETERS: Annotated[frozenset[str], "google-troubleshoot", "seen-in-the-wild"] = frozenset(
    {
        *("sort", "sortby", "sort_by", "sort-by", "orderby", "order_by", "filter", "filters", "facet", "facets"),
        *("min_price", "max_price", "price_min", "price_max", "pricerange", "per_page", "perpage", "prefn1", "srule"),
        *("add-to-cart", "add_to_cart", "product_list_order", "product_list_dir", "product_list_mode"),
    }
)
# Always of the form filter[colour]=red, filter_colour=red.
FACET_PREFIXES: Annotated[tuple[str, ...], "seen-in-the-wild"] = ("filter[", "filter_", "f[", "facet.", "query_type_")
# WordPress searches from the front page.
SEARCH_PARAMETERS_AT_ROOT: Annotated[frozenset[str], "seen-in-the-wild"] = frozenset({"s"})

# -- files ---------------------------------------------------------------------------------------------------

# A name that says only that it is a sitemap, and which one.
NUMBERED_SITEMAP: Annotated[re.Pattern[str], "seen-in-the-wild"] = lazy_pattern(
    r"(?:wp-)?site-?maps?(?:[-_.]?(?:part|page|file|chunk|split|index))?[-_.]?[0-9]+\.(?:xml|txt)(?:\.gz)?",
    re.IGNORECASE,
)
# Comments that tell strangers about the inside: addresses of machines, folders, queries, versions, costs.
TELLTALE_COMMENT: Annotated[re.Pattern[bytes], "seen-in-the-wild"] = lazy_pattern(
    rb"\b(?:10|127)(?:\.[0-9]{1,3}){3}\b|\b192\.168(?:\.[0-9]{1,3}){2}\b|\b172\.(?:1[6-9]|2[0-9]|3[01])(?:\.[0-9]{1,3}){2}\b"
    rb"|/(?:var/www|home|srv|usr|opt|etc|tmp)/|\b[A-Za-z]:\\"
    rb"|\b(?:select\b.{1,200}?\bfrom|insert\s+into|update\s+\S+\s+set)\b|\b(?:db|database|dbhost|db_host|dsn|host)\s*="
    rb"|\b(?:password|passwd|secret|api_?key|token)\s*[=:]"
    rb"|\b(?:total |db |sql )?queries\b|\bmemory\s*(?:usage|for|:|=)|\bpeak memory\b"
    rb"|\b(?:stack ?trace|traceback|exception|fatal error|php (?:notice|warning)|debug)\b"
    rb"|generator-(?:url|version)\s*=|\bgenerat(?:ed|or)\b.{0,80}?\bv?[0-9]+\.[0-9]+(?:\.[0-9]+)*",
    re.IGNORECASE | re.DOTALL,
)

# The first words of those paths, for a quick look at an address.
FIRST_PRIVATE_WORDS: Annotated[frozenset[str], "google-troubleshoot", "seen-in-the-wild"] = frozenset(
    path.partition("/")[0] for path in PRIVATE_PATHS
)
