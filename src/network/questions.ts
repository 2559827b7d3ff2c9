/**
 * Questions about files to one peer. Those that come while one message is on its way go together in the next, so that a folder
 * of a thousand files takes a few messages and not a thousand. Made by unlisted.
 */
import { MAX_MARKS_PER_QUESTION, MAX_WAITING_QUESTIONS } from "./limits.ts";

type Ask = (fileIds: readonly string[]) => Promise<boolean[]>;

export class Questions {
  readonly #ask: Ask;
  readonly #waiting = new Map<string, Promise<boolean>>();
  readonly #answers = new Map<string, (isHeld: boolean) => void>();
  #isAsking = false;

  /** `ask` is called with a few files at a time, and never rejects. */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Whether the peer holds the file; no where too many wait, which may be asked again later. */
  ask(fileId: string): Promise<boolean> {
    const waiting = this.#waiting.get(fileId);
    if (waiting !== undefined) return waiting;
    if (this.#waiting.size >= MAX_WAITING_QUESTIONS) return Promise.resolve(false);
    const answer = new Promise<boolean>((resolve) => this.#answers.set(fileId, resolve));
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
      for (const [at, fileId] of fileIds.entries()) this.#settle(fileId, answers[at] ?? false);
    }
    this.#isAsking = false;
  }

  #settle(fileId: string, isHeld: boolean): void {
    this.#waiting.delete(fileId);
    this.#answers.get(fileId)?.(isHeld);
    this.#answers.delete(fileId);
  }
}
