/**
 * A model in another thread. Opened by ModelQueue through a runtime's host; the other end is serveModel. A model whose thread
 * is lost refuses every call, those under way too.
 */
import * as Comlink from "comlink";
import { ThreadCalls } from "../../sharing/thread-calls.ts";
import { EmbeddingError } from "./errors.ts";
import type { Answer, ModelCard, ModelService } from "./serve-model.ts";

/** A thread that serves a model. */
export interface ModelThread {
  port: Comlink.Endpoint;
  /** Settles when the thread has ended, with the reason if it did so by itself. */
  ended: Promise<Error | undefined>;
  /** Whether calls are under way: an idle thread keeps no process alive. */
  setBusy(isBusy: boolean): void;
  end(): Promise<void>;
}

export class RemoteModel {
  readonly card: ModelCard;
  /** Settles when the thread has ended. */
  readonly ended: Promise<unknown>;
  readonly #calls: Calls;

  private constructor(card: ModelCard, calls: Calls, ended: Promise<unknown>) {
    this.card = card;
    this.ended = ended;
    this.#calls = calls;
  }

  /** Loads the model of a new thread, which is ended if that fails. @throws EmbeddingError `bad_model`, `unavailable` */
  static async open(startThread: () => ModelThread, folder: string | undefined): Promise<RemoteModel> {
    const thread = started(startThread);
    const calls = new Calls(thread);
    try {
      return new RemoteModel(await calls.ask((service) => service.open(folder)), calls, thread.ended);
    } catch (error) {
      await thread.end();
      throw error;
    }
  }

  /** Of at most MAX_BATCH_TEXTS texts. @throws EmbeddingError */
  embed(texts: readonly string[]): Promise<Float32Array> {
    return this.#calls.ask((service) => service.embed(texts));
  }

  end(): Promise<void> {
    return this.#calls.end();
  }
}

/** @throws EmbeddingError `unavailable` where the system has no room for a thread, which some tell at once */
function started(startThread: () => ModelThread): ModelThread {
  try {
    return startThread();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EmbeddingError("unavailable", `The model's thread can't be started: ${why}`, { cause: error });
  }
}

/** Calls to a thread, which is busy while any is under way. */
class Calls {
  readonly #thread: ModelThread;
  readonly #service: Comlink.Remote<ModelService>;
  readonly #calls = new ThreadCalls();
  #underWay = 0;

  constructor(thread: ModelThread) {
    this.#thread = thread;
    this.#service = Comlink.wrap<ModelService>(thread.port);
    void thread.ended.then((reason) => {
      // The reason may name places of the machine, and requests are told of this.
      const why = reason === undefined ? "has ended" : "was lost";
      this.#calls.end(new EmbeddingError("unavailable", `The model's thread ${why}`, { cause: reason }));
      // Comlink would keep the port for as long as what calls it, which calls that were never answered lead to.
      this.#service[Comlink.releaseProxy]();
    });
  }

  async ask<T>(send: (service: Comlink.Remote<ModelService>) => Promise<Answer<T>>): Promise<T> {
    this.#underWay++;
    this.#thread.setBusy(true);
    try {
      const answer = await this.#calls.run(() => send(this.#service));
      if ("value" in answer) return answer.value;
      const { name, message, reason } = answer.error;
      throw new EmbeddingError(name, message, reason === undefined ? {} : { cause: new Error(reason) });
    } finally {
      this.#underWay--;
      if (this.#underWay === 0) this.#thread.setBusy(false);
    }
  }

  end(): Promise<void> {
    return this.#thread.end();
  }
}
