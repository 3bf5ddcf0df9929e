"""A number → a sitemap or index with values at and around the borders of the official schemas, sound or broken."""

from __future__ import annotations

from random import Random

NS = "http://www.sitemaps.org/schemas/sitemap/0.9"
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
_HEAD = "https://example.com/"
LOCS = (
    *(_HEAD, f"{_HEAD}a?b=1&amp;c=2", "/", "short", "http://a.io", "http://a.io/", "/relative/path/x", "//host.e/x"),
    *(
        f"{_HEAD}a b",
        f"{_HEAD}ü",
        f"{_HEAD}%zz",
        f"{_HEAD}100%",
        f"{_HEAD}a[b]",
        "https://[::1]/aaaaaa",
        "ftp://e.com/x",
    ),
    *("mailto:me@example.com", "javascript:history.back()", f"  {_HEAD}x  ", f"\n  {_HEAD}y\n", "", "   "),
    *(_HEAD + "a" * 2027, _HEAD + "a" * 2028, _HEAD + "a" * 2029, f"{_HEAD}a|b", f"{_HEAD}a\\b", f"{_HEAD}{{x}}"),
    *(
        f"{_HEAD}a^b",
        f"{_HEAD}`x`",
        f"{_HEAD}&lt;x&gt;",
        f'{_HEAD}"q"',
        "https://e.com:99999/x",
        "https://e.com:port/x",
    ),
    *("https://user:pw@example.com/", "http://exa mple.com/", f"{_HEAD}#a#b", f"{_HEAD}a%20b", "%" * 16),
    *(
        "https:///nohost/aaaa",
        "https://",
        "https://-e..com/aaaa",
        "http://[::1/aaaaaaa",
        f"{_HEAD}a]b",
        f"{_HEAD}?q=[1]",
    ),
    *("12345678901", "123456789012", "https://exam_ple.com/", "1http://example.com/", "a:b:c:d:e:f:g:h", ":" * 12),
    *("http:example.com/page", f"{_HEAD}x&#10;y", f"{_HEAD}\tx", f"<![CDATA[{_HEAD}?a=1&b=2]]>", f"{_HEAD}<!-- c -->x"),
    *(f"\u00a0{_HEAD}x", f"{_HEAD}x\u00a0", f"{_HEAD}\u200bx", "https://https://example.com/x"),
)
LASTMODS = (
    *(
        "2026-11-15",
        "2026-01-01T10:30Z",
        "2026-01-01T10:30:00Z",
        "2026-01-01T10:30:00",
        "2026-01",
        "2026",
        "2026-11-15Z",
    ),
    *("2026-11-15+02:00", "12026-01-01", "-0001-01-01", "0000-01-01", "2026-11-14T24:00:00Z", "2026-11-14T24:00:01Z"),
    *("2026-11-14T23:59:60Z", "2026-02-30", "2024-02-29", "2026-02-29", "2026-13-01", "2026-11-15 10:00:00+00:00"),
    *("2026-11-15t10:00:00z", "2026-11-15T10:00:00+0000", "2026-11-15T10:00:00+00", "2026-11-15T10:00:00+14:00"),
    *("2026-11-15T10:00:00+14:01", "2026-11-15T10:00:00-13:59", "2026-11-15T10:00:00+25:00", "2026-11-15T10:00:00.1Z"),
    *("2026-11-15T10:00:00.Z", "", " ", "  2026-11-15\n", "15/11/2026", "yesterday", "1763200800", "20261115"),
    *("2026-W46-7", "2026-11-15T10Z", "2026-1-5", "Sun, 15 Nov 2026 10:00:00 GMT", "2026-11-15T25:00:00Z"),
    *("2026-11-15T10:60:00Z", "2026-11-15-00:00", "2026-11-15T10:00:00-00:00", "+2026-11-15", "02026-11-15"),
    *("2026-11-15T10:00:00,5Z", "2026-11-15T10:00:00Z[UTC]", "<![CDATA[2026-11-15]]>", "2026-11-<!-- x -->15"),
    *("\u00a02026-11-15", "2026\u201311\u201315"),
)
CHANGEFREQS = (
    *("daily", "Daily", " daily ", "always", "hourly", "weekly", "monthly", "yearly", "never", "every day", ""),
    *("\ndaily", "DAILY", "<![CDATA[daily]]>", "da<!-- -->ily"),
)
PRIORITIES = (
    *(
        "0.5",
        "1.0",
        "0",
        "1",
        "1.1",
        "-0.1",
        "0,5",
        "1e0",
        ".5",
        "+0.5",
        "5.",
        "",
        ".",
        "abc",
        " 0.5 ",
        "\n0.5\n",
        "-0",
    ),
    *("-0.0", "1.00", "00.5", "0x1", "NaN", "INF", "100%", "½", "0 .5"),
)
INSERTS = (
    "<image:image><image:loc>https://example.com/i.png</image:loc></image:image>",
    '<x:y xmlns:x="urn:x">t</x:y>',
    '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>',
    f'<s:loc xmlns:s="{NS}">https://example.com/q</s:loc>',
    "<mobile:mobile/>",
    "<video:video/>",
    "<loc>https://example.com/second</loc>",
    "<lastmod>2026-01-01</lastmod>",
    "<priority>0.5</priority>",
    "<Loc>https://example.com/</Loc>",
    "<title>T</title>",
    *("text", "&amp;", "&#32;", "<!-- c -->", "<?pi x?>", "<![CDATA[ ]]>", "<![CDATA[x]]>"),
)
_PREFIXES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "image": "http://www.google.com/schemas/sitemap-image/1.1",
        "xhtml": "http://www.w3.org/1999/xhtml",
        "mobile": "http://www.google.com/schemas/sitemap-mobile/1.0",
        "video": "http://www.google.com/schemas/sitemap-video/1.1",
    }.items()
)
_ROOT_ATTRIBUTES = (
    *(' version="1"', ' xml:lang="en"', ' id="a"', f' xsi:foo="a" {XSI}', f' xsi:nil="true" {XSI}'),
    f' xsi:schemaLocation="{NS} {NS}/sitemap.xsd" {XSI}',
)
_ATTRIBUTES = (' id="1"', ' xml:space="preserve"', ' xmlns:z="urn:z"', ' z:a="1" xmlns:z="urn:z"', ' xmlns=""')
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_DECLARATIONS = (
    *("", '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="ISO-8859-1"?>\n', "\ufeff", "<!-- a -->"),
    f'{_DECLARATION}<?xml-stylesheet type="text/xsl" href="s.xsl"?>\n',
)
_NAMESPACES = (
    *("", 'xmlns="http://www.google.com/schemas/sitemap/0.84"', f'xmlns="{NS}/"', 'xmlns="urn:x"'),
    f'xmlns="{NS.replace("http:", "https:")}"',
)


