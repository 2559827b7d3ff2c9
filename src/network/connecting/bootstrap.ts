/**
 * Keeps the bootstrap addresses connected: dials each, and again when the connection ends or the dial fails, with
 * growing pauses. One loop an address. Called by openNetwork.
 */
import { peerIdFromString } from "@libp2p/peer-id";
import type { Multiaddr } from "@multiformats/multiaddr";
import { Bell } from "../../sharing/bell.ts";
import { SharingError } from "../../sharing/errors.ts";
import type { Clock } from "../../sharing/ports.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import type { NetworkLog } from "../network-log.ts";
import { parseAddress } from "./given-address.ts";
import { MAX_BOOTSTRAP, REDIAL_FIRST_MS, REDIAL_MAX_MS } from "./limits.ts";

/** Protects the connection when libp2p closes some to stay below its cap; 100 is what it gives to important ones. */
const TAG = { "shoal-bootstrap": { value: 100 } };

export interface BootstrapPorts {
  clock: Clock;
  signal: AbortSignal;
  log: NetworkLog;
  /** Told when an address can't be reached, with the error, and when it is reached after that; not of each try. */
  onTurn?: ((address: string, error?: Error) => void) | undefined;
}

/** @throws SharingError `bad_request` for a wrong address, or too many */
export function parseBootstrap(addresses: string[]): Multiaddr[] {
  if (addresses.length > MAX_BOOTSTRAP) {
    throw new SharingError("bad_request", `more than ${MAX_BOOTSTRAP} bootstrap addresses`);
  }
  return addresses.map((address) => parseAddress(address, "the bootstrap address"));
}

export interface KeptConnected {
  /** Settles once the signal has aborted. */
  ended: Promise<unknown>;
  /** There may be a network again: those that are not connected are dialled without a pause. */
  dialNow(): void;
}

/** Runs until the signal aborts. */
export function keepConnected(
  node: Libp2pNode,
  addresses: Multiaddr[],
  ports: BootstrapPorts,
): KeptConnected {
  const kept = addresses.map((address) => ({ address, bell: new Bell() }));
  return {
    ended: Promise.all(kept.map((one) => keepOne(node, one, ports))),
    dialNow: () => {
      for (const { bell } of kept) bell.ring();
    },
  };
}

/** `bell`: cuts the next pause short. */
async function keepOne(
  node: Libp2pNode,
  { address, bell }: { address: Multiaddr; bell: Bell },
  { clock, signal, log, onTurn }: BootstrapPorts,
): Promise<void> {
  const peerId = address.getComponents().findLast((part) => part.name === "p2p")?.value;
  if (peerId !== undefined && node.peerId.equals(peerIdFromString(peerId))) return;
  let pauseMs = REDIAL_FIRST_MS;
  let isMissed = false;
  while (!signal.aborted) {
    try {
      const connection = await node.dial(address, { signal });
      await node.peerStore.merge(connection.remotePeer, { tags: TAG });
      pauseMs = REDIAL_FIRST_MS;
      if (isMissed) onTurn?.(address.toString());
      isMissed = false;
      await disconnected(node, connection.remotePeer.toString(), signal);
      // What rang while it was connected was not for it.
      bell.hush();
    } catch (error) {
      if (signal.aborted) return;
      if (isOfDialToSelf(error)) {
        log("a bootstrap address is this node's own", { address: address.toString() });
        return;
      }
      log("bootstrap dial failed", { address: address.toString(), error });
      if (!isMissed) onTurn?.(address.toString(), error instanceof Error ? error : new Error(String(error)));
      isMissed = true;
      pauseMs = Math.min(pauseMs * 2, REDIAL_MAX_MS);
    }
    // Half of it at random: after a bootstrap node restarts, its peers don't come all at once.
    const dueMs = clock.monotonic() + pauseMs * (0.5 + Math.random() / 2);
    const isHastened = await bell.waitUntil(dueMs, clock, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    if (isHastened) pauseMs = REDIAL_FIRST_MS;
  }
}

/** Where all nodes of a swarm were given one list, whose addresses may not say whom they lead to. */
function isOfDialToSelf(error: unknown): boolean {
  return error instanceof Error && error.name === "InvalidPeerIdError";
}

function disconnected(node: Libp2pNode, peerId: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      node.removeEventListener("peer:disconnect", onDisconnect);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const onDisconnect = ({ detail }: { detail: { toString(): string } }) => {
      if (detail.toString() === peerId) finish();
    };
    node.addEventListener("peer:disconnect", onDisconnect);
    signal.addEventListener("abort", finish);
    if (node.getConnections(peerIdFromString(peerId)).length === 0 || signal.aborted) finish();
  });
}
