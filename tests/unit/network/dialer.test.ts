/** By which addresses a peer is dialled: those told, those kept, those looked up. */
import type { Connection, PeerId } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { describe, expect, it } from "vitest";
import { Dialer } from "../../../src/network/connecting/dialer.ts";
import { MEETING_PATIENCE_MS, OPENING_DOUBT_MS } from "../../../src/network/connecting/limits.ts";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import type { Clock } from "../../../src/sharing/ports.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { eventually } from "../../eventually.ts";
import { HandClock } from "../hand-clock.ts";

const PEER = "12D3KooWGRUaQnVUpk3tWkYmhrGCqZSdrfTdAWRNgR2NrjVKVVvS";
const address = (port: number) => multiaddr(`/ip4/127.0.0.1/tcp/${port}`);
const whole = (port: number) => `/ip4/127.0.0.1/tcp/${port}/p2p/${PEER}`;
const forever = new AbortController().signal;

interface Known {
  told?: Multiaddr[];
  kept?: Multiaddr[];
  /** What a look-up finds. */
  find?: (signal: AbortSignal) => Promise<Multiaddr[]>;
  /** Ports where somebody answers. */
  reachable: number[];
  /** There is a connection to the peer through a relay. */
  isRelayed?: boolean;
  /** That connection is the peer's, made just now. */
  hasCome?: boolean;
  /** Opens a stream over it. */
  newStream?: () => Promise<string>;
  clock?: Clock;
}

/** A dialer, and the addresses that it dialled, each list at a time. A dial that `held` holds up ends after it. */
function openDialer(
  { told = [], kept = [], find, reachable, isRelayed = false, hasCome = false, ...known }: Known,
  held?: Promise<void>,
) {
  const { newStream = async () => "relayed stream", clock = systemClock } = known;
  const dialled: string[][] = [];
  const queue: { peerId: PeerId }[] = [];
  const peerId = peerIdFromString(PEER);
  const relayed = {
    ...{ remotePeer: peerId, status: "open", direct: false },
    ...{ direction: hasCome ? "inbound" : "outbound", timeline: { open: hasCome ? Date.now() : 0 } },
    newStream,
  };
  const events = new EventTarget();
  const node = {
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    getConnections: () => (isRelayed ? [relayed] : []),
    getDialQueue: () => queue,
    peerStore: {
      has: async () => kept.length > 0,
      get: async () => {
        if (kept.length === 0) throw new Error("no such peer is kept");
        return { addresses: kept.map((it) => ({ multiaddr: it })) };
      },
    },
    peerRouting: {
      findPeer: async (_id: PeerId, { signal }: { signal: AbortSignal }) => {
        if (find === undefined) throw new Error("looked up without need");
        return { multiaddrs: await find(signal) };
      },
    },
    dial: async (addresses: Multiaddr[]) => {
      dialled.push(addresses.map(String));
      queue.push({ peerId });
      await held;
      queue.pop();
      const answers = addresses.some((it) => reachable.some((port) => String(it).includes(`/tcp/${port}`)));
      if (!answers) throw new Error("nobody answers");
      return { newStream: async () => "stream" } as unknown as Connection;
    },
  } as unknown as Libp2pNode;
  const silent: string[] = [];
  const onSilence = (id: string) => void silent.push(id);
  const dialer = new Dialer({ node, clock, addresses: () => told, onSilence, log: () => undefined });
  const open = (signal = forever) => dialer.openStream(PEER, "/test/1", signal);
  /** The peer gets through by itself. */
  const dialIn = () => {
    const detail = { remotePeer: peerId, direct: true, newStream: async () => "the peer's own" };
    events.dispatchEvent(new CustomEvent("connection:open", { detail }));
  };
  return { open, dialled, dialIn, silent };
}

