// The validator: input and buttons → an action of the engine → what the page shows. The body's data-state says where
// it is: loading, ready, checking, done or failed.
"use strict";

const byId = (id) => document.getElementById(id);
const page = document.body.dataset;
const SHORT_LINK = 6000;  // characters of a link that everything accepts
const LONG_TEXT = 200_000;  // characters
const LARGEST = Number(page.largest);

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const EXAMPLES = {
  "Common mistakes": [{name: "sitemap.xml", text: `${HEAD}<urlset ${CORE}>
  <url>
    <loc>https://www.example.com/lamps?color=red&size=2</loc>
    <lastmod>2026-03-01T09:30:00</lastmod>
  </url>
  <url>
    <loc>https://www.example.com/lamps/desk lamp</loc>
    <lastmod>15/04/2026</lastmod>
    <priority>1.5</priority>
  </url>
  <url>
    <loc>/guides/wiring#step-2</loc>
    <changefreq>sometimes</changefreq>
  </url>
</urlset>
`}],
  "Correct": [{name: "sitemap.xml", text: `${HEAD}<urlset ${CORE}>
  <url><loc>https://www.nordliving.shop/</loc><lastmod>2026-11-02</lastmod></url>
  <url><loc>https://www.nordliving.shop/lamps</loc><lastmod>2026-10-21T08:15:00+02:00</lastmod></url>
</urlset>
`}],
  "Index with children": [
    {name: "sitemap_index.xml", text: `${HEAD}<sitemapindex ${CORE}>
  <sitemap><loc>https://www.nordliving.shop/pages.xml</loc><lastmod>2026-11-02</lastmod></sitemap>
  <sitemap><loc>https://www.nordliving.shop/products.xml</loc></sitemap>
  <sitemap><loc>https://www.nordliving.shop/missing.xml</loc></sitemap>
</sitemapindex>
`},
    {name: "pages.xml", text: `${HEAD}<urlset ${CORE}>
  <url><loc>https://www.nordliving.shop/</loc></url>
  <url><loc>https://www.nordliving.shop/lamps</loc></url>
</urlset>
`},
    {name: "products.xml", text: `${HEAD}<urlset ${CORE}>
  <url><loc>https://www.nordliving.shop/lamps</loc></url>
  <url><loc>http://www.nordliving.shop/lamps/desk</loc></url>
</urlset>
`},
  ],
  "Languages": [{name: "sitemap.xml", text: `${HEAD}<urlset ${CORE} xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <url>
    <loc>https://www.nordliving.shop/en/</loc>
    <xhtml:link rel="alternate" hreflang="en" href="https://www.nordliving.shop/en/"/>
    <xhtml:link rel="alternate" hreflang="ger" href="https://www.nordliving.shop/de/"/>
  </url>
</urlset>
`}],
  "robots.txt": [{name: "robots.txt", text: "User-agent: *\nDisallow: /cart\n\nSitemap: /sitemap.xml\n"}],
};

const memory = {files: [], unsafe: new Map(), texts: new Map(), answer: null, download: null, busy: null};
const engine = page.server ? new ServerEngine(page.server, page.token)
  : new BrowserEngine(page.engine, JSON.parse(page.parts), (text, share) => tell(text, share));
const list = new FindingList(byId("findings"), page.rules, showPlace);
const source = new SourceView(byId("lines"), byId("lines-inner"), showFinding);

function enter(state) {
  page.state = state;
  byId("stop").hidden = state !== "checking";
  byId("progress").hidden = state !== "loading" && state !== "checking";
  if (state === "checking") byId("progress").removeAttribute("value");
  for (const id of ["check", "fix"]) byId(id).disabled = state === "checking";
}

function tell(text, share = null) {
  byId("status").textContent = text;
  if (share !== null) byId("progress").value = share;
}

function fail(reason) {
  tell(reason);
  enter("failed");
}

// Input: opened files, or text. The last one counts.

function nameOf(text) {
  if (/^\s*</.test(text) || text.slice(0, 2000).includes("<")) return "sitemap.xml";
  return /^\s*(?:user-agent|sitemap|disallow|allow)\s*:/im.test(text) ? "robots.txt" : "sitemap.txt";
}

async function given() {
  if (memory.files.length) {
    return Promise.all(memory.files.map(async (file) => ({name: file.name, data: new Uint8Array(await file.arrayBuffer())})));
  }
  const text = byId("text").value;
  return text ? [{name: nameOf(text), data: new TextEncoder().encode(text)}] : [];
}

