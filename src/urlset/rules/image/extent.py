"""Where are images in the file, in which namespace, and on which domains?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.elements import means
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.columns import Mark
from urlset.model.document import Kind
from urlset.rules.loc.origins import only_origin
from urlset.rules.media.address import site_of
from urlset.rules.media.fields import GOOGLE
from urlset.rules.media.tags import extended, first_hosts, hosts, misspellings, open_tag, outside_entries, tags
from urlset.rules.quoting import quoted
from urlset.spec import namespaces
from urlset.spec.engines import Engine

_HEAD = f'<urlset xmlns="{namespaces.SITEMAP}"'
_PAGE = "<url><loc>https://example.com/</loc>"
_IMAGE = "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"


@rule(
    "M001",
    "wrong-image-namespace",
    kinds=(Kind.URLSET,),
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-image", "xsd-image", "xml-names"),
    bad=(
        Bad(
            f'{_HEAD} xmlns:image="«http://www.google.com/schemas/sitemap-image/1.0»">{_PAGE}{_IMAGE}</url></urlset>',
            fixed=f'{_HEAD} xmlns:image="{namespaces.IMAGE}">{_PAGE}{_IMAGE}</url></urlset>',
        ),
        Bad(
            f'{_HEAD}>{_PAGE}<i:image xmlns:i="«http://www.google.com/schemas/sitemap-image/1.1/»">'
            "<i:loc>https://example.com/a.jpg</i:loc></i:image></url></urlset>",
            fixed=f'{_HEAD}>{_PAGE}<i:image xmlns:i="{namespaces.IMAGE}">'
            "<i:loc>https://example.com/a.jpg</i:loc></i:image></url></urlset>",
        ),
        f'{_HEAD} xmlns:image="«http://example.com/made-up»">{_PAGE}{_IMAGE}</url></urlset>',
    ),
    good=(
        (
            f'{_HEAD} xmlns:picture="{namespaces.IMAGE}">{_PAGE}'
            "<picture:image><picture:loc>https://example.com/a.jpg</picture:loc></picture:image></url></urlset>"
        ),
    ),
)
def wrong_image_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """The namespace of the image extension is wrong.

    Namespaces are compared character by character. Elements in any other namespace are ignored, so all images in the
    file are ignored.
    """
    for wrong in misspellings(sitemap, namespaces.IMAGE):
        yield Problem(
            wrong.places[0],
            f"{quoted(wrong.written)} is not the image namespace, so its images are ignored; write {wrong.right}",
            wrong.fix(),
            count=len(wrong.places),
        )


@rule(
    "M006",
    "image-on-other-domain",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("google-image",),
    bad=("<image:loc>https://«cdn.example.net»/kitten.jpg</image:loc>",),
    good=(
        "<image:loc>https://images.example.com/kitten.jpg</image:loc>",
        (
            "<url><loc>https://www.example.co.uk/</loc>"
            "<image:image><image:loc>https://cdn.example.co.uk/kitten.jpg</image:loc></image:image></url>"
        ),
    ),
)
def image_on_other_domain(sitemap: Sitemap) -> Iterator[Problem]:
    """Images are on a domain without any page in the file.

    This is allowed, and usual with a content delivery network. Google recommends verifying the other domain in Search
    Console to see crawl errors for its images.
    """
    counts = hosts(sitemap, namespaces.IMAGE, "loc") if extended(sitemap) else {}
    own = _sites(sitemap) if counts else set()
    foreign = {host for host in counts if own and site_of(host.decode("utf-8", "replace")) not in own}
    for host, place in first_hosts(sitemap, namespaces.IMAGE, "loc", foreign).items():
        many = "1 image" if counts[host] == 1 else f"{counts[host]:,} images"
        yield Problem(
            place,
            f"{many} on {quoted(host.decode('utf-8', 'replace'))}, a domain without pages in this file; "
            "verify it in Search Console",
            count=counts[host],
        )


def _sites(sitemap: Sitemap) -> set[str]:
    """The domains of the listed pages, computed once per host."""
    only = only_origin(sitemap)
    locs = sitemap.columns.locs if only is None else [only.text]
    origins = {head for loc in locs if loc for head in loc[:300].split("/", 3)[2:3]}
    hosts = {head.rpartition("@")[2].partition(":")[0].partition("?")[0].strip() for head in origins}
    return {site_of(host) for host in hosts if host}


@rule(
    "M008",
    "image-outside-url",
    kinds=(Kind.URLSET, Kind.SITEMAPINDEX),
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-image",),
    bad=(
        (
            f'{_HEAD} xmlns:image="{namespaces.IMAGE}">{_PAGE}</url>'
            "«<image:image>»<image:loc>https://example.com/a.jpg</image:loc></image:image></urlset>"
        ),
        (
            "<sitemap><loc>https://example.com/pages.xml</loc>"
            "«<image:image>»<image:loc>https://example.com/a.jpg</image:loc></image:image></sitemap>"
        ),
    ),
    good=(
        f'{_HEAD} xmlns:image="{namespaces.IMAGE}">{_PAGE}</url><!-- {_IMAGE} --></urlset>',
        f"{_PAGE}{_IMAGE}</url>",
    ),
)
def image_outside_url(sitemap: Sitemap) -> Iterator[Problem]:
    """An image is outside a <url>.

    An image belongs to the page of its <url>. Outside a <url> it is ignored.
    """
    strays = [open_tag(sitemap, match) for match in outside_entries(sitemap, namespaces.IMAGE, "image")]
    if sitemap.kind is Kind.SITEMAPINDEX:
        for row, mark in enumerate(sitemap.columns.marks):
            if mark & Mark.EXTENDED:
                children = sitemap.document.element(row).children
                strays += [child.open_tag for child in children if _is_image(child.namespace, child.local)]
    if strays:
        many, them = (f"{len(strays):,} images", "them") if len(strays) > 1 else ("image", "it")
        message = f"{many} outside <url>, so engines ignore {them}; move {them} into the <url> of the page"
        yield Problem(min(strays), message, count=len(strays))


def _is_image(namespace: str, local: str) -> bool:
    return local == "image" and means(namespace) == namespaces.IMAGE


@rule(
    "M014",
    "images-unread-by-yandex",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.YANDEX,),
    cites=("yandex-sitemap",),
    bad=(f"{_PAGE}«<image:image>»<image:loc>https://example.com/a.jpg</image:loc></image:image></url>",),
    good=(Good("<loc>https://example.com/image:image</loc>"),),
)
def images_unread_by_yandex(sitemap: Sitemap) -> Iterator[Problem]:
    """The file lists images, which Yandex does not read from sitemaps.

    They do no harm. Yandex finds images on the pages themselves.
    """
    found = tags(sitemap, namespaces.IMAGE, "image") if extended(sitemap) else []
    if found:
        yield Problem(
            open_tag(sitemap, found[0]),
            f"Yandex ignores {len(found):,} {'image' if len(found) == 1 else 'images'} in this sitemap",
            count=len(found),
        )
