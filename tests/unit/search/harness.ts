/**
 * File search on a fake node, with an embedder whose vectors are counted words: texts are near when they have words, or
 * words of one meaning, in common. Everything runs in this process; indexes live as long as the harness.
 */
import { MessageChannel } from "node:worker_threads";
import type { Endpoint } from "comlink";
import { locateFsArchive, openFsIndexStorage } from "../../../src/headless/fs-index-storage.ts";
import type { TwoSpeedEmbedder } from "../../../src/search/embedding/embedder.ts";
import { type FileSearch, openFileSearch, type SearchQuery } from "../../../src/search/file-search.ts";
import type { SearchPorts } from "../../../src/search/ports.ts";
import { serveTexts } from "../../../src/search/texts/serve-texts.ts";
import type { TextThread } from "../../../src/search/texts/text-reader.ts";
import type { SwarmEvent } from "../../../src/sharing/ports.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { createFakeNode, type FakeNode } from "../../api/fake-node.ts";
import { realClock, SILENT } from "../../api/in-process.ts";
import { until } from "../../interop/until.ts";

const DIMENSION = 64;

/** Words that mean the same as another. */
const MEANINGS: Record<string, string> = {
  sourdough: "bread",
  loaf: "bread",
  baking: "bread",
  vehicle: "car",
  sedan: "car",
};

function embedding(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const meaning = MEANINGS[word] ?? word;
    let hash = 7;
    for (const letter of meaning) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
    vector[hash % DIMENSION] = (vector[hash % DIMENSION] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export class WordEmbedder implements TwoSpeedEmbedder {
  readonly dimension = DIMENSION;
  readonly modelId: string;
  readonly background = this;
  /** Texts embedded so far. */
  readonly texts: string[] = [];

  constructor(modelId = "words") {
    this.modelId = modelId;
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array> {
    signal?.throwIfAborted();
    this.texts.push(...texts);
    const all = new Float32Array(texts.length * DIMENSION);
    for (const [i, text] of texts.entries()) all.set(embedding(text), i * DIMENSION);
    return all;
  }

  async close(): Promise<void> {}
}

/** A reader of texts in this thread. */
export function textThread(serve: (port: Endpoint) => void = serveTexts): TextThread {
  const { port1, port2 } = new MessageChannel();
  serve(port2 as unknown as Endpoint);
  let end = () => {};
  const ended = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  return {
    port: port1 as unknown as Endpoint,
    ended,
    setBusy() {},
    async end() {
      port1.close();
      port2.close();
      end();
    },
  };
}

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
  startTextThread: () => TextThread;
}

export async function openHarness(folder: string, opening: Partial<Opening> = {}): Promise<Harness> {
  const fake = createFakeNode(realClock);
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

  function open({ embedder, startTextThread = textThread }: Partial<Opening>): FileSearch {
    return openFileSearch({
      node,
      swarm: {
        subscribe: (listener) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
        describe: (fileId, excerpt) => void told.set(fileId, excerpt),
      },
      clock: realClock,
      log: SILENT,
      ...(embedder && {
        meaning: {
          openEmbedder: async () => embedder,
          openVectors: async ({ folderName, dimension }) =>
            new Vx(
              { dimension, storagePath: `${folder}/${folderName}`, backupInterval: 0 },
              {
                startEngine: (settings) =>
                  openEngine(settings, { openStorage: openFsIndexStorage, locateArchive: locateFsArchive }),
              },
            ),
          startTextThread,
          traffic: () => ({
            uploadedBytes: 0,
            downloadedBytes: 0,
            uploadBytesPerSecond: 0,
            downloadBytesPerSecond: 0,
          }),
          tellsExcerpts: true,
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
