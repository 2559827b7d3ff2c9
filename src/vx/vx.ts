/**
 * The vector index as a library: class Vx. Used by the HTTP routes and by programs (package export `shoal/vx`); calls an
 * engine that its host starts, in a worker or here. Arguments are checked and brought into the engine's types before
 * anything is sent. Operations, their order of parameters and defaults: the seed's library; errors: VxError.
 */
import {
  checkText,
  checkWhole,
  type MetadataInput,
  readBatch,
  readFacets,
  readId,
  readMetadata,
  readRange,
  readVector,
  readVectors,
  type Vector,
  type VectorId,
} from "./arguments.ts";
import type { ArrowInput } from "./arrow/input.ts";
import { type Config, readConfig } from "./config.ts";
import { encodedTexts } from "./engine/encoded-texts.ts";
import type {
  Health,
  IndexDescription,
  Metrics,
  Ranking,
  RecordBatch,
  RefitResult,
  RestoreResult,
} from "./engine/engine.ts";
import { afterAdding, reductionDisabled, VxError } from "./errors.ts";
import { MAX_LIST_RECORDS, MAX_MULTI_RESULTS } from "./limits.ts";
import type { Facets, Narrowing } from "./metadata/metadata-index.ts";
import { type OpenIndex, Opening, type OpenOptions, type VxHost } from "./opening.ts";
import {
  parsed,
  type ReadMetadata,
  type RecordList,
  type Rows,
  type ScoredResult,
  type SearchResult,
  toRecord,
  toRecordList,
  toResults,
  toRows,
  toScoredResults,
  unparsed,
  type VectorRecord,
} from "./results.ts";
import type { BackupResult } from "./storage/index-store.ts";
import { TurnClock } from "./turn-clock.ts";
import { atOnce, type InTurns } from "./turns.ts";

export type { OpenOptions, VxHost } from "./opening.ts";

export class Vx {
  readonly #opening: Opening;
  readonly #read: ReadMetadata;

  /**
   * Opens the index, or makes it where there is none. Methods wait until it is open, and throw what `ready` throws. Changes
   * are made in the order of their calls, awaited or not; calls to an open index take their arguments as they are at that moment.
   * @throws VxError `invalid_request`, `encryption_key_invalid`
   */
  constructor(config: Config, host: VxHost, options: OpenOptions = {}) {
    const { create = true, passesTexts = false, ...when } = options;
    this.#opening = new Opening(readConfig(config, create), host, when);
    this.#read = passesTexts ? unparsed : parsed;
  }

  /**
   * Settles when the index is open.
   * @throws DimensionMismatchError, VxError `invalid_request` (another distance than the stored one), `not_found` (with
   * `create: false`), `conflict` (opened by another), `encryption_key_invalid`, `storage_full`, `internal`
   */
  async ready(): Promise<void> {
    await this.#open();
  }

