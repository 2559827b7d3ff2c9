/**
 * Search among many files that others offer, query by query as one types, in whatever host. Opened by search.ts for
 * Node.js and by the page in Chromium; calls search/file-search. Queries are embedded by the model; the vectors of the
 * files are those of a few texts with noise, for embedding them all would take minutes.
 */
import type { TwoSpeedEmbedder } from "../../src/search/embedding/embedder.ts";
import { type FileSearch, openFileSearch } from "../../src/search/file-search.ts";
import type { MeaningPorts } from "../../src/search/ports.ts";
import { createNodeEvents } from "../../src/sharing/events.ts";
import type { Log, Offer } from "../../src/sharing/ports.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";

export interface FilesBench {
  /** Settles when so many files are in the index. */
  fill(count: number, texts: string[]): Promise<void>;
  /** Returns the milliseconds of each search. */
  search(queries: string[]): Promise<number[]>;
  close(): Promise<void>;
}

type Host = Pick<MeaningPorts, "openEmbedder" | "openVectors">;

const LOG: Log = { debug() {}, info() {}, warn: console.warn };
const NO_TRAFFIC = {
  uploadedBytes: 0,
  downloadedBytes: 0,
  uploadBytesPerSecond: 0,
  downloadBytesPerSecond: 0,
};
const LOOK_EVERY_MS = 200;

export function openFilesBench(host: Host): FilesBench {
  let search: FileSearch | undefined;
  return {
    async fill(count, texts) {
      search = openFileSearch({
        node: {
          events: createNodeEvents(systemClock),
          files: () => [],
          offers: () => Array.from({ length: count }, (_, at) => offerOf(at, texts)),
          read: () => {
            throw new Error("nothing is here to be read");
          },
        },
        swarm: { subscribe: () => () => undefined, describe: () => undefined },
        clock: systemClock,
        log: LOG,
        meaning: {
          openEmbedder: async () => withNoise(await host.openEmbedder(), texts),
          openVectors: host.openVectors,
          startTextThread: () => {
            throw new Error("no document is read");
          },
          traffic: () => NO_TRAFFIC,
          tellsExcerpts: false,
        },
      });
      while (search.status().indexed < count) {
        const { state, problem } = search.status();
        if (state === "failed") throw new Error(problem);
        await systemClock.sleep(LOOK_EVERY_MS);
      }
    },
    async search(queries) {
      if (search === undefined) throw new Error("There are no files yet");
      const tookMs: number[] = [];
      for (const text of queries) {
        const startMs = performance.now();
        const { rankedBy } = await search.search({ text, scope: "network" }, new AbortController().signal);
        tookMs.push(performance.now() - startMs);
        if (rankedBy !== "meaning") throw new Error("The search was by name alone");
      }
      return tookMs;
    },
    close: async () => search?.close(),
  };
}

/** Every beginning of each query, as one types it. */
export function typed(queries: readonly string[]): string[] {
  return queries.flatMap((query) => Array.from(query, (_, at) => query.slice(0, at + 1)));
}

function offerOf(at: number, texts: readonly string[]): Offer {
  const excerpt = texts[at % texts.length] ?? "";
  const words = excerpt.split(/\W+/).filter(({ length }) => length > 3);
  const name = [words[at % words.length], words[(at * 7) % words.length], `${at}.pdf`].join(" ");
  return {
    fileId: `file${at}`,
    name,
    sizeBytes: at,
    chunkCount: 1,
    completeHolders: ["peer"],
    partialHolders: [],
    excerpt: excerpt.slice(0, 240),
  };
}

/** The model for queries; in the background, vectors of the texts in turn, each turned away at random. */
function withNoise(embedder: TwoSpeedEmbedder, texts: readonly string[]): TwoSpeedEmbedder {
  const { dimension, modelId } = embedder;
  let known: Promise<Float32Array> | undefined;
  let next = 0;
  return {
    dimension,
    modelId,
    embed: (asked, signal) => embedder.embed(asked, signal),
    close: () => embedder.close(),
    background: {
      dimension,
      modelId,
      async embed(asked) {
        known ??= embedder.embed(texts);
        const rows = await known;
        const all = new Float32Array(asked.length * dimension);
        for (let row = 0; row < asked.length; row++) {
          const from = (next++ % texts.length) * dimension;
          all.set(turned(rows.subarray(from, from + dimension)), row * dimension);
        }
        return all;
      },
    },
  };
}

/** Of unit length, at a cosine of about 0.7 to the one given. */
function turned(vector: Float32Array): Float32Array {
  const spread = Math.sqrt(12 / vector.length);
  const noisy = vector.map((value) => value + (Math.random() - 0.5) * spread);
  const length = Math.hypot(...noisy);
  return noisy.map((value) => value / length);
}
