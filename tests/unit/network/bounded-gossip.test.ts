/** How many messages of gossip a peer has looked at, whoever made them: src/network/libp2p/bounded-gossip. */
import { generateKeyPair, publicKeyToProtobuf } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { describe, expect, it } from "vitest";
import { AUTHOR_MESSAGE_BURST, AUTHOR_MESSAGES_PER_SECOND } from "../../../src/network/announcing/limits.ts";
import { boundGossip, type MessageTaker } from "../../../src/network/libp2p/bounded-gossip.ts";
import {
  CARRIED_MESSAGE_BURST,
  CARRIED_MESSAGES_PER_SECOND,
  SLOW_SIGNATURE_BURST,
  SLOW_SIGNATURES_PER_SECOND,
} from "../../../src/network/libp2p/limits.ts";
import { HandClock } from "../hand-clock.ts";

type KeyType = "Ed25519" | "secp256k1";

const madeUp = await Promise.all((["Ed25519", "secp256k1"] as const).map((type) => generateKeyPair(type)));
const carriers = await Promise.all(madeUp.map(() => generateKeyPair("Ed25519")));
const [carrier, other] = carriers.map(peerIdFromPrivateKey) as [PeerId, PeerId];
type PeerId = ReturnType<typeof peerIdFromPrivateKey>;

function authorOf(type: KeyType) {
  const key = madeUp.find((one) => one.type === type) as (typeof madeUp)[number];
  return { from: peerIdFromPrivateKey(key).toMultihash().bytes, key: publicKeyToProtobuf(key.publicKey) };
}

function open(originOf = (peerId: string) => peerId) {
  const clock = new HandClock();
  let taken = 0;
  const known = new Set<string>();
  const gossip: MessageTaker = {
    handleReceivedMessage: async () => {
      taken += 1;
    },
    fastMsgIdFn: ({ signature }) => String(signature),
    fastMsgIdCache: { get: (id) => (known.has(id) ? id : undefined) },
  };
  boundGossip(gossip, originOf, clock);
  let nth = 0;
  /** How many of so many are taken. */
  const bring = async (count: number, author: { from?: Uint8Array; key?: Uint8Array }, from = carrier) => {
    const before = taken;
    for (let i = 0; i < count; i++) {
      nth += 1;
      await gossip.handleReceivedMessage(from, { ...author, signature: Uint8Array.of(nth >> 8, nth) });
    }
    return taken - before;
  };
  return { clock, known, gossip, bring, count: () => taken };
}

describe("messages of gossip that one peer brings", () => {
  it("are taken at a rate, whoever made them, and none of it is another's", async () => {
    const { clock, bring } = open();
    const author = authorOf("Ed25519");
    expect(await bring(CARRIED_MESSAGE_BURST + 5, author)).toBe(CARRIED_MESSAGE_BURST);
    expect(await bring(1, author, other)).toBe(1);
    await clock.pass(1000);
    expect(await bring(CARRIED_MESSAGE_BURST, author)).toBe(CARRIED_MESSAGES_PER_SECOND);
  });

  it("are fewer where their signatures are slow to check", async () => {
    const { clock, bring } = open();
    const author = authorOf("secp256k1");
    expect(await bring(SLOW_SIGNATURE_BURST + 5, author)).toBe(SLOW_SIGNATURE_BURST);
    await clock.pass(1000);
    expect(await bring(SLOW_SIGNATURE_BURST, author)).toBe(SLOW_SIGNATURES_PER_SECOND);
  });

  it("leave their share to others where too many of them have signatures that are slow to check", async () => {
    const { bring } = open();
    await bring(2 * CARRIED_MESSAGE_BURST, authorOf("secp256k1"));
    const left = CARRIED_MESSAGE_BURST - SLOW_SIGNATURE_BURST;
    expect(await bring(CARRIED_MESSAGE_BURST, authorOf("Ed25519"))).toBe(left);
  });

  it("leave it its own, which are as many as of any author, and count beyond that like others", async () => {
    const { clock, bring } = open();
    const own = { from: carrier.toMultihash().bytes };
    await bring(CARRIED_MESSAGE_BURST + 1, authorOf("Ed25519"));
    expect(await bring(AUTHOR_MESSAGE_BURST + 1, own)).toBe(AUTHOR_MESSAGE_BURST);
    expect(await bring(1, { from: other.toMultihash().bytes })).toBe(0);
    await clock.pass(1000);
    const both = AUTHOR_MESSAGES_PER_SECOND + CARRIED_MESSAGES_PER_SECOND;
    expect(await bring(CARRIED_MESSAGE_BURST, own)).toBe(both);
  });

  it("count as slow in the clothes of others, and not where the key is in the author's id alone", async () => {
    const { from, key } = authorOf("Ed25519");
    const { key: slow } = authorOf("secp256k1");
    const disguised = Uint8Array.of(0x08, 0x01, ...slow);
    expect(await open().bring(SLOW_SIGNATURE_BURST + 5, { from, key: disguised })).toBe(SLOW_SIGNATURE_BURST);
    const ofAnother = Uint8Array.of(...key.subarray(2), 0x08, 0x02);
    expect(await open().bring(SLOW_SIGNATURE_BURST + 5, { from, key: ofAnother })).toBe(SLOW_SIGNATURE_BURST);
    const doubled = Uint8Array.of(...key, 0x08, 0x02);
    expect(await open().bring(SLOW_SIGNATURE_BURST + 5, { from, key: doubled })).toBe(SLOW_SIGNATURE_BURST);
    expect(await open().bring(SLOW_SIGNATURE_BURST + 5, { from })).toBe(SLOW_SIGNATURE_BURST + 5);
    expect(await open().bring(SLOW_SIGNATURE_BURST + 5, { from: authorOf("secp256k1").from })).toBe(
      SLOW_SIGNATURE_BURST,
    );
  });

  it("are one share of all peers of a host, but for what they say themselves", async () => {
    const { bring } = open(() => "the host of both");
    await bring(CARRIED_MESSAGE_BURST, authorOf("Ed25519"));
    expect(await bring(1, authorOf("Ed25519"), other)).toBe(0);
    const own = { from: other.toMultihash().bytes };
    expect(await bring(AUTHOR_MESSAGE_BURST + 1, own, other)).toBe(AUTHOR_MESSAGE_BURST);
  });

  it("fail to whoever brings them, as before", async () => {
    class Gossip implements MessageTaker {
      readonly failure = new Error("no message");
      async handleReceivedMessage(): Promise<void> {
        throw this.failure;
      }
    }
    const gossip: MessageTaker & { failure: Error } = new Gossip();
    boundGossip(gossip, String, new HandClock());
    const taken = gossip.handleReceivedMessage(carrier, authorOf("Ed25519"));
    await expect(taken).rejects.toBe(gossip.failure);
  });

  it("count once, however often they come", async () => {
    const { known, gossip, bring, count } = open();
    const signature = Uint8Array.of(1, 2, 3);
    known.add(String(signature));
    for (let i = 0; i < 2 * CARRIED_MESSAGE_BURST; i++) {
      await gossip.handleReceivedMessage(carrier, { ...authorOf("Ed25519"), signature });
    }
    expect(count()).toBe(2 * CARRIED_MESSAGE_BURST);
    expect(await bring(CARRIED_MESSAGE_BURST, authorOf("Ed25519"))).toBe(CARRIED_MESSAGE_BURST);
  });
});
