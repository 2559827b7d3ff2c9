/** Who dials when nodes hear of each other through a third. */
import { multiaddr } from "@multiformats/multiaddr";
import { describe, expect, it } from "vitest";
import { headlessTransports } from "../../src/headless/network/transports.ts";
import { isLeftToDial } from "../../src/network/connecting/meeting.ts";
import type { NetworkOptions } from "../../src/network/network.ts";
import { until } from "../interop/until.ts";
import { someFile } from "./some-file.ts";
import { idOf, join, untilConnected } from "./swarm-of-nodes.ts";

type Transport = NetworkOptions["transports"][number];

/** The transport, which can't dial the peer. */
function refusing(create: Transport, peerId: string, onRefused: () => void): Transport {
  return (components) => {
    const transport = create(components);
    const dial = transport.dial.bind(transport);
    transport.dial = async (address, options) => {
      if (!address.toString().endsWith(peerId)) return await dial(address, options);
      onRefused();
      throw new Error("no way there");
    };
    return transport;
  };
}

describe("of two that hear of each other", () => {
  it("both leave it to the one that started later, where a relay lies between them", () => {
    const direct = multiaddr("/ip4/127.0.0.1/tcp/1/ws");
    const relayed = direct.encapsulate("/p2p-circuit/webrtc");
    const [old, young, other] = [
      { peerId: "b", epoch: 1 },
      { peerId: "a", epoch: 2 },
      { peerId: "c", epoch: 2 },
    ];
    for (const [one, two] of [
      [old, young],
      [old, other],
      [young, other],
    ] as const) {
      expect(isLeftToDial(one, two, [relayed])).toBe(true);
      expect(isLeftToDial(two, one, [relayed])).toBe(false);
      for (const addresses of [[], [relayed, direct]]) expect(isLeftToDial(one, two, addresses)).toBe(false);
    }
  });

  it("the other dials where the one that started later can't", async () => {
    const relay = await join({ relayServer: true });
    const hidden = { bootstrap: relay.swarm.addresses(), listen: [] };
    const old = await join(hidden);
    await untilConnected(old, relay);
    old.swarm.announce(someFile("of one that was there before"));
    let refused = 0;
    const newcomer = await join({
      ...hidden,
      transports: headlessTransports({ iceServers: [] }).map((create) =>
        refusing(create, idOf(old), () => (refused += 1)),
      ),
    });
    await until("it has tried", () => refused > 0);
    newcomer.swarm.announce(someFile("of a newcomer"));
    await untilConnected(old, newcomer);
    expect(old.transportOf(idOf(newcomer))).toMatch(/relay|webrtc/);
  });
});
