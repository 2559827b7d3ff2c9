/**
 * Compiles the kernel of dimensionality reduction and writes it as a module in ../build (not in git), so that Node.js, a
 * bundle and a worker load it alike. Run by `npm ci` and the npm scripts that need it; does nothing if the sources are those
 * of the last time.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import asc from "assemblyscript/asc";

const here = new URL("./", import.meta.url);
const target = new URL("../build/kernel-wasm.ts", import.meta.url);
const compiler = createRequire(import.meta.url)("assemblyscript/package.json").version;
const flags = [
  ...["-O3", "--converge", "--noAssert", "--runtime", "stub", "--use", "abort="],
  ...["--enable", "simd", "--enable", "bulk-memory", "--maximumMemory", "65536"],
];

const names = (await readdir(here)).filter((name) => name.endsWith(".ts")).sort();
const sources = new Map();
for (const name of names) sources.set(name, await readFile(new URL(name, here), "utf8"));
const hash = createHash("sha256")
  .update(JSON.stringify([compiler, flags, ...sources]))
  .digest("hex");
const stamp = `// Made by ../assembly/build.mjs from sources ${hash}`;
if (!(await isCurrent())) await compile();

async function compile() {
  const output = new Map();
  const { error, stderr } = await asc.main(["kernel.ts", "--outFile", "kernel.wasm", ...flags], {
    readFile: (name) => sources.get(name) ?? null,
    writeFile: (name, bytes) => void output.set(name, bytes),
    listFiles: () => [],
  });
  if (error) throw new Error(`The kernel of dimensionality reduction does not compile\n${stderr}`);
  const base64 = Buffer.from(output.get("kernel.wasm")).toString("base64");
  await mkdir(new URL("./", target), { recursive: true });
  await writeFile(target, `${stamp}\nexport const kernelBase64 =\n  "${base64}";\n`);
}

async function isCurrent() {
  try {
    return (await readFile(target, "utf8")).startsWith(`${stamp}\n`);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}
