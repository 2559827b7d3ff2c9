/**
 * Questions about files to one peer. Those that come while one message is on its way go together in the next, so that a folder
 * of a thousand files takes a few messages and not a thousand. Made by unlisted.
 */
import type { Held } from "../../sharing/ports.ts";
import { MAX_MARKS_PER_QUESTION, MAX_WAITING_QUESTIONS } from "./limits.ts";

/** Nothing where the peer gives no answer. */
type Ask = (fileIds: readonly string[]) => Promise<Held[] | undefined>;

export class Questions {
  readonly #ask: Ask;
  readonly #waiting = new Map<string, Promise<Held>>();
  readonly #answers = new Map<string, (held: Held) => void>();
  #isAsking = false;

  /** `ask` is called with a few files at a time, and never rejects. */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** What the peer holds of the file; nothing where too many wait, which may be asked again later. */
  ask(fileId: string): Promise<Held> {
    const waiting = this.#waiting.get(fileId);
    if (waiting !== undefined) return waiting;
    if (this.#waiting.size >= MAX_WAITING_QUESTIONS) return Promise.resolve("none");
    const answer = new Promise<Held>((resolve) => this.#answers.set(fileId, resolve));
    this.#waiting.set(fileId, answer);
    if (!this.#isAsking) void this.#askAll();
    return answer;
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    // What is asked in this turn of the event loop goes together.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const fileIds = [...this.#waiting.keys()].slice(0, MAX_MARKS_PER_QUESTION);
      const answers = await this.#ask(fileIds);
      // One that is silent would be so for each message.
      const settled = answers === undefined ? [...this.#waiting.keys()] : fileIds;
      for (const [at, fileId] of settled.entries()) this.#settle(fileId, answers?.[at] ?? "none");
    }
    this.#isAsking = false;
  }

  #settle(fileId: string, held: Held): void {
    this.#waiting.delete(fileId);
    this.#answers.get(fileId)?.(held);
    this.#answers.delete(fileId);
  }
}
