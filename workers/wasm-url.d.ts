/** WebAssembly as a file of the build: Vite gives its address. */
declare module "*.wasm?url" {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: it is what Vite makes
  export default url;
}
