/**
 * Builds the headless node: one bundle per entry, so that an installed `shoal` needs only the two native
 * packages. Run by `npm run build`.
 */
import { defineConfig } from "vite";

const nativePackages = ["classic-level", "node-datachannel", "node-datachannel/polyfill"];

export default defineConfig({
  ssr: { noExternal: true, external: nativePackages },
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    sourcemap: true,
    rolldownOptions: {
      input: { "headless/shoal": "src/headless/shoal.ts" },
      output: { entryFileNames: "[name].js", chunkFileNames: "chunks/[name]-[hash].js" },
    },
  },
});
