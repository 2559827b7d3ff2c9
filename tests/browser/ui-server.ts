/** Serves the screens, built from source, beside a running node on one origin, for their tests. Calls vite. */
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { build, preview } from "vite";
import { builtPage } from "./built-pages.ts";

export interface UiServer {
  /** The page, with the key that it needs. */
  readonly url: string;
  close(): Promise<void>;
}

const NODE_PATHS = "^/(api|health|vectors|search|metadata|reduce|admin|metrics)(/|\\?|$)";

const SHARED = {
  configFile: false,
  root: join(import.meta.dirname, "ui-page"),
  publicDir: false,
  logLevel: "error",
} as const;

export async function serveUi(node: { url: string; apiKey: string }): Promise<UiServer> {
  const outDir = await builtPage("ui", buildUi);
  const server = await preview({
    ...SHARED,
    build: { outDir },
    preview: {
      host: "127.0.0.1",
      // Where somebody took it meanwhile, the next that is free.
      port: await freePort(),
      // Nothing in it changes while it is served, and pages are opened by the hundred.
      headers: { "Cache-Control": "max-age=86400, immutable" },
      proxy: { [NODE_PATHS]: { target: node.url } },
    },
  });
  const { port } = server.httpServer.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/?key=${encodeURIComponent(node.apiKey)}`,
    close: () => server.close(),
  };
}

function buildUi(outDir: string): Promise<unknown> {
  return build({
    ...SHARED,
    define: { __SHOAL_VERSION__: JSON.stringify("0.0.0") },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: { outDir, emptyOutDir: true, modulePreload: { polyfill: false } },
  });
}

/** Vite takes port 0 for its default port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
