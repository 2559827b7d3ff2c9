/** What a file is made of, as one peer brings it. */
import * as dagPb from "@ipld/dag-pb";
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import type { Catalog } from "../../../src/sharing/catalog/catalog.ts";
import { fetchManifest } from "../../../src/sharing/download/manifest-fetch.ts";
import { buildDag, type DagNode } from "../../../src/sharing/files/manifest.ts";
import { encodeUnixfsFile } from "../../../src/sharing/files/unixfs-file.ts";
import { blockCid, DAG_PB, RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, MAX_LINKS } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { PeerSession, Swarm } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";
import { silentSession } from "./silent-session.ts";

const portsOf = (blocks: MemoryBlockStore) => ({
  blocks,
  catalog: { addPartial: async () => undefined } as unknown as Catalog,
  swarm: { offer: () => undefined, askUnlisted: async () => "none" } satisfies Partial<Swarm>,
  clock: new HandClock(),
});

/** Asks a peer that has the nodes, for a store with room for so much. `asked`: for which. */
function fetchFrom(nodes: readonly DagNode[], root: CID, maxBytes: number) {
  const asked: CID[] = [];
  const fetch: PeerSession["fetch"] = async ({ cid }) => {
    asked.push(cid);
    return nodes.find((node) => node.cid.equals(cid))?.bytes as Uint8Array;
  };
  const peer = { session: { ...silentSession("a"), fetch }, received: () => {} };
  const file = { root, name: () => "x", isUnlisted: () => false };
  const ports = portsOf(new MemoryBlockStore({ maxBytes }));
  return { asked, fetching: fetchManifest(file, peer, ports, new AbortController().signal) };
}

it("is asked for no further once it is of more bytes than the store has room for", async () => {
  const digests = new Uint8Array(32 * (3 * MAX_LINKS + 1));
  const { manifest, nodes } = await buildDag(digests, (3 * MAX_LINKS + 1) * CHUNK_BYTES);
  const { asked, fetching } = fetchFrom(nodes, manifest.root, CHUNK_BYTES);
  await expect(fetching).rejects.toMatchObject({
    name: "storage_full",
    message: "the file's more than 1.07 GB are more than the storage holds",
  });
  expect(asked).toEqual([manifest.root, nodes[0]?.cid]);
});

it("is asked for no further, either, once it is none of ours, which says nothing of its bytes", async () => {
  const { nodes } = await buildDag(new Uint8Array(32 * 174), 174 * CHUNK_BYTES);
  const below = nodes[0] as DagNode;
  const links = Array.from({ length: 9 }, () => ({ Name: "", Tsize: 1, Hash: below.cid }));
  const Data = encodeUnixfsFile(links.map(() => 174 * CHUNK_BYTES));
  const bytes = dagPb.encode({ Data, Links: links });
  const root = { cid: await blockCid(bytes, DAG_PB), bytes };
  const { asked, fetching } = fetchFrom([root, below], root.cid, 4 * MAX_LINKS * CHUNK_BYTES);
  await expect(fetching).rejects.toMatchObject({ name: "bad_manifest" });
  expect(asked).toEqual([root.cid, below.cid]);
});

it("counts for the peer as it comes, so that nobody is taken for silent whose line is slow", async () => {
  const bytes = new Uint8Array(5).fill(1);
  const fetch: PeerSession["fetch"] = async ({ onBytes }) => {
    for (const piece of [bytes.subarray(0, 3), bytes.subarray(3)]) onBytes?.(piece);
    return bytes;
  };
  const received: number[] = [];
  const peer = {
    session: { ...silentSession("a"), fetch },
    received: (length: number) => void received.push(length),
  };
  const file = { root: await blockCid(bytes, RAW), name: () => "x", isUnlisted: () => false };
  await fetchManifest(file, peer, portsOf(new MemoryBlockStore()), new AbortController().signal);
  expect(received).toEqual([3, 2]);
});
