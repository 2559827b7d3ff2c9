/**
 * A model in another thread. Opened by ModelQueue through a runtime's host; the other end is serveModel. A model whose thread
 * is lost refuses every call, those under way too.
 */
import { type Ask, askerOf, type ServiceCall, type ServingThread } from "../serving-thread.ts";
import { EmbeddingError } from "./errors.ts";
import type { Answer, ModelCard, ModelService } from "./serve-model.ts";

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
  static async open(startThread: () => ServingThread, folder: string | undefined): Promise<RemoteModel> {
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
function started(startThread: () => ServingThread): ServingThread {
  try {
    return startThread();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EmbeddingError("unavailable", `The model's thread can't be started: ${why}`, { cause: error });
  }
}

/** Calls to a thread, which is busy while any is under way. */
class Calls {
  readonly #thread: ServingThread;
  readonly #ask: Ask<ModelService>;
  #underWay = 0;

  constructor(thread: ServingThread) {
    this.#thread = thread;
    this.#ask = askerOf(thread, (reason) => {
      // The reason may name places of the machine, and requests are told of this.
      const why = reason === undefined ? "has ended" : "was lost";
      return new EmbeddingError("unavailable", `The model's thread ${why}`, { cause: reason });
    });
  }

  async ask<T>(call: ServiceCall<ModelService, Answer<T>>): Promise<T> {
    this.#underWay++;
    this.#thread.setBusy(true);
    try {
      const answer = await this.#ask(call);
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
