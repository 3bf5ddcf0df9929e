// @astrojs/sitemap: the hooks that a build of Astro calls, with the rows as pages.
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { load, speak } from "./protocol.mjs";

const { default: sitemap } = await load("@astrojs/sitemap", "dist/index.js");
const quiet = { info() {}, warn() {}, error(text) { throw new Error(text); } };

await speak(async ({ path, out }) => {
  const { rows } = JSON.parse(readFileSync(path, "utf-8"));
  const known = new Map(rows.map((row) => [new URL(row.loc).href, row]));
  const { hooks } = sitemap({
    customPages: rows.map(({ loc }) => loc),
    serialize: (item) => {
      const { lastmod, changefreq, priority, images, alternates } = known.get(new URL(item.url).href) ?? {};
      const links = alternates?.map(({ hreflang, href }) => ({ lang: hreflang, url: href }));
      return { ...item, lastmod, changefreq, priority, links, img: images?.map((url) => ({ url })) };
    },
  });
  const config = { site: "https://example.com/", base: "/", trailingSlash: "ignore", build: { format: "directory" } };
  await hooks["astro:config:done"]({ config });
  hooks["astro:routes:resolved"]({ routes: [] });
  await hooks["astro:build:done"]({ dir: pathToFileURL(`${out}/`), pages: [], logger: quiet });
  return { files: readdirSync(out), writes: ["images", "alternates"] };
});
