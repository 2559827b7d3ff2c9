/**
 * Whether the node keeps files unlisted, asked before it is given one that is to be: one of an earlier version does not see that
 * wish, and would tell all of its peers. Made and called by client; calls send.
 */
import type { Send } from "./send.ts";
import { ShoalError } from "./shoal-error.ts";

/** So long what it has said holds: in a page the next request may reach another tab's node, of another version. */
const KNOWN_FOR_MS = 10_000;

export class Unlisting {
  readonly #send: Send;
  #knownUntilMs = Number.NEGATIVE_INFINITY;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Settles at once where nothing is to be unlisted. @throws ShoalError 405 by a node that keeps nothing so, as `send` else */
  async expect(isWanted: boolean | undefined, signal?: AbortSignal): Promise<void> {
    if (isWanted !== true || performance.now() < this.#knownUntilMs) return;
    try {
      // No file has this id, which one that knows the route says.
      await this.#send("PATCH", "/api/v1/files/none", { json: { unlisted: true }, signal });
    } catch (error) {
      if (!(error instanceof ShoalError)) throw error;
      if (error.status === 405) throw tooOld(error);
      if (error.status !== 404) throw error;
    }
    this.#knownUntilMs = performance.now() + KNOWN_FOR_MS;
  }
}

function tooOld({ status, code }: ShoalError): ShoalError {
  const message =
    "The node is of an earlier version, which would tell its peers of the file: start it anew, or load its page anew in every tab";
  return new ShoalError(message, status, code, undefined);
}
