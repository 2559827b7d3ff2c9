/** Which of the relays that are met a node is reached through, when one goes; nothing is on a network here. */
import type { Connection, PeerId, Topology } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it, onTestFinished, vi } from "vitest";
import { MAX_RELAYS_USED, RELAY_RENEWAL_MIN_MS } from "../../../src/network/relay/limits.ts";
import { RelayClient, type RelayClientComponents } from "../../../src/network/relay/relay-client.ts";

/** A node's parts that reserve a place wherever they are asked to, but at those that are `full`. */
async function start() {
  const reserved = new Set<string>();
  const full = new Set<string>();
  const reserve = (relay: string) => {
    if (full.has(relay)) throw new Error("no place");
    reserved.add(relay);
  };
  const listeners: { relay: PeerId | undefined }[] = [];
  const store = Object.assign(new EventTarget(), {
    hasReservation: (relay: PeerId) => reserved.has(String(relay)),
    addRelay: async (relay: PeerId) => reserve(String(relay)),
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
        reserve(String(relay));
        listeners.push({ relay });
      },
      getTransports: () => [{ reservationStore: store }],
      getListeners: () => listeners,
    },
  } as unknown as RelayClientComponents;
  const client = new RelayClient(components, () => {});
  await client.start();
  /** Gives what libp2p would wait for before it tells anybody else of the peer. */
  const tellOf = (name: string, status: Connection["status"] = "open"): unknown => {
    const remotePeer = name as unknown as PeerId;
    met = {
      remotePeer,
      remoteAddr: multiaddr("/ip4/127.0.0.1/tcp/1"),
      direct: true,
      status,
      newStream: () => {},
    } as never;
    return topology.onConnect?.(remotePeer, met as Connection);
  };
  const takeBack = (relay: string) => {
    const detail = { relay };
    if (reserved.delete(relay)) store.dispatchEvent(new CustomEvent("relay:removed", { detail }));
  };
  return {
    client,
    reserved,
    full,
    takeBack,
    /** By which others are told where the node can be reached. */
    listeners,
    tellOf,
    /** Tells of the last connection again, as after each identify; gives the connection. */
    tellAgain(): Connection {
      const connection = met as Connection;
      topology.onConnect?.(connection.remotePeer, connection);
      return connection;
    },
    async meet(...named: Parameters<typeof tellOf>) {
      tellOf(...named);
      await new Promise((resolve) => setImmediate(resolve));
    },
    async lose(name: string) {
      topology.onDisconnect?.(name as unknown as PeerId);
      takeBack(name);
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

it("asks a relay no more, nor does anything else to its connection, each time the relay says something of itself", async () => {
  const { reserved, meet, tellAgain } = await start();
  await meet("relay");
  reserved.clear();
  const { newStream } = tellAgain();
  expect(tellAgain().newStream).toBe(newStream);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reserved).toEqual(new Set());
});

it("asks a relay that has ended its service and serves again, and bounds its connection no more", async () => {
  const { reserved, meet, lose, tellAgain } = await start();
  await meet("relay");
  await lose("relay");
  const { newStream } = tellAgain();
  expect(tellAgain().newStream).toBe(newStream);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reserved).toEqual(new Set(["relay"]));
});

it("has nobody wait for its place at a relay", async () => {
  const { tellOf } = await start();
  expect(tellOf("relay")).toBeUndefined();
});

function passTimeByHand(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

it("asks one that had no place again, until it has one", async () => {
  passTimeByHand();
  const { reserved, full, meet } = await start();
  full.add("relay");
  await meet("relay");
  await vi.advanceTimersByTimeAsync(RELAY_RENEWAL_MIN_MS);
  full.clear();
  expect(reserved.size).toBe(0);
  await vi.advanceTimersByTimeAsync(RELAY_RENEWAL_MIN_MS);
  expect(reserved).toEqual(new Set(["relay"]));
  expect(vi.getTimerCount()).toBe(0);
});

it("never asks one that has gone by the time it is told of", async () => {
  passTimeByHand();
  const { listeners, full, meet } = await start();
  full.add("relay");
  await meet("relay", "closed");
  expect(vi.getTimerCount()).toBe(0);
  full.clear();
  await meet("relay", "closed");
  expect(listeners).toEqual([]);
});

it("asks one that took its place back again, though not at once, as it may be ending", async () => {
  passTimeByHand();
  const { reserved, meet, takeBack } = await start();
  await meet("relay");
  takeBack("relay");
  await vi.advanceTimersByTimeAsync(RELAY_RENEWAL_MIN_MS - 1);
  expect(reserved.size).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(reserved).toEqual(new Set(["relay"]));
});

it.each(["leaves", "is asked no more"])("waits for no place where one that gave none %s", async (end) => {
  passTimeByHand();
  const { client, full, meet, lose } = await start();
  full.add("relay");
  await meet("relay");
  if (end === "leaves") await lose("relay");
  else client.stop();
  expect(vi.getTimerCount()).toBe(0);
});
