/** When the DHT is asked for a file and told of one: not in the way of a download that has what it needs. */
import type { PeerId } from "@libp2p/interface";
import type { CID } from "multiformats/cid";
import { expect, it, onTestFinished } from "vitest";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import { REPROVIDE_AFTER_MS, REPROVIDE_INTERVAL_MS } from "../../../src/network/limits.ts";
import {
  FIND_PROVIDERS_PAUSE_MS,
  MAX_CLOSER_PEERS,
  MAX_FOUND_PROVIDERS,
  MAX_PARALLEL_PROVIDES,
  OFFERED_LOOKUP_PAUSE_MS,
  PROVIDE_PAUSE_MS,
  PROVIDE_REST_MS,
  PROVIDE_RETRY_MS,
} from "../../../src/network/providers/limits.ts";
import { ProviderAnnouncer } from "../../../src/network/providers/provider-announcer.ts";
import { type ProviderSearchPorts, searchProviders } from "../../../src/network/providers/provider-search.ts";
import type { Offer } from "../../../src/sharing/ports.ts";
import { someFile } from "../../network/some-file.ts";
import { HandClock } from "../hand-clock.ts";

const log = (): void => {};

/** A DHT of many peers that notes what it is asked for and told of, and has nothing. */
function someDht({ answer = "ADD_PROVIDER" } = {}) {
  const asked: string[] = [];
  const told: string[] = [];
  /** Files of which it no longer says that they are here. */
  const cancelled: string[] = [];
  const closer = Array.from({ length: MAX_CLOSER_PEERS }, (_, nth) => ({ id: `peer ${nth}` }));
  const node = {
    peerId: "this node",
    getPeers: () => ["a peer"],
    getMultiaddrs: () => ["an address"],
    contentRouting: {
      findProviders(cid: CID) {
        asked.push(cid.toString());
        return [];
      },
      async cancelReprovide(cid: CID) {
        cancelled.push(cid.toString());
      },
    },
    services: {
      dht: {
        providers: { addProvider: async () => {} },
        async *getClosestPeers() {
          yield { name: "PEER_RESPONSE", closer };
        },
        async *provide(cid: CID) {
          told.push(cid.toString());
          yield { name: "SEND_QUERY", messageName: "ADD_PROVIDER" };
          yield { name: "PEER_RESPONSE", messageName: answer };
        },
      },
    },
  } as unknown as Libp2pNode;
  return { node, asked, told, cancelled };
}

function fileIds(count: number): string[] {
  return Array.from({ length: count }, (_, number) => someFile(`file ${number}`).fileId);
}

function untilTestEnds(): AbortSignal {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return stop.signal;
}

/** `holders`: peers that say they hold it unlisted. `answers`: whether peers answer at all. */
async function search(
  offer: Offer | undefined,
  {
    holders = [],
    answers = true,
    isUnlisted = () => false,
    banned = [],
  }: { holders?: string[]; answers?: boolean; isUnlisted?: () => boolean; banned?: string[] } = {},
) {
  const clock = new HandClock();
  const { node, asked } = someDht();
  const { fileId } = someFile("wanted");
  const stop = new AbortController();
  const found: string[] = [];
  const unlisted: ProviderSearchPorts["unlisted"] = {
    async search({ onHolder, onAnswered }, signal) {
      for (const holder of holders) onHolder(holder);
      if (answers) onAnswered();
      await clock.sleep(Number.POSITIVE_INFINITY, signal);
    },
  };
  const isBanned = (peerId: string) => banned.includes(peerId);
  const listeners = new Set<() => void>();
  const onChange = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const isMet = (peerId: string) => !peerId.startsWith("told of");
  const ports = { node, clock, log, offer: () => offer, onChange, isBanned, isMet, unlisted };
  const peers = searchProviders(ports, { fileId, isUnlisted }, stop.signal);
  const ended = (async () => {
    for await (const peerId of peers) {
      found.push(peerId);
      if (peerId === "enough") return;
    }
  })();
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  await clock.pass(0);
  return { clock, asked, found, fileId, listeners, ended };
}

const offerOf = (...completeHolders: string[]) =>
  ({ completeHolders, partialHolders: [] }) as unknown as Offer;

it("those that were met are named before those that are only told of", async () => {
  const toldOf = Array.from({ length: 50 }, (_, nth) => `told of ${nth}`);
  const { found } = await search(offerOf(...toldOf, "met"));
  expect(found[0]).toBe("met");
  expect(found.slice(1).sort()).toEqual(toldOf.sort());
});

it("a file that nobody offers is looked up as soon as peers have said that they don't hold it", async () => {
  const { asked, fileId } = await search(undefined);
  expect(asked).toEqual([fileId]);
});

