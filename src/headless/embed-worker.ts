/**
 * The thread that the model of search by meaning runs in. Started by open-embedder, which sends the port. The model's files
 * and its WebAssembly stand in dist/search, or where search/model/build.mjs puts them.
 */
import { readFile } from "node:fs/promises";
import { type MessagePort, workerData } from "node:worker_threads";
import type { Endpoint } from "comlink";
import { openBuiltInModel } from "../search/embedding/model/built-in.ts";
import { openModelFolder } from "../search/embedding/model/model-folder.ts";
import { provideRuntime } from "../search/embedding/model/runtime.ts";
import { serveModel } from "../search/embedding/serve-model.ts";
import { fsModelFolder } from "./fs-model-folder.ts";

const isSource = import.meta.url.endsWith(".ts");
const files = new URL(isSource ? "../search/model/build/" : "../search/", import.meta.url);

const port = workerData as MessagePort;
serveModel(port as unknown as Endpoint, async (folder) => {
  provideRuntime(await readFile(new URL("runtime.wasm", files)));
  if (folder !== undefined) return openModelFolder(fsModelFolder(folder));
  return openBuiltInModel(await readFile(new URL("model.onnx", files)));
});