describe("a peer to which there is no connection", () => {
  it("is dialled by what it tells of itself, and looked up nowhere", async () => {
    const { open, dialled } = openDialer({ told: [multiaddr(whole(1))], reachable: [1] });
    expect(await open()).toBe("stream");
    expect(dialled).toEqual([[whole(1)]]);
  });

  it("is dialled by what libp2p kept, where what it told is old", async () => {
    const { open, dialled } = openDialer({
      told: [multiaddr(whole(1))],
      kept: [address(2)],
      reachable: [2],
    });
    expect(await open()).toBe("stream");
    expect(dialled).toEqual([[whole(1)], [whole(2)]]);
  });

  it("is dialled once where nobody is where it told, and libp2p kept nothing", async () => {
    const { open, dialled } = openDialer({ told: [multiaddr(whole(1))], reachable: [] });
    await expect(open()).rejects.toMatchObject({ name: "peer_unreachable" });
    expect(dialled).toEqual([[whole(1)]]);
  });

  it("is dialled by what libp2p kept before anybody is asked for it", async () => {
    const { open, dialled } = openDialer({ kept: [address(2)], reachable: [2] });
    expect(await open()).toBe("stream");
    expect(dialled).toEqual([[whole(2)]]);
  });

  it("is looked up where nothing is known of it", async () => {
    const { open, dialled } = openDialer({
      find: async () => [address(3), multiaddr(whole(4))],
      reachable: [4],
    });
    expect(await open()).toBe("stream");
    expect(dialled).toEqual([[whole(3), whole(4)]]);
  });

  it("can't be reached where a look-up finds nobody", async () => {
    const { open, dialled } = openDialer({
      find: () => Promise.reject(new Error("Not found")),
      reachable: [],
    });
    await expect(open()).rejects.toMatchObject({
      name: "peer_unreachable",
      message: expect.stringContaining("Not found"),
    });
    expect(dialled).toEqual([]);
  });

  it("is no longer looked up once the caller has given up", async () => {
    const giveUp = new AbortController();
    const find = (signal: AbortSignal) =>
      new Promise<Multiaddr[]>((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("the look-up was aborted")));
        giveUp.abort(new Error("not needed any more"));
      });
    const { open } = openDialer({ find, reachable: [] });
    await expect(open(giveUp.signal)).rejects.toThrow("not needed any more");
  });
});

describe("a peer that is reached through a relay", () => {
  const known = { told: [multiaddr(whole(1))], isRelayed: true };

  it("is asked directly where that can be, by all who ask while the first tries it", async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { open, dialled } = openDialer({ ...known, reachable: [1] }, held);
    const first = open();
    await eventually(() => expect(dialled).toHaveLength(1));
    const second = open();
    await eventually(() => expect(dialled).toHaveLength(2));
    letGo();
    expect(await Promise.all([first, second])).toEqual(["stream", "stream"]);
  });

  it("is asked through it after that was tried in vain", async () => {
    const { open, dialled } = openDialer({ ...known, reachable: [] });
    expect([await open(), await open()]).toEqual(["relayed stream", "relayed stream"]);
    expect(dialled).toHaveLength(1);
  });

  it("is asked through it, and not dialled, where no direct way is known", async () => {
    const relay = multiaddr(`/ip4/127.0.0.1/tcp/5/p2p-circuit/p2p/${PEER}`);
    const { open, dialled } = openDialer({ told: [relay], isRelayed: true, reachable: [] });
    expect(await open()).toBe("relayed stream");
    expect(dialled).toEqual([]);
  });

  it("is dialled by what libp2p kept before anything was heard of it", async () => {
    const { open, dialled } = openDialer({ kept: [address(2)], isRelayed: true, reachable: [2] });
    expect(await open()).toBe("stream");
    expect(dialled).toEqual([[whole(2)]]);
  });

  it("is not dialled while it tries for a direct way itself", async () => {
    const { open, dialled, dialIn } = openDialer({ ...known, hasCome: true, reachable: [1] });
    const opened = open();
    dialIn();
    expect(await opened).toBe("the peer's own");
    expect(dialled).toEqual([]);
  });

  it("is dialled after all where it finds no direct way", async () => {
    const clock = { ...systemClock, now: () => systemClock.now() + MEETING_PATIENCE_MS - 50 };
    const { open, dialled } = openDialer({ ...known, clock, hasCome: true, reachable: [1] });
    expect(await open()).toBe("stream");
    expect(dialled).toEqual([[whole(1)]]);
  });
});

describe("a stream to a peer that is connected", () => {
  const known = { isRelayed: true, reachable: [] };

  it("has the connection looked at where the peer says nothing to it", async () => {
    const clock = new HandClock();
    const { open, silent } = openDialer({ ...known, clock, newStream: () => new Promise(() => {}) });
    void open();
    await clock.pass(OPENING_DOUBT_MS - 1);
    expect(silent).toEqual([]);
    await clock.pass(1);
    expect(silent).toEqual([PEER]);
  });

  it.each([
    ["opens", "stream", () => Promise.resolve("stream")],
    ["is refused", undefined, () => Promise.reject(new Error("not spoken here"))],
  ])("leaves it alone once it %s", async (_, stream, newStream) => {
    const clock = new HandClock();
    const { open, silent } = openDialer({ ...known, clock, newStream });
    expect(await open().catch(() => undefined)).toBe(stream);
    await clock.pass(2 * OPENING_DOUBT_MS);
    expect([silent, clock.sleeperCount]).toEqual([[], 0]);
  });
});
