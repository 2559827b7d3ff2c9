/**
 * Writes SQLite's WebAssembly as a module, build/sqlite-wasm.ts (not in git), so that Node.js, a bundle and a worker
 * load it alike: no file to find, no fetch. Run by `npm ci` and the npm scripts that need it, after the kernel's;
 * does nothing if the package is that of the last time.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";

const target = new URL("./build/sqlite-wasm.ts", import.meta.url);
const require = createRequire(import.meta.url);
const { version } = require("@sqlite.org/sqlite-wasm/package.json");
const stamp = `// Made by ../build.mjs from @sqlite.org/sqlite-wasm ${version}, as it is`;

if (!(await isCurrent())) {
  const wasm = await readFile(require.resolve("@sqlite.org/sqlite-wasm/sqlite3.wasm"));
  await mkdir(new URL("./", target), { recursive: true });
  await writeFile(target, `${stamp}\nexport const sqliteBase64 =\n  "${wasm.toString("base64")}";\n`);
}

async function isCurrent() {
  try {
    return (await readFile(target, "utf8")).startsWith(`${stamp}\n`);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}
