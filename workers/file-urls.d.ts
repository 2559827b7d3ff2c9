/** WebAssembly and models as files of the build: Vite gives their addresses. */
declare module "*.wasm?url" {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: it is what Vite makes
  export default url;
}

declare module "*.onnx?url" {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: it is what Vite makes
  export default url;
}