it("and later where they don't say", async () => {
  const { clock, asked, fileId } = await search(undefined, { answers: false });
  await clock.pass(OFFERED_LOOKUP_PAUSE_MS - 1);
  expect(asked).toEqual([]);
  await clock.pass(1);
  expect(asked).toEqual([fileId]);
});

it("one that a peer holds unlisted is looked up when that peer has not shown it for a while", async () => {
  const { clock, asked, found, fileId } = await search(undefined, { holders: ["holder"] });
  expect(found).toEqual(["holder"]);
  await clock.pass(FIND_PROVIDERS_PAUSE_MS - 1);
  expect(asked).toEqual([]);
  await clock.pass(1);
  expect(asked).toEqual([fileId]);
});

it("an unlisted one is never looked up, from when that is known", async () => {
  let isUnlisted = false;
  const { clock, asked } = await search(undefined, { holders: ["holder"], isUnlisted: () => isUnlisted });
  isUnlisted = true;
  await clock.pass(10 * FIND_PROVIDERS_PAUSE_MS);
  expect(asked).toEqual([]);
});

it("one that somebody offers is looked up later", async () => {
  const { clock, asked, found, fileId } = await search(offerOf("somebody"));
  expect(found).toEqual(["somebody"]);
  await clock.pass(OFFERED_LOOKUP_PAUSE_MS - 1);
  expect(asked).toEqual([]);
  await clock.pass(1);
  expect(asked).toEqual([fileId]);
});

it("those who hold one are given once, however often something changes, and none that is banned", async () => {
  const offer = offerOf("somebody", "banned");
  const { clock, found, listeners } = await search(offer, {
    holders: ["banned too"],
    banned: ["banned", "banned too"],
  });
  for (let times = 0; times < 3; times++) {
    for (const onChange of listeners) onChange();
    await clock.pass(0);
  }
  expect(found).toEqual(["somebody"]);
});

it("one that was gone is given again when it is back", async () => {
  const offer = offerOf("somebody", "another");
  const { clock, found, listeners } = await search(offer);
  for (const holders of [["another"], ["another", "somebody"]]) {
    offer.completeHolders = holders;
    for (const onChange of listeners) onChange();
    await clock.pass(0);
  }
  expect(found.slice(2)).toEqual(["somebody"]);
});

it("of those found at once no more are given than a download could use", async () => {
  const holders = Array.from({ length: 2 * MAX_FOUND_PROVIDERS }, (_, nth) => `holder ${nth}`);
  const { found } = await search(undefined, { holders });
  expect(found).toEqual(holders.slice(0, MAX_FOUND_PROVIDERS));
});

it("a search ends with its reader, and leaves nothing behind", async () => {
  const { clock, ended, listeners } = await search(offerOf("enough"));
  await ended;
  expect([listeners.size, clock.sleeperCount]).toEqual([0, 0]);
});

async function announce(dht = someDht()) {
  const clock = new HandClock();
  const { node, told } = dht;
  const announcer = new ProviderAnnouncer({ node, swarm: "test", clock, log });
  const signal = untilTestEnds();
  announcer.run(signal).catch((error) => {
    if (!signal.aborted) throw error;
  });
  await clock.pass(0);
  return { clock, told, announcer };
}

it("files shared in a row are put into the DHT together, those withdrawn meanwhile not at all", async () => {
  const dht = someDht();
  const { clock, told, announcer } = await announce(dht);
  const [first, second, third] = fileIds(3) as [string, string, string];
  announcer.provide(first);
  await clock.pass(PROVIDE_PAUSE_MS / 2);
  announcer.provide(second);
  announcer.provide(third);
  announcer.withdraw(second);
  expect(told).toEqual([]);
  await clock.pass(PROVIDE_PAUSE_MS / 2);
  expect(told).toEqual([third, first]);
  await clock.pass(10 * PROVIDE_PAUSE_MS);
  expect(told).toEqual([third, first]);
  expect(dht.cancelled).toEqual([second]);
});

it("one that is withdrawn before its turn in a long row is put by nobody", async () => {
  const { clock, told, announcer } = await announce();
  const many = fileIds(10);
  for (const fileId of many) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  const withdrawn = many.filter((fileId) => !told.includes(fileId)).slice(0, 2);
  for (const fileId of withdrawn) announcer.withdraw(fileId);
  await clock.pass(PROVIDE_REST_MS * many.length);
  expect([...told].sort()).toEqual(many.filter((fileId) => !withdrawn.includes(fileId)).sort());
});

