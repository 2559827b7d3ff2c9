/** Files for which a second handle, that of direct I/O, can't be had: they are used by the first. */
import fs, { readdir } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { openFsBlockStore } from "../../../src/headless/blocks/open-block-store.ts";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openDownloads } from "./open-downloads.ts";

/** The process has as many files open as it may, whenever it asks for the second handle. */
beforeEach(() => {
  const { open } = fs;
  const spy = vi.spyOn(fs, "open").mockImplementation(async (path, ...how) => {
    if (!/^\/proc\/self\/fd\/\d+$/.test(String(path))) return await open(path, ...how);
    throw Object.assign(new Error("EMFILE: too many open files, open"), { code: "EMFILE", syscall: "open" });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
});

it("a store writes on, to the segment that was made before", async () => {
  const store = await openFsBlockStore({
    root: await temporaryFolder(),
    maxBytes: 2 ** 30,
    onError: () => undefined,
  });
  onTestFinished(() => store.close());
  for (const fill of [1, 2]) {
    const bytes = new Uint8Array(2 ** 20).fill(fill);
    const cid = await addBlock(store, bytes, RAW);
    expect(Buffer.from(await collectBytes(store.get(cid))).equals(bytes)).toBe(true);
  }
});

it("an output is written, and leaves no temporary file", async () => {
  const top = await temporaryFolder();
  const files = await openDownloads(top);
  const output = await files.openOutput("movie.bin", { overwrite: false });
  await output.write(0, new Uint8Array(2 ** 20));
  await output.commit(2 ** 20);
  expect(await readdir(join(top, "downloads"))).toEqual(["movie.bin"]);
});