class Maker:
    """Everything comes from one random source; `odds` says how often a value is a border case."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._odds = self._random.choice((0, 0.05, 0.15, 0.4))

    def _often(self, share: float) -> bool:
        return self._random.random() < self._odds * share

    def _pick(self, sound: str, others: tuple[str, ...], share: float = 1) -> str:
        return self._random.choice(others) if self._often(share) else sound

    def document(self) -> str:
        root, row = self._random.choice((("urlset", "url"), ("urlset", "url"), ("sitemapindex", "sitemap")))
        rows = [self._row(row) for _ in range(0 if self._often(0.2) else self._random.choice((1, 1, 2, 3)))]
        if self._often(0.3):
            rows.insert(self._random.randrange(len(rows) + 1), self._random.choice(INSERTS))
        if self._often(0.1):
            rows.append("<sitemap>" if row == "url" else "<url>")
            rows[-1] += f"<loc>{_HEAD}other</loc></{rows[-1][1:]}"
        namespace = self._pick(f'xmlns="{NS}"', _NAMESPACES, 0.4)
        attributes = self._pick("", _ROOT_ATTRIBUTES, 0.5)
        head = self._pick(_DECLARATION, _DECLARATIONS) + f"<{root} {namespace} {_PREFIXES}{attributes}>\n"
        return head + "\n".join(rows) + f"\n</{root}>\n" + self._pick("", ("<!-- end -->", "text", "<a/>"), 0.1)

    def _row(self, row: str) -> str:
        parts = [f"<loc{self._pick('', _ATTRIBUTES, 0.5)}>{self._pick(f'{_HEAD}page', LOCS)}</loc>"]
        if self._random.random() < 0.6:
            parts.append(f"<lastmod>{self._pick('2026-11-15', LASTMODS)}</lastmod>")
        if row == "url" and self._random.random() < 0.4:
            parts.append(f"<changefreq>{self._pick('daily', CHANGEFREQS)}</changefreq>")
        if row == "url" and self._random.random() < 0.4:
            parts.append(f"<priority>{self._pick('0.8', PRIORITIES)}</priority>")
        if self._often(1):
            parts.insert(self._random.randrange(len(parts) + 1), self._random.choice(INSERTS))
        if self._often(0.3):
            self._random.shuffle(parts)
        if self._often(0.2):
            parts.pop(self._random.randrange(len(parts)))
        blank = self._random.choice(("", "\n  "))
        return f"<{row}{self._pick('', _ATTRIBUTES, 0.5)}>{blank}{blank.join(parts)}{blank}</{row}>"

    def mutated(self) -> bytes:
        """The same with a byte or two lost, replaced, put in or doubled."""
        data = bytearray(self.document().encode())
        for _ in range(self._random.choice((1, 1, 2))):
            at = self._random.randrange(len(data))
            byte = self._random.choice(b"<>&\"'= /ax0-:\n%[]")
            match self._random.randrange(4):
                case 0:
                    del data[at]
                case 1:
                    data[at] = byte
                case 2:
                    data.insert(at, byte)
                case _:
                    data[at:at] = data[at : at + self._random.randrange(1, 12)]
        return bytes(data)


def generated(seed: int) -> bytes:
    return Maker(seed).document().encode()


def mutated(seed: int) -> bytes:
    return Maker(seed).mutated()
