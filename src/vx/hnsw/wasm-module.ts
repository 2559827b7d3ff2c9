/** Compiles what build.mjs wrote, each once in a thread. Called by the kernel's host and by helpers. */

const modules = new Map<string, WebAssembly.Module>();

export function compiled(base64: string): WebAssembly.Module {
  const known = modules.get(base64);
  if (known !== undefined) return known;
  const module = new WebAssembly.Module(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
  modules.set(base64, module);
  return module;
}
