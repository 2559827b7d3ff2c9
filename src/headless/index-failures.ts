/**
 * Tells the log what an index failed to do by itself, as a snapshot or backup on its schedule, or a fit. Called by open-index. The
 * engine is asked now and then, for it runs in a thread that has no log.
 */
import type { Engine, Failure } from "../vx/engine/engine.ts";
import { INDEX_LOOK_MS } from "./limits.ts";
import type { Logger } from "./log.ts";

/** Each failure is told once, and when it has passed. What is given ends it; so does the engine's end. */
export function logFailures(engine: Pick<Engine, "health">, log: Logger): () => void {
  let told: Failure[] = [];
  let timer: NodeJS.Timeout;

  async function look(): Promise<void> {
    const { failures } = await engine.health();
    for (const { task, code, message } of failures) {
      if (told.some((failure) => failure.task === task && failure.message === message)) continue;
      log.warn({ task, code, reason: message }, "the index failed at what it does by itself");
    }
    for (const { task } of told) {
      if (failures.every((failure) => failure.task !== task)) log.info({ task }, "the index does it again");
    }
    told = failures;
    lookLater();
  }

  function lookLater(): void {
    timer = setTimeout(() => {
      look().catch((error: unknown) => log.debug({ error }, "the index has ended"));
    }, INDEX_LOOK_MS);
    timer.unref();
  }

  lookLater();
  return () => clearTimeout(timer);
}
