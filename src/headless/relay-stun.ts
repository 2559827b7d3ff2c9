/**
 * Where a relay answers STUN: on the interface of its first listen address, at the usual port or any free one.
 * Called by main with `--relay`; calls stun-server.
 */
import { isIPv6 } from "node:net";
import type { Clock } from "../sharing/ports.ts";
import { hasCode } from "./disk-errors.ts";
import { openStunServer } from "./stun-server.ts";

/** RFC 8489, 17.5. */
const STUN_PORT = 3478;

export interface RelayStun {
  /** `stun:host:port`, with the address it is bound to. */
  readonly url: string;
  close(): Promise<void>;
}

export async function openRelayStun(listen: readonly string[], clock: Clock): Promise<RelayStun> {
  const host = listen.map((address) => /^\/ip[46]\/([^/]+)/.exec(address)?.[1]).find(Boolean) ?? "0.0.0.0";
  const server = await openStunServer({ host, port: STUN_PORT, clock }).catch((error: unknown) => {
    if (hasCode(error, "EADDRINUSE")) return openStunServer({ host, port: 0, clock });
    throw error;
  });
  const urlHost = isIPv6(host) ? `[${host}]` : host;
  return { url: `stun:${urlHost}:${server.port}`, close: () => server.close() };
}
