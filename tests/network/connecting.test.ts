/** How nodes on loopback come to be connected, directly and through relays, and come back: src/network/connecting. */
import { EventEmitter, once } from "node:events";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { describe, expect, it, vi } from "vitest";
import { SLEEP_LOOK_MS, SLEEP_SUSPECTED_MS } from "../../src/network/connecting/limits.ts";
import { MAX_PINGS_PER_CONNECTION } from "../../src/network/limits.ts";
import type { Network } from "../../src/network/network.ts";
import { MAX_RELAYS_USED } from "../../src/network/relay/limits.ts";
import type { SwarmEvent } from "../../src/sharing/ports.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";
import { untilAborted } from "../until-aborted.ts";
import { startBareNode } from "./bare-node.ts";
import { lineTo } from "./silent-line.ts";
import { someFile } from "./some-file.ts";
import { close, holdersOf, idOf, join, joinAtPlace, until, untilConnected } from "./swarm-of-nodes.ts";

const forever = new AbortController().signal;

function addressWith(network: Network, part: string): string {
  const address = network.swarm.addresses().find((text) => text.includes(part));
  if (address === undefined) throw new Error(`no ${part} address in ${network.swarm.addresses()}`);
  return address;
}

/** Ids of those through which it can be reached. */
function relaysOf({ swarm }: Network): Set<string | undefined> {
  return new Set(swarm.addresses().map((text) => /p2p\/(\w+)\/p2p-circuit/.exec(text)?.[1]));
}

/** Sends a line over a protocol of the test's own and gives what comes back. */
async function echo(from: Network, to: Network): Promise<string> {
  await to.handle("/test/echo/1", async (stream) => {
    for await (const bytes of stream) stream.send(bytes);
    await stream.close();
  });
  const stream = await from.openStream(idOf(to), "/test/echo/1", forever);
  stream.send(new TextEncoder().encode("ahoy"));
  const closing = stream.close();
  let text = "";
  for await (const bytes of stream) text += new TextDecoder().decode(bytes.subarray());
  await closing;
  return text;
}

