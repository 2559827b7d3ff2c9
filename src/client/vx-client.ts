/**
 * The typed client of the vector index's HTTP API, with the methods of the seed's Python client and those that the page
 * needs. For the page, tests and users; calls nothing of ours but the request beside it.
 */
import type { Health } from "../api/health.ts";
import type { Backup, BackupEntry, ListedBackup, Restored } from "../api/vx/backups.ts";
import type { VectorEntry } from "../api/vx/listing.ts";
import type { VxMetrics } from "../api/vx/metrics.ts";
import type { Refitted } from "../api/vx/reduction.ts";
import type { Result, Scored } from "../api/vx/results.ts";
import type { VectorRecord } from "../api/vx/vectors.ts";
import {
  type Check,
  holds,
  isDone,
  isList,
  isNumber,
  isText,
  listOf,
  type Members,
} from "./answer-checks.ts";
import type { ListOptions } from "./client.ts";
import { pathTo } from "./path-to.ts";
import { type Ask, type ClientOptions, createAsk, createSend, type Send } from "./send.ts";
import { ShoalError } from "./shoal-error.ts";
import { VxError, vxErrorFrom } from "./vx-error.ts";
import { checkFacets, invalidId, jsonText, numbersOf, recordOf, recordsOf, rowsOf } from "./vx-values.ts";

export type Vector = readonly number[] | Float32Array;

/** An object of any declared type. What is iterated over, as an array, a Map or a Set, is none. */
export type MetadataObject = Record<string, unknown> | (object & { readonly [Symbol.iterator]?: never });

export interface NewVector {
  /** An integer from 0 to 2^53 - 1. */
  id: number | bigint;
  /** As many numbers as the index's dimension. */
  vector: Vector;
  /** An object that JSON can hold; by default empty. */
  metadata?: MetadataObject | undefined;
}

export type Row = Record<string, string | number | null>;

/** Rows of a query, the first 10,000. */
export interface Rows extends Array<Row> {
  /** Whether there are more. Not enumerable: the rows are a plain array to who compares, copies or prints them. */
  readonly truncated: boolean;
}

type Bytes = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

interface Added {
  success: true;
  count: number;
}

const DONE = { success: isDone };
const ADDED_ALL = { success: isDone, count: isNumber };
const RECORD = { id: isNumber, vector: listOf(isNumber) };
const REDUCED = { vectors: listOf(listOf(isNumber)) };
const isResult = holds({ id: isNumber, distance: isNumber });

const JSON_BODY = { "content-type": "application/json" };
const ARROW_STREAM = "application/vnd.apache.arrow.stream";

/**
 * Every method throws VxError for a refusal or an answer that is no server's of ours, and what fetch throws where none
 * comes: of a few hundred requests at once, too, since in Node.js each has a connection of its own, and a server takes
 * 256.
 */
export class Client {
  readonly #send: Send;
  readonly #json: Ask;

  /**
   * `serverUrl` is the origin of a node or of `shoal vx`, such as `http://127.0.0.1:8081`.
   * @throws TypeError for what is no such URL
   */
  constructor(serverUrl: string, options: ClientOptions = {}) {
    const send = createSend(serverUrl, options);
    const ask = createAsk(serverUrl, send);
    this.#send = (...request) => send(...request).catch(refused);
    this.#json = <T extends object>(...request: Parameters<Ask>) => ask<T>(...request).catch(refused);
  }

  /**
   * Adds a vector, in place of what the id held; it is durable then. `id` is an integer from 0 to 2^53 - 1.
   * DimensionMismatchError, InvalidIDError; VxError `invalid_vector`, `invalid_request`, `capacity_exceeded`, `storage_full`.
   */
  async add(id: number | bigint, vector: Vector, metadata?: MetadataObject): Promise<void> {
    await this.#post(DONE, "/vectors", recordOf({ id, vector, metadata }));
  }

  /** Adds all of them or none; throws as `add`, and VxError `payload_too_large` for more than the server's --max-body. */
  async batchAdd(vectors: readonly NewVector[]): Promise<void> {
    await this.#post(ADDED_ALL, "/vectors/batch", { vectors: recordsOf(vectors) });
  }