// A gzip file ends with its unpacked size.
function unpackedSize(data) {
  if (data[0] !== 0x1f || data[1] !== 0x8b || data.length < 18) return data.length;
  return Math.max(data.length, new DataView(data.buffer, data.byteOffset + data.length - 4).getUint32(0, true));
}

function open(files) {
  memory.files = [...files];
  byId("chosen").replaceChildren(...memory.files.map((file, at) => element("li", {}, `${visible(file.name)} `,
    element("span", {class: "muted"}, fileSize(file.size)), " ",
    element("button", {type: "button", class: "quiet", "aria-label": `Remove ${visible(file.name)}`, onclick: () => open(memory.files.filter((_, other) => other !== at))}, "×"))));
  byId("chosen").hidden = !memory.files.length;
  document.body.classList.toggle("with-files", memory.files.length > 0);
  if (memory.files.length) byId("text").value = "";
  changed();
}

function load(files) {
  if (files.length === 1) {
    open([]);
    byId("text").value = files[0].text;
    return;
  }
  open(files.map((each) => new File([each.text], each.name)));
}

// A text area lays out a long text for many seconds, so such a text becomes a file.
function takeLongText(event) {
  const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
  if (text.length <= LONG_TEXT) return;
  event.preventDefault();
  open([new File([text], nameOf(text))]);
}

// What was fixed belongs to the input before.
function changed() {
  memory.unsafe.clear();
  memory.download = null;
  byId("download").disabled = true;
  byId("fixes").hidden = true;
  byId("fixes-body").replaceChildren();
  if (page.state === "done" || page.state === "failed") enter("ready");
}

// Actions

async function run(action, more = {}) {
  if (page.state === "checking") return null;
  const files = await given();
  if (!files.length) { fail("Nothing to read: paste a sitemap or open a file first"); return null; }
  const large = files.find((each) => unpackedSize(each.data) > LARGEST);
  const total = files.reduce((sum, each) => sum + unpackedSize(each.data), 0);
  if (large || total > 2 * LARGEST) {
    const what = large ? `${large.name} has ${fileSize(unpackedSize(large.data))}` : `These files have ${fileSize(total)}`;
    fail(`${what}; this page reads up to ${fileSize(LARGEST)} a file. A sitemap may have 52.4 MB (50 MiB) at most; use \`urlset check\` in a terminal`);
    return null;
  }
  await memory.ready.catch(() => {});  // asking loads the engine again
  enter("checking");
  tell({check: "Reading and running the rules", fix: "Fixing", report: "Writing the report"}[action]);
  const begun = performance.now();
  try {
    const at = byId("at").value.trim() || null;
    const answer = await engine.ask({action, names: files.map((each) => each.name), at: files.length === 1 ? at : null, ...more}, files);
    page.heap = answer.heap || "";
    page.seconds = ((performance.now() - begun) / 1000).toFixed(2);
    return {answer, files};
  } catch (error) {
    fail(error instanceof EngineError && error.message === "stopped" ? "Stopped" : `Failed: ${error.message}`);
    return null;
  }
}

async function check() {
  const done = await run("check");
  if (!done) return;
  const {answer, files} = done;
  memory.answer = answer;
  memory.report = JSON.parse(answer.report);
  memory.texts = new Map(answer.names.map((name, at) => [name, answer.extra[`unpacked/${name}`] || files[at].data]));
  showResult(answer, memory.report);
  finish(`${answer.summary} (${page.seconds} s)`);
  showLink(files);
  describe(files);
}

function finish(text) {
  tell(text);
  enter("done");
}

async function describe(files) {
  try {
    const {documents} = await engine.ask({action: "info", names: files.map((each) => each.name)}, files);
    byId("info-body").replaceChildren(...infoTables(documents));
    byId("info").hidden = false;
  } catch { byId("info").hidden = true; }
}

