"""Media types → what a search engine makes of a page that is served as one."""

from __future__ import annotations

from typing import Annotated

XSLT_TYPES: Annotated[frozenset[str], "chrome-xslt"] = frozenset({
    "text/xsl", "text/xslt", "application/xslt+xml", "application/xsl",
})  # fmt: skip
"""of stylesheets that browsers run as XSLT"""
INDEXED_TYPES: Annotated[frozenset[str], "google-file-types"] = frozenset({
    "text/html", "application/xhtml+xml", "application/pdf", "application/postscript", "application/epub+zip",
    "application/vnd.google-earth.kml+xml", "application/vnd.google-earth.kmz", "application/gpx+xml",
    "application/x-hwp", "application/haansofthwp", "application/vnd.hancom.hwp",
    "application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/msword",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.oasis.opendocument.presentation", "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.text", "application/rtf", "text/rtf", "text/csv",
    "application/x-tex", "application/x-latex", "text/x-tex", "text/plain", "text/vnd.wap.wml",
    "application/xml", "text/xml", "application/rss+xml", "application/atom+xml",
})  # fmt: skip
"""the usual labels of the file types that Google lists, and images, videos and source code"""
INDEXED_PREFIXES: Annotated[tuple[str, ...], "google-file-types"] = ("image/", "video/", "text/x-")
UNINDEXED_TYPES: Annotated[frozenset[str], "google-file-types", "general-knowledge"] = frozenset({
    "application/zip", "application/x-zip-compressed", "application/gzip", "application/x-gzip", "application/x-tar",
    "application/x-7z-compressed", "application/vnd.rar", "application/x-rar-compressed", "application/x-bzip2",
    "application/x-xz", "application/zstd", "application/octet-stream", "application/x-msdownload",
    "application/x-apple-diskimage", "application/vnd.android.package-archive", "application/java-archive",
    "application/wasm", "text/css", "text/javascript", "application/javascript", "application/x-javascript",
    "application/font-woff", "application/vnd.ms-fontobject",
})  # fmt: skip
"""packed, compiled, or only of use to other pages: nothing in them can be shown as a result"""
UNINDEXED_PREFIXES: Annotated[tuple[str, ...], "google-file-types", "general-knowledge"] = ("font/",)
HTML_TYPES: Annotated[frozenset[str], "google-file-types"] = frozenset({"text/html", "application/xhtml+xml"})
PDF_TYPE: Annotated[str, "google-file-types"] = "application/pdf"
