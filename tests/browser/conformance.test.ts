/** The conformance suite of the REST API on the built page: each request goes through the service worker to its node. */
import { REQUESTS_PER_MINUTE } from "../../src/browser/limits.ts";
import { DEFAULT_DIMENSION } from "../../src/vx/engine/limits.ts";
import { type ConformanceHost, describeConformance } from "../api/conformance.ts";
import { openGatedPeer } from "../interop/gated-peer.ts";
import { PageSite } from "./open-page.ts";
import { BareTabs } from "./page-requests.ts";

describeConformance("the REST API of a page", async (): Promise<ConformanceHost> => {
  const site = await PageSite.start();
  const opened = await site.open("/#/nothing-here");
  const { page, context } = opened;
  const { addresses } = await site.host.client.nodeInfo();
  const [other, offering] = await Promise.all([openGatedPeer(addresses), openGatedPeer(addresses)]);
  const origin = new URL(site.host.pageUrl).origin;
  const tabs = new BareTabs(context, { origin, requestsPerTab: REQUESTS_PER_MINUTE });
  const limitedTab = new BareTabs(context, { origin, requestsPerTab: Number.POSITIVE_INFINITY });

  return {
    fetch: (request, body) => tabs.fetch(request, body),
    takesAnyOrigin: false,
    baseUrl: origin,
    apiKey: await page.evaluate(() => window.shoal.apiKey()),
    async placeFile(name, bytes) {
      await page.evaluate(
        async ({ name, base64 }) => {
          const letters = atob(base64);
          const bytes = new Uint8Array(letters.length);
          for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
          const root = await navigator.storage.getDirectory();
          let folder = await root.getDirectoryHandle("shared", { create: true });
          const parts = name.split("/");
          for (const part of parts.slice(0, -1)) {
            folder = await folder.getDirectoryHandle(part, { create: true });
          }
          const file = await folder.getFileHandle(parts.at(-1) ?? name, { create: true });
          const output = await file.createWritable();
          await output.write(bytes);
          await output.close();
        },
        { name, base64: Buffer.from(bytes).toString("base64") },
      );
      return `shared/${name}`;
    },
    forbiddenPath: ".shoal/index/journal",
    offerFile: offering.share,
    outputPath: (name) => `downloads/${name}`,
    async readOutput(path) {
      const base64 = await page.evaluate(async (path) => {
        const parts = path.split("/");
        let folder = await navigator.storage.getDirectory();
        for (const part of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(part);
        const file = await folder.getFileHandle(parts.at(-1) ?? path);
        let letters = "";
        for (const byte of new Uint8Array(await (await file.getFile()).arrayBuffer())) {
          letters += String.fromCharCode(byte);
        }
        return btoa(letters);
      }, path);
      return new Uint8Array(Buffer.from(base64, "base64"));
    },
    peerAddress: other.webSocketAddress,
    vxDimension: DEFAULT_DIMENSION,
    indexesFiles: false,
    limited: {
      fetch: (request) => limitedTab.fetch(request),
      requestsPerMinute: REQUESTS_PER_MINUTE,
    },
    async close() {
      await Promise.all([other.stop(), offering.stop()]);
      await opened[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
});
