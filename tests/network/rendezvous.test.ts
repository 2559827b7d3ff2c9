/** Nodes of one swarm that know nothing but a relay of another. */
import { generateKeyPair } from "@libp2p/crypto/keys";
import { describe, expect, it } from "vitest";
import type { NetworkOptions } from "../../src/network/network.ts";
import { someFile } from "./some-file.ts";
import { close, holdersOf, idOf, join, joinAtPlace, until, untilConnected } from "./swarm-of-nodes.ts";

describe("nodes of one swarm at a relay of another", () => {
  it("find each other, and nobody of a third", async () => {
    const relay = await join({ relayServer: true, swarmName: "house" });
    const guest = (swarmName: string) => join({ swarmName, listen: [], bootstrap: relay.swarm.addresses() });
    const [ada, ben, eve] = await Promise.all([guest("family"), guest("family"), guest("others")]);
    const [ofAda, ofEve] = [someFile("of Ada"), someFile("of Eve")];
    ada.swarm.announce(ofAda);
    eve.swarm.announce(ofEve);
    await until(ben.swarm, () => holdersOf(ben, ofAda).includes(idOf(ada)));
    await until(ben.swarm, () => ben.transportOf(idOf(ada)) === "relay");
    const late = await guest("others");
    await until(late.swarm, () => holdersOf(late, ofEve).includes(idOf(eve)));
    for (const node of [ada, ben]) expect(holdersOf(node, ofEve)).toEqual([]);
    expect(holdersOf(late, ofAda)).toEqual([]);
    expect(relay.swarm.offers()).toEqual([]);
  });

  it("find each other once it is back", async () => {
    const house: Partial<NetworkOptions> = {
      privateKey: await generateKeyPair("Ed25519"),
      relayServer: true,
      swarmName: "house",
    };
    const { node: relay, address, place } = await joinAtPlace(house);
    const guest = () => join({ swarmName: "family", listen: [], bootstrap: [address] });
    const ada = await guest();
    await untilConnected(ada, relay);
    await close(relay);
    const file = someFile("kept");
    ada.swarm.announce(file);
    const ben = await guest();
    await join({ ...house, listen: [place] });
    await until(ben.swarm, () => holdersOf(ben, file).includes(idOf(ada)));
  });
});
