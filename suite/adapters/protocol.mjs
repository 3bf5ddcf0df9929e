// What adapters in JavaScript share: the line protocol, and a server on loopback for libraries that only take URLs.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** The documented settings that read most, instead of the defaults. */
export const best = process.argv.includes("--best");

const end = (path) => path.match(/\.(xml\.gz|txt\.gz|gz|xml|txt)$/)?.[0] ?? ".xml";
const types = { ".xml": "application/xml", ".txt": "text/plain" };

export async function speak(answer) {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    let given;
    try {
      given = await answer(request);
    } catch (error) {
      given = { urls: [], error: String(error?.message ?? error).slice(0, 300) };
    }
    process.stdout.write(JSON.stringify({ case: request.case, ...given }) + "\n");
  }
  process.exit(0);
}

/** Serves one file at a time; every other URL is missing. */
export async function loopback() {
  const files = new Map();
  const server = createServer((request, response) => {
    const path = files.get(request.url);
    const type = path && (types[end(path)] ?? "application/gzip");
    response.writeHead(path ? 200 : 404, { "Content-Type": type ?? "text/plain" });
    response.end(path ? readFileSync(path) : "");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return ({ path, url }) => {
    const name = url ? new URL(url).pathname : `/sitemap${end(path)}`;
    files.clear();
    files.set(name, path);
    return `http://127.0.0.1:${server.address().port}${name}`;
  };
}

/** A package from the folder that PEER_FOLDER names; `file` where it exports no entry for import. */
export async function load(name, file) {
  const folder = process.env.PEER_FOLDER ?? process.cwd();
  if (file) return import(pathToFileURL(`${folder}/node_modules/${name}/${file}`));
  const module = createRequire(`${folder}/package.json`)(name);
  return { default: module, ...module };
}
