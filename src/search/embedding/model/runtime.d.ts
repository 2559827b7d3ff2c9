/**
 * ONNX Runtime's WebAssembly, in this thread. Used by onnx-model. One thread of it: more gained nothing when measured. The
 * bytes are handed in, so that it looks for no file itself.
 */
import { InferenceSession } from "onnxruntime-web/wasm";
/** To be called once in a thread, before a session is opened. */
export declare function provideRuntime(wasm: ArrayBuffer | Uint8Array): void;
/** @throws EmbeddingError `bad_model` */
export declare function openSession(model: Uint8Array): Promise<InferenceSession>;
