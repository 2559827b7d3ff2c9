/**
 * Writes SQLite's WebAssembly as a module, build/sqlite-wasm.ts (not in git), so that Node.js, a bundle and a worker
 * load it alike: no file to find, no fetch. Run by `npm ci` and the npm scripts that need it, after the kernel's;
 * does nothing if the package is that of the last time.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

const target = new URL("./build/sqlite-wasm.ts", import.meta.url);
const require = createRequire(import.meta.url);
const { version } = require("@sqlite.org/sqlite-wasm/package.json");
const stamp = `// Made by ../build.mjs from @sqlite.org/sqlite-wasm ${version}`;

if (!(await isCurrent())) {
  const wasm = await readFile(require.resolve("@sqlite.org/sqlite-wasm/sqlite3.wasm"));
  const base64 = gzipSync(wasm, { level: 9 }).toString("base64");
  await mkdir(new URL("./", target), { recursive: true });
  await writeFile(
    target,
    `${stamp}\n/** gzip, then base64 */\nexport const sqliteGzipBase64 =\n  "${base64}";\n`,
  );
}

async function isCurrent() {
  try {
    return (await readFile(target, "utf8")).startsWith(`${stamp}\n`);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}
