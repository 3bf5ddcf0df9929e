// A zip file of Python sources → the same with bytecode: node compile.mjs PYODIDE_FOLDER SOURCES.zip RESULT.zip
import {readFileSync, writeFileSync} from "node:fs";
import {pathToFileURL} from "node:url";

const [folder, sources, result] = process.argv.slice(2);
const {loadPyodide} = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({indexURL: `${folder}/`});
python.FS.writeFile("/sources.zip", readFileSync(sources));
python.runPython(`
import importlib.util, marshal, zipfile

with zipfile.ZipFile("/sources.zip") as given, zipfile.ZipFile("/result.zip", "w", zipfile.ZIP_DEFLATED) as made:
    for name in given.namelist():
        data = given.read(name)
        if name.endswith(".py"):
            code = compile(data, f"/lib/python3.14/site-packages/{name}", "exec", dont_inherit=True)
            data = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)  # no time and size: never compared
            name += "c"
        made.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
`);
writeFileSync(result, python.FS.readFile("/result.zip"));
