/**
 * What the node tells stands in the answer's own field for it, and what a download is asked for reaches the node. Each figure
 * is another one here, so that none can stand for its neighbour.
 */
import { describe, expect, it, vi } from "vitest";
import type { Webhook, Webhooks } from "../../src/api/webhooks/webhooks.ts";
import { encodeFolder } from "../../src/sharing/folders/folder.ts";
import { MAX_FOLDER_BYTES } from "../../src/sharing/limits.ts";
import type { SharingNode } from "../../src/sharing/sharing-node.ts";
import type { TransferDetail, TransferStatus } from "../../src/sharing/transfers/transfer-record.ts";
import { OTHER_PEER } from "./fake-node.ts";
import { openInProcess } from "./in-process.ts";
import { memorySettings } from "./memory-host.ts";
import { openVx } from "./open-vx.ts";

const FILE_ID = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4";
const LIST_ID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
const json = { "content-type": "application/json" };

const FILE = {
  id: FILE_ID,
  name: "a.txt",
  sizeBytes: 1,
  chunkCount: 1,
  createdAt: new Date("2026-11-01T10:00:00Z"),
  isUnlisted: false,
};

const STATS = {
  cpuUsage: 0.5,
  memoryBytes: 11,
  diskBytes: 12,
  uploadBytesPerSecond: 13.25,
  downloadBytesPerSecond: 14.75,
  uploadedBytes: 15,
  downloadedBytes: 16,
};

const INFO = {
  nodeId: OTHER_PEER,
  swarm: "school",
  addresses: ["/ip4/127.0.0.1/tcp/1"],
  uptimeSeconds: 21.5,
  peersConnected: 22,
  storageUsedBytes: 23,
  storageAvailableBytes: 24,
};

const TRANSFER: TransferDetail = {
  id: "0ec0a7f2-4ab6-4a4b-8d06-2c34eb7bfd8e",
  fileId: FILE_ID,
  name: "film.mp4",
  outputPath: "/downloads/film.mp4",
  status: "in_progress",
  isPaused: false,
  isWaiting: false,
  isRepair: false,
  progress: 0.25,
  sizeBytes: 31,
  bytesPerSecond: 32.5,
  peers: [{ peerId: OTHER_PEER, chunksDownloaded: 33, bytesPerSecond: 34.5 }],
  peerCount: 35,
  startedAt: new Date("2026-11-01T10:00:00Z"),
  endedAt: undefined,
  estimatedCompletion: new Date("2026-11-01T12:00:00Z"),
  error: undefined,
  isStorageFull: false,
};

const TOLD = {
  id: TRANSFER.id,
  file_id: FILE_ID,
  name: "film.mp4",
  size: 31,
  status: "in_progress",
  progress: 0.25,
  speed: 33,
  started_at: "2026-11-01T10:00:00.000Z",
  estimated_completion: "2026-11-01T12:00:00.000Z",
  ended_at: null,
  paused: false,
  waiting: false,
  repair: false,
  error: null,
  storage_full: false,
};

function open() {
  const { fake, call } = openInProcess({ settings: memorySettings({}) });
  const { node } = fake;
  vi.spyOn(node, "info").mockResolvedValue(INFO);
  vi.spyOn(node, "stats").mockResolvedValue(STATS);
  const told = async (path: string) => (await call(path)).json();
  const post = (path: string, body: object) =>
    call(path, { method: "POST", headers: json, body: JSON.stringify(body) });
  return { node, call, told, post };
}

