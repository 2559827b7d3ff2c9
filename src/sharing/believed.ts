/** Whether bytes on a medium are still taken for what they were when they were last hashed. Called by the stores of blocks. */
import { BELIEVED_MS } from "./limits.ts";

/** `soundAtMs`: when they were last hashed, by `performance.now()`; undefined where this process never did. */
export function isBelieved(soundAtMs: number | undefined): boolean {
  return soundAtMs !== undefined && performance.now() - soundAtMs < BELIEVED_MS;
}
