/** Which of the relays that are met a node is reached through, when one goes; nothing is on a network here. */
import type { Connection, PeerId, Topology } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it } from "vitest";
import { MAX_RELAYS_USED } from "../../../src/network/limits.ts";
import { RelayClient, type RelayClientComponents } from "../../../src/network/relay-client.ts";

/** A node's parts that reserve a place wherever they are asked to. */
async function start() {
  const reserved = new Set<string>();
  const listeners: { relay: PeerId | undefined }[] = [];
  const store = Object.assign(new EventTarget(), {
    hasReservation: (relay: PeerId) => reserved.has(String(relay)),
    addRelay: async (relay: PeerId) => void reserved.add(String(relay)),
  });
  let topology: Topology = {};
  let met: Connection | undefined;
  const components = {
    registrar: {
      register: async (_protocol: string, given: Topology) => {
        topology = given;
        return "id";
      },
      unregister: () => {},
    },
    transportManager: {
      listen: async () => {
        const relay = met?.remotePeer;
        // As libp2p's, which looks for the connection first, and tells nobody of a place that is there by then.
        await Promise.resolve();
        if (reserved.has(String(relay))) return;
        reserved.add(String(relay));
        listeners.push({ relay });
      },
      getTransports: () => [{ reservationStore: store }],
      getListeners: () => listeners,
    },
  } as unknown as RelayClientComponents;
  const client = new RelayClient(components, () => {});
  await client.start();
  /** Gives what libp2p would wait for before it tells anybody else of the peer. */
  const tellOf = (name: string): unknown => {
    const remotePeer = name as unknown as PeerId;
    met = {
      remotePeer,
      remoteAddr: multiaddr("/ip4/127.0.0.1/tcp/1"),
      direct: true,
      newStream: () => {},
    } as never;
    return topology.onConnect?.(remotePeer, met as Connection);
  };
  return {
    reserved,
    /** By which others are told where the node can be reached. */
    listeners,
    tellOf,
    async meet(name: string) {
      tellOf(name);
      await new Promise((resolve) => setImmediate(resolve));
    },
    async lose(name: string) {
      topology.onDisconnect?.(name as unknown as PeerId);
      if (reserved.delete(name)) store.dispatchEvent(new Event("relay:removed"));
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const names = Array.from({ length: MAX_RELAYS_USED + 2 }, (_, at) => `relay ${at}`);

it("takes the place of one that is gone by the first that was met when there were enough, if it is still there", async () => {
  const { reserved, meet, lose } = await start();
  for (const name of names) await meet(name);
  expect([...reserved]).toEqual(names.slice(0, MAX_RELAYS_USED));
  await lose(names[MAX_RELAYS_USED] as string);
  await lose(names[0] as string);
  expect([...reserved]).toEqual([...names.slice(1, MAX_RELAYS_USED), names.at(-1)]);
});

it("has one that comes back wait, where another has its place by then", async () => {
  const { reserved, meet, lose } = await start();
  for (const name of names) await meet(name);
  await lose(names[0] as string);
  await meet(names[0] as string);
  expect(reserved.has(names[0] as string)).toBe(false);
  await lose(names[1] as string);
  await lose(names[MAX_RELAYS_USED] as string);
  expect(reserved).toEqual(new Set([names.at(-1), names[0]]));
});

it("is reached through a relay that is met a second time while it is asked for the place", async () => {
  const { tellOf, meet, listeners } = await start();
  tellOf("relay");
  await meet("relay");
  expect(listeners).toEqual([{ relay: "relay" }]);
});

it("has nobody wait for its place at a relay", async () => {
  const { tellOf } = await start();
  expect(tellOf("relay")).toBeUndefined();
});