describe("what the node tells", () => {
  it("of itself, its load and its storage", async () => {
    const { told } = open();
    expect(await told("/api/v1/node/info")).toMatchObject({
      node_id: OTHER_PEER,
      uptime: 21,
      peers_connected: 22,
      storage_used: 23,
      storage_available: 24,
      addresses: ["/ip4/127.0.0.1/tcp/1"],
      swarm: "school",
    });
    expect(await told("/api/v1/system/stats")).toEqual({
      cpu_usage: 0.5,
      memory_usage: 11,
      disk_usage: 12,
      network: { upload_speed: 13, download_speed: 15, total_uploaded: 15, total_downloaded: 16 },
    });
    // Of a host that takes nothing away.
    const storage = { used: 23, available: 24, quota: 10 * 1024 ** 3, persisted: true };
    expect(await told("/api/v1/storage")).toEqual(storage);
  });

  it.each([
    [1.01, 1],
    [-0.01, 0],
  ])("of a load measured as %d is %d", async (cpuUsage, expected) => {
    const { node, told } = open();
    vi.spyOn(node, "stats").mockResolvedValue({ ...STATS, cpuUsage });
    expect(await told("/api/v1/system/stats")).toMatchObject({ cpu_usage: expected });
  });

  it("of a peer", async () => {
    const { node, told } = open();
    const traffic = {
      uploadedBytes: 41,
      downloadedBytes: 42,
      uploadBytesPerSecond: 43.5,
      downloadBytesPerSecond: 44.25,
    };
    const peer: ReturnType<SharingNode["peers"]>[number] = {
      peerId: OTHER_PEER,
      name: undefined,
      address: "127.0.0.1:4001",
      transport: "websocket",
      connectedSince: new Date("2026-11-01T10:00:00Z"),
      latencyMs: 45.5,
      filesAvailable: 46,
      isRelay: true,
      isInSwarm: true,
      traffic,
    };
    vi.spyOn(node, "peers").mockReturnValue([peer, { ...peer, latencyMs: undefined, isRelay: false }]);
    const first = {
      id: OTHER_PEER,
      name: null,
      address: "127.0.0.1:4001",
      connected_since: "2026-11-01T10:00:00.000Z",
      files_available: 46,
      transport: "websocket",
      latency_ms: 45.5,
      relay: true,
      in_swarm: true,
      uploaded: 41,
      downloaded: 42,
      upload_speed: 44,
      download_speed: 44,
    };
    const peers = [first, { ...first, latency_ms: null, relay: false }];
    expect(await told("/api/v1/node/peers")).toEqual({ peers, total: 2 });
  });

  it.each<[string, Partial<TransferDetail>, object]>([
    ["that runs", {}, {}],
    ["that waits", { isWaiting: true }, { waiting: true }],
    ["that fetches what was lost", { isRepair: true }, { repair: true }],
    ["that is paused", { status: "interrupted", isPaused: true }, { status: "interrupted", paused: true }],
    [
      "that failed for want of room",
      { status: "failed", error: "full", isStorageFull: true, endedAt: new Date("2026-11-01T11:00:00Z") },
      { status: "failed", error: "full", storage_full: true, ended_at: "2026-11-01T11:00:00.000Z" },
    ],
    [
      "of which little is known",
      { sizeBytes: undefined, estimatedCompletion: undefined },
      { size: null, estimated_completion: null },
    ],
  ])("of a transfer %s", async (_what, own, expected) => {
    const { node, told } = open();
    const transfer = { ...TRANSFER, ...own };
    vi.spyOn(node, "transfers").mockReturnValue([transfer]);
    vi.spyOn(node, "transfer").mockReturnValue(transfer);
    expect(await told("/api/v1/transfers?all=true")).toEqual({
      transfers: [{ ...TOLD, ...expected, peers: 35 }],
      total: 1,
    });
    expect(await told(`/api/v1/transfers/${TRANSFER.id}`)).toEqual({
      ...TOLD,
      ...expected,
      peers: [{ id: OTHER_PEER, chunks_downloaded: 33, speed: 35 }],
      output_path: "/downloads/film.mp4",
    });
  });

  it("of what others offer, and of who has some of it", async () => {
    const { node, told } = open();
    const holders = { completeHolders: [OTHER_PEER], partialHolders: ["12D3KooWPartial"] };
    vi.spyOn(node, "offers").mockReturnValue([{ ...FILE, fileId: FILE_ID, ...holders }]);
    const peers = [OTHER_PEER, "12D3KooWPartial"];
    expect(await told("/api/v1/files/network")).toEqual({
      files: [{ id: FILE_ID, name: "a.txt", size: 1, peers, complete_peers: 1 }],
      total: 1,
    });
  });

  it("in each metric of its own", async () => {
    const { node, call } = open();
    const files = [true, true, false].map((complete) => ({ ...FILE, complete }));
    vi.spyOn(node, "files").mockReturnValue(files);
    const offer = { ...FILE, fileId: FILE_ID, completeHolders: [], partialHolders: [] };
    vi.spyOn(node, "offers").mockReturnValue([offer, offer, offer, offer]);
    const statuses: TransferStatus[] = ["started", "resumed", "resumed", "completed"];
    vi.spyOn(node, "transfers").mockReturnValue(statuses.map((status) => ({ ...TRANSFER, status })));
    expect(samplesOf(await (await call("/metrics")).text())).toEqual({
      'shoal_build_info{version="0.1.0"}': 1,
      shoal_uptime_seconds: 21.5,
      shoal_peers_connected: 22,
      shoal_storage_used_bytes: 23,
      shoal_storage_available_bytes: 24,
      shoal_cpu_usage_ratio: 0.5,
      shoal_memory_bytes: 11,
      shoal_disk_bytes: 12,
      'shoal_traffic_bytes_total{direction="upload"}': 15,
      'shoal_traffic_bytes_total{direction="download"}': 16,
      'shoal_traffic_bytes_per_second{direction="upload"}': 13.25,
      'shoal_traffic_bytes_per_second{direction="download"}': 14.75,
      'shoal_files{complete="true"}': 2,
      'shoal_files{complete="false"}': 1,
      shoal_network_files: 4,
      'shoal_transfers_active{status="started"}': 1,
      'shoal_transfers_active{status="in_progress"}': 0,
      'shoal_transfers_active{status="resumed"}': 2,
      'shoal_transfers_active{status="interrupted"}': 0,
    });
  });
});

