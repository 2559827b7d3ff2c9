/** The conformance suite on the real sharing node, whose peers are joined to it by a hub in memory. */
import { SharingError } from "../../src/sharing/errors.ts";
import { UnsureFiles } from "../../src/sharing/files/unsure-files.ts";
import { shareFolderAt } from "../../src/sharing/folders/folder-sharing.ts";
import { RAW } from "../../src/sharing/hash.ts";
import type { SwarmEvent } from "../../src/sharing/ports.ts";
import type { KnownPeer, SharingNode } from "../../src/sharing/sharing-node.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";
import { bytesOf, Hub } from "../unit/sharing/hub.ts";
import { type ConformanceHost, describeConformance } from "./conformance.ts";
import { OTHER_ADDRESS, OTHER_PEER } from "./fake-node.ts";
import { BASE_URL, KEY, nameSearch, openInProcess } from "./in-process.ts";
import { memorySettings } from "./memory-host.ts";
import { openVx } from "./open-vx.ts";
import { placedFolder } from "./placed-folder.ts";

/** Settles once opened; rejects when the asker gives up. */
function createGate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const pass = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      void opened.then(resolve);
    });
  return { open, pass };
}

describeConformance("the REST API on the real node", async (): Promise<ConformanceHost> => {
  // Opened for all tests together.
  const hub = new Hub(systemClock, () => {});
  const own = await hub.join("own");
  await hub.join(OTHER_PEER);
  const places = new Map<string, Uint8Array>();
  const peer: KnownPeer = {
    peerId: OTHER_PEER,
    name: undefined,
    address: "127.0.0.1:4001",
    transport: "tcp",
    connectedSince: new Date(),
    latencyMs: 0.5,
    filesAvailable: 0,
    isRelay: false,
    isInSwarm: true,
    traffic: { uploadedBytes: 0, downloadedBytes: 0, uploadBytesPerSecond: 0, downloadBytesPerSecond: 0 },
  };
  /** The hub has neither paths nor connections; the rest is the node's own. */
  const node: SharingNode = {
    ...own.node,
    connect: async () => peer,
    peers: () => [peer],
    async sharePath(path, options = {}) {
      const bytes = places.get(path);
      if (bytes === undefined) throw new SharingError("path_forbidden", "The path is in no share root");
      return await own.node.share(bytesOf(bytes), { ...options, name: path.split("/").at(-1) ?? path });
    },
    async shareFolder(path, options = {}) {
      const { signal = new AbortController().signal } = options;
      const files = { listFolder: async () => placedFolder(places, path) };
      const { share, sharePath, deleteFile } = node;
      const putBack = async () => {};
      const ports = { files, share, sharePath, deleteFile, putBack, unsure: new UnsureFiles() };
      return await shareFolderAt(path, ports, { ...options, signal });
    },
  };
  const vx = await openVx({ dimension: 3, distance: "cosine" });
  const settings = memorySettings({ max_upload: "now", max_download: "now" });
  const swarmListeners = new Set<(event: SwarmEvent) => void>();
  const search = nameSearch(node, (listener) => {
    swarmListeners.add(listener);
    return () => swarmListeners.delete(listener);
  });
  const { app } = openInProcess({ node, search, vx, settings });
  const limited = openInProcess({ node, limits: { requestsPerMinute: 4, maxBodyBytes: 1024 } });
  const client = { address: "127.0.0.1" };
  let others = 0;
  return {
    fetch: (request) => app.fetch(request, client),
    baseUrl: BASE_URL,
    apiKey: KEY,
    takesAnyOrigin: true,
    async placeFile(name, bytes) {
      places.set(`/shared/${name}`, bytes);
      return `/shared/${name}`;
    },
    forbiddenPath: "/etc/passwd",
    async offerFile(name, bytes) {
      const gate = createGate();
      others += 1;
      const other = await hub.join(`other-${others}`, {
        manners: {
          async answer(cid, block, signal) {
            if (cid.code === RAW) await gate.pass(signal);
            return block;
          },
        },
      });
      const { file } = await other.node.share(bytesOf(bytes), { name });
      for (const listener of swarmListeners) listener({ type: "offers_changed" });
      return { fileId: file.id, release: gate.open };
    },
    outputPath: (name) => `/downloads/${name}`,
    readOutput: async (path) => own.outputs.get(path) ?? new Uint8Array(),
    peerAddress: OTHER_ADDRESS,
    vxDimension: 3,
    indexesFiles: false,
    limited: { fetch: (request) => limited.app.fetch(request, client), requestsPerMinute: 4 },
    async close() {
      await search.close();
      await own.node.stop();
      await vx.close();
    },
  };
});
