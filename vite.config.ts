/**
 * Builds the headless node, so that an installed `shoal` needs only the two native packages. Run by
 * `npm run build`. Beside the bundle in dist/chunks stand dist/headless/shoal.js, which starts it, and dist/docs,
 * the files of the API's documentation page. dist/chunks/vx.js is the package entry `shoal/vx`; vx-worker.js beside it
 * is the thread that an index runs in.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { defineConfig, type Plugin } from "vite";

const nativePackages = ["classic-level", "node-datachannel", "node-datachannel/polyfill"];
const require = createRequire(import.meta.url);

const files: Record<string, string> = {
  "headless/shoal.js": "./src/headless/launch.cjs",
  "docs/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
  "docs/swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
};

const copyFiles: Plugin = {
  name: "copy-files",
  generateBundle() {
    for (const [fileName, from] of Object.entries(files)) {
      this.emitFile({ type: "asset", fileName, source: readFileSync(require.resolve(from)) });
    }
    const commonJs = JSON.stringify({ type: "commonjs" });
    this.emitFile({ type: "asset", fileName: "headless/package.json", source: commonJs });
  },
};

export default defineConfig({
  plugins: [copyFiles],
  ssr: { noExternal: true, external: nativePackages },
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    sourcemap: true,
    rolldownOptions: {
      input: {
        "chunks/shoal": "src/headless/shoal.ts",
        "chunks/vx": "src/headless/vx.ts",
        "chunks/vx-worker": "src/headless/vx-worker.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
    },
  },
});
