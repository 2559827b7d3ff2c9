/**
 * Watching what the node does, until it is done, Ctrl-C, or the node's end. Called by watch-transfer, watch-folder and send;
 * calls the client's event stream, which costs one request however long it takes.
 */
import type { ShoalClient } from "../../client/client.ts";
import type { EventOptions, ShoalEvent } from "../../client/events.ts";
import { CommandError } from "../command-error.ts";
import { isBrokenOff } from "./node-client.ts";
import { unlessSignalled } from "./unless-signalled.ts";

/** Ctrl-C ends the watching alone. `stillRunning`: what is said then. @throws CommandError `interrupted` */
export function untilInterrupted<T>(
  stillRunning: string,
  watch: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return unlessSignalled({ SIGINT: new CommandError("interrupted", stillRunning) }, watch);
}

/** For as long as the node sends them: one that stops breaks its answer off. */
export async function* eventsUntilStop(
  client: ShoalClient,
  options: EventOptions,
): AsyncGenerator<ShoalEvent> {
  try {
    yield* client.events(options);
  } catch (error) {
    if (!isBrokenOff(error)) throw error;
  }
}
