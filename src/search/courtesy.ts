/**
 * Way for transfers: while files go to or come from peers, reading and embedding take a small part of the time, in small pieces.
 * Made by the indexer; asked by it and by file-texts between two pieces of work.
 */
import { BUSY_BYTES_PER_SECOND, BUSY_REST_FACTOR, MAX_REST_MS, REST_STEP_MS } from "./limits.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";

export class Courtesy {
  readonly #traffic: MeaningPorts["traffic"];
  readonly #clock: SearchPorts["clock"];

  constructor({ traffic, clock }: Pick<MeaningPorts, "traffic"> & Pick<SearchPorts, "clock">) {
    this.#traffic = traffic;
    this.#clock = clock;
  }

  /** Peers are being served or asked. */
  get #isDue(): boolean {
    const { uploadBytesPerSecond, downloadBytesPerSecond } = this.#traffic();
    return uploadBytesPerSecond + downloadBytesPerSecond >= BUSY_BYTES_PER_SECOND;
  }

  /** Does a piece of work and rests after it while transfers ask for that. Throws what the work throws, and the signal's reason. */
  async after<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonic();
    const done = await work();
    const workedMs = this.#clock.monotonic() - startMs;
    let leftMs = Math.min(workedMs * BUSY_REST_FACTOR, MAX_REST_MS);
    for (; leftMs > 0 && this.#isDue; leftMs -= REST_STEP_MS) {
      await this.#clock.sleep(Math.min(leftMs, REST_STEP_MS), signal);
    }
    return done;
  }
}
