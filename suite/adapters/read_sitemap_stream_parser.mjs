// sitemap-stream-parser.
import { load, loopback, speak } from "./protocol.mjs";

const { default: sitemaps } = await load("sitemap-stream-parser");
const serve = await loopback();

await speak(async (request) => {
  const urls = [];
  const own = serve(request);
  const error = await new Promise((done) => {
    sitemaps.parseSitemap(own, (loc) => urls.push({ loc }), (loc) => urls.push({ loc }), done);
  });
  return { urls, error: error ? String(error.message ?? error) : null };
});
