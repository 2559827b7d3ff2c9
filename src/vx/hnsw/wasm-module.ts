/** Compiles what build.mjs wrote, each once in a thread. Called by the kernel's host and by helpers. */
import { bytesOfBase64 } from "../base64.ts";

const modules = new Map<string, WebAssembly.Module>();

export function compiled(base64: string): WebAssembly.Module {
  const known = modules.get(base64);
  if (known !== undefined) return known;
  const module = new WebAssembly.Module(bytesOfBase64(base64));
  modules.set(base64, module);
  return module;
}
