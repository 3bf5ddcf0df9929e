// The loop that people write with fast-xml-parser; with --best it validates first and decodes all references.
import { readFileSync } from "node:fs";
import { best, load, speak } from "./protocol.mjs";

const { XMLParser, XMLValidator } = await load("fast-xml-parser", "src/fxp.js");
const many = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

await speak(async ({ path }) => {
  const text = readFileSync(path, "utf-8");
  if (best) {
    const valid = XMLValidator.validate(text);
    if (valid !== true) return { urls: [], error: `${valid.err.msg} (line ${valid.err.line})` };
  }
  const found = new XMLParser(best ? { parseTagValue: false, removeNSPrefix: true, htmlEntities: true } : {}).parse(text);
  const entries = [...many(found.urlset?.url), ...many(found.sitemapindex?.sitemap)];
  const urls = entries.filter(({ loc }) => loc !== undefined).map(({ loc, lastmod }) => ({ loc: String(loc), lastmod: lastmod === undefined ? null : String(lastmod) }));
  return { urls, error: null };
});
