// next-sitemap: the builders that its command calls after `next build`, with the rows as additional paths.
// 5,000 URLs a file is its default; with --best 50,000.
import { readFileSync, writeFileSync } from "node:fs";
import { best, load, speak } from "./protocol.mjs";

const { SitemapBuilder } = await load("next-sitemap", "dist/esm/builders/sitemap-builder.js");
const { UrlSetBuilder } = await load("next-sitemap", "dist/esm/builders/url-set-builder.js");
const size = best ? 50_000 : 5_000;

await speak(async ({ path, out }) => {
  const { rows } = JSON.parse(readFileSync(path, "utf-8"));
  const builder = new SitemapBuilder();
  const additions = rows.map(({ loc, lastmod, changefreq, priority, images, alternates }) => ({
    loc,
    ...(lastmod ? { lastmod } : {}),
    ...(changefreq ? { changefreq } : {}),
    ...(priority === undefined ? {} : { priority }),
    ...(images ? { images: images.map((url) => ({ loc: new URL(url) })) } : {}),
    ...(alternates ? { alternateRefs: alternates.map(({ hreflang, href }) => ({ hreflang, href, hrefIsAbsolute: true })) } : {}),
  }));
  const config = { siteUrl: "https://example.com", trailingSlash: false, additionalPaths: async () => additions };
  const fields = await new UrlSetBuilder(config, {}).createUrlSet();
  const files = [];
  for (let at = 0; at < fields.length; at += size) {
    files.push(`sitemap-${files.length}.xml`);
    writeFileSync(`${out}/${files.at(-1)}`, builder.buildSitemapXml(fields.slice(at, at + size)));
  }
  const index = builder.buildSitemapIndexXml(files.map((name) => `https://example.com/${name}`));
  writeFileSync(`${out}/sitemap.xml`, index);
  return { files: [...files, "sitemap.xml"], writes: ["images", "alternates"] };
});
