/** For what ends a connection or a stream at once, and not by the time that a node gives to whoever says nothing. */
import { expect } from "vitest";
import { INBOUND_UPGRADE_TIMEOUT_MS } from "../../src/network/limits.ts";

/** Gives what the promise does, which is to settle well before time alone would have ended anything. */
export async function soon<T>(ending: Promise<T>): Promise<T> {
  const beganMs = performance.now();
  const end = await ending;
  expect(performance.now() - beganMs).toBeLessThan(0.75 * INBOUND_UPGRADE_TIMEOUT_MS);
  return end;
}
