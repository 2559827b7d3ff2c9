/** What libp2p keeps between runs, on the disk. */
import { Key } from "interface-datastore";
import { expect, it, onTestFinished, vi } from "vitest";
import { openLevelDatastore } from "../../src/headless/level/level-datastore.ts";
import { MAX_ENTRIES } from "../../src/headless/limits.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { datastoreContract } from "./datastore.ts";

const lost = vi.fn();

datastoreContract(async () => {
  const folder = await temporaryFolder();
  return () => openLevelDatastore(folder, lost);
}, MAX_ENTRIES);

it("a datastore that can't be read is closed, so that another start may open it", async () => {
  const { ClassicLevel } = await import("classic-level");
  onTestFinished(() => void vi.restoreAllMocks());
  const folder = await temporaryFolder();
  vi.spyOn(ClassicLevel.prototype, "iterator").mockImplementationOnce(() => {
    throw new Error("the disk is bad");
  });
  await expect(openLevelDatastore(folder, lost)).rejects.toThrow("the disk is bad");
  await (await openLevelDatastore(folder, lost)).close();
});

it("a datastore whose disk fails tells so, and still knows what it was given", async () => {
  const { ClassicLevel } = await import("classic-level");
  onTestFinished(() => void vi.restoreAllMocks());
  const datastore = await openLevelDatastore(await temporaryFolder(), lost);
  vi.spyOn(ClassicLevel.prototype, "batch").mockRejectedValueOnce(new Error("no room"));
  await datastore.put(new Key("/peers/a"), Uint8Array.of(1));
  await datastore.close();
  expect(lost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ message: "no room" }));
  expect(await datastore.get(new Key("/peers/a"))).toEqual(Uint8Array.of(1));
});

it("a datastore that is closed writes nothing more, and tells of no loss", async () => {
  const { ClassicLevel } = await import("classic-level");
  onTestFinished(() => void vi.restoreAllMocks());
  const datastore = await openLevelDatastore(await temporaryFolder(), lost);
  await datastore.close();
  const batch = vi.spyOn(ClassicLevel.prototype, "batch");
  await datastore.put(new Key("/peers/a"), Uint8Array.of(1));
  expect(batch).not.toHaveBeenCalled();
});
