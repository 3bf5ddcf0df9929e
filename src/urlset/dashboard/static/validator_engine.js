// Files and an action → the answer of urlset: from Pyodide in a worker, or from the server of `urlset serve`.
"use strict";

const urlsetParts = new Map();
// Called by the scripts of the engine. Scripts load from local files too, where fetch does not.
function urlsetPart(name, text) { urlsetParts.set(name, text); }

class EngineError extends Error {}

const loadScript = (source) => new Promise((loaded, failed) => {
  const script = document.createElement("script");
  script.src = source;
  script.onload = loaded;
  script.onerror = () => failed(new EngineError(`${source} could not be loaded; reload the page`));
  document.head.append(script);
});

const decoded = (text) => {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
};

const unzipped = async (bytes) => new Uint8Array(
  await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());

// Pyodide and urlset in a worker. A worker that runs out of memory, or is stopped, is replaced by a new one.
class BrowserEngine {
  constructor(folder, parts, progress) {
    this.folder = folder;
    this.parts = parts;  // [name, bytes]
    this.progress = progress;
    this.waiting = new Map();
    this.sent = 0;
  }

  static missing() {
    if (typeof WebAssembly !== "object") return "This browser has no WebAssembly";
    if (typeof Worker !== "function") return "This browser has no web workers";
    if (typeof DecompressionStream !== "function") return "This browser is too old";
    return "";
  }

  async load() {
    const total = this.parts.reduce((sum, part) => sum + part[1], 0);
    let done = 0;
    for (const [name, bytes] of this.parts) {
      this.progress("Loading Python", done / total * 0.6);
      if (!urlsetParts.has(name)) await loadScript(`${this.folder}${name}.js`);
      done += bytes;
    }
    this.progress("Starting Python", 0.6);
    const code = await unzipped(decoded(urlsetParts.get("worker")));
    const address = URL.createObjectURL(new Blob([code], {type: "text/javascript"}));
    const worker = this.worker = new Worker(address);
    worker.onmessage = (event) => this.receive(event.data);
    worker.onerror = (event) => this.fail(worker, event.message || "the worker stopped");
    const files = {wasm: await unzipped(decoded(urlsetParts.get("wasm")))};
    for (const name of ["stdlib", "packages"]) files[name] = decoded(urlsetParts.get(name));
    await this.post({action: "start", files}, Object.values(files).map((each) => each.buffer));
    URL.revokeObjectURL(address);
  }

  post(message, buffers = []) {
    this.sent += 1;
    const id = this.sent;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.worker.postMessage({...message, id}, buffers);
    });
  }

  receive(message) {
    if (message.stage) { this.progress(message.stage, message.share); return; }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new EngineError(message.error)); else waiting.resolve(message);
  }

  fail(worker, reason) {
    worker.terminate();
    if (this.worker === worker) this.worker = null;
    for (const each of this.waiting.values()) each.reject(new EngineError(reason));
    this.waiting.clear();
  }

  stop() { if (this.worker) this.fail(this.worker, "stopped"); }

  async ask(request, files) {
    if (!this.worker) await this.load();
    const {answer, extra, heap} = await this.post({action: "ask", request, files});
    return {...answer, extra, heap};
  }
}

// The server of `urlset serve`; nothing to load.
class ServerEngine {
  constructor(address, token) { this.address = address; this.token = token; }

  static missing() { return ""; }

  async load() {}

  stop() { if (this.abort) this.abort.abort(); }

  async ask(request, files) {
    const head = JSON.stringify({request, sizes: files.map((each) => each.data.length)});
    const body = new Blob([`${head}\n`, ...files.map((each) => each.data)], {type: "application/octet-stream"});
    this.abort = new AbortController();
    let response;
    try {
      response = await fetch(this.address, {
        method: "POST", body, headers: {"x-form-token": this.token}, signal: this.abort.signal,
      });
    } catch (error) {
      throw new EngineError(error.name === "AbortError" ? "stopped" : "the server did not answer");
    }
    if (!response.ok) throw new EngineError((await response.text()).trim().slice(0, 300) || `status ${response.status}`);
    const answer = await response.json();
    if (answer.error) throw new EngineError(answer.error);
    const extra = Object.fromEntries(Object.entries(answer.extra).map(([path, text]) => [path, decoded(text)]));
    return {...answer, extra};
  }
}
