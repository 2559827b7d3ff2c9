/**
 * ONNX Runtime's WebAssembly, in this thread. Used by onnx-model. One thread of it: more gained nothing when measured. The
 * bytes are handed in, so that it looks for no file itself.
 */
import { env, InferenceSession } from "onnxruntime-web/wasm";
import { EmbeddingError } from "../errors.ts";

/** To be called once in a thread, before a session is opened. */
export function provideRuntime(wasm: ArrayBuffer | Uint8Array): void {
  env.wasm.wasmBinary = wasm;
  env.wasm.numThreads = 1;
  env.logLevel = "error";
}

/** @throws EmbeddingError `bad_model` */
export async function openSession(model: Uint8Array): Promise<InferenceSession> {
  try {
    const session = await InferenceSession.create(model, { graphOptimizationLevel: "all" });
    letGoOfRuntime();
    return session;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EmbeddingError("bad_model", `The ONNX model can't be loaded: ${why}`, { cause: error });
  }
}

/** It is compiled by now, and has 14 MB that ONNX Runtime's own closures would keep: a buffer moved away leaves them none. */
function letGoOfRuntime(): void {
  const { wasmBinary } = env.wasm;
  delete env.wasm.wasmBinary;
  if (wasmBinary instanceof ArrayBuffer) structuredClone(wasmBinary, { transfer: [wasmBinary] });
}
