// sitemap-ts: generateSitemap with the rows as dynamic routes; it takes one date, frequency and priority for all.
import { readdirSync, readFileSync } from "node:fs";
import { load, speak } from "./protocol.mjs";

const { generateSitemap } = await load("sitemap-ts", "dist/index.mjs");

await speak(async ({ path, out }) => {
  const { rows } = JSON.parse(readFileSync(path, "utf-8"));
  const by = (name) => Object.fromEntries(rows.filter((row) => row[name] !== undefined).map((row) => [new URL(row.loc).pathname, row[name]]));
  const dates = Object.fromEntries(Object.entries(by("lastmod")).map(([route, date]) => [route, new Date(date)]));
  const routes = rows.map(({ loc }) => loc.replace("https://example.com", ""));
  generateSitemap({
    hostname: "https://example.com/",
    dynamicRoutes: routes,
    outDir: out,
    generateRobotsTxt: false,
    ...(Object.keys(dates).length ? { lastmod: dates } : {}),
    changefreq: by("changefreq"),
    priority: by("priority"),
  });
  await new Promise((done) => setTimeout(done, 300));
  return { files: readdirSync(out).filter((name) => name.endsWith(".xml")), writes: [] };
});
