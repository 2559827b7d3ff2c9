/**
 * Compiles a folder of AssemblyScript and writes what comes of it as a module in ../build beside it (not in git), so that
 * Node.js, a bundle and a worker load it alike: no file to find, no fetch. Called by the folders' build.mjs; does nothing if
 * the sources are those of the last time.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";

const compiler = createRequire(import.meta.url)("assemblyscript/package.json").version;
const common = [
  ...["-O3", "--converge", "--noAssert", "--runtime", "stub", "--use", "abort="],
  ...["--enable", "simd", "--enable", "bulk-memory", "--maximumMemory", "65536"],
];

/** `folder`: URL of the sources, whose kernel.ts exports all. `targets`: the compiler's further flags by file in ../build. */
export async function buildKernel(folder, targets) {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort();
  const sources = new Map();
  for (const name of names) sources.set(name, await readFile(new URL(name, folder), "utf8"));
  for (const [name, more] of Object.entries(targets)) {
    const flags = [...common, ...more];
    const hash = createHash("sha256")
      .update(JSON.stringify([compiler, flags, ...sources]))
      .digest("hex");
    const stamp = `// Made by ../assembly/build.mjs from sources ${hash}`;
    const target = new URL(`../build/${name}`, folder);
    if (await startsWith(target, `${stamp}\n`)) continue;
    const base64 = (await compile(sources, flags)).toString("base64");
    await mkdir(new URL("./", target), { recursive: true });
    await writeFile(target, `${stamp}\nexport const kernelBase64 =\n  "${base64}";\n`);
  }
}

async function compile(sources, flags) {
  // Loading it takes as long as all else, where there is nothing to compile.
  const { default: asc } = await import("assemblyscript/asc");
  const output = new Map();
  const { error, stderr } = await asc.main(["kernel.ts", "--outFile", "kernel.wasm", ...flags], {
    readFile: (name) => sources.get(name) ?? null,
    writeFile: (name, bytes) => void output.set(name, bytes),
    listFiles: () => [],
  });
  if (error) throw new Error(`The kernel does not compile\n${stderr}`);
  return Buffer.from(output.get("kernel.wasm"));
}

async function startsWith(file, text) {
  try {
    return (await readFile(file, "utf8")).startsWith(text);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}
