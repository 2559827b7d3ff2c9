/** Files between real processes over loopback: whole, cut off, in a swarm, while they are read, by every transport. */
import { randomBytes, randomUUID } from "node:crypto";
import { open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ALIVE_INTERVAL_MS } from "../../src/network/announcing/limits.ts";
import { type ShoalProcess, Shoals, transferEnd } from "./shoal-process.ts";
import { until } from "./until.ts";

const MIB = 1024 * 1024;

/** By what is told at once, however busy the machine, and not by what nodes repeat. */
const SOON_MS = ALIVE_INTERVAL_MS / 2;

/** These two run for all tests, none of which ends them, damages their disks or looks into their logs. */
const lasting = new Shoals();
let seeder: ShoalProcess;
let leecher: ShoalProcess;
beforeAll(async () => {
  seeder = await lasting.start({ flags: ["--gateway"] });
  leecher = await lasting.start({ bootstrap: [seeder] });
});
afterAll(() => lasting[Symbol.asyncDispose]());

/** Those of one test. */
let shoals: Shoals;
beforeEach(() => {
  shoals = new Shoals();
});
afterEach(() => shoals[Symbol.asyncDispose]());

/** For this test: a transfer that is looked at half way is slow enough for whoever looks late. */
async function limitSeeder(bytesPerSecond: number): Promise<void> {
  onTestFinished(hasteSeeder);
  await seeder.client.changeSettings({ max_upload: bytesPerSecond });
}

async function hasteSeeder(): Promise<void> {
  await seeder.client.changeSettings({ max_upload: null });
}

async function share(node: ShoalProcess, bytes: Buffer) {
  const path = join(node.folder, "shared", `${randomUUID()}.bin`);
  await writeFile(path, bytes);
  return node.client.share(path);
}

async function shareRandom(node: ShoalProcess, sizeBytes: number) {
  const bytes = randomBytes(sizeBytes);
  return { ...(await share(node, bytes)), bytes };
}

/** Of its first chunks one bit each is another on its disk: of the first file that it shared. */
async function damage(node: ShoalProcess, bytes: Buffer, chunkCount: number): Promise<void> {
  const segment = await open(join(node.folder, "data", "blocks", "segments", "1"), "r+");
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    const at = chunk * MIB;
    await segment.write(Uint8Array.of((bytes[at] as number) ^ 1), 0, 1, at);
  }
  await segment.close();
}

function copyOf(node: ShoalProcess, name = "copy.bin"): string {
  return join(node.folder, "downloads", name);
}

async function expectCopy(node: ShoalProcess, name: string, bytes: Buffer): Promise<void> {
  const copy = await readFile(copyOf(node, name));
  expect(copy.equals(bytes)).toBe(true);
}

async function uploadedBytes(node: ShoalProcess): Promise<number> {
  return (await node.client.systemStats()).network.total_uploaded;
}

/** TCP connections that others have opened to it, as the system tells. */
async function openConnections(node: ShoalProcess): Promise<number> {
  const [address] = (await node.client.nodeInfo()).addresses;
  const port = Number(/\/tcp\/(\d+)/.exec(address ?? "")?.[1])
    .toString(16)
    .padStart(4, "0");
  const isOpen = new RegExp(`^\\s*\\d+: [0-9A-F]{8}:${port} [0-9A-F]{8}:[0-9A-F]{4} 01 `, "i");
  return (await readFile("/proc/net/tcp", "utf8")).split("\n").filter((line) => isOpen.test(line)).length;
}

/** Peers that are known to hold the file. */
async function holders(node: ShoalProcess, fileId: string): Promise<string[]> {
  const { files } = await node.client.networkFiles();
  return files.find((file) => file.id === fileId)?.peers ?? [];
}

