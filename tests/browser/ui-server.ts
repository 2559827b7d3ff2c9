/** Serves the screens from source beside a running node, on one origin, for their tests. Calls vite. */
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createServer } from "vite";

export interface UiServer {
  /** The page, with the key that it needs. */
  readonly url: string;
  close(): Promise<void>;
}

export async function serveUi(node: { url: string; apiKey: string }): Promise<UiServer> {
  const port = await freePort();
  const vite = await createServer({
    configFile: false,
    root: join(import.meta.dirname, "../.."),
    logLevel: "error",
    cacheDir: "node_modules/.cache/ui-page",
    define: { __SHOAL_VERSION__: JSON.stringify("0.0.0") },
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    optimizeDeps: {
      noDiscovery: true,
      include: [
        "preact",
        "preact/hooks",
        "preact/jsx-runtime",
        "@preact/signals",
        "eventsource-parser",
        "qr",
        "qr/decode.js",
        "uplot",
      ],
    },
    server: {
      host: "127.0.0.1",
      port,
      strictPort: true,
      watch: null,
      hmr: false,
      proxy: {
        "^/(api|health|vectors|search|metadata|reduce|admin|metrics|ipfs)(/|\\?|$)": { target: node.url },
      },
    },
  });
  await vite.listen();
  return {
    url: `http://127.0.0.1:${port}/tests/browser/ui-page/index.html?key=${encodeURIComponent(node.apiKey)}`,
    close: () => vite.close(),
  };
}

/** Vite takes port 0 for its default port. */
async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
