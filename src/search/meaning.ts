/**
 * Search by meaning, as far as it is there: opens the model and the index once there is a file to find, keeps the indexer at
 * work, and answers with vectors. Made by file-search for a host with a model. One loop, `#run`, owns all of it.
 */
import { Bell } from "../sharing/bell.ts";
import { systemFailure } from "../sharing/system-failure.ts";
import { VxError } from "../vx/errors.ts";
import { toHex } from "../vx/storage/hex.ts";
import type { Vx } from "../vx/vx.ts";
import type { Directory } from "./directory.ts";
import type { TwoSpeedEmbedder } from "./embedding/embedder.ts";
import { EmbeddingError } from "./embedding/errors.ts";
import type { FileMap, FileMapper } from "./file-map.ts";
import { FileVectors } from "./file-vectors.ts";
import { Indexer } from "./indexer.ts";
import type { Scope } from "./known-file.ts";
import { REOPEN_FIRST_MS, REOPEN_MAX_MS } from "./limits.ts";
import { NearestFiles, type NearFile } from "./nearest-files.ts";
import { type Noise, noiseOf } from "./noise.ts";
import { PASSAGES_VERSION } from "./passages.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";
import { isReadable } from "./readable-query.ts";
import { TextReader } from "./texts/text-reader.ts";

/** `idle`: there was no file to find yet. `failed`: it is tried again; a model that can't be used may be put right meanwhile. */
export type MeaningState = "idle" | "loading" | "ready" | "failed";

/** What answers while it is there. */
interface Ready {
  embedder: TwoSpeedEmbedder;
  vectors: FileVectors;
  nearest: NearestFiles;
  vx: Vx;
  /** Loaded when a map is first asked for. */
  mapper?: FileMapper;
  indexer: Indexer;
  /** The index is lost, which nothing else may notice for long: it is opened anew. */
  lose(error: VxError): void;
}

export class Meaning {
  readonly #ports: SearchPorts;
  readonly #meaning: MeaningPorts;
  readonly #directory: Directory;
  readonly #changes = new Bell();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #embedder: TwoSpeedEmbedder | undefined;
  /** Of the model, from when it is first asked for. */
  #noise: Promise<Noise> | undefined;
  #ready: Ready | undefined;
  #state: MeaningState = "idle";
  #problem: string | undefined;

  constructor(ports: SearchPorts, meaning: MeaningPorts, directory: Directory) {
    this.#ports = ports;
    this.#meaning = meaning;
    this.#directory = directory;
    this.#running = this.#run(this.#stopping.signal);
  }

  get state(): MeaningState {
    return this.#state;
  }