describe("what a search tells", () => {
  const file = {
    fileId: FILE_ID,
    name: "notes.pdf",
    sizeBytes: 71,
    isLocal: true,
    isComplete: true,
    createdAt: undefined,
    isUnlisted: false,
    offeredExcerpt: "",
    holders: [OTHER_PEER, "12D3KooWAnother"],
  };

  it("of a place in the map", async () => {
    const { call, search } = openInProcess();
    vi.spyOn(search, "map").mockResolvedValue({ points: [{ file, x: 0.5, y: -0.25 }], total: 72 });
    expect(await (await call("/api/v1/files/map?scope=local")).json()).toEqual({
      points: [
        {
          x: 0.5,
          y: -0.25,
          file_id: FILE_ID,
          name: "notes.pdf",
          type: "application/pdf",
          kind: "document",
          size: 71,
          local: true,
          holders: 2,
        },
      ],
      total: 72,
    });
    expect(search.map).toHaveBeenCalledWith("local");
  });

  it("of a hit among what others offer, one page of twenty where nobody says how many", async () => {
    const { call, search } = openInProcess();
    const hit = { file, score: 0.123456, why: ["content" as const], excerpt: "Notes of May" };
    const hits = Array.from({ length: 3 }, () => hit);
    const found = vi.spyOn(search, "search").mockResolvedValue({ hits, total: 73, rankedBy: "meaning" });
    const path = "/api/v1/files/network?q=may&filter=size%20%3E%201";
    const told = {
      id: FILE_ID,
      name: "notes.pdf",
      size: 71,
      peers: file.holders,
      score: 0.1235,
      why: ["content"],
      excerpt: "Notes of May",
    };
    expect(await (await call(path)).json()).toEqual({
      files: [told, told, told],
      total: 73,
      ranked_by: "meaning",
    });
    const asked = { text: "may", scope: "network", limit: 20, filter: "size > 1" };
    expect(found).toHaveBeenLastCalledWith(asked, expect.any(AbortSignal));
    // Hits are ranked from the first on, whatever page is wanted.
    const second = (await (await call(`${path}&limit=5&offset=2`)).json()) as { files: object[] };
    expect(second.files).toEqual([told]);
    expect(found).toHaveBeenLastCalledWith({ ...asked, limit: 7 }, expect.any(AbortSignal));
  });
});

describe("what webhooks tell", () => {
  it("of their deliveries", async () => {
    const hook: Webhook = {
      id: "81",
      url: "https://receiver.example/",
      events: ["file_shared"],
      createdAt: new Date("2026-11-01T10:00:00Z"),
      source: "settings",
      isStopped: true,
      waiting: 82,
      failure: "the receiver answered 500",
    };
    const list = () => [hook, { ...hook, isStopped: false, failure: undefined }];
    const { call } = openInProcess({ webhooks: { list } as unknown as Webhooks });
    const told = {
      id: "81",
      url: "https://receiver.example/",
      events: ["file_shared"],
      created_at: "2026-11-01T10:00:00.000Z",
      source: "settings",
      stopped: true,
      waiting: 82,
      failure: "the receiver answered 500",
    };
    expect(await (await call("/api/v1/node/webhooks")).json()).toEqual({
      webhooks: [told, { ...told, stopped: false, failure: null }],
    });
  });
});

