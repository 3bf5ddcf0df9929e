"use strict";
// The interactive table over the data in the page. All text from the site is set as text, never as markup.

// --- the data of the table -------------------------------------------------------------------------------------

class Column {
  constructor(spec, addresses) {
    Object.assign(this, spec);
    this.addresses = addresses;
    this.prefix = spec.prefix || "";
    this.searched = null;
  }

  text(row) {
    const value = this.values[row];
    if (this.table) return this.table[value];
    if (this.kind === "number") return value === null ? "" : String(value);
    if (value === 0) return this.addresses.text(row);
    return value === "" ? "" : this.prefix + value;
  }

  /** A value for JSON. */
  plain(row) {
    if (this.kind === "number") return this.values[row];
    const text = this.text(row);
    return text === "" ? null : text;
  }

  /** A function from a row to whether it has the lowercase word; null if no row has it. */
  containing(word) {
    if (this.kind === "number") {
      const number = Number(word);
      return Number.isNaN(number) ? null : (row) => this.values[row] === number;
    }
    if (this.table) {
      const hits = this.table.map((text) => text.toLowerCase().includes(word));
      return hits.includes(true) ? (row) => hits[this.values[row]] : null;
    }
    if (this.searched === null) this.searched = this.values.map((_, row) => this.text(row).toLowerCase());
    return (row) => this.searched[row].includes(word);
  }

  /** A function from a row to whether it has exactly this value. */
  equal(value) {
    const hits = this.table.map((text) => (this.kind === "words" ? text.split(" ").includes(value) : text === value));
    return (row) => hits[this.values[row]];
  }

  /** [value, count], the most common first. */
  choices() {
    const counts = new Map();
    const each = new Array(this.table.length).fill(0);
    for (const value of this.values) each[value] += 1;
    this.table.forEach((text, at) => {
      for (const word of this.kind === "words" ? text.split(" ") : [text]) counts.set(word, (counts.get(word) || 0) + each[at]);
    });
    return [...counts].sort((one, other) => other[1] - one[1] || compare(one[0], other[0]));
  }

  /** A key per row that sorts as the values do. */
  keys() {
    if (this.table) {
      const order = this.table.map((_, at) => at).sort((one, other) => compare(this.table[one], this.table[other]));
      const rank = [];
      order.forEach((at, place) => { rank[at] = place; });
      return this.values.map((value) => rank[value]);
    }
    if (this.kind === "number") return this.values.map((value) => (value === null ? -Infinity : value));
    return this.values.map((_, row) => this.text(row));
  }
}

const compare = (one, other) => {
  const [first, second] = [Number(one), Number(other)];
  if (one !== "" && other !== "" && !Number.isNaN(first) && !Number.isNaN(second)) return first - second;
  return one < other ? -1 : one > other ? 1 : 0;
};

/** An address that may be opened: http or https, and written as it is. */
const openable = (text) => {
  if (!/^https?:\/\/[^\s\\…]+$/i.test(text)) return null;
  try {
    return new URL(text).href;
  } catch {
    return null;
  }
};

