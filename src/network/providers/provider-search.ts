/**
 * The peers that hold a file, as they become known: those that announce it, those that hold it unlisted and say so when they are
 * asked, those that the DHT knows, those that come later. Called by the swarm for each download; runs until its signal aborts.
 */
import { CID } from "multiformats/cid";
import { Bell } from "../../sharing/bell.ts";
import type { Clock, Offer } from "../../sharing/ports.ts";
import { shuffled } from "../../sharing/shuffled.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import type { NetworkLog } from "../network-log.ts";
import {
  FIND_PROVIDERS_PAUSE_MS,
  FIND_PROVIDERS_TIMEOUT_MS,
  MAX_FOUND_PROVIDERS,
  OFFERED_LOOKUP_PAUSE_MS,
} from "./limits.ts";
import type { Unlisted } from "./unlisted.ts";

export interface ProviderSearchPorts {
  node: Libp2pNode;
  clock: Clock;
  offer(fileId: string): Offer | undefined;
  /** Calls the listener when offers may have changed, or peers have come or gone. */
  onChange(listener: () => void): () => void;
  isBanned(peerId: string): boolean;
  isMet(peerId: string): boolean;
  unlisted: Pick<Unlisted, "search">;
  log: NetworkLog;
}

export interface ProviderSearch {
  fileId: string;
  /** Are strangers not to learn the id? Then the DHT is not asked. */
  isUnlisted(): boolean;
}

/** May give an id again after its peer was gone from the offers, or found anew. */
export async function* searchProviders(
  ports: ProviderSearchPorts,
  search: ProviderSearch,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { fileId } = search;
  const bell = new Bell();
  /** Found by lookups and not given yet, at most MAX_FOUND_PROVIDERS. */
  const found = new Set<string>();
  const given = new Set<string>();
  const stopListening = ports.onChange(() => bell.ring());
  const ended = new AbortController();
  const lookups = lookUp(ports, search, AbortSignal.any([signal, ended.signal]), (peerId) => {
    if (found.size >= MAX_FOUND_PROVIDERS) return;
    found.add(peerId);
    bell.ring();
  });
  try {
    while (!signal.aborted) {
      const offer = ports.offer(fileId);
      // By lot, so that not all downloads of a file begin with the same few; those that were not met may be made up.
      const holders = [offer?.completeHolders ?? [], offer?.partialHolders ?? []]
        .flatMap((some) => shuffled([...some], Math.random))
        .sort((a, b) => Number(ports.isMet(b)) - Number(ports.isMet(a)));
      const known = new Set(holders);
      for (const peerId of given) if (!known.has(peerId)) given.delete(peerId);
      const news = new Set([...holders.filter((peerId) => !given.has(peerId)), ...found]);
      found.clear();
      for (const peerId of holders) given.add(peerId);
      for (const peerId of news) if (!ports.isBanned(peerId)) yield peerId;
      await untilRing(bell, signal);
    }
  } finally {
    stopListening();
    ended.abort();
    await lookups;
  }
}

async function untilRing(bell: Bell, signal: AbortSignal): Promise<void> {
  try {
    await bell.wait(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Asks peers, and then the DHT unless the file is unlisted, and again after a pause, until the signal aborts. */
async function lookUp(
  ports: ProviderSearchPorts,
  { fileId, isUnlisted }: ProviderSearch,
  signal: AbortSignal,
  onFound: (peerId: string) => void,
): Promise<void> {
  const { clock, offer, unlisted } = ports;
  const isListed = () => offer(fileId) !== undefined;
  const answered = new Bell();
  let isHeld = false;
  const onHolder = (peerId: string) => {
    isHeld = true;
    onFound(peerId);
  };
  const asking = unlisted.search({ fileId, isListed, onHolder, onAnswered: () => answered.ring() }, signal);
  const inDht = async () => {
    // What is offered can wait.
    if (isListed()) await clock.sleep(OFFERED_LOOKUP_PAUSE_MS, signal);
    else await answered.waitUntil(clock.monotonic() + OFFERED_LOOKUP_PAUSE_MS, clock, signal);
    for (let hadTime = false; ; await clock.sleep(FIND_PROVIDERS_PAUSE_MS, signal)) {
      // Who says that it holds the file has until the next time to show it.
      if (isHeld && !hadTime) hadTime = true;
      else if (!isUnlisted()) await lookUpOnce(ports, fileId, signal, onFound);
    }
  };
  for (const ending of await Promise.allSettled([asking, inDht()]))
    if (ending.status === "rejected" && !signal.aborted) throw ending.reason;
}

async function lookUpOnce(
  { node, log }: ProviderSearchPorts,
  fileId: string,
  signal: AbortSignal,
  onFound: (peerId: string) => void,
): Promise<void> {
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(FIND_PROVIDERS_TIMEOUT_MS)]);
    for await (const { id } of node.contentRouting.findProviders(CID.parse(fileId), { signal: inTime })) {
      if (!id.equals(node.peerId)) onFound(id.toString());
    }
  } catch (error) {
    if (!signal.aborted) log("no providers found", { fileId, error });
  }
}
