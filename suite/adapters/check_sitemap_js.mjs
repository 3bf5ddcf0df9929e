// sitemap: its validator, which runs xmllint with the schemas of the package.
import { readFileSync } from "node:fs";
import { load, speak } from "./protocol.mjs";

const { xmlLint } = await load("sitemap", "dist/esm/index.js");
process.chdir(`${process.env.PEER_FOLDER}/node_modules/sitemap`); // it looks for its schemas in the working folder

await speak(async ({ path }) => {
  try {
    await xmlLint(readFileSync(path, "utf-8"));
    return { error: null, defects: [] };
  } catch (thrown) {
    const [error, output] = Array.isArray(thrown) ? thrown : [thrown];
    const found = [...String(output ?? error).matchAll(/^-:(\d+): (.*)$/gm)];
    const defects = found.map(([, line, text]) => ({ line: Number(line), text }));
    return { error: null, defects: defects.length ? defects : [{ text: String(error?.message ?? error) }] };
  }
});
