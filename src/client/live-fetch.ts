/**
 * The global fetch, with a pause before a request after a silence. While a program keeps its thread busy, with
 * embedding texts for instance, Node.js learns of no connection that the server has ended meanwhile; without the pause
 * the request would go out on such a one, and fail with "other side closed". Made by send for each client; calls
 * patient-fetch.
 */
import { patientFetch } from "./patient-fetch.ts";
import type { ClientOptions } from "./send.ts";

/** Servers keep a silent connection for longer. */
const SILENCE_MS = 1000;

/** The turn that is under way may have begun before the silence, and in the next one an end may come last; then all are known. */
const TURNS = 3;

/** As Node.js has it. */
const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => void };

export function createLiveFetch(): NonNullable<ClientOptions["fetch"]> {
  let heardMs = Number.NEGATIVE_INFINITY;
  return async (request, init) => {
    if (performance.now() - heardMs >= SILENCE_MS) {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
    }
    const response = await patientFetch(request, init);
    heardMs = performance.now();
    return response;
  };
}

/** At once in browsers, where connections are looked after elsewhere. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => (setImmediate === undefined ? resolve() : setImmediate(resolve)));
}
