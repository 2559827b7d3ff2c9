/**
 * The process that the model of search by meaning runs in. Started by open-embedder, which speaks to it over the channel
 * between the two. The model's files and its WebAssembly are those of the page, or stand where search/model/build.mjs puts them.
 */
import { readFile } from "node:fs/promises";
import { openBuiltInModel } from "../../search/embedding/model/built-in.ts";
import { openModelFolder } from "../../search/embedding/model/model-folder.ts";
import { provideRuntime } from "../../search/embedding/model/runtime.ts";
import { serveModel } from "../../search/embedding/serve-model.ts";
import { readPageAsset } from "../page-folder.ts";
import { fsModelFolder } from "../search/fs-model-folder.ts";
import { parentEndpoint } from "./process-endpoint.ts";

const isSource = import.meta.url.endsWith(".ts");
const readOwn = (name: "model.onnx" | "runtime.wasm") =>
  isSource ? readFile(new URL(`../../search/model/build/${name}`, import.meta.url)) : readPageAsset(name);

serveModel(parentEndpoint(), async (folder) => {
  provideRuntime(await readOwn("runtime.wasm"));
  if (folder !== undefined) return openModelFolder(fsModelFolder(folder));
  return openBuiltInModel(await readOwn("model.onnx"));
});
