/**
 * Whether somebody is at the other end of a connection: one ping on this very connection. libp2p's own ping takes whichever
 * of a peer's connections it likes. Called by connected-peers. Source: libp2p specs, ping.
 */
import type { Connection } from "@libp2p/interface";
import { PING_PROTOCOL } from "@libp2p/ping";
import { orAborted } from "../or-aborted.ts";

const PING_BYTES = 32;

/** Settles with the first bytes that come back. @throws the signal's reason; what ended the stream */
export async function answer(connection: Connection, signal: AbortSignal): Promise<void> {
  const stream = await connection.newStream(PING_PROTOCOL, { signal, runOnLimitedConnection: true });
  await orAborted(stream, async () => {
    stream.send(crypto.getRandomValues(new Uint8Array(PING_BYTES)));
    await new Promise<void>((resolve, reject) => {
      stream.addEventListener("message", () => resolve(), { once: true });
      stream.addEventListener("close", ({ error }) => reject(error ?? new Error("the stream was closed")), {
        once: true,
      });
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    await stream.close({ signal });
  });
}