  /** Adds all records of a JSON text `{"vectors":[...]}` or none; it is sent as it is. Gives how many. */
  async batchAddJson(text: Blob): Promise<number> {
    const sent = { body: text, headers: JSON_BODY };
    return (await this.#json<Added>(ADDED_ALL, "POST", "/vectors/batch", sent)).count;
  }

  /** Adds the records of an Arrow IPC stream, each of its batches all or none; gives how many. */
  async appendFromArrow(stream: Bytes): Promise<number> {
    const headers = { "content-type": ARROW_STREAM };
    const answer = await this.#json<Added>(ADDED_ALL, "POST", "/vectors/arrow", { body: stream, headers });
    return answer.count;
  }

  /** Undefined if there is no such vector. InvalidIDError. */
  async get(id: number | bigint): Promise<VectorRecord | undefined> {
    return await this.#unlessMissing(this.#json<VectorRecord>(RECORD, "GET", pathOf(id)));
  }

  /** False if there was no such vector. InvalidIDError. */
  async delete(id: number | bigint): Promise<boolean> {
    return (await this.#unlessMissing(this.#json(DONE, "DELETE", pathOf(id)))) !== undefined;
  }

  /** Ids and metadata, and with `vectors: true` the vectors: 100 by default, 1,000 at most. */
  list(
    page: ListOptions & { vectors?: boolean | undefined } = {},
  ): Promise<{ vectors: VectorEntry[]; total: number }> {
    return this.#json({ vectors: isList, total: isNumber }, "GET", "/vectors", { query: { ...page } });
  }

  /**
   * The k nearest (10 by default, 10,000 at most), or one page of that ranking; pages are numbered from 1. Distances are
   * 1 - cosine similarity (0 to 2) or Euclidean, by the index's metric.
   */
  async search(vector: Vector, k?: number, page?: number, pageSize?: number): Promise<Result[]> {
    return await this.#results(isResult, "/search", {
      vector: numbersOf(vector),
      k,
      page,
      page_size: pageSize,
    });
  }