it("nothing is put while nobody is there", async () => {
  const dht = someDht();
  const { clock, told, announcer } = await announce(dht);
  dht.node.getPeers = () => [];
  announcer.provide(someFile("early").fileId);
  await clock.pass(PROVIDE_RETRY_MS);
  expect(told).toEqual([]);
});

it("files that were shared while nobody was there are put as soon as somebody is, the newest first, however many", async () => {
  const dht = someDht();
  const { clock, told, announcer } = await announce(dht);
  dht.node.getPeers = () => [];
  const many = fileIds(100);
  for (const fileId of many) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS + 10 * PROVIDE_REST_MS);
  dht.node.getPeers = () => ["a peer"] as unknown as PeerId[];
  announcer.peerJoined();
  await clock.pass(PROVIDE_PAUSE_MS);
  expect(told).toEqual(many.slice(-MAX_PARALLEL_PROVIDES).reverse());
});

it("many files are put a few at a time with rests between them, and one that comes meanwhile is next", async () => {
  const { clock, told, announcer } = await announce();
  const many = fileIds(100);
  for (const fileId of many) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  expect(told).toHaveLength(MAX_PARALLEL_PROVIDES);
  const { fileId: late } = someFile("late");
  announcer.provide(late);
  await clock.pass(PROVIDE_REST_MS);
  expect(told).toHaveLength(2 * MAX_PARALLEL_PROVIDES);
  expect(told).toContain(late);
  await clock.pass(PROVIDE_REST_MS * many.length);
  expect(new Set(told)).toEqual(new Set([...many, late]));
  expect(told).toHaveLength(many.length + 1);
});

it("a record is put again when half of its time is over, and not for a change of what is known of the file", async () => {
  const { clock, told, announcer } = await announce();
  const [early, late, gone] = fileIds(3) as [string, string, string];
  announcer.provide(early);
  announcer.provide(gone);
  await clock.pass(REPROVIDE_INTERVAL_MS);
  announcer.provide(late);
  announcer.provide(early);
  announcer.withdraw(gone);
  await clock.pass(PROVIDE_PAUSE_MS);
  expect(told).toEqual([gone, early, late]);
  await clock.pass(REPROVIDE_AFTER_MS - REPROVIDE_INTERVAL_MS - PROVIDE_PAUSE_MS);
  expect(told).toEqual([gone, early, late]);
  await clock.pass(REPROVIDE_INTERVAL_MS + PROVIDE_PAUSE_MS);
  expect(told).toEqual([gone, early, late, early]);
  await clock.pass(REPROVIDE_INTERVAL_MS);
  expect(told).toEqual([gone, early, late, early, late]);
});

it("records are put again soon after the machine slept, whose steady clock stood still meanwhile", async () => {
  const { clock, told, announcer } = await announce();
  const [fileId = ""] = fileIds(1);
  announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  // While it sleeps only the date goes on.
  clock.set(REPROVIDE_AFTER_MS);
  await clock.pass(REPROVIDE_INTERVAL_MS + PROVIDE_PAUSE_MS);
  expect(told).toEqual([fileId, fileId]);
  clock.set(-24 * REPROVIDE_AFTER_MS);
  await clock.pass(REPROVIDE_AFTER_MS + REPROVIDE_INTERVAL_MS);
  expect(told).toEqual([fileId, fileId, fileId]);
});

it("a record that nobody takes is put as often however many peers have come meanwhile", async () => {
  const { clock, told, announcer } = await announce(someDht({ answer: "FIND_NODE" }));
  announcer.provide(someFile("unwanted").fileId);
  await clock.pass(PROVIDE_PAUSE_MS + PROVIDE_REST_MS);
  for (let peer = 0; peer < 5; peer++) {
    announcer.peerJoined();
    await clock.pass(PROVIDE_PAUSE_MS + PROVIDE_REST_MS);
  }
  expect(told).toHaveLength(6);
  await clock.pass(10 * (PROVIDE_RETRY_MS + PROVIDE_PAUSE_MS + PROVIDE_REST_MS));
  expect(told).toHaveLength(16);
});

it("a record that is being put when its file is withdrawn is put no further", async () => {
  const dht = someDht();
  const { clock, told, announcer } = await announce(dht);
  dht.node.services.dht.provide = async function* (_cid, { signal } = {}) {
    told.push("one");
    yield* [];
    await clock.sleep(1, signal);
    told.push("another");
  };
  const [fileId = ""] = fileIds(1);
  announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  expect(told).toEqual(["one"]);
  announcer.withdraw(fileId);
  await clock.pass(PROVIDE_RETRY_MS);
  expect(told).toEqual(["one"]);
});
