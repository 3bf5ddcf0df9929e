"""What no tool can find out about sitemaps and indexing from outside, and what comes closest."""

from __future__ import annotations

from typing import NamedTuple


class Unknown(NamedTuple):
    question: str
    why: str
    instead: str


UNKNOWNS = (
    Unknown(
        "Which listed URLs are indexed, exactly",
        "Search Console has no such number per sitemap, and URL Inspection is limited to 2,000 URLs a day.",
        "`urlset engines index` estimates the share with a 95% interval from a sample or an export.",
    ),
    Unknown(
        "Whether a URL will be indexed or ranked",
        "Engines decide by signals that they do not publish. A valid sitemap is not a promise.",
        "`audit` says whether a page can be indexed: status, robots, noindex, canonical.",
    ),
    Unknown(
        "Whether a lastmod date is true",
        "A date can be compared with other evidence, but the time of a content change is not visible from outside.",
        "`urlset history` measures dates that moved without a content change; `audit` compares dates with pages.",
    ),
    Unknown(
        "What a page shows to Google's renderer",
        "Google's renderer has its own limits, and bot protection may answer differently to each client.",
        "`audit --render` compares the HTML with what a browser makes of it; URL Inspection shows Google's rendering.",
    ),
    Unknown(
        "Whether a blocked page exists",
        "A bot wall, a timeout or a 403 says nothing about the page. Blocked is not broken.",
        "Allow the user agent, or audit from a network that the site lets through.",
    ),
    Unknown(
        "Pages that neither a sitemap nor a link names",
        "Only listed and linked pages can be found.",
        "Compare with server logs or with the database of the site.",
    ),
    Unknown(
        "When an engine reads the sitemap next",
        "No engine announces it, and pings are no longer supported.",
        "`engines` shows the last read; `urlset submit` sends changed URLs to IndexNow.",
    ),
)
