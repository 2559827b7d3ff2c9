/**
 * A model for tests, whose vectors are counted words: texts are near when they have words, or words of one meaning, in common.
 * With what else search by meaning asks of a host, in this thread.
 */
import { MessageChannel } from "node:worker_threads";
import type { Endpoint } from "comlink";
import { locateFsArchive } from "../../../src/headless/index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../../../src/headless/index/fs-index-storage.ts";
import type { TwoSpeedEmbedder } from "../../../src/search/embedding/embedder.ts";
import type { MeaningPorts } from "../../../src/search/ports.ts";
import type { ServingThread } from "../../../src/search/serving-thread.ts";
import { serveTexts } from "../../../src/search/texts/serve-texts.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { Vx } from "../../../src/vx/vx.ts";

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
  const length = Math.hypot(...vector);
  // As of models, for a text that has no words of theirs.
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
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
export function textThread(serve: (port: Endpoint) => void = serveTexts): ServingThread {
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

/** What a host with this model gives; vectors stand in the folder, or in memory. */
export function wordMeaning(embedder: WordEmbedder, folder?: string): MeaningPorts {
  const media = { openStorage: openFsIndexStorage, locateArchive: locateFsArchive };
  return {
    openEmbedder: async () => embedder,
    openVectors: async ({ folderName, dimension }) =>
      new Vx(
        { dimension, backupInterval: 0, ...(folder && { storagePath: `${folder}/${folderName}` }) },
        { startEngine: (settings) => openEngine(settings, media) },
      ),
    startTextThread: textThread,
    traffic: () => ({
      uploadedBytes: 0,
      downloadedBytes: 0,
      uploadBytesPerSecond: 0,
      downloadBytesPerSecond: 0,
    }),
    tellsExcerpts: true,
  };
}
