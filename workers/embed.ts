/**
 * The worker that the model of search by meaning runs in. Started by src/browser/search/open-embedder. The model and
 * its WebAssembly are fetched from this origin when a first text is to be embedded; the service worker keeps them
 * (sw/model-files).
 */
import type { Endpoint } from "comlink";
import { opfsModelFolder } from "../src/browser/search/opfs-model-folder.ts";
import { EmbeddingError } from "../src/search/embedding/errors.ts";
import { openBuiltInModel } from "../src/search/embedding/model/built-in.ts";
import { openModelFolder } from "../src/search/embedding/model/model-folder.ts";
import { provideRuntime } from "../src/search/embedding/model/runtime.ts";
import { serveModel } from "../src/search/embedding/serve-model.ts";
import modelUrl from "../src/search/model/build/model.onnx?url";
import { modelBytes, runtimeBytes } from "../src/search/model/build/model-card.ts";
import runtimeUrl from "../src/search/model/build/runtime.wasm?url";

serveModel(self as unknown as Endpoint, async (folder) => {
  provideRuntime(await fetchWhole(runtimeUrl, runtimeBytes));
  if (folder !== undefined) return openModelFolder(await opfsModelFolder(folder));
  return openBuiltInModel(new Uint8Array(await fetchWhole(modelUrl, modelBytes)));
});

async function fetchWhole(url: string, sizeBytes: number): Promise<ArrayBuffer> {
  const bytes = await fetchBytes(url);
  if (bytes.byteLength === sizeBytes) return bytes;
  // A connection broke unnoticed, and what had come of the file was kept.
  const anew = await fetchBytes(url, { cache: "reload" });
  if (anew.byteLength === sizeBytes) return anew;
  const came = `${anew.byteLength} of its ${sizeBytes} bytes came`;
  throw new EmbeddingError("unavailable", `The model can't be fetched: ${came}`);
}

async function fetchBytes(url: string, options?: RequestInit): Promise<ArrayBuffer> {
  try {
    const response = await fetch(url, options);
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return await response.arrayBuffer();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EmbeddingError("unavailable", `The model can't be fetched: ${why}`, { cause: error });
  }
}