  /** Why it failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get modelId(): string | undefined {
    return this.#embedder?.modelId;
  }

  /** Files in the index, and those that still have to be embedded. */
  counts(): { indexed: number; pending: number } {
    const indexed = this.#ready?.vectors.fileCount ?? 0;
    return { indexed, pending: this.#ready?.indexer.pendingCount ?? 0 };
  }

  /** Files may have changed. */
  changed(): void {
    this.#changes.ring();
  }

  /**
   * Files whose text or name is about what the query is about, nearest first; undefined while it is not ready, or has
   * no model.
   */
  async nearest(
    text: string,
    scope: Scope,
    wanted: number,
    { filter, signal }: { filter?: string | undefined; signal: AbortSignal },
  ): Promise<NearFile[] | undefined> {
    return await this.#whileReady(async (ready) => {
      if (!isReadable(text, ready.embedder.modelId)) return [];
      const vector = await ready.embedder.embed([text], signal);
      const noise = await this.#noiseOf(ready.embedder);
      return await ready.nearest.to(vector, scope, wanted, { noise, filter });
    });
  }

  /** Files like one in the index; undefined where it is not there, or noise is not known and there is no model. */
  async similar(fileId: string, scope: Scope, wanted: number): Promise<NearFile[] | undefined> {
    return await this.#whileReady(async (ready) => {
      const noise = await this.#noiseOf(ready.embedder);
      return await ready.nearest.like(fileId, scope, wanted, { noise });
    });
  }

  /** Where files lie by what they are about; undefined while it is not ready. */
  async map(scope: Scope): Promise<FileMap | undefined> {
    return await this.#whileReady(async (ready) => {
      const { FileMapper } = await import("./file-map.ts");
      ready.mapper ??= new FileMapper(ready.vx, ready.vectors, this.#directory);
      return await ready.mapper.draw(scope);
    });
  }

  /** Undefined while it is not ready. @throws VxError `invalid_query` */
  async matching(filter: string, fileIds: readonly string[]): Promise<Set<string> | undefined> {
    return await this.#whileReady(({ nearest }) => nearest.matching(filter, fileIds));
  }

  /** Undefined while it is not ready. @throws VxError `invalid_query` */
  async allMatching(filter: string, scope: Scope): Promise<Set<string> | undefined> {
    return await this.#whileReady(({ nearest }) => nearest.allMatching(filter, scope));
  }

  /** @throws VxError `invalid_query` unless the filter is one expression over the fields of files */
  async checkFilter(filter: string): Promise<void> {
    await this.#whileReady(({ nearest, embedder }) => nearest.checkFilter(filter, embedder.dimension));
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Never rejects. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports;
    let pauseMs = REOPEN_FIRST_MS;
    while (!signal.aborted) {
      try {
        await this.#waitForFiles(signal);
        await this.#work(signal, () => {
          pauseMs = REOPEN_FIRST_MS;
        });
      } catch (error) {
        if (signal.aborted) break;
        this.#state = "failed";
        this.#problem = isForeseen(error) ? error.message : (systemFailure(error) ?? "an internal error");
        log.warn("search by meaning is not to be had; files are found by name", { error });
        await clock.sleep(pauseMs, signal).catch(() => undefined);
        pauseMs = Math.min(pauseMs * 2, REOPEN_MAX_MS);
      }
    }
    await this.#embedder?.close();
  }

  async #waitForFiles(signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#directory.refresh();
      if (this.#directory.fileCount > 0) return;
      await this.#changes.waitUntil(this.#directory.nextRefreshMs, this.#ports.clock, signal);
    }
  }

  /** Opens what is needed and works until something fails or the signal aborts. */
  async #work(signal: AbortSignal, onReady: () => void): Promise<void> {
    const { clock } = this.#ports;
    this.#state = "loading";
    const embedder = await this.#openEmbedder(signal);
    signal.throwIfAborted();
    const { modelId, dimension } = embedder;
    const folderName = await folderNameOf(modelId);
    const vx = await this.#meaning.openVectors({ folderName, dimension });
    const texts = new TextReader(this.#meaning.startTextThread, clock);
    const losing = new AbortController();
    const either = AbortSignal.any([signal, losing.signal]);
    try {
      const vectors = await FileVectors.load(vx, signal);
      const indexer = new Indexer({
        ...this.#ports,
        ...this.#meaning,
        directory: this.#directory,
        vectors,
        embedder: embedder.background,
        texts,
      });
      this.#ready = {
        embedder,
        vectors,
        nearest: new NearestFiles(vx, vectors),
        vx,
        indexer,
        lose: (error) => losing.abort(error),
      };
      this.#state = "ready";
      this.#problem = undefined;
      onReady();
      for (;;) {
        await indexer.catchUp(either);
        const dueMs = Math.min(indexer.nextLookMs, this.#directory.nextRefreshMs);
        await this.#changes.waitUntil(dueMs, clock, either);
      }
    } finally {
      this.#ready = undefined;
      await texts.close();
      await vx.close();
    }
  }

  async #openEmbedder(signal: AbortSignal): Promise<TwoSpeedEmbedder> {
    this.#embedder ??= await this.#meaning.openEmbedder();
    signal.throwIfAborted();
    return this.#embedder;
  }

  /** Undefined where it is not ready, or model or index can't be had just now: names are searched all the same. */
  async #whileReady<T>(work: (ready: Ready) => Promise<T>): Promise<T | undefined> {
    const ready = this.#ready;
    if (ready === undefined) return undefined;
    try {
      return await work(ready);
    } catch (error) {
      if (error instanceof VxError && error.code === "unavailable") ready.lose(error);
      else if (!(error instanceof EmbeddingError)) throw error;
      this.#ports.log.warn("model or index can't be had for a search; files are found by name", { error });
      return undefined;
    }
  }

  async #noiseOf(embedder: TwoSpeedEmbedder): Promise<Noise> {
    this.#noise ??= noiseOf(embedder, this.#stopping.signal);
    try {
      return await this.#noise;
    } catch (error) {
      this.#noise = undefined;
      throw error;
    }
  }
}

/** Letters and digits that stand for the model and for how passages are made. */
async function folderNameOf(modelId: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${PASSAGES_VERSION} ${modelId}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return toHex(digest.subarray(0, 12));
}

/** Has words for whoever asks the node; all else, as what the file system says of its folders, is for the log alone. */
function isForeseen(error: unknown): error is Error {
  return error instanceof EmbeddingError || (error instanceof VxError && error.code !== "internal");
}
