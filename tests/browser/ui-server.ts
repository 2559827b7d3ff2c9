/** Serves the screens, built from source, beside a running node on one origin, for their tests. Calls vite. */
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, preview } from "vite";

export interface UiServer {
  /** The page, with the key that it needs. */
  readonly url: string;
  close(): Promise<void>;
}

const NODE_PATHS = "^/(api|health|vectors|search|metadata|reduce|admin|metrics)(/|\\?|$)";

export async function serveUi(node: { url: string; apiKey: string }): Promise<UiServer> {
  const outDir = await mkdtemp(join(tmpdir(), "shoal-ui-"));
  const shared = {
    configFile: false,
    root: join(import.meta.dirname, "ui-page"),
    publicDir: false,
    logLevel: "error",
  } as const;
  await build({
    ...shared,
    define: { __SHOAL_VERSION__: JSON.stringify("0.0.0") },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: { outDir, emptyOutDir: true, modulePreload: { polyfill: false } },
  });
  const port = await freePort();
  const server = await preview({
    ...shared,
    build: { outDir },
    preview: {
      host: "127.0.0.1",
      port,
      strictPort: true,
      proxy: { [NODE_PATHS]: { target: node.url } },
    },
  });
  return {
    url: `http://127.0.0.1:${port}/?key=${encodeURIComponent(node.apiKey)}`,
    async close() {
      await server.close();
      await rm(outDir, { recursive: true, force: true });
    },
  };
}

/** Vite takes port 0 for its default port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