describe("two shoal processes", () => {
  it.each([-24, 24])("meet though the clock of one is wrong by %i hours", async (hours) => {
    const { file_id } = await shareRandom(seeder, MIB);
    const wrong = `const now = Date.now; Date.now = () => now() + ${hours} * 3_600_000;`;
    const nodeFlags = ["--import", `data:text/javascript,${encodeURIComponent(wrong)}`];
    const node = await shoals.start({ bootstrap: [seeder], nodeFlags });
    const { transfer_id } = await node.client.download({ file_id });
    expect((await transferEnd(node, transfer_id)).status).toBe("completed");
  });

  it("bring a file from one to the other, equal to the byte", async () => {
    const { file_id, bytes } = await shareRandom(seeder, 64 * MIB + 123);
    const sentBytes = await uploadedBytes(seeder);
    const { transfer_id, status } = await leecher.client.download({ file_id, output_path: "copy.bin" });
    expect(status).toBe("started");
    const end = await transferEnd(leecher, transfer_id);
    expect(end).toMatchObject({ status: "completed", progress: 1 });
    await expectCopy(leecher, "copy.bin", bytes);
    expect((await uploadedBytes(seeder)) - sentBytes).toBeGreaterThanOrEqual(bytes.length);
    // The node's own copy is the same file on the disk.
    expect((await stat(copyOf(leecher))).nlink).toBe(2);
    // The chunks had a connection of their own.
    if (process.platform === "linux") expect(await openConnections(seeder)).toBe(2);
  });

  it("fetch what somebody changed in a downloaded file again, and leave the change alone", async () => {
    const { file_id, bytes } = await shareRandom(seeder, 4 * MIB + 5);
    const { transfer_id } = await leecher.client.download({ file_id, output_path: "changed.bin" });
    await transferEnd(leecher, transfer_id);
    const note = Buffer.from("a note in the margin");
    const copy = await open(copyOf(leecher, "changed.bin"), "r+");
    await copy.write(note, 0, note.length, 2 * MIB);
    await copy.close();

    const read = await until("the file reads as it was", async () => {
      const response = await leecher.client.content(file_id);
      return await response.arrayBuffer().catch(() => undefined);
    });
    expect(Buffer.from(read).equals(bytes)).toBe(true);
    const changed = await readFile(copyOf(leecher, "changed.bin"));
    expect(changed.subarray(2 * MIB, 2 * MIB + note.length)).toEqual(note);
    await until("it has all of it again", async () => (await leecher.client.file(file_id)).complete);
  });

  it("do so over WebSocket and WebRTC", async () => {
    const listen = ["/ip4/127.0.0.1/tcp/0/ws", "/ip4/127.0.0.1/udp/0/webrtc-direct"];
    const other = await shoals.start({ flags: listen.flatMap((address) => ["--listen", address]) });
    const { file_id, bytes } = await shareRandom(other, 6 * MIB + 1);
    const { node_id, addresses } = await other.client.nodeInfo();
    for (const [protocol, transport] of [
      ["ws", "websocket"],
      ["webrtc-direct", "webrtc-direct"],
    ]) {
      const address = addresses.find((one) => one.includes(`/${protocol}/`));
      const node = await shoals.start({ flags: ["--bootstrap", address as string] });
      const { transfer_id } = await node.client.download({ file_id, output_path: "copy.bin" });
      expect(await transferEnd(node, transfer_id)).toMatchObject({ status: "completed" });
      await expectCopy(node, "copy.bin", bytes);
      expect((await node.client.peers()).peers).toMatchObject([{ id: node_id, transport }]);
      await node.kill();
    }
  });

  it("go on after the downloading one was killed, and fetch no chunk twice", async () => {
    await limitSeeder(2 * MIB);
    const { file_id, bytes } = await shareRandom(seeder, 24 * MIB);
    const before = await shoals.start({ bootstrap: [seeder] });
    const { transfer_id } = await before.client.download({ file_id, output_path: "copy.bin" });
    const cut = await until("an eighth is here", async () => {
      const transfer = await before.client.transfer(transfer_id);
      return transfer.progress > 1 / 8 ? transfer : undefined;
    });
    await before.kill();
    await hasteSeeder();
    const sentBytes = await uploadedBytes(seeder);

    const again = await shoals.start({ folder: before.folder, bootstrap: [seeder] });
    const interrupted = await again.client.transfer(transfer_id);
    expect(interrupted.status).toBe("interrupted");
    expect(interrupted.progress).toBeGreaterThanOrEqual(cut.progress);
    expect((await again.client.resume(file_id)).transfer_id).toBe(transfer_id);
    expect(await transferEnd(again, transfer_id)).toMatchObject({ status: "completed" });
    await expectCopy(again, "copy.bin", bytes);
    expect((await stat(copyOf(again))).nlink).toBe(2);
    const missingBytes = bytes.length * (1 - interrupted.progress);
    expect((await uploadedBytes(seeder)) - sentBytes).toBeLessThan(missingBytes + MIB);
  });

  it("go on by themselves when the provider comes back, and after a restart with --auto-resume", async () => {
    const seeder = await shoals.start({ flags: ["--max-upload", String(MIB)] });
    const { file_id, bytes } = await shareRandom(seeder, 12 * MIB);
    const leecher = await shoals.start({ bootstrap: [seeder], flags: ["--auto-resume"] });
    const { transfer_id } = await leecher.client.download({ file_id, output_path: "copy.bin" });
    const progress = async () => (await leecher.client.transfer(transfer_id)).progress;
    await until("some of it is here", async () => (await progress()) > 0);
    await seeder.kill();
    await leecher.stop();

    const back = await shoals.start({ folder: seeder.folder });
    const again = await shoals.start({ folder: leecher.folder, bootstrap: [back], flags: ["--auto-resume"] });
    expect(await transferEnd(again, transfer_id)).toMatchObject({ status: "completed" });
    await expectCopy(again, "copy.bin", bytes);
  });

  it("serve a range of a file long before the rest of it is here", async () => {
    await limitSeeder(2 * MIB);
    const { file_id, bytes } = await shareRandom(seeder, 40 * MIB);
    const { transfer_id } = await leecher.client.download({ file_id });
    const isKnown = async () => (await leecher.client.files()).files.some(({ id }) => id === file_id);
    await until("the file is known", isKnown);
    const [start, end] = [bytes.length - 2 * MIB, bytes.length - MIB];
    const response = await leecher.client.content(file_id, { start, end });
    expect(response.status).toBe(206);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(start, end))).toBe(true);
    expect((await leecher.client.transfer(transfer_id)).progress).toBeLessThan(0.9);
    await leecher.client.cancel(transfer_id);
    expect(await isKnown()).toBe(false);
  });
});

