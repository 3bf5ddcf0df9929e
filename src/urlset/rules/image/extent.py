"""Where in the file do images stand, under which namespace, and on whose servers are they?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.subjects import Sitemap, means
from urlset.findings.finding import Problem
from urlset.findings.severity import Severity
from urlset.model.columns import Mark
from urlset.model.document import Kind
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
    on=Sitemap,
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
    """The namespace of the image extension is misspelt.

    Namespace names are compared character by character. Under any other name the elements are foreign ones,
    which may stand in a sitemap and mean nothing: every image of the file goes unread.
    """
    for wrong in misspellings(sitemap, namespaces.IMAGE):
        yield Problem(
            wrong.places[0],
            f"{quoted(wrong.written)} is not the image namespace: no image under it is read",
            wrong.fix(),
            count=len(wrong.places),
        )


@rule(
    "M006",
    "image-on-other-domain",
    on=Sitemap,
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
    """Images stand on a domain that no page of the file stands on.

    That is allowed, and usual with a content delivery network. Google asks that the other domain be verified
    in Search Console as well, so that crawl errors of the images reach you.
    """
    counts = hosts(sitemap, namespaces.IMAGE, "loc") if extended(sitemap) else {}
    own = _sites(sitemap) if counts else set()
    foreign = {host for host in counts if own and site_of(host.decode("utf-8", "replace")) not in own}
    for host, place in first_hosts(sitemap, namespaces.IMAGE, "loc", foreign).items():
        many = "1 image" if counts[host] == 1 else f"{counts[host]:,} images"
        yield Problem(
            place,
            f"{many} on {quoted(host.decode('utf-8', 'replace'))}, a domain of no page in this file: "
            "verify it in Search Console as well",
            count=counts[host],
        )


def _sites(sitemap: Sitemap) -> set[str]:
    """The domains of the listed pages, worked out once per host."""
    origins = {head for loc in sitemap.columns.locs if loc for head in loc[:300].split("/", 3)[2:3]}
    hosts = {head.rpartition("@")[2].partition(":")[0].partition("?")[0].strip() for head in origins}
    return {site_of(host) for host in hosts if host}


@rule(
    "M008",
    "image-outside-url",
    on=Sitemap,
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
    """An image stands outside any <url>.

    An image belongs to the page it is shown on, and the entry around it says which page that is. On its own it
    belongs to none and is not read.
    """
    strays = [open_tag(sitemap, match) for match in outside_entries(sitemap, namespaces.IMAGE, "image")]
    if sitemap.kind is Kind.SITEMAPINDEX:
        for row, mark in enumerate(sitemap.columns.marks):
            if mark & Mark.EXTENDED:
                children = sitemap.document.element(row).children
                strays += [child.open_tag for child in children if _is_image(child.namespace, child.local)]
    if strays:
        many = f"{len(strays):,} images" if len(strays) > 1 else "an image"
        yield Problem(min(strays), f"{many} outside <url>: without a page they are not read", count=len(strays))


def _is_image(namespace: str, local: str) -> bool:
    return local == "image" and means(namespace) == namespaces.IMAGE


@rule(
    "M014",
    "images-unread-by-yandex",
    on=Sitemap,
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.YANDEX,),
    cites=("yandex-sitemap",),
    bad=(f"{_PAGE}«<image:image>»<image:loc>https://example.com/a.jpg</image:loc></image:image></url>",),
    good=(Good("<loc>https://example.com/image:image</loc>"),),
)
def images_unread_by_yandex(sitemap: Sitemap) -> Iterator[Problem]:
    """The file lists images, which Yandex does not take from sitemaps.

    They do no harm there. Yandex finds images on the pages themselves.
    """
    found = tags(sitemap, namespaces.IMAGE, "image") if extended(sitemap) else []
    if found:
        yield Problem(
            open_tag(sitemap, found[0]),
            f"{len(found):,} {'image' if len(found) == 1 else 'images'} that Yandex does not read from a sitemap",
            count=len(found),
        )
