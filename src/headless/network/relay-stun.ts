/**
 * Where a relay answers STUN: on the interface of its first listen address, at the usual port or any free one.
 * Called by main with `--relay`; calls stun-server.
 */
import { networkInterfaces } from "node:os";
import { joinHostPort } from "../../network/connecting/remote-address.ts";
import type { Clock } from "../../sharing/ports.ts";
import { hasCode } from "../files/disk-errors.ts";
import { isAnyHost } from "../loopback.ts";
import { openStunServer } from "./stun-server.ts";

/** RFC 8489, 17.5. */
const STUN_PORT = 3478;

export interface RelayStun {
  /** The address it is bound to, which may be that of all interfaces. */
  readonly host: string;
  readonly port: number;
  /** `stun:host:port` as another machine reaches it. */
  readonly url: string;
  close(): Promise<void>;
}

export async function openRelayStun(listen: readonly string[], clock: Clock): Promise<RelayStun> {
  const host = listen.map((address) => /^\/ip[46]\/([^/]+)/.exec(address)?.[1]).find(Boolean) ?? "0.0.0.0";
  const server = await openStunServer({ host, port: STUN_PORT, clock }).catch((error: unknown) => {
    if (hasCode(error, "EADDRINUSE")) return openStunServer({ host, port: 0, clock });
    throw error;
  });
  const { port } = server;
  return {
    host,
    port,
    url: stunUrl(isAnyHost(host) ? ownAddress() : host, port),
    close: () => server.close(),
  };
}

export function stunUrl(host: string, port: number): string {
  return `stun:${joinHostPort(host, port)}`;
}

/** An address of this machine that others may reach; loopback where it has no network. */
function ownAddress(): string {
  const addresses = Object.values(networkInterfaces()).flat();
  return addresses.find((it) => it?.family === "IPv4" && !it.internal)?.address ?? "127.0.0.1";
}