  /**
   * The k nearest whose metadata an SQL expression is true for, such as `category = 'science' AND rating > 4`: columns
   * are `id` and the keys of metadata, NULL where a record lacks one; `json_array_contains(tags, 'physics')` looks into
   * a list. VxError `invalid_query`.
   */
  async hybridSearch(
    vector: Vector,
    k: number | undefined,
    filter: string,
    page?: number,
    pageSize?: number,
  ): Promise<Result[]> {
    return await this.#results(isResult, "/search/hybrid", {
      vector: numbersOf(vector),
      k,
      filter,
      page,
      page_size: pageSize,
    });
  }

  /** The k of highest `score`: near the positive vector and far from the negatives. */
  async searchWithNegatives(
    positiveVector: Vector,
    negativeVectors: readonly Vector[],
    k?: number,
    page?: number,
    pageSize?: number,
  ): Promise<Scored[]> {
    return await this.#results(isResult, "/search/negatives", {
      positive_vector: numbersOf(positiveVector),
      negative_vectors: rowsOf(negativeVectors),
      k,
      page,
      page_size: pageSize,
    });
  }

  /** The k nearest whose metadata has every value, or an array that contains it. */
  async facetedSearch(
    vector: Vector,
    k: number | undefined,
    facets: Record<string, string | number | boolean>,
    page?: number,
    pageSize?: number,
  ): Promise<Result[]> {
    checkFacets(facets);
    return await this.#results(isResult, "/search/faceted", {
      vector: numbersOf(vector),
      k,
      facets,
      page,
      page_size: pageSize,
    });
  }

  /** One list a vector. */
  async multiVectorSearch(vectors: readonly Vector[], k?: number): Promise<Result[][]> {
    return await this.#results(listOf(isResult), "/search/multi", {
      vectors: rowsOf(vectors),
      k,
    });
  }

  /**
   * Rows of one SELECT over the table `metadata`, the first 10,000: columns are `id`, `json` (all of a record's
   * metadata) and each key. Arrays and objects come as JSON text, booleans as 1 and 0. Integers beyond 2^53 come
   * rounded, as JSON.parse does; `json -> 'key'` is the text of one as it was added. VxError `invalid_query`.
   */
  async queryMetadata(query: string): Promise<Rows> {
    const { results, truncated } = await this.#post<{ results: Row[]; truncated?: boolean }>(
      { results: listOf(holds({})) },
      "/metadata/query",
      { query },
    );
    // Older nodes do not say.
    return Object.defineProperty(results, "truncated", { value: truncated === true }) as Rows;
  }

  /**
   * Vectors with fewer dimensions, added nowhere. VxError `reduction_disabled` where the index does not reduce, `conflict`
   * until it has a model.
   */
  async reduceVectors(vectors: readonly Vector[]): Promise<number[][]> {
    const sent = { vectors: rowsOf(vectors) };
    return (await this.#post<{ vectors: number[][] }>(REDUCED, "/reduce", sent)).vectors;
  }

  /**
   * Fits a new model to the vectors that are there now, and settles when searches use it. VxError `reduction_disabled`,
   * `conflict` where there are too few.
   */
  refit(): Promise<Refitted> {
    return this.#json({ reduced_dimension: isNumber }, "POST", "/admin/refit");
  }

  /**
   * Writes an archive into the server's folder of backups, at `path` in it or under a name of its own. `incremental`:
   * only what changed since the newest one. `compress`: by default as the server is set. VxError `conflict` where there
   * is one of that name.
   */
  backup(path?: string, incremental?: boolean, compress?: boolean): Promise<Backup> {
    return this.#post({ path: isText }, "/admin/backup", { path, incremental, compress });
  }

  /**
   * Makes the index what an archive holds; where that fails it stays what it is. VxError `backup_not_found`,
   * `backup_corrupt`.
   */
  restore(path: string): Promise<Restored> {
    return this.#post({ vector_count: isNumber }, "/admin/restore", { path });
  }

  /** Archives in the server's folder of backups, newest first. */
  async backups(): Promise<ListedBackup[]> {
    return (await this.#json<{ backups: ListedBackup[] }>({ backups: isList }, "GET", "/admin/backups"))
      .backups;
  }

  /** The archive's bytes, as the response's body. VxError `backup_not_found`. */
  downloadBackup(name: string, signal?: AbortSignal): Promise<Response> {
    return this.#send("GET", pathTo`/admin/backups/${name}`, { signal });
  }

  /** Keeps an archive for `restore`. VxError `conflict` where there is one of that name, `backup_corrupt`. */
  uploadBackup(name: string, archive: Bytes, signal?: AbortSignal): Promise<BackupEntry> {
    const headers = { "content-type": "application/zip" };
    const path = pathTo`/admin/backups/${name}`;
    return this.#json({ path: isText }, "PUT", path, { body: archive, headers, signal });
  }

  /** VxError `conflict` while another backup goes on from it. */
  async deleteBackup(name: string): Promise<void> {
    await this.#json(DONE, "DELETE", pathTo`/admin/backups/${name}`);
  }

  /** Memory in megabytes (10^6 bytes), uptime in seconds, medians of the latest calls in milliseconds. */
  metrics(): Promise<VxMetrics> {
    return this.#json({ vector_count: isNumber }, "GET", "/admin/metrics");
  }

  /** Whether the index is served, and for how many seconds; needs no key. VxError `unavailable` while a stored one is loading. */
  health(): Promise<Health> {
    return this.#json({ status: isText }, "GET", "/health");
  }

  async #results<T>(isOne: Check, path: string, body: object): Promise<T[]> {
    return (await this.#post<{ results: T[] }>({ results: listOf(isOne) }, path, body)).results;
  }

  async #post<T extends object>(members: NoInfer<Members<T>>, path: string, json: object): Promise<T> {
    return await this.#json<T>(members, "POST", path, { body: jsonText(json), headers: JSON_BODY });
  }

  async #unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof VxError && error.code === "not_found" && error.status === 404) return undefined;
      throw error;
    }
  }
}

/** What is not made of digits could be another route's path. */
function pathOf(id: number | bigint): string {
  if (/^\d+$/.test(String(id))) return `/vectors/${id}`;
  throw invalidId();
}

function refused(error: unknown): never {
  throw error instanceof ShoalError ? vxErrorFrom(error) : error;
}
