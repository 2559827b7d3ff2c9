/** What libp2p's DHT notes of where peers are that send it records. */
import type { PeerStore } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it } from "vitest";
import { ADDRESSES_NOTED_MS, MAX_NOTED_CHARS } from "../../../src/network/providers/limits.ts";
import { noteOnce } from "../../../src/network/providers/told-addresses.ts";
import { HandClock } from "../hand-clock.ts";

/** `noted` tells what came to the peer store, which fails as often as is said. */
function openDht({ failures = 0 } = {}) {
  const clock = new HandClock();
  const noted: string[] = [];
  let failuresLeft = failures;
  const merge = async (peerId: string, { multiaddrs }: { multiaddrs: object[] }) => {
    if (failuresLeft-- > 0) throw new Error("the disk is full");
    noted.push([peerId, ...multiaddrs].join(" "));
  };
  const rpc = { handlers: { ADD_PROVIDER: { peerStore: { merge } } } };
  noteOnce({ rpc } as unknown as KadDHT, { merge } as unknown as PeerStore, clock);
  const take = (peerId: string, ...addresses: string[]) =>
    rpc.handlers.ADD_PROVIDER.peerStore.merge(peerId, {
      multiaddrs: addresses.map((address) => multiaddr(address)),
    });
  return { clock, noted, take };
}

const [ONE, TWO] = ["/ip4/127.0.0.1/tcp/1", "/ip4/127.0.0.1/tcp/2"] as const;

it("what many records name is noted once, and again after a while", async () => {
  const { clock, noted, take } = openDht();
  await take("a", ONE, TWO);
  await take("a", TWO);
  await take("a", ONE, TWO);
  expect(noted).toEqual([`a ${ONE} ${TWO}`]);
  await clock.pass(ADDRESSES_NOTED_MS);
  await take("a", ONE);
  expect(noted).toEqual([`a ${ONE} ${TWO}`, `a ${ONE}`]);
});

it("another address is noted at once, and each peer's for itself", async () => {
  const { noted, take } = openDht();
  await take("a", ONE);
  await take("b", ONE);
  await take("a", ONE, TWO);
  expect(noted).toEqual([`a ${ONE}`, `b ${ONE}`, `a ${ONE} ${TWO}`]);
});

it("what could not be noted is noted with the next record", async () => {
  const { noted, take } = openDht({ failures: 1 });
  await expect(take("a", ONE)).rejects.toThrow("the disk is full");
  await take("a", ONE);
  await take("a", ONE);
  expect(noted).toEqual([`a ${ONE}`]);
});

it("of more than honest peers name nothing is remembered", async () => {
  const { noted, take } = openDht();
  const many = Array.from(
    { length: MAX_NOTED_CHARS / ONE.length },
    (_, port) => `/ip4/127.0.0.1/tcp/${port}`,
  );
  await take("a", ...many);
  await take("a", ONE);
  await take("a", ONE);
  expect(noted).toEqual([`a ${many.join(" ")}`, `a ${ONE}`]);
});
