/**
 * File search on a fake node with a model that counts words (word-model.ts). Everything runs in this process; indexes live as
 * long as the harness.
 */
import { type FileSearch, openFileSearch, type SearchQuery } from "../../../src/search/file-search.ts";
import type { SearchPorts } from "../../../src/search/ports.ts";
import type { ServingThread } from "../../../src/search/serving-thread.ts";
import type { Clock, SwarmEvent } from "../../../src/sharing/ports.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import type { Vx } from "../../../src/vx/vx.ts";
import { createFakeNode, type FakeNode } from "../../api/fake-node.ts";
import { SILENT } from "../../api/in-process.ts";
import { until } from "../../interop/until.ts";
import { textThread, WordEmbedder, wordMeaning } from "./word-model.ts";

export interface Harness {
  fake: FakeNode;
  search: FileSearch;
  embedder: WordEmbedder;
  /** What the swarm was told, by file id. */
  told: Map<string, string>;
  share(name: string, content: string | Uint8Array): Promise<string>;
  /** Another peer offers the file, with an excerpt. */
  offer(name: string, excerpt: string): Promise<string>;
  /** Ends the offer. */
  retract(fileId: string): void;
  find(text: string, more?: Partial<SearchQuery>): Promise<string[]>;
  /** Settles when as many files are in the index and none waits. */
  indexed(count: number): Promise<void>;
  /** Closes search and opens it anew, as a restart does. */
  restart(ports?: Partial<Opening>): Promise<void>;
  close(): Promise<void>;
}

interface Opening {
  embedder: WordEmbedder | undefined;
  startTextThread: () => ServingThread;
  clock: Clock;
  tellsExcerpts: boolean;
  /** Told of each index that is opened. */
  onOpened: (vx: Vx) => void;
}

export async function openHarness(folder: string, opening: Partial<Opening> = {}): Promise<Harness> {
  const fake = createFakeNode(systemClock);
  const excerpts = new Map<string, string>();
  const retracted = new Set<string>();
  const told = new Map<string, string>();
  const listeners = new Set<(event: SwarmEvent) => void>();
  const notify = () => {
    for (const listener of listeners) listener({ type: "offers_changed" });
  };
  const node: SearchPorts["node"] = {
    ...fake.node,
    read: (...range) => fake.node.read(...range),
    offers: () =>
      fake.node
        .offers()
        .filter(({ fileId }) => !retracted.has(fileId))
        .map((offer) => ({ ...offer, excerpt: excerpts.get(offer.fileId) ?? "" })),
  };

  function open({
    embedder,
    startTextThread = textThread,
    clock = systemClock,
    tellsExcerpts = true,
    onOpened,
  }: Partial<Opening>): FileSearch {
    const meaning = embedder && wordMeaning(embedder, folder);
    return openFileSearch({
      node,
      swarm: {
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        describe: (fileId, excerpt) => void told.set(fileId, excerpt),
      },
      clock,
      log: SILENT,
      ...(meaning && {
        meaning: {
          ...meaning,
          startTextThread,
          tellsExcerpts,
          async openVectors(model) {
            const vx = await meaning.openVectors(model);
            onOpened?.(vx);
            return vx;
          },
        },
      }),
    });
  }

  const embedder = "embedder" in opening ? opening.embedder : new WordEmbedder();
  const harness: Harness = {
    fake,
    embedder: embedder ?? new WordEmbedder(),
    search: open({ ...opening, embedder }),
    told,
    async share(name, content) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const { file } = await fake.node.share(once(bytes), { name });
      return file.id;
    },
    async offer(name, excerpt) {
      const { fileId } = await fake.offer(name, new TextEncoder().encode(name));
      excerpts.set(fileId, excerpt);
      notify();
      return fileId;
    },
    retract(fileId) {
      retracted.add(fileId);
      notify();
    },
    async find(text, more = {}) {
      const query = { text, scope: "local" as const, ...more };
      const { hits } = await harness.search.search(query, new AbortController().signal);
      return hits.map(({ file }) => file.name);
    },
    async indexed(count) {
      await until(`${count} files are in the index`, () => {
        const { indexed, pending } = harness.search.status();
        return indexed === count && pending === 0;
      });
    },
    async restart(ports = {}) {
      await harness.search.close();
      if (ports.embedder !== undefined) harness.embedder = ports.embedder;
      harness.search = open({ embedder, ...opening, ...ports });
    },
    close: () => harness.search.close(),
  };
  return harness;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