describe("what the index tells", () => {
  it("in each field and metric of its own", async () => {
    const vx = await openVx();
    const metrics = {
      ...(await vx.index.collectMetrics()),
      vector_count: 51,
      memory_usage_mb: 52.5,
      uptime_seconds: 53.75,
      search_latency_ms: 54,
      add_latency_ms: 55,
      searches_total: 56,
      vectors_added_total: 57,
      vectors_deleted_total: 58,
      journal_bytes: 59,
      reduced_dimension: 60,
      fit_progress: 0.61,
      fits_total: 62,
    };
    vi.spyOn(vx.index, "collectMetrics").mockResolvedValue(metrics);
    const { call } = openInProcess({ vx });
    expect(await (await call("/admin/metrics")).json()).toEqual({
      ...metrics,
      uptime_seconds: 53,
      failures: [],
    });
    const samples = Object.entries(samplesOf(await (await call("/metrics")).text()));
    expect(Object.fromEntries(samples.filter(([name]) => name.startsWith("shoal_vx")))).toEqual({
      shoal_vx_vectors: 51,
      shoal_vx_memory_bytes: 52_500_000,
      shoal_vx_search_latency_seconds: 0.054,
      shoal_vx_add_latency_seconds: 0.055,
      shoal_vx_searches_total: 56,
      shoal_vx_vectors_added_total: 57,
      shoal_vx_vectors_deleted_total: 58,
      shoal_vx_journal_bytes: 59,
      shoal_vx_reduced_dimension: 60,
      shoal_vx_fit_progress_ratio: 0.61,
      shoal_vx_fits_total: 62,
      shoal_vx_up: 1,
    });
    await vx.close();
  });
});

describe("what a download is asked for", () => {
  it("reaches the node, and what is left out is the node's to choose", async () => {
    const { node, post } = open();
    const download = vi.spyOn(node, "download").mockResolvedValue(TRANSFER);
    await post("/api/v1/transfers/download", { file_id: FILE_ID });
    expect(download).toHaveBeenLastCalledWith({ fileId: FILE_ID, multiPeer: true, overwrite: false });
    await post("/api/v1/transfers/download", {
      file_id: FILE_ID,
      name: "film.mp4",
      output_path: "films/one.mp4",
      multi_peer: false,
      max_peers: 7,
      strategy: "sequential",
      overwrite: true,
      unlisted: true,
    });
    expect(download).toHaveBeenLastCalledWith({
      fileId: FILE_ID,
      name: "film.mp4",
      outputPath: "films/one.mp4",
      multiPeer: false,
      maxPeers: 7,
      strategy: "sequential",
      overwrite: true,
      isUnlisted: true,
    });
  });

  it("holds for each file of a folder, which keeps the name that its peers give it", async () => {
    const { node, post } = open();
    const bytes = encodeFolder([{ path: "day 1/sea.jpg", fileId: FILE_ID, sizeBytes: 5 }]);
    vi.spyOn(node, "readOffered").mockResolvedValue({ name: "Trip.folder.json", bytes });
    const download = vi.spyOn(node, "download").mockResolvedValue(TRANSFER);
    const options = { multi_peer: false, max_peers: 7, strategy: "round_robin", overwrite: true };
    const body = { ...options, name: "Other", output_path: "trips//", unlisted: true };
    const answer = await post(`/api/v1/folders/${LIST_ID}/download`, body);
    expect(await answer.json()).toMatchObject({ transfers: [{ path: "day 1/sea.jpg" }], total: 1 });
    expect(download.mock.calls).toEqual([
      [{ fileId: LIST_ID, name: "Trip.folder.json", isUnlisted: true }],
      [
        {
          fileId: FILE_ID,
          name: "sea.jpg",
          outputPath: "trips/day 1/sea.jpg",
          multiPeer: false,
          maxPeers: 7,
          strategy: "round_robin",
          overwrite: true,
          isUnlisted: true,
          keepBrought: true,
          partOf: LIST_ID,
          saidBytes: 5,
        },
      ],
    ]);
  });

  it("is no folder where the file is longer than a list, of which nothing is read", async () => {
    const { node, post } = open();
    const sizeBytes = MAX_FOLDER_BYTES + 1;
    vi.spyOn(node, "file").mockReturnValue({ ...FILE, name: "Trip.folder.json", sizeBytes, complete: true });
    const read = vi.spyOn(node, "read");
    const answer = await post(`/api/v1/folders/${LIST_ID}/download`, {});
    expect([answer.status, await answer.json()]).toMatchObject([400, { message: "The file is no folder" }]);
    expect(read).not.toHaveBeenCalled();
  });
});

/** By name and labels. */
function samplesOf(text: string): Record<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return Object.fromEntries(lines.map((line) => [line.replace(/ \S+$/, ""), Number(line.split(" ").at(-1))]));
}