describe("connections", () => {
  it.each([
    ["tcp", "/ip4/127.0.0.1/tcp/0", "/tcp/"],
    ["websocket", "/ip4/127.0.0.1/tcp/0/ws", "/ws/"],
    ["webrtc-direct", "/ip4/127.0.0.1/udp/0/webrtc-direct", "/webrtc-direct/"],
  ])(
    "over %s carry streams and announcements, and say their address and transport",
    async (transport, listen, part) => {
      const a = await join({ listen: [listen] });
      const b = await join({ listen: [] });
      const file = someFile(transport);
      a.swarm.announce(file);
      const address = addressWith(a, part);
      const peer = await b.swarm.connect(address, forever);
      const port = /\/(?:tcp|udp)\/(\d+)/.exec(address)?.[1];
      expect(peer).toMatchObject({ peerId: idOf(a), transport, address: `127.0.0.1:${port}` });
      expect(b.transportOf(idOf(a))).toBe(transport);
      expect(await echo(b, a)).toBe("ahoy");
      await until(b.swarm, () => holdersOf(b, file).length === 1);
      expect(a.swarm.peers()[0]?.address).toMatch(/^127\.0\.0\.1:\d+$/);
    },
  );

  it("are told of as events, with the round trip measured soon after", async () => {
    const a = await join();
    const b = await join();
    const events: SwarmEvent[] = [];
    b.swarm.subscribe((event) => events.push(event));
    const before = Date.now();
    await b.swarm.connect(addressWith(a, "/tcp/"), forever);
    const [event] = events;
    expect(event).toMatchObject({ type: "peer_connected", peer: { peerId: idOf(a), transport: "tcp" } });
    expect(b.swarm.peers()[0]?.connectedSince.getTime()).toBeGreaterThanOrEqual(before);
    a.swarm.announce(someFile("later"));
    await until(b.swarm, () => b.swarm.peers()[0]?.latencyMs !== undefined && b.swarm.offers().length === 1);
    expect(b.swarm.peers()[0]?.filesAvailable).toBe(1);
  });

  it("carry as many pings at once as a busy peer may leave unanswered", async () => {
    const busy = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
    const node = await startBareNode();
    await node.dial(busy.getMultiaddrs());
    const pings = Array.from({ length: MAX_PINGS_PER_CONNECTION }, () =>
      node.services.ping.ping(busy.peerId),
    );
    for (const latencyMs of await Promise.all(pings)) expect(latencyMs).toBeGreaterThanOrEqual(0);
  });

  it("through a relay reach a node that only the relay can reach", async () => {
    const relay = await join({ relayServer: true });
    const hidden = await join({ listen: [], bootstrap: relay.swarm.addresses() });
    const file = someFile("behind a relay");
    hidden.swarm.announce(file);
    const seeker = await join({ listen: [], bootstrap: relay.swarm.addresses() });
    await until(seeker.swarm, () => holdersOf(seeker, file).includes(idOf(hidden)));
    await until(seeker.swarm, () => seeker.transportOf(idOf(hidden)) === "relay");
    expect(seeker.swarm.peers().find(({ peerId }) => peerId === idOf(hidden))).toMatchObject({
      transport: "relay",
      address: seeker.swarm.peers().find(({ peerId }) => peerId === idOf(relay))?.address,
      isRelay: false,
    });
    expect(seeker.swarm.peers().find(({ peerId }) => peerId === idOf(relay))?.isRelay).toBe(true);
    expect(hidden.swarm.addresses().some((address) => address.includes("/p2p-circuit"))).toBe(true);
    expect(await echo(seeker, hidden)).toBe("ahoy");
  });

  it("reach a node that has an address only since it was heard of", async () => {
    // Of another swarm, so that to meet it is no occasion to speak.
    const [relay, middle, hidden] = await Promise.all([
      join({ relayServer: true, swarmName: "other" }),
      join(),
      join({ listen: [] }),
    ]);
    const file = someFile("soon behind a relay");
    hidden.swarm.announce(file);
    let isSoughtInVain: () => void = () => undefined;
    const soughtInVain = new Promise<void>((resolve) => {
      isSoughtInVain = resolve;
    });
    const seeker = await join({
      listen: [],
      log: (what, { author }) => {
        if (what === "no catalogue" && author === idOf(hidden)) isSoughtInVain();
      },
    });
    // Heard of with the file behind it, it is asked for its catalogue; with the file still to be told, it would not be.
    await hidden.swarm.connect(addressWith(middle, "/tcp/"), forever);
    await until(middle.swarm, () => holdersOf(middle, file).includes(idOf(hidden)));
    await seeker.swarm.connect(addressWith(middle, "/tcp/"), forever);
    await soughtInVain;
    await hidden.swarm.connect(addressWith(relay, "/tcp/"), forever);
    await until(seeker.swarm, () => holdersOf(seeker, file).includes(idOf(hidden)));
    expect(seeker.transportOf(idOf(hidden))).toBe("relay");
  });

  it("to a bootstrap address are told of once when they fail, however often they are tried, and once when they come", async () => {
    const privateKey = await generateKeyPair("Ed25519");
    const { node: before, address, place } = await joinAtPlace({ privateKey });
    await close(before);
    const turns: (string | undefined)[] = [];
    const heard = new EventEmitter();
    const [tried, reached] = [once(heard, "tried"), once(heard, "reached")];
    let failures = 0;
    const seeker = await join({
      listen: [],
      bootstrap: [address],
      clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 100, signal) },
      log: (what) => {
        if (what === "bootstrap dial failed" && ++failures === 3) heard.emit("tried");
      },
      onBootstrapTurn: (of, error) => {
        expect(of).toBe(address);
        turns.push(error?.message);
        if (error === undefined) heard.emit("reached");
      },
    });
    await tried;
    expect(turns).toEqual([expect.stringContaining("ECONNREFUSED")]);
    const again = await join({ privateKey, listen: [place] });
    await reached;
    expect(turns).toEqual([expect.any(String), undefined]);
    expect(seeker.transportOf(idOf(again))).toBe("tcp");
  });

  it.each(["after a sleep of the device", "where connections are to be checked"])(
    "to a bootstrap address are tried at once, whatever pause is left, %s",
    async (when) => {
      const privateKey = await generateKeyPair("Ed25519");
      const { node: before, address, place } = await joinAtPlace({ privateKey });
      await close(before);
      const heard = new EventEmitter();
      const failed = once(heard, "bootstrap dial failed");
      let sleptMs = 0;
      const seeker = await join({
        listen: [],
        bootstrap: [address],
        clock: {
          ...systemClock,
          now: () => systemClock.now() + sleptMs,
          // No other pause ends by itself.
          sleep: async (ms, signal = forever) => {
            if (ms === SLEEP_LOOK_MS) await Promise.race([once(heard, "woken"), untilAborted(signal)]);
            else await untilAborted(signal);
          },
        },
        log: (what) => heard.emit(what),
      });
      await failed;
      const again = await join({ privateKey, listen: [place] });
      if (when.startsWith("after")) {
        sleptMs = 2 * SLEEP_SUSPECTED_MS;
        heard.emit("woken");
      } else await seeker.checkConnections();
      await untilConnected(seeker, again);
    },
  );

  it("to an address of its own, which does not say whose it is, are not tried again", async () => {
    const { node: before, place } = await joinAtPlace();
    await close(before);
    const failed = vi.fn();
    const heard = new EventEmitter();
    const isOwn = once(heard, "a bootstrap address is this node's own");
    await join({
      listen: [place],
      bootstrap: [place],
      log: (what) => heard.emit(what),
      onBootstrapTurn: failed,
    });
    await isOwn;
    expect(failed).not.toHaveBeenCalled();
  });

  it("that a killed peer left behind end when it is back", async () => {
    const privateKey = await generateKeyPair("Ed25519");
    const standing = await join();
    const line = await lineTo(addressWith(standing, "/tcp/"));
    const killed = await join({ privateKey, listen: [], bootstrap: [line.address] });
    const file = someFile("of its first life");
    killed.swarm.announce(file);
    await until(standing.swarm, () => holdersOf(standing, file).length === 1);
    line.fallSilent();
    await close(killed);
    expect(standing.transportOf(idOf(killed))).toBe("tcp");

    const again = await join({ privateKey, listen: [], bootstrap: [addressWith(standing, "/tcp/")] });
    const next = someFile("of its next life");
    again.swarm.announce(next);
    await until(standing.swarm, () => holdersOf(standing, next).length === 1);
    expect(holdersOf(standing, file)).toEqual([]);
    expect(await echo(standing, again)).toBe("ahoy");
  });

  it("through a relay work again after the relay was away", async () => {
    const privateKey = await generateKeyPair("Ed25519");
    const { node: relay, address, place } = await joinAtPlace({ relayServer: true, privateKey });
    const hidden = await join({ listen: [], bootstrap: [address] });
    hidden.swarm.announce(someFile("behind a relay that restarts"));
    await untilConnected(hidden, relay);
    await close(relay);
    await until(hidden.swarm, () => hidden.swarm.peers().length === 0);
    const again = await join({ relayServer: true, privateKey, listen: [place] });
    await untilConnected(hidden, again);
    const seeker = await join({ listen: [], bootstrap: [address] });
    await until(seeker.swarm, () => seeker.transportOf(idOf(hidden)) === "relay");
    expect(await echo(seeker, hidden)).toBe("ahoy");
  });

  it("are taken through two relays that are met at the same moment", async () => {
    const [hidden, ...relays] = await Promise.all([
      join({ listen: [] }),
      join({ relayServer: true }),
      join({ relayServer: true }),
    ]);
    await Promise.all(relays.map((relay) => hidden.swarm.connect(addressWith(relay, "/tcp/"), forever)));
    await expect.poll(() => relaysOf(hidden)).toEqual(new Set(relays.map(idOf)));
  });

  it("are taken through other relays once those that were used are gone", async () => {
    const hidden = await join({ listen: [] });
    const meet = async () => {
      const relay = await join({ relayServer: true });
      await hidden.swarm.connect(addressWith(relay, "/tcp/"), forever);
      return relay;
    };
    const first = [await meet(), await meet()];
    await expect.poll(() => relaysOf(hidden)).toEqual(new Set(first.map(idOf)));
    for (const relay of first) await close(relay);
    await until(hidden.swarm, () => hidden.swarm.peers().length === 0);
    const next = [await meet(), await meet()];
    await expect.poll(() => relaysOf(hidden)).toEqual(new Set(next.map(idOf)));
    const seeker = await join({ listen: [] });
    await seeker.swarm.connect(addressWith(hidden, "/p2p-circuit"), forever);
    expect(await echo(seeker, hidden)).toBe("ahoy");
  });

  it("are taken through a relay that was met when there were enough, once one of these is gone", async () => {
    const hidden = await join({ listen: [] });
    const relays: Network[] = [];
    for (let count = 0; count <= MAX_RELAYS_USED; count++) {
      const relay = await join({ relayServer: true });
      relays.push(relay);
      await hidden.swarm.connect(addressWith(relay, "/tcp/"), forever);
      await expect.poll(() => relaysOf(hidden).size).toBe(Math.min(relays.length, MAX_RELAYS_USED));
    }
    const [first, ...others] = relays as [Network, ...Network[]];
    await close(first);
    await expect.poll(() => relaysOf(hidden)).toEqual(new Set(others.map(idOf)));
    const seeker = await join({ listen: [] });
    await seeker.swarm.connect(addressWith(hidden, `${idOf(others[1] as Network)}/p2p-circuit`), forever);
    expect(await echo(seeker, hidden)).toBe("ahoy");
  });

  it("to bootstrap nodes come back after these were away", async () => {
    const privateKey = await generateKeyPair("Ed25519");
    const { node: first, address, place } = await joinAtPlace({ privateKey });
    const b = await join({ bootstrap: [address] });
    await untilConnected(b, first);
    await close(first);
    await until(b.swarm, () => b.swarm.peers().length === 0);
    const second = await join({ privateKey, listen: [place] });
    await untilConnected(b, second);
    expect(b.transportOf(idOf(second))).toBe("tcp");
  });

  it("fail with an error that says why", async () => {
    const a = await join();
    const gone = await join();
    const address = addressWith(gone, "/tcp/");
    await close(gone);
    const refused = (text: string) => a.swarm.connect(text, forever);
    await expect(refused(address)).rejects.toMatchObject({ name: "peer_unreachable" });
    await expect(refused("not an address")).rejects.toMatchObject({ name: "bad_request" });
    await expect(refused("/ip4/127.0.0.1/udp/9/quic-v1")).rejects.toMatchObject({ name: "bad_request" });
    await expect(refused(addressWith(a, "/tcp/"))).rejects.toMatchObject({ name: "bad_request" });
    await expect(a.openStream(idOf(gone), "/test/echo/1", AbortSignal.timeout(5_000))).rejects.toMatchObject({
      name: expect.stringMatching(/peer_unreachable|TimeoutError/),
    });
    await expect(join({ bootstrap: ["nonsense"] })).rejects.toMatchObject({
      name: "bad_request",
      message: "the bootstrap address nonsense is no multiaddr",
    });
  });

  it("are not tried through the node itself, so that a relay has nothing new to tell of itself", async () => {
    const relay = await join({ relayServer: true });
    const gone = await join();
    await close(gone);
    const address = `${addressWith(relay, "/tcp/")}/p2p-circuit/p2p/${idOf(gone)}`;
    await expect(relay.swarm.connect(address, forever)).rejects.toThrow("denied");
  });

  it("fail with the signal's reason once it is aborted", async () => {
    const a = await join();
    const reason = new Error("enough");
    await expect(a.swarm.connect("/ip4/127.0.0.1/tcp/9", AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("of a banned peer are closed and refused until the ban ends, in both directions", async () => {
    const a = await join();
    const b = await join();
    b.swarm.announce(someFile("of the banned"));
    await b.swarm.connect(addressWith(a, "/tcp/"), forever);
    await until(a.swarm, () => a.swarm.offers().length === 1);
    const disconnected = until(b.swarm, (event) => event?.type === "peer_disconnected");
    a.swarm.ban(idOf(b), 60_000);
    await disconnected;
    expect(a.swarm.offers()).toEqual([]);
    expect(a.swarm.peers()).toEqual([]);
    await expect(a.swarm.connect(addressWith(b, "/tcp/"), forever)).rejects.toMatchObject({
      name: "peer_unreachable",
    });
    await b.swarm.connect(addressWith(a, "/tcp/"), forever).catch(() => undefined);
    expect(a.swarm.peers()).toEqual([]);
    a.swarm.ban(idOf(b), -1);
    await a.swarm.connect(addressWith(b, "/tcp/"), forever);
    await until(a.swarm, () => a.swarm.offers().length === 1);
  });
});
