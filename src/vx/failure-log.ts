/**
 * Tells a log what an index failed to do by itself, as a snapshot or backup on its schedule, or a fit. Called by the hosts. The
 * engine is asked now and then, for it runs in a thread that has no log.
 */
import type { Engine, Failure } from "./engine/engine.ts";
import { FAILURE_LOOK_MS } from "./limits.ts";
import type { VxHost } from "./opening.ts";

type Tell = (message: string, details: Record<string, unknown>) => void;

export interface FailureLog {
  debug: Tell;
  info: Tell;
  warn: Tell;
}

/** The host, with its engines' failures told, and their loss. */
export function telling(host: VxHost, log: FailureLog): VxHost {
  return {
    async startEngine(settings) {
      const engine = await host.startEngine(settings);
      logFailures(engine, log);
      void engine.ended?.then((error) => error && log.warn("the index's thread was lost", { error }));
      return engine;
    },
  };
}

/** Each failure is told once, and when it has passed, until the engine has ended. */
function logFailures(engine: Pick<Engine, "health">, log: FailureLog): void {
  let told: Failure[] = [];

  async function look(): Promise<void> {
    const { failures } = await engine.health();
    for (const { task, code, message } of failures) {
      if (told.some((failure) => failure.task === task && failure.message === message)) continue;
      log.warn("the index failed at what it does by itself", { task, code, reason: message });
    }
    for (const { task } of told) {
      if (failures.every((failure) => failure.task !== task)) log.info("the index does it again", { task });
    }
    told = failures;
    lookLater();
  }

  function lookLater(): void {
    const timer = setTimeout(() => {
      look().catch((error: unknown) => log.debug("the index has ended", { error }));
    }, FAILURE_LOOK_MS);
    // It keeps no process alive.
    (timer as unknown as { unref?: () => void }).unref?.();
  }

  lookLater();
}