const FORMULA = /^['"\s\p{Cc}\p{Cf}]*?[=+\-@\t\r\n＝＋－＠﹦﹢﹣﹫]./su; // a spreadsheet would run it
const csvCell = (value) => {
  const text = typeof value === "number" ? String(value) : value === null ? "" : FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// --- the table -------------------------------------------------------------------------------------------------

class Explorer {
  /** `prefix` begins the ids of a second table, the names of its marks and its view in the address. */
  constructor(data, prefix = "") {
    this.prefix = prefix;
    this.mark = `#${prefix}filter:`;
    this.total = data.rows;
    this.noun = data.noun;
    this.columns = [];
    for (const spec of data.columns) this.columns.push(new Column(spec, this.columns[0]));
    this.origin = /^https?:\/\/[^/]+(?=\/)/i.exec(this.columns[0].prefix)?.[0] || "";
    this.at("origin").textContent = this.origin ? `Addresses without a host are on ${this.origin}.` : "";
    this.query = "";
    this.chosen = new Map(); // name of a column → value
    this.sort = null; // {name, down}
    this.page = 0;
    this.size = 50;
    this.keys = new Map();
    this.matching = [];
    this.order = null;
    this.makeControls();
    this.restore();
    this.update();
  }

  at(id) { return byId(this.prefix + id); }

  column(name) { return this.columns.find((each) => each.name === name); }

  // controls

  makeControls() {
    this.selects = new Map();
    for (const column of this.columns.filter((each) => each.filter)) this.makeFilter(column);
    const fieldset = this.at("columns").querySelector("fieldset");
    for (const column of this.columns) {
      const box = element("input", undefined, { type: "checkbox", "data-column": column.name });
      box.checked = column.shown;
      box.addEventListener("change", () => { column.shown = box.checked; this.draw(); });
      const label = element("label");
      label.append(box, column.title);
      fieldset.append(label);
    }
    let waiting = 0;
    this.at("search").addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { this.query = event.target.value; this.update(); }, this.total > 20000 ? 120 : 0);
    });
    this.at("clear").addEventListener("click", () => this.show({}));
    this.at("csv").addEventListener("click", () => this.download("csv"));
    this.at("json").addEventListener("click", () => this.download("json"));
    this.at("size").addEventListener("change", (event) => { this.size = Number(event.target.value); this.turn(0); });
    this.at("first").addEventListener("click", () => this.turn(0));
    this.at("previous").addEventListener("click", () => this.turn(this.page - 1));
    this.at("next").addEventListener("click", () => this.turn(this.page + 1));
    this.at("last").addEventListener("click", () => this.turn(this.pages - 1));
    if (!this.prefix) document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, select, textarea, dialog");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.at("search").focus();
      }
    });
    for (const mark of document.querySelectorAll(`[data-${this.prefix}filter]`)) this.makeLink(mark);
  }

  makeFilter(column) {
    const label = element("label");
    const select = element("select", undefined, { "data-filter-by": column.name });
    select.append(new Option("all", ""));
    const choices = column.choices();
    if (choices.length < 2) return;
    for (const [value, count] of choices.slice(0, 1000)) {
      const label = column.labels[Number(value) - 1];
      const shown = label || (value.length > 60 ? `…${value.slice(-59)}` : value);
      select.append(new Option(label ? shown : `${shown} (${numberText(count)})`, value));
    }
    select.addEventListener("change", () => {
      this.choose(column.name, select.value);
      this.update();
    });
    label.append(element("span", column.filter), select);
    this.at("filters").append(label);
    this.selects.set(column.name, select);
  }

  /** A number or name elsewhere in the report that shows its pages in the table. */
  makeLink(mark) {
    const [filter, value] = [mark.getAttribute(`data-${this.prefix}filter`), mark.dataset.value];
    const column = this.column(filter);
    if (!column || !column.table || !column.table.some((text) => text === value || text.split(" ").includes(value))) {
      if (mark.classList.contains("with-scripts")) mark.remove();
      return;
    }
    const button = element("button", mark.textContent, { type: "button", class: "as-link", title: "Show in the table" });
    button.addEventListener("click", () => {
      this.show({ [filter]: value });
      this.at("all").scrollIntoView();
      this.at("search").focus({ preventScroll: true });
    });
    mark.replaceWith(button);
  }

  choose(name, value) {
    if (value === "") this.chosen.delete(name);
    else this.chosen.set(name, value);
  }

  /** Exactly these filters. */
  show(filters) {
    this.query = filters.q || "";
    this.chosen = new Map(Object.entries(filters).filter(([name]) => this.column(name)?.table));
    this.update();
  }

  // state in the address, so that a view can be kept and sent

  restore() {
    if (!location.hash.startsWith(this.mark)) return;
    const wanted = Object.fromEntries(new URLSearchParams(location.hash.slice(this.mark.length)));
    const sort = /^(-?)(\w+)$/.exec(wanted.sort || "");
    if (sort && this.column(sort[2])) this.sort = { name: sort[2], down: sort[1] === "-" };
    this.query = wanted.q || "";
    for (const [name, value] of Object.entries(wanted)) if (this.column(name)?.table) this.chosen.set(name, value);
  }

  remember() {
    const wanted = new URLSearchParams(this.chosen);
    if (this.query) wanted.set("q", this.query);
    if (this.sort) wanted.set("sort", (this.sort.down ? "-" : "") + this.sort.name);
    const hash = wanted.size ? `${this.mark}${wanted}` : location.hash.startsWith(this.mark) ? `#${this.prefix}all` : location.hash;
    if (hash !== location.hash) history.replaceState(null, "", hash || `#${this.prefix}all`);
  }

  // rows

  update() {
    const tests = [...this.chosen].map(([name, value]) => this.column(name).equal(value));
    for (const word of this.query.toLowerCase().split(/\s+/).filter(Boolean)) {
      const parts = this.columns.map((column) => column.containing(word)).filter((part) => part !== null);
      tests.push((row) => parts.some((part) => part(row)));
    }
    const order = this.sorted();
    const matching = [];
    for (let at = 0; at < this.total; at += 1) {
      const row = order ? order[at] : at;
      if (tests.every((test) => test(row))) matching.push(row);
    }
    this.matching = matching;
    this.page = 0;
    for (const [name, select] of this.selects) {
      select.value = this.chosen.get(name) || "";
      select.parentElement.classList.toggle("active", this.chosen.has(name));
    }
    if (this.at("search").value !== this.query) this.at("search").value = this.query;
    this.at("clear").hidden = !this.query && !this.chosen.size;
    const all = `${numberText(this.total)} ${this.noun}s`;
    this.at("found").textContent = matching.length === this.total ? all : `${numberText(matching.length)} of ${all}`;
    this.remember();
    this.draw();
  }

  /** All rows in the chosen order; equal ones stay as they were. */
  sorted() {
    if (!this.sort) return null;
    const { name, down } = this.sort;
    if (!this.keys.has(name)) {
      const keys = this.column(name).keys();
      const order = keys.map((_, row) => row);
      order.sort((one, other) => (keys[one] < keys[other] ? -1 : keys[one] > keys[other] ? 1 : one - other));
      this.keys.set(name, order);
    }
    return down ? this.keys.get(name).toReversed() : this.keys.get(name);
  }

  get pages() { return Math.max(1, Math.ceil(this.matching.length / this.size)); }

  turn(page) {
    this.page = Math.min(Math.max(0, page), this.pages - 1);
    this.draw();
  }

  // drawing

  draw() {
    const shown = this.columns.filter((column) => column.shown);
    this.drawHead(shown);
    const start = this.page * this.size;
    const rows = this.matching.slice(start, start + this.size).map((row) => this.drawRow(row, shown));
    if (!rows.length) {
      const none = element("tr");
      none.append(element("td", `No ${this.noun} matches.`, { colspan: Math.max(1, shown.length) }));
      rows.push(none);
    }
    this.at("rows").tBodies[0].replaceChildren(...rows);
    this.at("position").textContent = `Page ${numberText(this.page + 1)} of ${numberText(this.pages)}`;
    for (const id of ["first", "previous"]) this.at(id).disabled = this.page === 0;
    for (const id of ["next", "last"]) this.at(id).disabled = this.page >= this.pages - 1;
  }

  drawHead(shown) {
    const focused = document.activeElement?.closest?.(`#${this.prefix}rows thead`) ? document.activeElement.dataset.sort : null;
    const line = element("tr");
    for (const column of shown) {
      const sorted = this.sort?.name === column.name ? (this.sort.down ? "descending" : "ascending") : "none";
      const head = element("th", undefined, { scope: "col", "aria-sort": sorted });
      const button = element("button", column.title, { type: "button", "data-sort": column.name });
      button.addEventListener("click", () => {
        this.sort = { name: column.name, down: sorted === "ascending" };
        this.update();
      });
      head.append(button);
      if (column.kind === "number") head.classList.add("number");
      line.append(head);
    }
    this.at("rows").tHead.replaceChildren(line);
    if (focused) this.at("rows").tHead.querySelector(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
  }

  drawRow(row, shown) {
    const line = element("tr");
    shown.forEach((column, place) => {
      const cell = element(place === 0 ? "th" : "td");
      if (place === 0) {
        cell.scope = "row";
        const more = element("button", "Details", { type: "button", class: "more", "aria-label": `Details of ${column.text(row)}` });
        more.addEventListener("click", () => this.detail(row));
        cell.append(more);
      }
      if (column.kind === "number") cell.classList.add("number");
      cell.append(this.content(column, row, true));
      if (cell.textContent.length < 26 && place) cell.classList.add("short");
      if (cell.textContent.length > 60 && place) cell.classList.add("long");
      line.append(cell);
    });
    return line;
  }

  content(column, row, short = false) {
    const text = column.text(row);
    if (column.kind === "url") return this.link(text, short);
    if (column.kind === "words") return this.words(short && text === "none" ? "" : text);
    if (Object.hasOwn(column.shapes, text)) {
      const shape = column.shapes[text];
      const chip = element("span", undefined, { class: "chip" });
      const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      mark.setAttribute("viewBox", "0 0 10 10");
      mark.setAttribute("aria-hidden", "true");
      const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      for (const [name, value] of [["cx", 5], ["cy", 5], ["r", 5], ["class", shape]]) dot.setAttribute(name, value);
      mark.append(dot);
      chip.append(mark, text);
      return chip;
    }
    if (column.kind === "number" && text) return document.createTextNode(Number(text).toLocaleString("en-US", { maximumFractionDigits: 3 }));
    return element("bdi", short && this.origin ? text.replaceAll(`${this.origin}/`, "/") : text);
  }

  /** The address of the site is left out where all rows have the same. */
  link(text, short) {
    const href = openable(text);
    if (href === null) return element("bdi", text);
    const shown = short && this.origin && text.startsWith(`${this.origin}/`) ? text.slice(this.origin.length) : text;
    return element("a", shown, { href, target: "_blank", rel: "noopener noreferrer" });
  }

  /** Codes of rules lead to their findings, where the report has them. */
  words(text) {
    const line = element("span");
    text.split(" ").forEach((word, at) => {
      if (at) line.append(" ");
      line.append(byId(word)?.classList.contains("rule") ? element("a", word, { href: `#${encodeURIComponent(word)}` }) : word);
    });
    return line;
  }

  detail(row) {
    const dialog = this.at("detail");
    const list = dialog.querySelector("dl");
    list.replaceChildren();
    for (const column of this.columns) {
      if (column.text(row) === "") continue;
      const value = element("dd");
      value.append(this.content(column, row));
      list.append(element("dt", column.title), value);
    }
    dialog.showModal();
  }

  // downloads

  download(kind) {
    const names = this.columns.map((column) => column.name);
    let parts;
    if (kind === "csv") {
      const line = (row) => `${this.columns.map((column) => csvCell(column.plain(row))).join(",")}\r\n`;
      parts = ["\ufeff", `${names.join(",")}\r\n`, ...this.matching.map(line)];
    } else {
      const line = (row) => JSON.stringify(Object.fromEntries(this.columns.map((column) => [column.name, column.plain(row)])));
      parts = ["[\n", ...this.matching.map((row, at) => `${at ? ",\n" : ""}${line(row)}`), "\n]\n"];
    }
    const type = kind === "csv" ? "text/csv" : "application/json";
    const address = URL.createObjectURL(new Blob(parts, { type }));
    const link = element("a", undefined, { href: address, download: `urlset-${this.noun}s.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }
}

for (const prefix of ["", "problems-"]) {
  if (!byId(`${prefix}data`) || !byId(`${prefix}explorer`)) continue;
  byId(`${prefix}explorer`).hidden = false;
  new Explorer(JSON.parse(byId(`${prefix}data`).textContent), prefix);
}
