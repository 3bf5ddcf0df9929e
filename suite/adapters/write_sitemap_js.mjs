// sitemap: simpleSitemapAndIndex, which splits and writes the index.
import { readdirSync, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { load, speak } from "./protocol.mjs";

const { simpleSitemapAndIndex } = await load("sitemap", "dist/esm/index.js");

await speak(async ({ path, out }) => {
  const { rows } = JSON.parse(readFileSync(path, "utf-8"));
  const items = rows.map(({ loc, lastmod, changefreq, priority, images, alternates }) => ({
    url: loc,
    lastmod,
    changefreq,
    priority,
    img: (images ?? []).map((url) => ({ url })),
    links: (alternates ?? []).map(({ hreflang, href }) => ({ lang: hreflang, url: href })),
  }));
  process.chdir(out); // it takes relative folders only
  await simpleSitemapAndIndex({
    hostname: "https://example.com/",
    destinationDir: "./",
    sourceData: Readable.from(items),
    gzip: false,
  });
  return { files: readdirSync(out), writes: ["images", "alternates"] };
});
