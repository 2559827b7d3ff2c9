/**
 * An engine in another thread. Made by a runtime's host; the other end is serveEngine. Vectors are handed over, small ones
 * copied; an engine whose thread is lost refuses every call, those under way too. Where that thread shares its memory, searches
 * are made here that take no longer than a call.
 */
import type { Endpoint } from "comlink";
import type { EngineSettings } from "../config.ts";
import { fromErrorData, toErrorData, VxError } from "../errors.ts";
import type { Narrowing } from "../metadata/metadata-index.ts";
import { AnswerSize } from "./answer-size.ts";
import type { BackupRequest, Engine, Ranking, RecordBatch, ResultRange } from "./engine.ts";
import { MIN_TRANSFERRED_BYTES, RESULTS_A_MESSAGE } from "./limits.ts";
import type { LocalSearch } from "./local-search.ts";
import type {
  Answer,
  ArgumentsOf,
  EngineAnswer,
  EngineMethod,
  EngineRequest,
  ResultOf,
} from "./serve-engine.ts";
import type { SharedRecords } from "./shared-records.ts";

interface Call {
  settle(answer: Answer<unknown>): void;
  reject(error: VxError): void;
}

/** A thread that serves an engine. */
export interface EngineThread {
  port: Endpoint;
  /** Settles when the thread has ended, with the reason if it did so by itself. */
  ended: Promise<Error | undefined>;
  /** Whether calls are under way: an idle thread keeps no process alive. */
  setBusy(isBusy: boolean): void;
  end(): Promise<void>;
}

export class RemoteEngine implements Engine {
  readonly #thread: EngineThread;
  /** Calls under way, by number. */
  readonly #calls = new Map<number, Call>();
  readonly #local: LocalSearch | undefined;
  #lastNumber = 0;
  /** Under way. */
  #restores = 0;
  #isClosing = false;
  #lost: VxError | undefined;

