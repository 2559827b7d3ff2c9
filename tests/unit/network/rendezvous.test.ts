/** What a relay is asked for and answers: src/network/relay/rendezvous. */
import "../../../src/headless/node20-shims.ts";
import { readFileSync } from "node:fs";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Connection, PeerId, Stream, StreamHandler } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { lpStream, streamPair } from "@libp2p/utils";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_ADDRESS_BYTES, MAX_AUTHOR_ADDRESSES } from "../../../src/network/announcing/limits.ts";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import {
  MAX_PEERS_NAMED,
  MAX_RENDEZVOUS_ANSWER_BYTES,
  RENDEZVOUS_BURST,
  RENDEZVOUS_PAUSE_MAX_MS,
  RENDEZVOUS_PER_SECOND,
  RENDEZVOUS_QUESTION_BYTES,
} from "../../../src/network/relay/limits.ts";
import { Rendezvous } from "../../../src/network/relay/rendezvous.ts";
import {
  decodeRendezvousAnswer,
  decodeRendezvousQuestion,
  encodeRendezvousAnswer,
  encodeRendezvousQuestion,
  type Named,
  swarmHash,
} from "../../../src/network/relay/rendezvous-messages.ts";
import { RendezvousPoint } from "../../../src/network/relay/rendezvous-point.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { OnePeerNode } from "./one-peer-node.ts";

interface Frozen {
  question: { swarm: string; hex: string };
  answers: { what: string; named: { peerId: string; addresses: string[] }[] | null; hex: string }[];
}
const frozen: Frozen = JSON.parse(
  readFileSync(new URL("../../fixtures/formats/v1/rendezvous.json", import.meta.url), "utf8"),
);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const refused = expect.objectContaining({ name: "protocol_error" });

const peerId = fc.constantFrom(
  "12D3KooWQYV9dGMFoRzNStwpXztXaBUjtPqi6aU76ZgUriHhKust",
  "12D3KooWNfWRkrgA3aDWnuQJa34rLGkWHCA8KUjeCeeUP6pZMwat",
  "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N",
);
const address = fc.uint8Array({ minLength: 1, maxLength: MAX_ADDRESS_BYTES });
const addresses = fc.array(address, { maxLength: MAX_AUTHOR_ADDRESSES });
const answer = fc.option(fc.array(fc.record({ peerId, addresses }), { maxLength: MAX_PEERS_NAMED }), {
  nil: undefined,
});

describe("what is asked of a relay and answered", () => {
  it("keeps the frozen bytes of the question", () => {
    const { swarm, hex: bytes } = frozen.question;
    expect(hex(encodeRendezvousQuestion(swarmHash(swarm)))).toBe(bytes);
    expect(decodeRendezvousQuestion(Buffer.from(bytes, "hex"))).toEqual(swarmHash(swarm));
    expect(bytes.length / 2).toBe(RENDEZVOUS_QUESTION_BYTES);
  });

  it.each(frozen.answers)("keeps the frozen bytes of $what", ({ named, hex: bytes }) => {
    const sent = named?.map((one) => ({
      ...one,
      addresses: one.addresses.map((text) => multiaddr(text).bytes),
    }));
    expect(hex(encodeRendezvousAnswer(sent))).toBe(bytes);
    expect(decodeRendezvousAnswer(Buffer.from(bytes, "hex"))).toEqual(sent);
  });

  it("comes back as it was sent, and fits a frame", () => {
    fc.assert(
      fc.property(answer, (named) => {
        const bytes = encodeRendezvousAnswer(named);
        expect(bytes.length).toBeLessThanOrEqual(MAX_RENDEZVOUS_ANSWER_BYTES);
        expect(decodeRendezvousAnswer(bytes)).toEqual(named);
      }),
      { numRuns: 30 },
    );
  });

  it("is refused when cut at any byte or followed by one more", () => {
    const where = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(answer, where, (named, cut) => {
        const bytes = encodeRendezvousAnswer(named);
        expect(() => decodeRendezvousAnswer(bytes.subarray(0, Math.floor(cut * bytes.length)))).toThrow(
          refused,
        );
        expect(() => decodeRendezvousAnswer(Uint8Array.of(...bytes, 0))).toThrow(refused);
      }),
      { numRuns: 30 },
    );
    const question = encodeRendezvousQuestion(swarmHash("family"));
    expect(() => decodeRendezvousQuestion(question.subarray(1))).toThrow(refused);
    expect(() => decodeRendezvousQuestion(Uint8Array.of(...question, 0))).toThrow(refused);
  });

  it("is refused for what is no peer id", () => {
    for (const peerId of ["", "../etc", "12D3KooW"])
      expect(() => decodeRendezvousAnswer(encodeRendezvousAnswer([{ peerId, addresses: [] }]))).toThrow(
        refused,
      );
  });
});

