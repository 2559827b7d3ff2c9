/** What a file is made of, as one peer brings it. */
import { expect, it } from "vitest";
import type { Catalog } from "../../../src/sharing/catalog/catalog.ts";
import { fetchManifest } from "../../../src/sharing/download/manifest-fetch.ts";
import { blockCid, RAW } from "../../../src/sharing/hash.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { PeerSession, Swarm } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";
import { silentSession } from "./silent-session.ts";

it("counts for the peer as it comes, so that nobody is taken for silent whose line is slow", async () => {
  const bytes = new Uint8Array(5).fill(1);
  const fetch: PeerSession["fetch"] = async ({ onBytes }) => {
    for (const piece of [bytes.subarray(0, 3), bytes.subarray(3)]) onBytes?.(piece);
    return bytes;
  };
  const ports = {
    blocks: new MemoryBlockStore(),
    catalog: { addPartial: async () => undefined } as unknown as Catalog,
    swarm: { offer: () => undefined, askUnlisted: async () => "none" } satisfies Partial<Swarm>,
    clock: new HandClock(),
  };
  const received: number[] = [];
  const peer = {
    session: { ...silentSession("a"), fetch },
    received: (length: number) => void received.push(length),
  };
  const file = { root: await blockCid(bytes, RAW), name: () => "x", isUnlisted: () => false };
  await fetchManifest(file, peer, ports, new AbortController().signal);
  expect(received).toEqual([3, 2]);
});