  /** What the open index is: dimension, distance, folder of scheduled backups. */
  async describe(): Promise<IndexDescription> {
    return (this.#now ?? (await this.#open())).engine.describe();
  }

  /**
   * Adds a vector, in place of what the id held.
   * @throws InvalidIDError, DimensionMismatchError, VxError `invalid_vector`, `invalid_request`, `capacity_exceeded`,
   * `storage_full`, `unavailable`
   */
  async add(id: VectorId, vector: Vector, metadata?: MetadataInput): Promise<void> {
    const { engine, description } = this.#now ?? (await this.#open());
    await engine.add({
      metadata: encodedTexts([readMetadata(metadata)]),
      ids: BigUint64Array.of(readId(id)),
      vectors: readVector(vector, description.dimension),
    });
  }

  /**
   * Adds all vectors or none, also to a concurrent search and after a crash. Throws what `add` throws. They are copied at
   * once, or by `inTurns`, for a thread with others to serve; then they must stay as they are until all is added.
   */
  async batchAdd(
    ids: ArrayLike<VectorId>,
    vectors: ArrayLike<Vector>,
    metadata?: ArrayLike<MetadataInput>,
    inTurns?: InTurns,
  ): Promise<void> {
    const { engine, description } = this.#now ?? (await this.#open());
    const reading = readBatch(ids, vectors, metadata, description.dimension);
    const batch = inTurns === undefined ? atOnce(reading) : await inTurns(reading);
    if (batch.ids.length > 0) await engine.add(batch);
  }

  /**
   * Adds the records of Arrow data batch by batch, each all or nothing; see arrow/read-arrow for the columns. Gives how many
   * were added, as does the message of a refusal after some. `maxId` is for who can't name larger ids again. Throws
   * what `add` throws.
   */
  async appendFromArrow(
    data: ArrowInput,
    { maxId }: { maxId?: bigint | undefined } = {},
  ): Promise<{ count: number }> {
    const { engine, description } = this.#now ?? (await this.#open());
    const { readArrow } = await import("./arrow/read-arrow.ts");
    let count = 0;
    try {
      for await (const batch of readArrow(data, { dimension: description.dimension, maxId })) {
        await engine.add(batch satisfies RecordBatch);
        count += batch.ids.length;
      }
    } catch (error) {
      throw afterAdding(count, error);
    }
    return { count };
  }

  /** The record, with the vector as it was added; undefined if the id is not there. @throws InvalidIDError */
  async get(id: VectorId): Promise<VectorRecord | undefined> {
    const { engine } = this.#now ?? (await this.#open());
    const key = readId(id);
    const record = await engine.get(key);
    return record && toRecord(key, record, this.#read);
  }

  /** False if the id was not there. @throws InvalidIDError, VxError `storage_full`, `unavailable` */
  async delete(id: VectorId): Promise<boolean> {
    const { engine } = this.#now ?? (await this.#open());
    return engine.delete(readId(id));
  }

  /**
   * A page of all records, in an order that changes to the index may change; at most 1,000 a page.
   * @throws VxError `invalid_request`
   */
  async list(offset = 0, limit = 100): Promise<RecordList> {
    const { engine } = this.#now ?? (await this.#open());
    checkWhole("offset", offset, 0);
    checkWhole("limit", limit, 1, MAX_LIST_RECORDS);
    return toRecordList(await engine.list(offset, limit), this.#read);
  }

  /**
   * The k nearest (10 by default, 10,000 at most), or one page of that ranking; pages are numbered from 1, and each is
   * a search of its own, among what is there then. Distances are 1 - cosine similarity (0 to 2) or Euclidean, by the
   * index's distance.
   * @throws DimensionMismatchError, VxError `invalid_vector`, `invalid_request`
   */
  async search(query: Vector, k?: number, page?: number, pageSize?: number): Promise<SearchResult[]> {
    return toResults(await this.#search(query, [k, page, pageSize]), this.#read);
  }

  /**
   * The k nearest of the records that the SQL expression is true for, such as `category = 'science' AND rating > 4`:
   * columns are `id` and the keys of metadata, NULL where a record lacks one; `json_array_contains(tags, 'physics')`
   * looks into a list. Ids are exact to 2^63 - 1, and beyond compared as rounded.
   * @throws what search throws, VxError `invalid_query`
   */
  async searchWithFilter(
    query: Vector,
    k: number | undefined,
    filter: string,
    page?: number,
    pageSize?: number,
  ): Promise<SearchResult[]> {
    checkText("The filter", filter);
    return toResults(await this.#search(query, [k, page, pageSize], { filter }), this.#read);
  }

  /** The k nearest of the records in which every key has its value, or an array that contains it. Throws what search throws. */
  async facetedSearch(
    query: Vector,
    k: number | undefined,
    facets: Facets,
    page?: number,
    pageSize?: number,
  ): Promise<SearchResult[]> {
    const narrowing = { facets: readFacets(facets) };
    return toResults(await this.#search(query, [k, page, pageSize], narrowing), this.#read);
  }

  /** The k of highest score: near the positive vector and far from the negatives. Throws what search throws. */
  async searchWithNegatives(
    positive: Vector,
    negatives: ArrayLike<Vector>,
    k?: number,
    page?: number,
    pageSize?: number,
  ): Promise<ScoredResult[]> {
    const { engine, description } = this.#now ?? (await this.#open());
    const { dimension } = description;
    const range = readRange(k, page, pageSize);
    const vector = readVector(positive, dimension);
    const ranking = await engine.searchNegatives(vector, readVectors(negatives, dimension), range);
    return toScoredResults(ranking, this.#read);
  }

  /** One ranking a query. Throws what search throws. */
  async multiVectorSearch(queries: ArrayLike<Vector>, k?: number): Promise<SearchResult[][]> {
    const { engine, description } = this.#now ?? (await this.#open());
    const range = readRange(k);
    const vectors = readVectors(queries, description.dimension);
    if (vectors.length * range.k > MAX_MULTI_RESULTS) {
      throw new VxError("invalid_request", `Queries times k may be ${MAX_MULTI_RESULTS} at most`);
    }
    const clock = new TurnClock();
    const lists: SearchResult[][] = [];
    for (const ranking of await engine.searchMany(vectors, range.k)) {
      lists.push(toResults(ranking, this.#read));
      if (clock.isOver) await clock.next();
    }
    return lists;
  }

  /**
   * Rows of one SELECT over the table `metadata`, the first 10,000: columns are `id`, `json` (all of a record's
   * metadata) and each key. Arrays and objects come as JSON text, booleans as 1 and 0. Integers beyond 2^63 - 1, ids too,
   * come rounded: `json -> 'key'` is the text of one as it was added. @throws VxError `invalid_query`
   */
  async queryMetadata(sql: string): Promise<Rows> {
    checkText("The query", sql);
    return toRows(await (this.#now ?? (await this.#open())).engine.queryMetadata(sql));
  }

  /**
   * Vectors with fewer dimensions, as the index reduces those it searches; added nowhere. Of none also before it has a model.
   * @throws DimensionMismatchError, VxError `reduction_disabled`, `conflict` (too few vectors to have a model yet),
   * `invalid_vector`
   */
  async reduceVectors(vectors: ArrayLike<Vector>): Promise<Float32Array[]> {
    // One that is not there yet is what the settings say, and need not be made to say so.
    if (this.#opening.isUntouched && !this.#opening.reduces) throw reductionDisabled();
    const { engine, description } = this.#now ?? (await this.#open());
    return engine.reduce(readVectors(vectors, description.dimension));
  }

  /**
   * Fits a new model to the vectors that are there now, and settles when searches use it; they and changes go on meanwhile.
   * @throws VxError `reduction_disabled`, `conflict` (less than twice as many vectors as the target), `unavailable` (closed or
   * restored meanwhile), `capacity_exceeded`, `storage_full`
   */
  async refit(): Promise<RefitResult> {
    return (this.#now ?? (await this.#open())).engine.refit();
  }

  /**
   * Writes the whole index to its folder, or a copy to another one, which `load` opens.
   * @throws VxError `storage_full`, `conflict`, `invalid_request` (in memory, without a path)
   */
  async save(path?: string): Promise<void> {
    if (path !== undefined) checkText("The path", path);
    await (this.#now ?? (await this.#open())).engine.save(path);
  }

  /**
   * Writes an archive of all that is durable now: at `path` (relative ones begin at the working directory), or under a
   * name of its own in `backupPath`. `incremental`: only what changed since the newest one there. `compress`: default
   * `backupCompression`.
   * @throws VxError `conflict` (a file of that name), `invalid_request`, `capacity_exceeded` (more than an archive holds),
   * `storage_full`
   */
  async backup(path?: string, incremental = false, compress?: boolean): Promise<BackupResult> {
    if (path !== undefined) checkText("The path", path);
    return (this.#now ?? (await this.#open())).engine.backup({ path, incremental, compress });
  }

  /**
   * The index becomes what the archive holds; where it fails it stays what it is.
   * @throws DimensionMismatchError, VxError `backup_not_found`, `backup_corrupt`, `encryption_key_invalid`,
   * `invalid_request`, `capacity_exceeded`, `storage_full`, `unavailable` (what it goes on from cannot be read)
   */
  async restore(path: string): Promise<RestoreResult> {
    checkText("The path", path);
    return (this.#now ?? (await this.#open())).engine.restore(path);
  }

  /** What is there, and what failed of what runs by itself. @throws what `ready` throws */
  async healthCheck(): Promise<Health> {
    return this.#opening.isUntouched
      ? this.#opening.emptyHealth
      : (this.#now ?? (await this.#open())).engine.health();
  }

  /** Counts, and medians of the latest calls. @throws what `ready` throws */
  async collectMetrics(): Promise<Metrics> {
    if (this.#opening.isUntouched) return this.#opening.emptyMetrics;
    const metrics = await (this.#now ?? (await this.#open())).engine.metrics();
    // The engine's own begins when it was opened, which may be long after the first was told.
    return { ...metrics, uptime_seconds: this.#opening.uptimeSeconds };
  }

  /**
   * Waits for what is under way and lets go of the folder. Everything acknowledged is durable without it. Where a long batch is
   * left to the next opening, what needs all of it (listings, SQL, copies) is refused as `unavailable`.
   */
  close(): Promise<void> {
    return this.#opening.close();
  }

  /** Where it is open, asked before any await: arguments are read then before their owner may change them. */
  get #now(): OpenIndex | undefined {
    return this.#opening.now;
  }

  #open(): Promise<OpenIndex> {
    return this.#opening.open();
  }

  async #search(
    query: Vector,
    [k, page, pageSize]: [k?: number | undefined, page?: number | undefined, pageSize?: number | undefined],
    narrowing?: Narrowing,
  ): Promise<Ranking> {
    const { engine, description } = this.#now ?? (await this.#open());
    const vector = readVector(query, description.dimension);
    return engine.search(vector, readRange(k, page, pageSize), narrowing);
  }
}
