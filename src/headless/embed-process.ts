/**
 * The process that the model of search by meaning runs in. Started by open-embedder, which speaks to it over the channel
 * between the two. The model's files and its WebAssembly stand in dist/search, or where search/model/build.mjs puts them.
 */
import { readFile } from "node:fs/promises";
import { openBuiltInModel } from "../search/embedding/model/built-in.ts";
import { openModelFolder } from "../search/embedding/model/model-folder.ts";
import { provideRuntime } from "../search/embedding/model/runtime.ts";
import { serveModel } from "../search/embedding/serve-model.ts";
import { fsModelFolder } from "./fs-model-folder.ts";
import { processEndpoint } from "./process-endpoint.ts";

const isSource = import.meta.url.endsWith(".ts");
const files = new URL(isSource ? "../search/model/build/" : "../search/", import.meta.url);

process.once("disconnect", () => process.exit());
// Ctrl-C goes to the whole group: the node, which may still need the model, ends it with the channel.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
serveModel(processEndpoint(process), async (folder) => {
  provideRuntime(await readFile(new URL("runtime.wasm", files)));
  if (folder !== undefined) return openModelFolder(fsModelFolder(folder));
  return openBuiltInModel(await readFile(new URL("model.onnx", files)));
});
