// sitemap: its stream parsers, as documented; with --best faults are logged instead of thrown.
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { best, load, speak } from "./protocol.mjs";

const { parseSitemap, parseSitemapIndex, XMLToSitemapItemStream, ErrorLevel } = await load("sitemap", "dist/esm/index.js");

const shown = ({ url, lastmod, img, links }) => ({
  loc: url,
  lastmod: lastmod ?? null,
  images: (img ?? []).map((image) => image.url),
  alternates: (links ?? []).map(({ lang, url: href }) => ({ hreflang: lang, href })),
});

await speak(async ({ path }) => {
  const file = readFileSync(path);
  const data = file[0] === 0x1f && file[1] === 0x8b ? gunzipSync(file, { maxOutputLength: 1 << 28 }) : file;
  if (data.subarray(0, 1000).includes("sitemapindex")) {
    const children = await parseSitemapIndex(Readable.from([data]));
    return { urls: children.map(({ url, lastmod }) => ({ loc: url, lastmod: lastmod ?? null })), error: null };
  }
  let items;
  if (best) {
    items = [];
    const quiet = new XMLToSitemapItemStream({ level: ErrorLevel.WARN, logger: () => {} });
    for await (const item of Readable.from([data]).pipe(quiet)) items.push(item);
  } else {
    items = await parseSitemap(Readable.from([data]));
  }
  return { urls: items.filter(({ url }) => url).map(shown), error: null };
});