  private constructor(thread: EngineThread, local: LocalSearch | undefined) {
    this.#thread = thread;
    this.#local = local;
    thread.port.addEventListener("message", ((event: MessageEvent<EngineAnswer>) => {
      this.#end(...event.data);
    }) as EventListener);
    thread.port.start?.();
    void thread.ended.then((reason) => this.#lose(reason));
  }

  /** Opens an index in the thread, which is ended if that fails. `local` is for runtimes that share memory with threads. */
  static async open(
    thread: EngineThread,
    settings: EngineSettings,
    local?: LocalSearch,
  ): Promise<RemoteEngine> {
    const engine = new RemoteEngine(thread, local);
    try {
      const shared = (await engine.#ask("open", [settings], [])) as SharedRecords | undefined;
      engine.#share(shared);
      return engine;
    } catch (error) {
      await thread.end();
      throw error;
    }
  }

  get ended(): Promise<Error | undefined> {
    return this.#thread.ended;
  }

  describe() {
    return this.#call("describe", []);
  }

  /** Vectors that are a view are copied once, the others handed over. */
  add(batch: RecordBatch) {
    const vectors = batch.isView ? batch.vectors.slice() : batch.vectors;
    const texts = batch.metadata === undefined ? [] : [batch.metadata.bytes, batch.metadata.lengths];
    return this.#call("add", [{ ...batch, vectors, isView: false }], [vectors, batch.ids, ...texts]);
  }

  delete(id: bigint) {
    return this.#call("delete", [id]);
  }

  get(id: bigint) {
    return this.#call("get", [id]);
  }

  list(offset: number, limit: number) {
    return this.#call("list", [offset, limit]);
  }

  async search(query: Float32Array, range: ResultRange, narrowing?: Narrowing) {
    const ranking = this.#local?.search(query, range, narrowing);
    return ranking ?? this.#call("search", [query, range, narrowing]);
  }

  searchNegatives(positive: Float32Array, negatives: Float32Array[], range: ResultRange) {
    return this.#call("searchNegatives", [positive, negatives, range], negatives);
  }

  /** Some at a time: a message of a hundred thousand texts would keep this thread's other events waiting. */
  async searchMany(queries: Float32Array[], k: number) {
    const together = Math.max(1, Math.floor(RESULTS_A_MESSAGE / k));
    const size = new AnswerSize();
    const rankings: Ranking[] = [];
    for (let at = 0; at < queries.length; at += together) {
      const some = queries.slice(at, at + together);
      for (const ranking of await this.#call("searchMany", [some, k], some)) {
        for (const text of ranking.metadata) size.counted(text);
        rankings.push(ranking);
      }
    }
    return rankings;
  }

  queryMetadata(sql: string) {
    return this.#call("queryMetadata", [sql]);
  }

  reduce(vectors: Float32Array[]) {
    return this.#call("reduce", [vectors], vectors);
  }

  refit() {
    return this.#call("refit", []);
  }

  save(path: string | undefined) {
    return this.#call("save", [path]);
  }

  backup(request: BackupRequest) {
    return this.#call("backup", [request]);
  }

  async restore(path: string) {
    // Records that are replaced are not to be held here.
    this.#share(undefined);
    this.#restores += 1;
    try {
      return await this.#call("restore", [path]);
    } finally {
      this.#restores -= 1;
      // One that closes shares nothing more, and its thread may end before it has answered.
      if (this.#local !== undefined && this.#lost === undefined && !this.#isClosing) {
        const shared = await this.#call("share", []);
        if (this.#restores === 0 && !this.#isClosing) this.#share(shared);
      }
    }
  }

  health() {
    return this.#call("health", []);
  }

  metrics() {
    return this.#call("metrics", [this.#local?.takeTimes()]);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#share(undefined);
    try {
      await this.#call("close", []);
    } finally {
      await this.#thread.end();
    }
  }

  /** What is shared from now on. */
  #share(shared: SharedRecords | undefined): void {
    this.#local?.attach(shared, (narrowing) => this.#call("slotsOf", [narrowing]));
  }

  #call<M extends EngineMethod>(
    method: M,
    args: ArgumentsOf<M>,
    arrays: ArrayBufferView[] = [],
  ): Promise<ResultOf<M>> {
    const large = arrays.filter(({ byteLength }) => byteLength >= MIN_TRANSFERRED_BYTES);
    const buffers = large.map(({ buffer }) => buffer as ArrayBuffer);
    return this.#ask(method, args, buffers) as Promise<ResultOf<M>>;
  }

  /**
   * What is refused becomes an error here, after a wait, since the stack then has whoever waits for this: lines of the
   * program.
   */
  async #ask(method: EngineRequest[1], args: unknown[], transferred: ArrayBuffer[]): Promise<unknown> {
    const answer = await this.#answerTo(method, args, transferred);
    if ("error" in answer) throw fromErrorData(answer.error);
    return answer.value;
  }

  #answerTo(method: EngineRequest[1], args: unknown[], transferred: ArrayBuffer[]): Promise<Answer<unknown>> {
    return new Promise((settle, reject) => {
      if (this.#lost !== undefined) return reject(this.#lost);
      const number = ++this.#lastNumber;
      this.#calls.set(number, { settle, reject });
      this.#thread.setBusy(true);
      try {
        this.#thread.port.postMessage([number, method, args] satisfies EngineRequest, transferred);
      } catch (error) {
        const cause = { cause: error };
        const unsent = new VxError("internal", "A call did not reach the index's thread", cause);
        this.#end(number, { error: toErrorData(unsent) });
      }
    });
  }

  #end(number: number, answer: Answer<unknown>): void {
    const call = this.#calls.get(number);
    if (!this.#calls.delete(number)) return;
    if (this.#calls.size === 0) this.#thread.setBusy(false);
    call?.settle(answer);
  }

  #lose(reason: Error | undefined): void {
    // The reason may name places of the machine, and requests are told of this.
    const why = reason === undefined ? "has ended" : "was lost";
    this.#share(undefined);
    this.#lost = new VxError("unavailable", `The index's thread ${why}`, { cause: reason });
    for (const { reject } of this.#calls.values()) reject(this.#lost);
    this.#calls.clear();
  }
}