describe("a swarm", () => {
  it("shows a file with all who hold it, and no longer once they delete it or leave", async () => {
    const other = await shoals.start({ bootstrap: [seeder, leecher] });
    const { file_id, bytes } = await shareRandom(seeder, MIB);
    await until("the first is listed", async () => (await holders(leecher, file_id)).length === 1, SOON_MS);
    await share(other, bytes);
    await until("both are listed", async () => (await holders(leecher, file_id)).length === 2, SOON_MS);
    await seeder.client.deleteFile(file_id);
    await until("one is listed", async () => (await holders(leecher, file_id)).length === 1);
    expect(await holders(leecher, file_id)).toEqual([(await other.client.nodeInfo()).node_id]);
    await other.kill();
    await until("none is listed", async () => (await holders(leecher, file_id)).length === 0);
  });

  it("downloads from all who hold the file, and those who download serve each other", async () => {
    await limitSeeder(6 * MIB);
    const { file_id, bytes } = await shareRandom(seeder, 36 * MIB);
    const leechers = [leecher, await shoals.start({ bootstrap: [seeder, leecher] })];
    for (const node of leechers)
      await until("it knows where the file is", async () => (await holders(node, file_id)).length === 1);
    const sentBytes = await uploadedBytes(seeder);
    const ends = await Promise.all(
      leechers.map(async (node) => {
        const { transfer_id } = await node.client.download({ file_id, output_path: "swarm.bin" });
        return transferEnd(node, transfer_id);
      }),
    );
    const seederId = (await seeder.client.nodeInfo()).node_id;
    for (const [index, end] of ends.entries()) {
      expect(end).toMatchObject({ status: "completed" });
      const fromTheOther = end.peers.filter(({ id }) => id !== seederId);
      expect(fromTheOther).toMatchObject([{ chunks_downloaded: expect.toSatisfy((count) => count > 0) }]);
      await expectCopy(leechers[index] as ShoalProcess, "swarm.bin", bytes);
    }
    expect((await uploadedBytes(seeder)) - sentBytes).toBeLessThan(1.5 * bytes.length);
  });

  it("replaces a provider that is killed with one that stays", async () => {
    await limitSeeder(2 * MIB);
    const flags = ["--max-upload", String(2 * MIB)];
    const other = await shoals.start({ flags, bootstrap: [seeder, leecher] });
    const { file_id, bytes } = await shareRandom(other, 18 * MIB);
    await share(seeder, bytes);
    await until("both are known to hold it", async () => (await holders(leecher, file_id)).length === 2);
    const { transfer_id } = await leecher.client.download({ file_id, output_path: "replaced.bin" });
    await until("both bring chunks", async () => {
      const { peers } = await leecher.client.transfer(transfer_id);
      return peers.filter((peer) => peer.chunks_downloaded > 0).length === 2;
    });
    await other.kill();
    await hasteSeeder();
    expect(await transferEnd(leecher, transfer_id)).toMatchObject({ status: "completed" });
    await expectCopy(leecher, "replaced.bin", bytes);
  });

  it("blames none of which the disk has damaged all chunks: that one notices, and fetches them again", async () => {
    await limitSeeder(6 * MIB);
    const { file_id, bytes } = await shareRandom(seeder, 12 * MIB);
    const before = await shoals.start();
    await share(before, bytes);
    await before.stop();
    await damage(before, bytes, 12);

    const rotten = await shoals.start({ folder: before.folder, bootstrap: [seeder] });
    const node = await shoals.start({ bootstrap: [rotten, seeder] });
    await until("both are known to hold it", async () => (await holders(node, file_id)).length === 2);
    const { transfer_id } = await node.client.download({ file_id, output_path: "copy.bin" });
    expect(await transferEnd(node, transfer_id)).toMatchObject({ status: "completed" });
    await expectCopy(node, "copy.bin", bytes);
    expect(node.log.filter((line) => line.includes("peer struck"))).toEqual([]);

    const repair = await until("it fetches it again", async () => {
      const { transfers } = await rotten.client.transfers({ all: true });
      return transfers.find((transfer) => transfer.repair);
    });
    expect(await transferEnd(rotten, repair.id)).toMatchObject({ status: "completed" });
    expect((await rotten.client.file(file_id)).complete).toBe(true);
    const told = rotten.log.join("\n");
    for (const what of ["chunks of a file were lost", '"why":"damaged"']) expect(told).toContain(what);
  });

  it("bans none of which a chunk was damaged a moment ago: that one looks at it when it is asked again", async () => {
    const rotten = await shoals.start();
    const { file_id, bytes } = await shareRandom(rotten, 2 * MIB);
    await damage(rotten, bytes, 1);
    const node = await shoals.start({ bootstrap: [rotten, seeder] });
    const { transfer_id } = await node.client.download({ file_id, output_path: "copy.bin" });
    await until("it notices", () => rotten.log.join("\n").includes("chunks of a file were lost"));

    await share(seeder, bytes);
    expect(await transferEnd(node, transfer_id)).toMatchObject({ status: "completed" });
    await expectCopy(node, "copy.bin", bytes);
    expect(node.log.filter((line) => line.includes("peer struck"))).toHaveLength(1);
    await until("it has all of it again", async () => (await rotten.client.file(file_id)).complete);
  });
});

describe("the gateway", () => {
  it("gives any block of a shared file to whoever asks the IPFS way, once it is switched on", async () => {
    const { file_id, bytes } = await shareRandom(seeder, 1000);
    const raw = await fetch(`${seeder.url}/ipfs/${file_id}?format=raw`);
    expect(raw.status).toBe(200);
    expect(Buffer.from(await raw.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await fetch(`${leecher.url}/ipfs/${file_id}?format=raw`)).status).toBe(401);
  });
});