function showResult(answer, report) {
  const {summary, findings, not_checked: skipped} = report;
  byId("verdict").textContent = answer.failed ? "Problems found" : findings.length ? "No errors" : "No problems found";
  byId("verdict").className = `verdict ${answer.failed ? "failed" : "passed"}`;
  byId("notes").textContent = [...report.troubled, ...report.empty, answer.summary].join("; ");
  byId("tiles").replaceChildren(...["error", "warning", "info"].map((severity) => element("li", {class: summary[severity] ? severity : "zero"},
    element("b", {}, number(summary[severity])), element("span", {}, NOUNS[severity][summary[severity] === 1 ? 0 : 1]))),
  element("li", {class: "ok"}, element("b", {}, number(summary.entries)), element("span", {}, summary.entries === 1 ? "entry" : "entries"), element("small", {}, `in ${amount(summary.documents, "file", "files")}`)));
  list.show(findings, answer.rules);
  fillFilters(findings, report.counts);
  fillFiles(report, findings);
  byId("found").hidden = false;
  const reasons = Map.groupBy ? Map.groupBy(skipped, (each) => each.reason) : new Map(skipped.map((each) => [each.reason, [each]]));
  byId("skipped-body").replaceChildren(...[...reasons].map(([reason, rules]) => element("li", {},
    element("b", {}, rules.map((each) => each.code).join(", ")), ` ${visible(reason).replace("(set --at URL)", answer.names.length === 1 ? "(enter it above)" : "(open one file and enter it above)")}`)));
  byId("skipped").hidden = !skipped.length;
  byId("command").textContent = `urlset check ${answer.names.join(" ")}`;
  byId("result").hidden = false;
  byId("verdict").focus({preventScroll: true});
  byId("result").scrollIntoView({block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"});
}

function fillFilters(findings, counts) {
  const option = (value, label) => element("option", {value}, label);
  const engines = [...new Set(findings.flatMap((each) => each.engines))];
  byId("by-engine").replaceChildren(option("", "all"), ...engines.map((each) => option(each, engineName(each))));
  const rules = new Map(findings.map((each) => [each.code, each.name]));
  byId("by-rule").replaceChildren(option("", "all"), ...[...rules].map(([code, name]) => option(code, `${code} ${name} (${number(counts[code] || 0)})`)));
  byId("by-severity").value = "";
  filter();
}

function filter() {
  const shown = list.filter({severity: byId("by-severity").value, engine: byId("by-engine").value, rule: byId("by-rule").value});
  const more = memory.answer.capped > 0 ? `; ${number(memory.answer.capped)} more are counted, not listed` : "";
  byId("shown").textContent = list.findings.length ? `${number(shown)} of ${amount(list.findings.length, "finding", "findings")} shown${more}` : "No findings";
}

function fillFiles(report, findings) {
  const first = findings.find((each) => memory.texts.has(each.source));
  const names = [...memory.texts.keys()];
  byId("file").replaceChildren(...names.map((name) => element("option", {value: name}, name)));
  byId("of-file").hidden = names.length < 2;
  showSource(first ? first.source : names[0]);
}

function showSource(name) {
  byId("file").value = name;
  byId("source-title").textContent = `Source of ${visible(name)}`;
  const text = new TextDecoder("utf-8").decode(memory.texts.get(name));
  source.show(text, memory.report.findings.filter((each) => each.source === name));
}

function showPlace(finding) {
  if (!memory.texts.has(finding.source)) return;
  if (byId("file").value !== finding.source) showSource(finding.source);
  source.reveal(finding.line);
  const box = byId("source").getBoundingClientRect();
  if (box.top > innerHeight - 100 || box.bottom < 100) byId("source").scrollIntoView({block: "start"});
  byId("lines").focus({preventScroll: true});
}

function showFinding(finding) {
  const item = list.items[memory.report.findings.indexOf(finding)];
  if (item.hidden) { for (const id of ["by-severity", "by-engine", "by-rule"]) byId(id).value = ""; filter(); }
  item.scrollIntoView({block: "center"});
  item.querySelector("a").focus({preventScroll: true});
}

async function fix() {
  const done = await run("fix", {unsafe: [...memory.unsafe.keys()]});
  if (!done) return;
  const {answer} = done;
  const choose = (each, wanted) => {
    if (wanted) memory.unsafe.set(each.code, each); else memory.unsafe.delete(each.code);
    fix();
  };
  byId("fixes-body").replaceChildren(...fixReport(answer, memory.unsafe, choose));
  byId("fixes").hidden = false;
  if (byId("result").hidden) byId("found").hidden = true;
  byId("result").hidden = false;
  if (!memory.answer) byId("verdict").textContent = "Fixes";
  memory.download = answer.download ? {name: answer.download.split("/").pop(), data: answer.extra[answer.download]} : null;
  byId("download").disabled = !memory.download;
  const count = answer.documents.reduce((sum, each) => sum + each.applied.reduce((inner, item) => inner + item.count, 0), 0);
  byId("fixes").scrollIntoView({block: "start"});
  byId("fixes-title").focus({preventScroll: true});
  finish(count ? `${amount(count, "fix", "fixes")} to apply: review the changes, then download the result` : "Nothing to fix automatically");
}

function save(name, data, type = "application/octet-stream") {
  const address = URL.createObjectURL(new Blob([data], {type}));
  const link = element("a", {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

async function report(format) {
  const types = {json: "application/json", html: "text/html", sarif: "application/sarif+json"};
  const names = {json: "urlset-report.json", html: "urlset-report.html", sarif: "urlset-report.sarif"};
  let text = format === "json" && memory.answer ? memory.answer.report : null;
  if (text === null) {
    const done = await run("report", {format});
    if (!done) return;
    text = done.answer.text;
    finish(`${names[format]} is ready`);
  }
  save(names[format], text, types[format]);
}

// Links: the fragment never leaves the browser.

const toBase64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const through = async (bytes, transform) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());

async function showLink(files) {
  byId("link").hidden = true;
  memory.link = null;
  try {
    const texts = files.map((each) => ({name: each.name, text: new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(each.data)}));
    if (texts.reduce((sum, each) => sum + each.text.length, 0) > 100_000) return;
    const packed = toBase64(await through(new TextEncoder().encode(JSON.stringify(texts)), new CompressionStream("deflate-raw")));
    if (packed.length > SHORT_LINK) return;
    memory.link = `${location.href.split("#")[0]}#text=${packed}`;
    byId("link").hidden = false;
  } catch { /* bytes that are not text have no link */ }
}

async function copyLink() {
  history.replaceState(null, "", memory.link);
  try {
    await navigator.clipboard.writeText(memory.link);
    tell("Link copied: it holds the text itself");
  } catch { tell("The link is in the address bar: it holds the text itself"); }
}

async function fromFragment() {
  const [kind, value] = location.hash.slice(1).split("=");
  if (kind === "text" && value) {
    const binary = atob(value.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    load(JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")))));
    return true;
  }
  if (kind === "rule" && value && page.engine) {
    await loadScript("examples.js");
    const example = urlsetExamples[value];
    if (!example) return false;
    byId("at").value = example.at || "";
    load(example.files);
    return true;
  }
  return false;
}

// Start

function listen() {
  byId("check").addEventListener("click", check);
  byId("fix").addEventListener("click", fix);
  byId("download").addEventListener("click", () => save(memory.download.name, memory.download.data));
  byId("link").addEventListener("click", copyLink);
  byId("stop").addEventListener("click", () => engine.stop());
  byId("files").addEventListener("change", (event) => { open(event.target.files); if (memory.files.length) check(); });
  byId("text").addEventListener("input", () => { if (memory.files.length) { const {value} = byId("text"); open([]); byId("text").value = value; } else changed(); });
  byId("text").addEventListener("beforeinput", takeLongText);
  byId("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check(); });
  for (const id of ["by-severity", "by-engine", "by-rule"]) byId(id).addEventListener("change", filter);
  byId("file").addEventListener("change", (event) => showSource(event.target.value));
  for (const button of document.querySelectorAll("[data-report]")) button.addEventListener("click", () => report(button.dataset.report));
  for (const [name, files] of Object.entries(EXAMPLES)) {
    document.querySelector(".examples").append(element("button", {type: "button", class: "quiet", onclick: () => { load(files); check(); }}, name));
  }
  document.addEventListener("dragover", (event) => { event.preventDefault(); byId("input").classList.add("over"); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) byId("input").classList.remove("over"); });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    byId("input").classList.remove("over");
    if (event.dataTransfer.files.length) { open(event.dataTransfer.files); check(); }
  });
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { byId("theme").textContent = dark() ? "Light mode" : "Dark mode"; };
  byId("theme").hidden = false;
  byId("theme").addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; name(); });
  name();
}

async function begin() {
  if (location.search === "?embed") document.body.classList.add("embed");
  listen();
  enter("loading");
  const missing = engine.constructor.missing();
  if (missing) {
    fail(`${missing}, so files cannot be checked here. Use \`urlset check sitemap.xml\` in a terminal, or \`urlset serve\`, whose validator needs no WebAssembly`);
    for (const id of ["check", "fix"]) byId(id).disabled = true;
    return;
  }
  let filled = false;
  try { filled = await fromFragment(); } catch { tell("The link is damaged"); }
  memory.ready = engine.load();
  try {
    await memory.ready;
  } catch (error) { fail(`Failed: ${error.message}`); return; }
  if (page.state === "loading") { enter("ready"); tell("Ready"); }
  if (filled) await check();
  if (page.engine && "serviceWorker" in navigator && location.protocol.startsWith("http")) {
    navigator.serviceWorker.register("offline.js").catch(() => {});
  }
}

begin();