/** A relay's libp2p, whose peers are connected as the test says. */
class RelayNode extends EventTarget {
  readonly connected = new Map<string, PeerId>();
  readonly peerStore = {
    has: async () => true,
    get: async () => ({ addresses: this.addresses.map((text) => ({ multiaddr: multiaddr(text) })) }),
  };
  addresses = ["/ip4/192.0.2.7/tcp/4001"];
  /** Where those come from that do not come from there. */
  readonly hosts = new Map<PeerId, string>();
  #handler: StreamHandler | undefined;

  async handle(_protocol: string, handler: StreamHandler): Promise<void> {
    this.#handler = handler;
  }

  getConnections(id: PeerId): Connection[] {
    return this.connected.has(id.toString()) ? [{ remotePeer: id } as Connection] : [];
  }

  async peer(): Promise<PeerId> {
    const id = peerIdFromPrivateKey(await generateKeyPair("Ed25519"));
    this.connected.set(id.toString(), id);
    return id;
  }

  lose(id: PeerId): void {
    this.connected.delete(id.toString());
    this.dispatchEvent(new CustomEvent("peer:disconnect", { detail: id }));
  }

  /** What the peer is answered to these bytes. */
  async answerTo(id: PeerId, bytes: Uint8Array): Promise<Named[] | undefined> {
    const [here, there] = await streamPair();
    const remoteAddr = multiaddr(`/ip4/${this.hosts.get(id) ?? "192.0.2.7"}/tcp/1`);
    void this.#handler?.(here, { remotePeer: id, remoteAddr } as Connection);
    const frames = lpStream(there);
    await frames.write(bytes);
    return decodeRendezvousAnswer((await frames.read()).subarray());
  }

  asks(id: PeerId, swarm: string): Promise<Named[] | undefined> {
    return this.answerTo(id, encodeRendezvousQuestion(swarmHash(swarm)));
  }
}

async function relay() {
  const node = new RelayNode();
  const clock = new HandClock();
  const ports = { node: node as unknown as Libp2pNode, swarm: "house", clock, log: () => undefined };
  await new RendezvousPoint(ports).listen();
  return { node, clock };
}

const idsOf = (named: Named[] | undefined) => named?.map(({ peerId }) => peerId);

describe("a relay", () => {
  it("names those of the same swarm with where they are, as long as they are connected", async () => {
    const { node } = await relay();
    const [ada, ben, eve] = [await node.peer(), await node.peer(), await node.peer()];
    expect(await node.asks(ada, "family")).toEqual([]);
    expect(await node.asks(eve, "others")).toEqual([]);
    const [named] = (await node.asks(ben, "family")) ?? [];
    expect(named?.peerId).toBe(ada.toString());
    expect(named?.addresses.map((bytes): Multiaddr => multiaddr(bytes)).map(String)).toEqual([
      `/ip4/192.0.2.7/tcp/4001/p2p/${ada}`,
    ]);
    node.lose(ada);
    expect(await node.asks(ben, "family")).toEqual([]);
  });

  it("names nobody who means another swarm by now, has gone while it asked, or can't be reached", async () => {
    const { node } = await relay();
    const [ada, ben, gone] = [await node.peer(), await node.peer(), await node.peer()];
    await node.asks(ada, "family");
    expect(await node.asks(ada, "others")).toEqual([]);
    node.connected.delete(gone.toString());
    await node.asks(gone, "family");
    expect(await node.asks(ben, "family")).toEqual([]);
    node.addresses = [];
    expect(await node.asks(ada, "family")).toEqual([]);
  });

  it("says of its own swarm that it is of it, and names nobody", async () => {
    const { node } = await relay();
    const [ada, ben] = [await node.peer(), await node.peer()];
    expect(await node.asks(ada, "house")).toBeUndefined();
    expect(await node.asks(ben, "house")).toBeUndefined();
  });

  it("names a few of many, others each time", async () => {
    const { node } = await relay();
    for (let count = 0; count < 3 * MAX_PEERS_NAMED; count++) await node.asks(await node.peer(), "family");
    const asker = await node.peer();
    const seen = new Set<string>();
    for (let asked = 0; asked < RENDEZVOUS_BURST; asked++) {
      const ids = idsOf(await node.asks(asker, "family")) ?? [];
      expect(new Set(ids).size).toBe(MAX_PEERS_NAMED);
      expect(ids).not.toContain(asker.toString());
      for (const id of ids) seen.add(id);
    }
    expect(seen.size).toBeGreaterThan(MAX_PEERS_NAMED);
  });

  it("names those who come from elsewhere before a second of a host that comes under many ids", async () => {
    const { node } = await relay();
    for (let count = 0; count < 3 * MAX_PEERS_NAMED; count++) await node.asks(await node.peer(), "family");
    const [ada, ben] = [await node.peer(), await node.peer()];
    node.hosts.set(ada, "192.0.2.8").set(ben, "192.0.2.9");
    await node.asks(ada, "family");
    for (let asked = 0; asked < RENDEZVOUS_BURST; asked++)
      expect(idsOf(await node.asks(ben, "family"))?.slice(0, 2)).toContain(ada.toString());
  });

  it("names nobody for a while to who asks too often, who is named all the same", async () => {
    const { node, clock } = await relay();
    const [ada, ben] = [await node.peer(), await node.peer()];
    await node.asks(ada, "family");
    for (let asked = 0; asked < RENDEZVOUS_BURST; asked++)
      expect(idsOf(await node.asks(ben, "family"))).toEqual([ada.toString()]);
    expect(await node.asks(ben, "family")).toEqual([]);
    expect(idsOf(await node.asks(ada, "family"))).toEqual([ben.toString()]);
    await clock.pass(1000 / RENDEZVOUS_PER_SECOND);
    expect(idsOf(await node.asks(ben, "family"))).toEqual([ada.toString()]);
  });

  it("answers nothing to what is no question", async () => {
    const { node } = await relay();
    await expect(node.answerTo(await node.peer(), Uint8Array.of(1, 2))).rejects.toThrow();
  });
});

