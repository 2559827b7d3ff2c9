/**
 * The standard output and error of this process where nobody takes what is written to them: the reader of a pipe has gone,
 * or the disk that a log goes to is full. Node.js ends a process for errors that nobody listens to, which a node must
 * survive. Called by shoal.ts.
 */
import { hasCode } from "./files/disk-errors.ts";

/** Gives why something that was printed is lost, if it is; that a reader has seen enough, as `head` has, is no reason. */
export function watchStandardStreams(): () => Error | undefined {
  let lostFor: Error | undefined;
  process.stdout.on("error", (error) => {
    if (!hasCode(error, "EPIPE")) lostFor ??= error;
  });
  // Nothing is left to tell it by, and the next line may find room again.
  process.stderr.on("error", () => undefined);
  return () => lostFor;
}
