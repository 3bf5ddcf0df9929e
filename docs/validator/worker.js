// Files and an action → the answer of urlset, in a worker; Pyodide comes before this text in the same script.
"use strict";

const HOME = "/home/pyodide/page";
let python, answer;

// Everything that Pyodide asks for is in memory. Nothing here can reach a network.
function serveFrom(files) {
  const known = {"pyodide.asm.wasm": [files.wasm, "application/wasm"], "python_stdlib.zip": [files.stdlib, "application/zip"]};
  self.fetch = async (address) => {
    const found = known[String(address.url || address).split("/").pop()];
    if (!found) throw new Error(`not part of the page: ${address}`);
    return new Response(found[0], {headers: {"Content-Type": found[1]}});
  };
}

async function start(files) {
  serveFrom(files);
  const at = "https://engine.invalid/";
  python = await loadPyodide({
    indexURL: at, packageBaseUrl: at, createPyodideModule: _createPyodideModule, checkAPIVersion: false,
    lockFileContents: PYODIDE_LOCK, jsglobals: self, env: {HOME: "/home/pyodide", PYTHONDONTWRITEBYTECODE: "1"},
  });
  postMessage({stage: "Loading urlset", share: 0.85});
  python.unpackArchive(files.packages, "zip", {extractDir: "/lib/python3.14/site-packages"});
  // one small check loads what every check needs
  answer = python.runPython(`
import os, shutil
from pathlib import Path
import msgspec
from urlset.workflows.validator import FILES, PageRequest, RequestError, answer, file_names

def emptied(home):
    folder = Path(home)
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / FILES).mkdir(parents=True)
    os.chdir(folder / FILES)

def answered(home, text):
    request = msgspec.json.decode(text, type=PageRequest)
    try:
        return msgspec.json.encode(answer(request, Path(home))).decode()
    except (RequestError, ValueError, OSError) as error:
        return msgspec.json.encode({"error": str(error)}).decode()
    except MemoryError:
        return msgspec.json.encode({"error": "not enough memory for these files"}).decode()

emptied("${HOME}")
Path("sitemap.xml").write_text('<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://www.example.com/ä</loc></url></urlset>')
answered("${HOME}", '{"action": "check", "names": ["sitemap.xml"]}')
(emptied, answered, lambda *names: file_names(names))
`);
}

function extraFiles(...folders) {
  const found = {};
  for (const folder of folders) {
    const path = `${HOME}/${folder}`;
    if (!python.FS.analyzePath(path).exists) continue;
    for (const name of python.FS.readdir(path)) {
      if (name !== "." && name !== "..") found[`${folder}/${name}`] = python.FS.readFile(`${path}/${name}`);
    }
  }
  return found;
}

function ask(request, files) {
  const [emptied, answered, fileNames] = answer;
  emptied(HOME);
  const names = fileNames(...files.map((each) => each.name)).toJs();
  files.forEach((each, at) => python.FS.writeFile(`${HOME}/files/${names[at]}`, each.data));
  const result = JSON.parse(answered(HOME, JSON.stringify({...request, names})));
  const extra = extraFiles("unpacked", "fixed", "archive");
  return {answer: {...result, names}, extra, heap: python._module.HEAPU8.length};
}

self.onmessage = async ({data}) => {
  try {
    if (data.action === "start") {
      await start(data.files);
      postMessage({id: data.id});
    } else {
      const result = ask(data.request, data.files);
      if (result.answer.error) postMessage({id: data.id, error: result.answer.error});
      else postMessage({id: data.id, ...result}, Object.values(result.extra).map((each) => each.buffer));
    }
  } catch (error) {
    const lines = String(error).trim().split("\n");
    postMessage({id: data.id, error: lines[lines.length - 1]});
  }
};
