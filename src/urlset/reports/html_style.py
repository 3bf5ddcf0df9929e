"""The style sheet of HTML reports for light, dark, narrow, and print, and its hash for the policy."""

from __future__ import annotations

import base64
import hashlib

LIGHT = {
    "page": "#ffffff",
    "panel": "#f5f6f8",
    "text": "#1b1f24",
    "muted": "#545c66",
    "line": "#d5dae0",
    "link": "#0a58a8",
    "mark": "#ffe08a",
    "mark-text": "#1b1f24",
    "on-badge": "#ffffff",
    "error": "#b3261e",
    "warning": "#8a5200",
    "info": "#0a58a8",
    "ok": "#22754a",
    "redirected": "#9a6a00",
    "gone": "#b3261e",
    "failed": "#8e3aa8",
    "login": "#6741d9",
    "blocked": "#0b7285",
    "unknown": "#6c757d",
}
DARK = {
    "page": "#15181c",
    "panel": "#1f242a",
    "text": "#e7eaed",
    "muted": "#a9b2bc",
    "line": "#3a424b",
    "link": "#8ec2ff",
    "mark": "#6b5200",
    "mark-text": "#fff4cf",
    "on-badge": "#15181c",
    "error": "#ff9d94",
    "warning": "#f2c063",
    "info": "#8ec2ff",
    "ok": "#6fcf97",
    "redirected": "#f2c063",
    "gone": "#ff9d94",
    "failed": "#dba6f0",
    "login": "#b197fc",
    "blocked": "#67d3e6",
    "unknown": "#a9b2bc",
}
"""name → color; a test checks the WCAG contrast of pairs used together"""

_RULES = """
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;max-width:60rem;padding:1.5rem 1.25rem 4rem;background:var(--page);color:var(--text);
font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.25;margin:0}
h1{font-size:1.6rem;margin:.15rem 0 .5rem}
h1::first-letter,.verdict::first-letter{text-transform:uppercase}
h2{font-size:1.25rem;margin:2.25rem 0 .75rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1.05rem}
p,ul,ol,dl{margin:.4rem 0}
ul,ol{padding-left:1.4rem}
code,pre{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;direction:ltr;
unicode-bidi:isolate}
h1 code,h3 code{font-size:.92em;font-weight:600}
pre{margin:.3rem 0;padding:.45rem .65rem;background:var(--page);border:1px solid var(--line);border-radius:4px;
white-space:pre-wrap;overflow-wrap:anywhere}
pre code{font-size:1em}
mark{background:var(--mark);color:var(--mark-text);border-bottom:2px solid var(--error);padding:0 1px}
mark:empty::before{content:"\\2038"}
a{color:var(--link)}
.tool,.muted{color:var(--muted)}
.tool{margin:0;font-weight:600}
.muted{font-size:.92em}
.badge{display:inline-block;padding:.05rem .5rem;border-radius:99px;color:var(--on-badge);font-size:.8rem;
font-weight:600;line-height:1.5;vertical-align:.1em}
.badge.error{background:var(--error)}.badge.warning{background:var(--warning)}.badge.info{background:var(--info)}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;list-style:none;padding:0;margin:.9rem 0}
.tiles li{flex:1 1 7rem;padding:.5rem .8rem;background:var(--panel);border:1px solid var(--line);border-radius:6px;
border-top:4px solid var(--line)}
.tiles b{display:block;font-size:1.5rem;line-height:1.2}
.tiles .error{border-top-color:var(--error)}.tiles .warning{border-top-color:var(--warning)}
.tiles .info{border-top-color:var(--info)}.tiles .zero{border-top-color:var(--line);color:var(--muted)}
.next{padding:.6rem .9rem;border-left:4px solid var(--ok);background:var(--panel);border-radius:0 6px 6px 0}
.rule{margin:1rem 0;padding:.9rem 1rem;background:var(--panel);border:1px solid var(--line);border-radius:8px;
border-left:5px solid var(--line)}
.rule.error{border-left-color:var(--error)}.rule.warning{border-left-color:var(--warning)}
.rule.info{border-left-color:var(--info)}
.rule:target{outline:3px solid var(--link)}
.places>li{margin:.7rem 0}
.places p{margin:.1rem 0}
details{margin:.5rem 0}
summary{cursor:pointer;color:var(--link)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}
dt{color:var(--muted)}dd{margin:0}
table{width:100%;border-collapse:collapse;margin:.6rem 0}
caption{text-align:left;color:var(--muted);font-size:.92em;padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--muted);font-size:.85rem;font-weight:600}
tbody th{font-weight:400}
th p,td p{margin:.1rem 0}
.pages thead th:first-child{width:46%}
.number{text-align:right;padding-right:1rem;font-variant-numeric:tabular-nums;white-space:nowrap}
.short{white-space:nowrap}
.bar{display:block;width:100%;height:1.4rem;margin:.6rem 0}
.swatch{width:.8rem;height:.8rem;vertical-align:-.05rem;margin-right:.45rem}
.ok{fill:var(--ok)}.redirected{fill:var(--redirected)}.gone{fill:var(--gone)}.failed{fill:var(--failed)}
.login{fill:var(--login)}.blocked{fill:var(--blocked)}.unknown{fill:var(--unknown)}
footer{margin-top:3rem;color:var(--muted);font-size:.92em}
@media (max-width:34rem){
body{padding:1rem .8rem 3rem}h1{font-size:1.3rem}.rule{padding:.7rem .75rem}
dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}
ul,ol{padding-left:1.1rem}th,td{padding-right:.4rem}.number{padding-right:.7rem}.pages td,.pages th{font-size:.88rem}
}
@media print{
body{max-width:none;padding:0;font-size:10pt}
details::details-content{content-visibility:visible;display:block;block-size:auto;opacity:1}
h2,h3,summary,thead{break-after:avoid}
.rule{break-inside:auto}.places>li,tr,pre,.tiles,.next{break-inside:avoid}
a[rel]::after{content:" (" attr(href) ")";font-size:.9em}
.badge,mark,.bar,.swatch,.tiles li,.rule{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""


def _named(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


STYLE = (
    f"\n:root{{color-scheme:light dark;{_named(LIGHT)}}}"
    f"\n@media screen and (prefers-color-scheme:dark){{:root{{{_named(DARK)}}}}}"
    f"\n@media print{{:root{{color-scheme:light}}}}{_RULES}"
)


def policy() -> str:
    """Nothing may be loaded, run, or sent; only the style sheet above is allowed, by its hash."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
