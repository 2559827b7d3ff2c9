/**
 * Writes the types of the package entry `shoal/vx` into dist/vx: of the declarations that tsc made, those that the
 * entry leads to. Run by `npm run build`, after tsc.
 */
import { appendFile, copyFile, mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const made = join(root, "dist/types");
const target = join(root, "dist/vx");
const ENTRY = "headless/vx.d.ts";

/** Programs for Node.js may leave out the browser's library, which alone declares these. With it, the two are one. */
const WEB_ASSEMBLY = `declare global {
  namespace WebAssembly {
    interface Memory {}
    interface Module {}
    interface Table {}
  }
}
`;

const FROM = /\bfrom "(\.[^"]*)\.ts"/g;

await rm(target, { recursive: true, force: true });
const wanted = new Set([ENTRY]);
for (const name of wanted) {
  const text = await readFile(join(made, name), "utf8");
  for (const [, path] of text.matchAll(FROM)) wanted.add(join(dirname(name), `${path}.d.ts`));
  await mkdir(dirname(join(target, name)), { recursive: true });
  await copyFile(join(made, name), join(target, name));
}
await appendFile(join(target, ENTRY), WEB_ASSEMBLY);
