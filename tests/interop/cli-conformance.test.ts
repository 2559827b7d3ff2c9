/** The conformance suite of the REST API on a built node, over its real HTTP server, with real peers. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { type ConformanceHost, describeConformance } from "../api/conformance.ts";
import { openGatedPeer } from "./gated-peer.ts";
import { Shoals } from "./shoal-process.ts";

const REQUESTS_PER_MINUTE = 5;

describeConformance("the REST API of a headless node", async (): Promise<ConformanceHost> => {
  const shoals = new Shoals();
  const node = await shoals.start({ flags: ["--vx-dimension", "4"] });
  const limited = await shoals.start({ flags: ["--rate-limit", String(REQUESTS_PER_MINUTE)] });
  const { addresses } = await node.client.nodeInfo();
  const [other, offering] = await Promise.all([openGatedPeer(addresses), openGatedPeer(addresses)]);

  return {
    fetch: (request) => fetch(request),
    baseUrl: node.url,
    apiKey: node.apiKey,
    takesAnyOrigin: true,
    async placeFile(name, bytes) {
      const path = join(node.folder, "shared", name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
      return path;
    },
    forbiddenPath: "/etc/passwd",
    offerFile: offering.share,
    outputPath: (name) => join(node.folder, "downloads", name),
    readOutput: (path) => readFile(path),
    peerAddress: other.address,
    vxDimension: 4,
    indexesFiles: false,
    limited: {
      fetch: (request) => fetch(new Request(request.url.replace(node.url, limited.url), request)),
      requestsPerMinute: REQUESTS_PER_MINUTE,
    },
    async close() {
      await Promise.all([other.stop(), offering.stop()]);
      await shoals[Symbol.asyncDispose]();
      expect(node.log.filter((line) => line.includes("an answer broke off"))).toEqual([]);
    },
  };
});
