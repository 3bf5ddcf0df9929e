// sitemap-xml-parser.
import { load, loopback, speak } from "./protocol.mjs";

const { default: SitemapXMLParser } = await load("sitemap-xml-parser");
const serve = await loopback();
let failure = null;
process.on("unhandledRejection", (error) => (failure = String(error?.message ?? error)));
console.log = () => {};

await speak(async (request) => {
  failure = null;
  const found = await new SitemapXMLParser(serve(request), { delay: 1, limit: 5 }).fetch();
  const first = (value) => (Array.isArray(value) ? value[0] : value);
  const text = (value) => (value && typeof value === "object" ? value._ : value);
  const urls = (found ?? []).map(({ loc, lastmod }) => ({ loc: text(first(loc)), lastmod: text(first(lastmod)) ?? null }));
  return { urls: urls.filter(({ loc }) => typeof loc === "string"), error: failure };
});
