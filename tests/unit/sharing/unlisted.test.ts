/** Files of which the swarm is told nothing, as the node keeps them. */
import { expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { Files } from "../../../src/sharing/ports.ts";
import { untilTrue } from "../../eventually.ts";
import { untilAborted } from "../../until-aborted.ts";
import { settled } from "../hand-clock.ts";
import { ended, gate, Hub } from "./hub.ts";
import { memoryFiles } from "./memory-files.ts";

const forever = new AbortController().signal;

async function* once(bytes: Uint8Array) {
  yield bytes;
}

const bytes = () => crypto.getRandomValues(new Uint8Array(60_000));

it("one is told of to nobody, stays so through a restart, and is told of once it is listed", async () => {
  const hub = new Hub();
  const [blocks, records] = [new MemoryBlockStore(), new MemoryRecords()];
  const ada = await hub.join("ada", { blocks, records });
  const { file } = await ada.node.share(once(bytes()), { name: "secret", isUnlisted: true });
  expect(file.isUnlisted).toBe(true);
  expect([...ada.announced]).toEqual([]);
  await ada.node.stop();
  ada.leave();
  const again = await hub.join("ada", { blocks, records });
  expect(again.node.file(file.id).isUnlisted).toBe(true);
  expect([...again.announced]).toEqual([]);
  expect((await again.node.setUnlisted(file.id, false)).isUnlisted).toBe(false);
  expect([...again.announced.keys()]).toEqual([file.id]);
  await again.node.setUnlisted(file.id, true);
  expect([...again.announced]).toEqual([]);
});

it("an event tells of one that is made unlisted, once", async () => {
  const { node } = await new Hub().join("ada");
  const { file } = await node.share(once(bytes()), { name: "secret" });
  const told: unknown[] = [];
  node.events.subscribe(({ event, data }) => told.push({ event, data }));
  await node.setUnlisted(file.id, true);
  await node.setUnlisted(file.id, true);
  expect(told).toEqual([{ event: "file_unlisted", data: { file_id: file.id } }]);
});

it("one that is listed and made unlisted again stays so where it is shared again meanwhile", async () => {
  const [blocks, records, kept] = [new MemoryBlockStore(), new MemoryRecords(), gate()];
  const { node, announced } = await new Hub().join("ada", { blocks, records });
  const content = bytes();
  const share = (name: string) => node.share(once(content), { name });
  const { file } = await node.share(once(content), { name: "a", isUnlisted: true });
  const batch = records.batch.bind(records);
  const held = vi.spyOn(records, "batch").mockImplementation(async (changes) => {
    await kept.opened;
    await batch(changes);
  });
  const renamed = share("b");
  await untilTrue(() => held.mock.calls.length === 1);
  const flush = vi.spyOn(blocks, "flush");
  const again = share("c");
  await untilTrue(() => flush.mock.calls.length === 1);
  await settled();
  const changed = [node.setUnlisted(file.id, false), node.setUnlisted(file.id, true)];
  kept.open();
  await Promise.all([renamed, again, ...changed]);
  expect(node.file(file.id)).toMatchObject({ name: "c", isUnlisted: true });
  expect([...announced]).toEqual([]);
});

it("one that is listed is shared from then on, of which an event tells", async () => {
  const { node } = await new Hub().join("ada");
  const { file } = await node.share(once(bytes()), { name: "secret", isUnlisted: true });
  const shared: unknown[] = [];
  node.events.subscribe(({ event, data }) => {
    if (event === "file_shared") shared.push(data);
  });
  await node.setUnlisted(file.id, false);
  const told = { file_id: file.id, name: "secret", size: 60_000, chunks: 1 };
  expect(shared).toEqual([told]);
  await node.setUnlisted(file.id, false);
  await node.setUnlisted(file.id, true);
  expect(shared).toEqual([told]);
});

it("who downloads one tells nobody of it either, and brings it to the next", async () => {
  const hub = new Hub();
  const [ada, bob, eve] = [await hub.join("ada"), await hub.join("bob"), await hub.join("eve")];
  const { file } = await ada.node.share(once(bytes()), { name: "secret", isUnlisted: true });
  const isDone = (node: typeof bob) => () =>
    node.node.transfers().every(({ status }) => status === "completed");
  await bob.node.download({ fileId: file.id, name: "secret" });
  await untilTrue(isDone(bob));
  expect(bob.node.file(file.id)).toMatchObject({ name: "secret", isUnlisted: true });
  ada.leave();
  await eve.node.download({ fileId: file.id });
  await untilTrue(isDone(eve));
  expect(eve.node.file(file.id).isUnlisted).toBe(true);
  expect(eve.node.offers()).toEqual([]);
});

it("one is told of to nobody before the peer that brings it has said that it lists it nowhere", async () => {
  const hub = new Hub();
  const said = gate();
  const ada = await hub.join("ada", { manners: { said: said.opened } });
  const bob = await hub.join("bob");
  const { file } = await ada.node.share(once(bytes()), { name: "secret", isUnlisted: true });
  const isAsked = untilTrue(() => ada.served.length > 0);
  const { id } = await bob.node.download({ fileId: file.id });
  await isAsked;
  expect([...bob.announced]).toEqual([]);
  expect(bob.node.files()).toEqual([]);
  said.open();
  await ended(bob.node, id);
  expect(bob.node.file(file.id)).toMatchObject({ complete: true, isUnlisted: true });
  expect([...bob.announced]).toEqual([]);
});

it("what somebody lists is listed by who downloads it, also where another holds it unlisted, unless asked not to", async () => {
  const hub = new Hub();
  const [ada, bob, eve, joe] = await Promise.all(["ada", "bob", "eve", "joe"].map((id) => hub.join(id)));
  if (!ada || !bob || !eve || !joe) throw new Error("nobody there");
  const content = bytes();
  const { file } = await ada.node.share(once(content), { name: "known" });
  await bob.node.share(once(content), { name: "known", isUnlisted: true });
  for (const node of [eve, joe]) {
    await node.node.download({ fileId: file.id, isUnlisted: node === joe });
    await untilTrue(() => node.node.transfers().every(({ status }) => status === "completed"));
  }
  expect(eve.node.file(file.id).isUnlisted).toBe(false);
  expect(joe.node.file(file.id).isUnlisted).toBe(true);
});

it("one whose download is asked for again as unlisted is told of to nobody, also after the process was killed", async () => {
  const hub = new Hub();
  const content = bytes();
  const ada = await hub.join("ada", { manners: { answer: (_cid, _bytes, signal) => untilAborted(signal) } });
  const { file } = await ada.node.share(once(content), { name: "known" });
  const killed = await hub.join("bob");
  const { id } = await killed.node.download({ fileId: file.id });
  expect((await killed.node.download({ fileId: file.id, isUnlisted: true })).id).toBe(id);
  const [records, blocks] = [new MemoryRecords(), new MemoryBlockStore()];
  await records.put("transfers", id, await killed.records.get("transfers", id));
  killed.leave();
  delete ada.manners.answer;
  const bob = await hub.join("bob", { records, blocks, autoResume: true });
  expect(await ended(bob.node, id)).toBe("transfer_complete");
  expect(bob.node.file(file.id).isUnlisted).toBe(true);
  expect([...bob.announced]).toEqual([]);
});

it("one that was made unlisted before it went is told of to nobody once its transfer is resumed", async () => {
  const hub = new Hub();
  const ada = await hub.join("ada");
  const { file } = await ada.node.share(once(bytes()), { name: "known" });
  const full = new SharingError("storage_full", "the disk is full");
  const files = memoryFiles(new Map(), []);
  const openOutput: Files["openOutput"] = async (...given) => ({
    ...(await files.openOutput(...given)),
    commit: () => Promise.reject(full),
  });
  const bob = await hub.join("bob", { files: { ...files, openOutput } });
  const { id } = await bob.node.download({ fileId: file.id, outputPath: "out" });
  expect(await ended(bob.node, id)).toBe("transfer_failed");
  await bob.node.setUnlisted(file.id, true);
  await bob.node.deleteFile(file.id);
  await bob.node.resume(file.id);
  await untilTrue(() => bob.node.files().length > 0);
  expect(bob.node.file(file.id).isUnlisted).toBe(true);
  expect([...bob.announced]).toEqual([]);
});

/** By Ada, who gives two blocks of it and no more as long as she has her manners. */
async function sharedInPart(hub: Hub) {
  let given = 0;
  const ada = await hub.join("ada", {
    manners: { answer: (_cid, block, signal) => (++given > 2 ? untilAborted(signal) : block) },
  });
  const { file } = await ada.node.share(once(new Uint8Array(2 * CHUNK_BYTES + 1)), { name: "known" });
  return { ada, file };
}

it("one that is listed is told of once its download, which was cancelled, is resumed", async () => {
  const hub = new Hub();
  const { ada, file } = await sharedInPart(hub);
  const bob = await hub.join("bob");
  const { id } = await bob.node.download({ fileId: file.id });
  await untilTrue(() => bob.node.files().length > 0);
  await bob.node.cancel(id);
  expect(bob.node.files()).toEqual([]);
  delete ada.manners.answer;
  await bob.node.resume(file.id);
  await untilTrue(() => bob.node.transfer(id).status === "completed");
  expect(bob.node.file(file.id).isUnlisted).toBe(false);
  expect([...bob.announced.keys()]).toEqual([file.id]);
});

it("one that was made unlisted is told of to nobody where the process is killed as its download is cancelled", async () => {
  const hub = new Hub();
  const { ada, file } = await sharedInPart(hub);
  const killed = await hub.join("bob");
  const { records, blocks } = killed;
  const { id } = await killed.node.download({ fileId: file.id });
  await untilTrue(() => killed.node.files().length > 0);
  await killed.node.setUnlisted(file.id, true);
  const { opened: gone, open: removed } = gate();
  const batch = records.batch.bind(records);
  let isDead = false;
  const spy = vi.spyOn(records, "batch").mockImplementation(async (changes) => {
    if (isDead) await new Promise(() => {});
    await batch(changes);
    isDead = changes.some(({ type }) => type === "delete");
    if (isDead) removed();
  });
  void killed.node.cancel(id);
  await gone;
  spy.mockRestore();
  killed.leave();
  delete ada.manners.answer;
  const bob = await hub.join("bob", { records, blocks, autoResume: true });
  expect(await ended(bob.node, id)).toBe("transfer_complete");
  expect(bob.node.file(file.id).isUnlisted).toBe(true);
  expect([...bob.announced]).toEqual([]);
});

it("a list that others hold unlisted is read without being kept", async () => {
  const hub = new Hub();
  const [ada, bob] = [await hub.join("ada"), await hub.join("bob")];
  const content = bytes();
  const { file } = await ada.node.share(once(content), { name: "list", isUnlisted: true });
  const read = await bob.node.readOffered(file.id, 100_000, forever);
  expect(read).toEqual({ name: file.id, bytes: content });
  expect(bob.node.files()).toEqual([]);
  const absent = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  await expect(bob.node.readOffered(absent, 10, forever)).rejects.toEqual(
    expect.objectContaining({ name: "file_not_found" }),
  );
});

it("a change that can't be kept changes nothing", async () => {
  const hub = new Hub();
  const records = new MemoryRecords();
  const ada = await hub.join("ada", { records });
  const { file } = await ada.node.share(once(bytes()), { name: "a" });
  records.batch = async () => {
    throw new Error("no room");
  };
  await expect(ada.node.setUnlisted(file.id, true)).rejects.toThrow("no room");
  expect(ada.node.file(file.id).isUnlisted).toBe(false);
  expect([...ada.announced.keys()]).toEqual([file.id]);
});