/** A guest at one relay that gives these answers, the last of them again and again. */
async function guest(...answers: Uint8Array[]) {
  const node = new OnePeerNode();
  const clock = new HandClock();
  const named: string[] = [];
  let asked = 0;
  const rendezvous = new Rendezvous({
    ...node.ports,
    clock,
    onNamed: ({ peerId }) => named.push(peerId),
    openStream: async (): Promise<Stream> => {
      const [here, there] = await streamPair();
      const frames = lpStream(there);
      const answer = answers[Math.min(asked++, answers.length - 1)] ?? new Uint8Array();
      void frames.read().then(() => frames.write(answer));
      return here;
    },
  });
  await rendezvous.listen();
  return { node, clock, rendezvous, named, asked: () => asked };
}

describe("a guest", () => {
  const ada = "12D3KooWNfWRkrgA3aDWnuQJa34rLGkWHCA8KUjeCeeUP6pZMwat";
  const someone = encodeRendezvousAnswer([{ peerId: ada, addresses: [] }]);
  const nobody = encodeRendezvousAnswer([]);

  it("asks at once and again, less and less often, until the relay has gone", async () => {
    const { node, clock, named, asked } = await guest(nobody, someone);
    node.meet();
    node.meet();
    await expect.poll(asked).toBe(1);
    expect(named).toEqual([]);
    await settled();
    for (let pauses = 0; pauses < 20; pauses++) await clock.pass(RENDEZVOUS_PAUSE_MAX_MS);
    expect(asked()).toBeGreaterThan(20);
    expect(asked()).toBeLessThan(60);
    expect(new Set(named)).toEqual(new Set([ada]));
    node.lose();
    const before = asked();
    for (let pauses = 0; pauses < 3; pauses++) await clock.pass(RENDEZVOUS_PAUSE_MAX_MS);
    expect(asked()).toBe(before);
    expect(clock.sleeperCount).toBe(0);
  });

  it("asks a relay of its own swarm once for each time that it comes", async () => {
    const { node, clock, asked } = await guest(encodeRendezvousAnswer(undefined));
    node.meet();
    await expect.poll(asked).toBe(1);
    await settled();
    node.meet();
    await clock.pass(RENDEZVOUS_PAUSE_MAX_MS);
    expect(asked()).toBe(1);
    node.lose();
    node.isConnected = true;
    node.meet();
    await expect.poll(asked).toBe(2);
  });

  it("asks again after an answer that is none, and no more once it stops", async () => {
    const { node, clock, rendezvous, named, asked } = await guest(Uint8Array.of(7), someone);
    node.meet();
    await expect.poll(asked).toBe(1);
    await settled();
    await clock.pass(RENDEZVOUS_PAUSE_MAX_MS);
    await expect.poll(() => named).toContain(ada);
    rendezvous.stop();
    const before = asked();
    await clock.pass(RENDEZVOUS_PAUSE_MAX_MS);
    expect(asked()).toBe(before);
    expect(clock.sleeperCount).toBe(0);
  });
});
