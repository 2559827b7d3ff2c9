/**
 * Every file that can be found, by a clock that the test moves: when offers are looked through, and what is left of
 * what went.
 */
import { expect, it } from "vitest";
import { Directory } from "../../../src/search/directory.ts";
import { OFFERS_REST_FACTOR, OFFERS_SETTLE_MS } from "../../../src/search/limits.ts";
import { wordHashes } from "../../../src/search/text-words.ts";
import type { LocalFile } from "../../../src/sharing/catalog/catalog-entry.ts";
import { createNodeEvents } from "../../../src/sharing/events.ts";
import type { Offer, SwarmEvent } from "../../../src/sharing/ports.ts";

const ofSize = { sizeBytes: 1, chunkCount: 1 };

const offerOf = (fileId: string, more: Partial<Offer> = {}): Offer => ({
  ...{ fileId, name: `${fileId}.txt`, ...ofSize, completeHolders: ["ada"], partialHolders: [] },
  ...more,
});

const localOf = (id: string, name: string): LocalFile => ({
  ...{ id, name, ...ofSize, createdAt: new Date(0), complete: true, isUnlisted: false },
});

function openDirectory() {
  const there = {
    ...{ files: [] as LocalFile[], offers: [] as Offer[] },
    ...{ nowMs: 0, looks: 0, lookMs: 0, changes: 0 },
  };
  const clock = { now: () => there.nowMs, monotonic: () => there.nowMs, sleep: async () => undefined };
  const events = createNodeEvents(clock);
  const listeners = new Set<(event: SwarmEvent) => void>();
  const directory = new Directory(
    {
      clock,
      node: {
        events,
        files: () => there.files,
        offers: () => {
          there.looks += 1;
          there.nowMs += there.lookMs;
          return there.offers;
        },
      },
      swarm: {
        subscribe(listener) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
    },
    () => {
      there.changes += 1;
    },
  );
  return {
    directory,
    there,
    offer(...offers: Offer[]) {
      there.offers = offers;
      for (const listener of listeners) listener({ type: "offers_changed" });
    },
    keep(...files: LocalFile[]) {
      there.files = files;
      events.publish("file_deleted", { file_id: "any" });
    },
  };
}

it("looks through offers that change at most once a moment, and more seldom where that takes long", () => {
  const { directory, there, offer } = openDirectory();
  const looksAfter = (ms: number) => {
    there.nowMs += ms;
    offer(offerOf("a"));
    directory.refresh();
    return there.looks;
  };
  expect(looksAfter(0)).toBe(1);
  expect(looksAfter(OFFERS_SETTLE_MS - 1)).toBe(1);
  expect(directory.nextRefreshMs).toBe(OFFERS_SETTLE_MS);
  there.lookMs = OFFERS_SETTLE_MS;
  expect(looksAfter(1)).toBe(2);
  expect(looksAfter(0)).toBe(2);
  const restMs = OFFERS_SETTLE_MS * (OFFERS_REST_FACTOR - 1);
  expect(directory.nextRefreshMs - there.nowMs).toBe(restMs);
  expect(looksAfter(restMs - 1)).toBe(2);
  expect(looksAfter(1)).toBe(3);
});

it("knows a file that was deleted here at once as others offer it, by their name for it", () => {
  const { directory, offer, keep } = openDirectory();
  offer(offerOf("a", { name: "theirs.txt", excerpt: "as they say" }));
  keep(localOf("a", "ours.txt"));
  directory.refresh();
  directory.setContent("a", { excerpt: "as it is", words: wordHashes("boat") });
  expect(directory.get("a")).toMatchObject({ name: "ours.txt", isLocal: true, holders: ["ada"] });
  keep();
  directory.refresh();
  expect(directory.get("a")).toMatchObject({ name: "theirs.txt", isLocal: false, holders: ["ada"] });
  expect(directory.excerpt("a")).toBe("as they say");
  expect(directory.texts.find("boat", () => true)).toEqual([]);
});

it("keeps a file that is here and no more offered, without what its holders said of it", () => {
  const { directory, there, offer, keep } = openDirectory();
  keep(localOf("a", "ours.txt"));
  offer(offerOf("a", { excerpt: "as they say" }));
  directory.refresh();
  expect(directory.excerpt("a")).toBe("as they say");
  there.nowMs += OFFERS_SETTLE_MS;
  offer();
  directory.refresh();
  expect(directory.get("a")).toMatchObject({ name: "ours.txt", holders: [] });
  expect(directory.excerpt("a")).toBe("");
});

it.each<[string, Partial<Offer>]>([
  ["others hold it", { completeHolders: ["bob"] }],
  ["more hold it", { partialHolders: ["bob"] }],
  ["its holders say something else of it", { excerpt: "about boats" }],
])("is another to the index once %s", (_what, change) => {
  const { directory, there, offer } = openDirectory();
  offer(offerOf("a"));
  directory.refresh();
  const { version } = directory;
  there.nowMs += OFFERS_SETTLE_MS;
  offer(offerOf("a"));
  directory.refresh();
  expect(directory.version).toBe(version);
  there.nowMs += OFFERS_SETTLE_MS;
  offer(offerOf("a", change));
  directory.refresh();
  expect(directory.version).toBe(version + 1);
});

it("hears of nothing once it is closed", () => {
  const { directory, there, offer, keep } = openDirectory();
  directory.close();
  offer(offerOf("a"));
  keep(localOf("b", "b.txt"));
  expect(there.changes).toBe(0);
});
