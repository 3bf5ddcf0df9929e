"""Root elements and namespaces of XML formats that are met where a sitemap is expected → what they are called.

The strings after the type in every `Annotated` are keys of `urlset.spec.citations`.
"""

from __future__ import annotations

from typing import Annotated

XSLT = "http://www.w3.org/1999/XSL/Transform"

# Formats that are identified by the namespace of their root.
BY_NAMESPACE: Annotated[dict[str, str], "general-knowledge", "seen-in-the-wild"] = {
    "http://schemas.microsoft.com/AspNet/SiteMap-File-1.0": "ASP.NET site map",
    XSLT: "XSLT stylesheet",
    "http://www.w3.org/2000/svg": "SVG image",
    "http://www.w3.org/1999/xhtml": "XHTML page",
    "http://www.w3.org/2001/XMLSchema": "XML schema",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "RDF document",
    "http://maven.apache.org/POM/4.0.0": "Maven project",
    "http://www.opengis.net/kml/2.2": "KML map",
    "http://www.topografix.com/GPX/1/1": "GPX track",
    "http://docbook.org/ns/docbook": "DocBook document",
    "http://a9.com/-/spec/opensearch/1.1/": "OpenSearch description",
    "http://s3.amazonaws.com/doc/2006-03-01/": "S3 bucket listing",
    "http://schemas.xmlsoap.org/soap/envelope/": "SOAP message",
    "http://www.w3.org/2003/05/soap-envelope": "SOAP message",
}
# Formats without a namespace, by the name of their root in lowercase and, where several formats share it, of its
# first child.
BY_NAME: Annotated[dict[tuple[str, str], str], "general-knowledge", "seen-in-the-wild"] = {
    ("sitemap", "sitemapnode"): "ASP.NET site map",
    ("sitemap", "area"): "Dynamics 365 site map",
    ("configuration", "sitecore"): "Sitecore configuration",
    ("configuration", ""): ".NET configuration",
    ("item", "version"): "Sitecore item",
    ("sitecore", ""): "Sitecore configuration",
    ("svg", ""): "SVG image",
    ("plist", ""): "property list",
    ("opml", ""): "OPML outline",
    ("kml", ""): "KML map",
    ("gpx", ""): "GPX track",
    ("project", ""): "project file",
    ("resources", ""): "Android resources",
    ("manifest", ""): "Android manifest",
    ("error", ""): "error message",
    ("listbucketresult", ""): "bucket listing",
    ("opensearchdescription", ""): "OpenSearch description",
    ("browserconfig", ""): "Windows tile configuration",
    ("cross-domain-policy", ""): "cross-domain policy",
    ("article", ""): "DocBook document",
    ("book", ""): "DocBook document",
}


def format_of(namespace: str, root: str, child: str) -> str | None:
    """The name of a format; None if it is not a known one."""
    root = root.lower()
    return BY_NAMESPACE.get(namespace) or BY_NAME.get((root, child.lower())) or BY_NAME.get((root, ""))
