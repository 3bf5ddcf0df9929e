// The answer of urlset → elements of the page: findings, source with marks, fixes, description.
"use strict";

const NOUNS = {error: ["error", "errors"], warning: ["warning", "warnings"], info: ["note", "notes"]};
const ENGINES = {
  protocol: "sitemaps.org", google: "Google", bing: "Bing", yandex: "Yandex", baidu: "Baidu", seznam: "Seznam",
  naver: "Naver", "xsd-strict": "XML schema",
};
const SAFETY = {safe: "safe", review: "changes the meaning: review it"};

const number = (value) => value.toLocaleString("en-US");
const amount = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;
const engineName = (name) => ENGINES[name] || name;
const fileSize = (bytes) => {
  if (bytes < 1000) return amount(bytes, "byte", "bytes");
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
};

// Text is only ever set as text: what comes from a sitemap is never read as HTML.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((each) => each !== null && each !== ""));
  return made;
}

// Characters that are invisible or change the direction of text, as a picture or a number.
const visible = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f]/g, (found) => String.fromCharCode(0x2400 + found.charCodeAt(0)))
  .replace(/[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (found) => `‹U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);

const ruleLink = (base, code, name) => base.endsWith("/rules/")
  ? (document.body.dataset.server ? `${base}${code}` : `${base}${code.replace(/\d+$/, "")}/index.html#${code.toLowerCase()}-${name}`)
  : base;

class FindingList {
  constructor(list, rules, onPlace) { Object.assign(this, {list, rules, onPlace}); }

  show(findings, rules) {
    this.items = findings.map((finding, at) => this.item(finding, rules[finding.code], at));
    this.findings = findings;
    this.list.classList.toggle("many", findings.length > 200);
    this.list.replaceChildren(...this.items);
  }

  item(finding, rule, at) {
    const {line, column, source, count} = finding;
    const place = line === null ? source : `${source}:${line}${column === null ? "" : `:${column}`}`;
    const words = `${finding.message}${count > 1 ? ` (${number(count)} entries)` : ""}`;
    return element("li", {
      class: `finding ${finding.severity}`, id: `finding-${at}`, "data-code": finding.code, "data-line": line ?? "",
      "data-column": column ?? "", "data-severity": finding.severity, "data-engines": finding.engines.join(" "),
      "data-source": source,
    },
    element("p", {class: "head"},
      element("span", {class: `badge ${finding.severity}`}, NOUNS[finding.severity][0]), " ",
      element("a", {href: ruleLink(this.rules, finding.code, finding.name), target: "_blank", rel: "noopener"},
        element("b", {}, finding.code), ` ${finding.name}`, element("span", {class: "unseen"}, " (rule, new tab)")),
      line === null ? element("span", {class: "place"}, visible(place))
        : element("button", {type: "button", class: "place", onclick: () => this.onPlace(finding), "aria-label": `Show ${visible(place)} in the source`}, visible(place))),
    element("p", {class: "message"}, visible(words)),
    finding.excerpt ? excerpt(finding.excerpt) : null,
    element("p", {class: "fix"}, finding.fix ? `Fix: ${visible(finding.fix.title)} (${SAFETY[finding.fix.safety] || finding.fix.safety})` : ""),
    element("p", {class: "muted"}, `For ${finding.engines.map(engineName).join(", ")}`),
    rule ? element("details", {}, element("summary", {}, "Why"), element("p", {}, `${rule.summary}.`), element("p", {}, rule.why)) : null);
  }

  filter({severity, engine, rule}) {
    let shown = 0;
    this.findings.forEach((finding, at) => {
      const fits = (!severity || finding.severity === severity) && (!engine || finding.engines.includes(engine))
        && (!rule || finding.code === rule);
      this.items[at].hidden = !fits;
      shown += fits;
    });
    return shown;
  }
}

function excerpt({text, start, length, cut_left: left, cut_right: right}) {
  const letters = Array.from(text);
  const part = (from, to) => visible(letters.slice(from, to).join(""));
  return element("pre", {}, element("code", {}, left ? "…" : "", part(0, start),
    element("mark", {}, part(start, start + length)), part(start + length), right ? "…" : ""));
}

const LINE = 21;  // pixels, as in the style sheet
const LONG = 600;  // characters of a line that are shown as they are
const AROUND = 120;

// A file of any length: only the lines in view are elements.
class SourceView {
  constructor(box, inner, onLine) {
    Object.assign(this, {box, inner, onLine, lines: [], marks: new Map()});
    box.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.draw(true)).observe(box);
  }

  show(text, findings) {
    this.lines = text.split(/\r\n|\r|\n/);
    this.marks = new Map();
    for (const finding of findings) {
      this.mark(finding.line, finding);
      for (const place of finding.places) if (place.line !== finding.line) this.mark(place.line, finding);
    }
    this.inner.style.height = `${this.lines.length * LINE}px`;
    this.inner.style.setProperty("--digits", String(this.lines.length).length);
    this.box.scrollTop = 0;
    this.current = null;
    this.draw(true);
  }

  mark(line, finding) {
    if (line === null) return;
    if (!this.marks.has(line)) this.marks.set(line, []);
    this.marks.get(line).push(finding);
  }

  draw(again = false) {
    const first = Math.max(0, Math.floor(this.box.scrollTop / LINE) - 10);
    const last = Math.min(this.lines.length, first + Math.ceil(this.box.clientHeight / LINE) + 20);
    if (!again && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [];
    for (let at = first; at < last; at += 1) rows.push(this.row(at));
    this.inner.replaceChildren(...rows);
  }

  row(at) {
    const line = at + 1, found = this.marks.get(line) || [];
    const worst = ["error", "warning", "info"].find((each) => found.some((finding) => finding.severity === each));
    const gutter = worst
      ? element("button", {type: "button", class: "gutter", tabindex: "-1", title: found.map((each) => `${each.code} ${each.message}`).join("\n").slice(0, 600), "aria-label": `Line ${line}: ${found.map((each) => each.code).join(", ")}`, onclick: () => this.onLine(found[0])}, String(line))
      : element("span", {class: "gutter"}, String(line));
    const row = element("div", {class: `line ${worst || ""} ${line === this.current ? "current" : ""}`}, gutter,
      element("code", {}, ...this.marked(this.lines[at], this.spans(line, found))));
    row.style.top = `${at * LINE}px`;
    return row;
  }

  // Marked ranges of a line in UTF-16 units, joined where they overlap.
  spans(line, found) {
    const text = this.lines[line - 1], units = unitsOf(text);
    const spans = found.filter((each) => each.line === line && each.column !== null).map((each) => {
      const from = units(each.column - 1);
      const to = each.end_line === line ? units(each.end_column - 1) : text.length;
      return [from, Math.max(to, from), each.severity];
    }).sort((one, two) => one[0] - two[0]);
    const joined = [];
    for (const span of spans) {
      const before = joined[joined.length - 1];
      if (before && span[0] < before[1]) before[1] = Math.max(before[1], span[1]); else joined.push(span);
    }
    return joined;
  }

  marked(text, spans) {
    const pieces = [];
    let at = 0;
    const plain = (from, to) => {
      if (to - from <= LONG) { pieces.push(visible(text.slice(from, to))); return; }
      const cut = element("span", {class: "cut"}, ` … ${amount(to - from - 2 * AROUND, "character", "characters")} … `);
      pieces.push(visible(text.slice(from, from + AROUND)), cut, visible(text.slice(to - AROUND, to)));
    };
    for (const [from, to, severity] of spans.slice(0, 200)) {
      plain(at, from);
      pieces.push(element("mark", {class: severity}, visible(text.slice(from, Math.min(to, from + LONG)))));
      at = Math.max(at, to);
    }
    plain(at, text.length);
    return pieces;
  }

  reveal(line) {
    this.current = line;
    this.box.scrollTop = Math.max(0, (line - 1) * LINE - this.box.clientHeight / 3);
    this.draw(true);
    const mark = this.inner.querySelector(".current mark");
    this.box.scrollLeft = mark ? Math.max(0, mark.offsetLeft - this.box.clientWidth / 2) : 0;
  }
}

// Columns count characters; JavaScript counts UTF-16 units.
function unitsOf(text) {
  if (!/[\ud800-\udbff]/.test(text)) return (column) => Math.min(column, text.length);
  return (column) => Array.from(text).slice(0, column).join("").length;
}

function fixReport(answer, chosen, onChoice) {
  const parts = [];
  for (const each of answer.documents) {
    const title = element("h4", {}, visible(each.source));
    if (each.refused) { parts.push(title, element("p", {class: "notice"}, `Not changed: ${each.refused}`)); continue; }
    const applied = each.applied.map((item) => element("li", {}, element("b", {}, item.code), ` ${item.name}: ${visible(item.title)}${item.count > 1 ? ` (${number(item.count)} times)` : ""}`));
    parts.push(title, element("p", {}, applied.length ? `${amount(each.applied.reduce((sum, item) => sum + item.count, 0), "fix", "fixes")}${each.removed ? `, ${amount(each.removed, "entry", "entries")} removed` : ""}` : "Nothing to apply"));
    if (applied.length) parts.push(element("ul", {}, ...applied));
    if (each.diff.length) parts.push(diffView(each));
  }
  const left = answer.documents.flatMap((each) => each.left);
  const codes = new Map([...left.filter((each) => each.unsafe), ...chosen.values()].map((each) => [each.code, each]));
  if (codes.size) parts.push(choices(codes, chosen, onChoice));
  const rest = left.filter((each) => !each.unsafe);
  if (rest.length) {
    parts.push(element("h4", {}, "Needs manual review"), element("ul", {class: "rest"},
      ...rest.map((each) => element("li", {}, element("b", {}, each.code), ` ${each.name}${each.count > 1 ? ` (${number(each.count)} times)` : ""}: ${visible(each.message || each.reason)}`))));
  }
  return parts;
}

function choices(codes, chosen, onChoice) {
  const rows = [...codes.values()].map((each) => element("li", {}, element("label", {},
    element("input", {type: "checkbox", name: "unsafe", value: each.code, checked: chosen.has(each.code), onchange: (event) => onChoice(each, event.target.checked)}),
    " ", element("b", {}, each.code), ` ${each.name}: ${visible(each.message || each.reason)}`)));
  return element("fieldset", {}, element("legend", {}, "Also apply (may change the meaning)"), element("ul", {}, ...rows));
}

function diffView({diff, more, source}) {
  const kinds = {"+": "added", "-": "removed", "@": "hunk"};
  const rows = diff.slice(2).map((line) => element("span", {class: kinds[line[0]] || ""}, `${visible(line.length > 2000 ? `${line.slice(0, 2000)}…` : line)}\n`));
  const tail = more ? [element("span", {class: "hunk"}, `… ${amount(more, "more line", "more lines")} in the result\n`)] : [];
  return element("pre", {class: "diff", tabindex: "0", role: "region", "aria-label": `Changes of ${source}`}, element("code", {}, ...rows, ...tail));
}

function infoTables(documents) {
  return documents.map((it) => {
    const {counts, dates} = it, entries = counts.urls || counts.sitemaps;
    const named = (values, most = 4) => Object.entries(values).slice(0, most).map(([name, count]) => `${visible(name)} (${number(count)})`).join(", ");
    const rows = [
      ["Kind", it.label],
      ["Size", it.compression ? `${fileSize(it.bytes)}, ${fileSize(it.unpacked_bytes)} unpacked (${it.compression})` : fileSize(it.bytes)],
      ["Encoding", it.encoding + (it.byte_order_mark ? ", with a byte order mark" : "")],
      ["Entries", counts.sitemaps ? amount(counts.sitemaps, "sitemap", "sitemaps") : amount(counts.urls, "URL", "URLs")],
      ["Hosts", named(counts.hosts)],
      ["Media", ["images", "videos", "news", "alternates"].filter((name) => counts[name]).map((name) => `${number(counts[name])} ${name}`).join(", ")],
      ["Languages", named(counts.languages, 8)],
      ["lastmod", dates.present ? `${number(dates.present)} of ${number(entries)}${dates.oldest ? `, ${dates.oldest}${dates.newest === dates.oldest ? "" : ` to ${dates.newest}`}` : ""}${dates.illegal ? `; ${number(dates.illegal)} not valid` : ""}` : "none"],
      ["Read", it.complete && !it.lost ? "completely" : `${it.complete ? "" : "not to the end; "}${amount(it.lost, "entry", "entries")} lost`],
    ].filter(([, value]) => value);
    const most = Math.max(1, ...dates.histogram.map((bar) => bar.count));
    const bars = dates.histogram.length > 1 ? element("table", {class: "bars"}, element("caption", {}, `lastmod by ${dates.unit}`),
      element("tbody", {}, ...dates.histogram.map((bar) => element("tr", {}, element("th", {scope: "row"}, bar.label),
        element("td", {}, element("meter", {min: 0, max: most, value: bar.count, "aria-label": `${bar.label}: ${bar.count}`})), element("td", {class: "number"}, number(bar.count)))))) : null;
    return element("div", {class: "about"}, element("h4", {}, visible(it.source)),
      element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])), bars);
  });
}
