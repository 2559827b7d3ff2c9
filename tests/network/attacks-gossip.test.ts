/** Attack 17: gossip. A hostile peer is connected to a victim; another, honest node must go on being heard. */
import { generateKeyPair } from "@libp2p/crypto/keys";
import { peerIdFromString } from "@libp2p/peer-id";
import { beforeEach, describe, expect, it } from "vitest";
import type { AnnounceMessage } from "../../src/network/announcing/announcement.ts";
import { AUTHOR_MESSAGE_BURST, AUTHOR_MESSAGES_PER_SECOND } from "../../src/network/announcing/limits.ts";
import { SLOW_SIGNATURE_BURST, SLOW_SIGNATURES_PER_SECOND } from "../../src/network/libp2p/limits.ts";
import { MAX_RPC_BYTES } from "../../src/network/limits.ts";
import type { Network } from "../../src/network/network.ts";
import type { Announcement } from "../../src/sharing/ports.ts";
import { HostilePeer } from "./hostile-peer.ts";
import { someFile } from "./some-file.ts";
import { holdersOf, idOf, join, until } from "./swarm-of-nodes.ts";

const EPOCH = 1_767_225_600_000;

function hello(): AnnounceMessage {
  return { kind: "hello", epoch: EPOCH, seq: 1, revision: 0, addresses: [] };
}
function add(seq: number, files: Announcement[], epoch = EPOCH): AnnounceMessage {
  return { kind: "add", epoch, seq, revision: seq - 1, files };
}

describe("a node that gets hostile gossip", () => {
  let victim: Network;
  let hostile: HostilePeer;

  beforeEach(async () => {
    victim = await join();
    hostile = await HostilePeer.join(victim);
  });

  /** What the hostile peer published before this has been taken or dropped once this settles. */
  async function honestNodeIsHeard(): Promise<void> {
    const honest = await join({ bootstrap: victim.swarm.addresses() });
    const file = someFile("honest");
    honest.swarm.announce(file);
    await until(victim.swarm, () => holdersOf(victim, file).includes(idOf(honest)));
  }

  it("takes well-formed announcements of it, as of anyone", async () => {
    await hostile.say(hello());
    await hostile.say(add(2, [someFile("theirs")]));
    await until(victim.swarm, () => victim.swarm.offers().length === 1);
    expect(holdersOf(victim, someFile("theirs"))).toEqual([hostile.id]);
  });

  it("drops malformed messages and goes on", async () => {
    await hostile.say(hello());
    for (let i = 0; i < 30; i++) await hostile.publish(Uint8Array.of(1, 1, 1, 1, 1, 0xff, i));
    await honestNodeIsHeard();
    expect(victim.swarm.offers().map(({ name }) => name)).toEqual(["honest"]);
  });

  it("drops messages and frames above the size limits, and stays whole", async () => {
    await hostile.publish(new Uint8Array(64 * 1024).fill(1));
    await hostile.publish(new Uint8Array(MAX_RPC_BYTES + 1).fill(1));
    await honestNodeIsHeard();
    expect(victim.swarm.offers().map(({ name }) => name)).toEqual(["honest"]);
  });

  it.each([true, false])(
    "takes nothing in another's name (with their public key: %s)",
    async (showTheirKey) => {
      const honest = await join({ bootstrap: victim.swarm.addresses() });
      const real = someFile("real");
      honest.swarm.announce(real);
      await until(victim.swarm, () => holdersOf(victim, real).length === 1);
      hostile.pretendToBe(peerIdFromString(idOf(honest)), { showTheirKey });
      const later = Date.now() + 60_000;
      await hostile.say({ ...hello(), epoch: later });
      await hostile.say(add(2, [someFile("forged")], later));
      await hostile.say({ kind: "bye", epoch: later, seq: 3, revision: 1 });
      hostile.beOneself();
      await hostile.say(hello());
      await hostile.say(add(2, [someFile("in its own name")]));
      await until(victim.swarm, () => victim.swarm.offers().some(({ name }) => name === "in its own name"));
      expect(holdersOf(victim, real)).toEqual([idOf(honest)]);
      expect(victim.swarm.offer(someFile("forged").fileId)).toBeUndefined();
    },
  );

  it("takes no replay of an old seq or epoch", async () => {
    await hostile.say(hello());
    await hostile.say(add(2, [someFile("first")]));
    const withdrawal: AnnounceMessage = {
      kind: "remove",
      epoch: EPOCH,
      seq: 3,
      revision: 2,
      fileIds: [someFile("first").fileId],
    };
    await until(victim.swarm, () => victim.swarm.offers().length === 1);
    await hostile.say(withdrawal);
    await hostile.say(add(2, [someFile("first")]));
    await hostile.say({ ...hello(), epoch: EPOCH - 1 });
    await hostile.say(add(2, [someFile("first")], EPOCH - 1));
    await hostile.say(add(4, [someFile("last")]));
    await until(victim.swarm, () => victim.swarm.offers().some(({ name }) => name === "last"));
    expect(victim.swarm.offers().map(({ name }) => name)).toEqual(["last"]);
  });

  it("takes only so many messages of one author, and goes on hearing others", async () => {
    await hostile.say(hello());
    const beganMs = performance.now();
    const flood = Array.from({ length: 400 }, (_, i) => add(i + 2, [someFile(`spam ${i}`)]));
    await Promise.all(flood.map((message) => hostile.say(message)));
    await honestNodeIsHeard();
    const spam = victim.swarm.offers().filter(({ name }) => name.startsWith("spam"));
    expect(spam.length).toBeGreaterThan(0);
    const seconds = (performance.now() - beganMs) / 1000;
    expect(spam.length).toBeLessThanOrEqual(AUTHOR_MESSAGE_BURST + seconds * AUTHOR_MESSAGES_PER_SECOND);
  });

  it("goes on hearing an author however often what it said before is said again", async () => {
    await hostile.say(hello());
    await hostile.say(add(2, [someFile("first")]));
    await until(victim.swarm, () => victim.swarm.offers().length === 1);
    for (let i = 0; i < 3 * AUTHOR_MESSAGE_BURST; i++) await hostile.say(hello());
    await hostile.say(add(3, [someFile("news")]));
    await until(victim.swarm, () => victim.swarm.offers().length === 2);
  });

  it("takes only so many messages of authors that a peer makes up, whose signatures are slow to check", async () => {
    const beganMs = performance.now();
    for (let nth = 0; nth < 100; nth++) {
      hostile.speakFor(await generateKeyPair("secp256k1"));
      await hostile.say(hello());
      await hostile.say(add(2, [someFile(`made up ${nth}`)]));
    }
    hostile.beOneself();
    await honestNodeIsHeard();
    const taken = victim.swarm.offers().filter(({ name }) => name.startsWith("made up"));
    expect(taken.length).toBeGreaterThan(0);
    const seconds = (performance.now() - beganMs) / 1000;
    expect(2 * taken.length).toBeLessThanOrEqual(SLOW_SIGNATURE_BURST + seconds * SLOW_SIGNATURES_PER_SECOND);
  });

  it("forgets what a peer offered once it is gone", async () => {
    await hostile.say(hello());
    await hostile.say(add(2, [someFile("fake")]));
    await until(victim.swarm, () => victim.swarm.offers().length === 1);
    await hostile.node.stop();
    await until(victim.swarm, () => victim.swarm.offers().length === 0);
    expect(holdersOf(victim, someFile("fake"))).toEqual([]);
  });
});
