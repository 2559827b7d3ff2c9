/** Attacks 13 to 19 on the node of a page: peers that lie, bomb, flood, gossip, bring and read what they should not. */
import { createHash } from "node:crypto";
import type { Stream } from "@libp2p/interface";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { MAX_REQUESTS_PER_PEER, MAX_WATCHES_PER_PEER } from "../../src/exchange/limits.ts";
import { PROTOCOL } from "../../src/exchange/protocol.ts";
import type { Message } from "../../src/exchange/wire/messages.ts";
import { CATALOGUE_PROTOCOL } from "../../src/network/announcing/catalogue-protocol.ts";
import { MAX_ANNOUNCEMENT_BYTES } from "../../src/network/announcing/limits.ts";
import { MAX_INBOUND_STREAMS_PER_PROTOCOL } from "../../src/network/limits.ts";
import { RAW } from "../../src/sharing/hash.ts";
import { gets } from "../attacks/asked-block.ts";
import { type BaitedFile, baitedFile, sendBlock, serveBaited } from "../attacks/baited-file.ts";
import { chunkLies } from "../attacks/chunk-lies.ts";
import { HostileNode } from "../attacks/hostile-node.ts";
import { claimGigabytes, isTaken } from "../attacks/length-bomb.ts";
import { addMessage, chunks, gossipName, manifestLies, serveLie } from "../attacks/lying-manifests.ts";
import { openGatedPeer } from "../interop/gated-peer.ts";
import { transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { PageSite } from "./open-page.ts";
import { PageVictim } from "./page-victim.ts";

const MIB = 1024 * 1024;
const LONG_MS = 90_000;

let site: PageSite;
let victim: PageVictim;
const hostiles: HostileNode[] = [];

beforeAll(async () => {
  site = await PageSite.start();
  victim = await PageVictim.open(site);
});
afterEach(async () => {
  await Promise.all(hostiles.splice(0).map((hostile) => hostile.stop()));
});
afterAll(() => site[Symbol.asyncDispose]());

async function startHostile(): Promise<HostileNode> {
  const hostile = await HostileNode.startForPages();
  hostiles.push(hostile);
  return hostile;
}

const offers = async () => (await victim.client.networkFiles({ limit: 1000 })).files;
const files = async () => (await victim.client.files()).files;
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const used = async () => (await victim.client.nodeInfo()).storage_used;

/** Settles once the page has cut the hostile node off, and will not have it back. */
async function expectBanned(hostile: HostileNode): Promise<void> {
  await until("it is cut off", () => !hostile.isConnectedTo(victim.id), LONG_MS);
  await victim.meet(hostile).catch(() => undefined);
  await until("it can't come back", () => !hostile.isConnectedTo(victim.id), LONG_MS);
  expect((await victim.client.peers()).peers.map(({ id }) => id)).not.toContain(hostile.id);
}

describe("peers that lie to a page", () => {
  it("about chunks are banned, and an honest one finishes the transfers", async () => {
    const lied = await Promise.all(
      chunkLies.map(async ([what, lie]) => {
        const file = await baitedFile(`${what}.bin`, 4 * MIB + 77);
        const liar = await startHostile();
        await liar.answer(serveBaited(file, lie));
        await liar.offer(file.announcement);
        await victim.meet(liar);
        const { transfer_id } = await victim.client.download({ file_id: file.announcement.fileId });
        return { file, liar, transfer_id };
      }),
    );
    for (const { liar } of lied) await expectBanned(liar);
    for (const { file, transfer_id } of lied) {
      await site.host.client.upload(file.bytes, { name: "honest.bin" });
      expect(await transferEnd(victim, transfer_id)).toMatchObject({ status: "completed", progress: 1 });
      expect(await victim.opened.contentHash(file.announcement.fileId)).toBe(sha256(file.bytes));
      await victim.client.deleteFile(file.announcement.fileId);
    }
    await victim.expectUnharmed();
  });

  it("about manifests are banned, and leave nothing behind", async () => {
    const lied = await Promise.all(
      manifestLies.map(async ([, make]) => {
        const liar = await startHostile();
        const fileId = await serveLie(liar, await make());
        await victim.meet(liar);
        return { liar, fileId, ...(await victim.client.download({ file_id: fileId })) };
      }),
    );
    for (const { liar, fileId, transfer_id } of lied) {
      await expectBanned(liar);
      await victim.client.cancel(transfer_id);
      await expect(victim.client.file(fileId)).rejects.toMatchObject({ status: 404 });
    }
    expect(await files()).toEqual([]);
    expect(await used()).toBe(0);
    await victim.expectUnharmed();
  });
});

describe("a peer that gossips to a page", () => {
  let hostile: HostileNode;
  let epoch: number;
  beforeEach(async () => {
    hostile = await startHostile();
    epoch = Date.now() - 5000;
    await hostile.offerNothing(epoch);
    const followed = hostile.followed();
    await victim.meet(hostile);
    await followed;
    await hostile.say({ kind: "hello", epoch, seq: 1, revision: 0, addresses: [] });
  });
  afterEach(async () => {
    await expectHonestNodeIsHeard();
    await victim.expectUnharmed();
  });

  let honestCount = 0;
  async function expectHonestNodeIsHeard(): Promise<void> {
    const name = `honest ${++honestCount}`;
    await site.host.client.upload(new TextEncoder().encode(name), { name });
    await until(
      "the honest node is heard",
      async () => (await offers()).some((it) => it.name === name),
      LONG_MS,
    );
  }

  it("nonsense, or too long, is not listened to", async () => {
    for (let round = 0; round < 40; round++) await hostile.publish(Uint8Array.of(1, 1, 1, 1, 1, 0xff, round));
    await hostile.publish(new Uint8Array(MAX_ANNOUNCEMENT_BYTES + 1).fill(1));
    await expectHonestNodeIsHeard();
    expect((await offers()).filter(({ peers }) => peers.includes(hostile.id))).toEqual([]);
  });

  it("names of 4 KB or in bad UTF-8 has them dropped, and those that turn text around made harmless", async () => {
    const [long = "", bad = "", turned = ""] = (await chunks(3)).map(String);
    await hostile.publish(addMessage(epoch, long, new Uint8Array(4096).fill(0x61)));
    await hostile.publish(addMessage(epoch, bad, Uint8Array.of(0x61, 0xc3, 0x28)));
    await gossipName(hostile, epoch, turned, "../photo\u202egpj.exe\u0007");
    const offer = await until(
      "the one that can be shown is",
      async () => (await offers()).find(({ id }) => id === turned),
      LONG_MS,
    );
    expect(offer.name).not.toMatch(/[/\p{Cc}\p{Cf}]/u);
    const ids = (await offers()).map(({ id }) => id);
    expect(ids).not.toContain(long);
    expect(ids).not.toContain(bad);
  });

  it("without end is cut to its rate", async () => {
    const count = 300;
    for (let index = 0; index < count; index++) {
      const { announcement } = await baitedFile(`spam ${index}`, 8);
      await hostile.say({ kind: "add", epoch, seq: index + 2, revision: index + 1, files: [announcement] });
    }
    await expectHonestNodeIsHeard();
    expect((await offers()).filter(({ name }) => name.startsWith("spam")).length).toBeLessThan(count);
  });
});

function wantsOf(file: BaitedFile, count: number): Message[] {
  const digests = [...file.blocks.keys()].map((hex) => new Uint8Array(Buffer.from(hex, "hex")));
  return Array.from({ length: count }, (_, requestId) => ({
    ...({ type: "want", priority: 2, maxBytes: MIB, codec: RAW, requestId } as const),
    digest: digests[requestId % digests.length] as Uint8Array,
  }));
}

describe("a peer that floods a page with", () => {
  it("requests is cut off, and banned at the third time, while others are served", async () => {
    const shared = await baitedFile("flooded.bin", 4 * MIB);
    const { file_id } = await victim.client.upload(shared.bytes, { name: "flooded.bin" });
    const hostile = await startHostile();
    await victim.meet(hostile);
    for (let round = 0; round < 3; round++) {
      const peer = await hostile.askPeer(victim.id);
      peer.stream.pause();
      peer.send(...wantsOf(shared, MAX_REQUESTS_PER_PEER * 4));
      await peer.untilClosed();
    }
    await expectBanned(hostile);
    const { transfer_id } = await site.host.client.download({ file_id });
    expect(await transferEnd(site.host, transfer_id)).toMatchObject({ status: "completed" });
    await victim.client.deleteFile(file_id);
    await victim.expectUnharmed();
  });

  it("streams holds few of a protocol open", async () => {
    const hostile = await startHostile();
    await victim.meet(hostile);
    const attempts = await Promise.allSettled(
      Array.from({ length: 100 }, () => hostile.streamTo(victim.id, CATALOGUE_PROTOCOL)),
    );
    const streams = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
    await until(
      "all but a few are ended",
      () => streams.filter(({ status }) => status === "open").length <= MAX_INBOUND_STREAMS_PER_PROTOCOL,
      LONG_MS,
    );
    await victim.expectUnharmed();
  });

  it("conversations it does not read takes little memory, and does not hold up others", async () => {
    const shared = await baitedFile("slowly.bin", 4 * MIB);
    const { file_id } = await victim.client.upload(shared.bytes, { name: "slowly.bin" });
    const slow = await Promise.all(Array.from({ length: 6 }, startHostile));
    for (const hostile of slow) {
      await victim.meet(hostile);
      const peer = await hostile.askPeer(victim.id);
      peer.stream.pause();
      peer.send(...wantsOf(shared, MAX_REQUESTS_PER_PEER - 1));
    }
    const { transfer_id } = await site.host.client.download({ file_id });
    expect(await transferEnd(site.host, transfer_id)).toMatchObject({ status: "completed" });
    for (const hostile of slow) expect(hostile.isConnectedTo(victim.id)).toBe(true);
    await victim.client.deleteFile(file_id);
    await victim.expectUnharmed();
  });

  it("watches of files that nobody has is refused or answered, and memory stays bounded", async () => {
    const hostile = await startHostile();
    await victim.meet(hostile);
    const peer = await hostile.askPeer(victim.id);
    peer.stream.pause();
    const digest = new Uint8Array(32);
    // Their bitfields alone, were they kept, would be more than all of the heap that a page may have.
    for (let watchId = 0; watchId < MAX_WATCHES_PER_PEER * 50 && peer.stream.status === "open"; watchId++) {
      digest[0] = watchId;
      peer.send({ type: "watch", watchId, chunkCount: 1 << 20, codec: RAW, digest });
    }
    peer.stream.resume();
    await until("it is refused or answered", () => peer.stream.status !== "open" || peer.received.length > 0);
    await victim.expectUnharmed();
  });
});

describe("a length prefix that claims gigabytes", () => {
  it.each([PROTOCOL, CATALOGUE_PROTOCOL, "/meshsub/1.1.0", "/ipfs/id/push/1.0.0"])(
    "ends its stream to a page before any memory is taken, on %s",
    async (protocol) => {
      const hostile = await startHostile();
      await victim.meet(hostile);
      const streams: Stream[] = [];
      for (let index = 0; index < 4; index++) {
        // A second stream of some protocols is refused at once.
        const stream = await hostile.streamTo(victim.id, protocol).catch(() => undefined);
        if (stream === undefined) continue;
        streams.push(stream);
        claimGigabytes(stream);
      }
      expect(streams.length).toBeGreaterThan(0);
      await until("all streams are ended", () => !streams.some(isTaken), LONG_MS);
      await victim.expectUnharmed();
    },
  );
});

describe("a peer that, of a page,", () => {
  it("would have blocks stored that nobody asked for is cut off", async () => {
    const before = await used();
    const hostile = await startHostile();
    await victim.meet(hostile);
    const peer = await hostile.askPeer(victim.id);
    sendBlock(peer, 0, new Uint8Array(500_000));
    await peer.untilClosed();
    expect(await used()).toBe(before);
    expect(await files()).toEqual([]);
  });

  it("reads gets what is shared, nothing that only lies in its storage, and no more once it is deleted", async () => {
    const shared = new TextEncoder().encode("shared with all");
    const { file_id } = await victim.client.upload(shared, { name: "shared.txt" });
    const beside = await baitedFile("beside.bin", 1000);
    await victim.opened.page.evaluate(
      async (numbers) => {
        const root = await navigator.storage.getDirectory();
        const output = await (await root.getFileHandle("beside.bin", { create: true })).createWritable();
        await output.write(Uint8Array.from(numbers));
        await output.close();
      },
      [...beside.bytes],
    );
    const hostile = await startHostile();
    await victim.meet(hostile);
    const peer = await hostile.askPeer(victim.id);
    expect(await gets(peer, 0, file_id)).toBe(true);
    expect(await gets(peer, 1, beside.announcement.fileId)).toBe(false);
    await victim.client.deleteFile(file_id);
    expect(await gets(peer, 2, file_id)).toBe(false);
    await victim.expectUnharmed();
  });
});

describe("a page whose room is used up", () => {
  it("fails the download that does not fit, with the reason, and keeps all else whole", async () => {
    const kept = await baitedFile("kept.bin", 5 * MIB);
    const { file_id: keptId } = await victim.client.upload(kept.bytes, { name: "kept.bin" });
    await victim.client.changeSettings({ max_storage: 12 * MIB });
    const peer = await openGatedPeer((await site.host.client.nodeInfo()).addresses);
    try {
      const small = await baitedFile("small.bin", MIB + 5);
      const large = await baitedFile("large.bin", 14 * MIB);
      const { fileId: smallId } = await peer.share("small.bin", small.bytes);
      const { fileId: largeId } = await peer.share("large.bin", large.bytes);
      await victim.client.connect(peer.webSocketAddress);
      peer.release();
      const { transfer_id } = await victim.client.download({ file_id: largeId });
      expect(await transferEnd(victim, transfer_id)).toMatchObject({
        status: "failed",
        error: expect.stringMatching(/stor|space|full|quota/i),
      });
      const upload = victim.client.upload((await baitedFile("unshared", 14 * MIB)).bytes, {
        name: "more.bin",
      });
      await expect(upload).rejects.toMatchObject({ status: 507 });
      const other = await victim.client.download({ file_id: smallId });
      expect(await transferEnd(victim, other.transfer_id)).toMatchObject({ status: "completed" });
      expect(await victim.opened.contentHash(keptId)).toBe(sha256(kept.bytes));
      expect(await victim.opened.contentHash(smallId)).toBe(sha256(small.bytes));
      await victim.expectUnharmed();
    } finally {
      await peer.stop();
    }
  });
});
