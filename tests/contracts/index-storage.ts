/**
 * What every IndexStorage promises, run against each implementation by a file beside this one and, with the same
 * code, in a browser: so nothing here is from Node.js. `open` opens the same folder again and again.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Folder, IndexStorage } from "../../src/vx/storage/index-storage.ts";

/** Gives the opener of a new, empty folder. */
export type MakeFolder = () => Promise<() => Promise<IndexStorage>>;

export function indexStorageContract(makeFolder: MakeFolder): void {
  describe("an index storage", () => {
    let open: () => Promise<IndexStorage>;
    let storage: IndexStorage;
    beforeEach(async () => {
      open = await makeFolder();
      storage = await open();
    });
    afterEach(() => storage.close());

    async function reopen(): Promise<void> {
      await storage.close();
      storage = await open();
    }

    it("is empty at first", async () => {
      expect(await storage.list()).toEqual([]);
      expect(await storage.open("nothing")).toBeUndefined();
      await storage.delete("nothing");
    });

    it("gives back what was written, in whatever pieces, at any offset", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 5 }), async (pieces) => {
          const file = await storage.create("file");
          for (const piece of pieces) await file.write(piece);
          await file.commit();
          const whole = joined(pieces);
          expect(await read(storage, "file")).toEqual(whole);
          const stored = await storage.open("file");
          const middle = new Uint8Array(whole.byteLength >> 1);
          await stored?.read(whole.byteLength - middle.byteLength, middle);
          await stored?.close();
          expect(middle).toEqual(whole.slice(whole.byteLength - middle.byteLength));
        }),
        { numRuns: 20 },
      );
      const whole = await read(storage, "file");
      await reopen();
      expect(await read(storage, "file")).toEqual(whole);
    });

    it("takes a written buffer back at once", async () => {
      const buffer = text("first");
      const file = await storage.create("file");
      await file.write(buffer);
      buffer.fill(0);
      await file.commit();
      const growing = await storage.startAppending("growing");
      buffer.set(text("again"));
      await growing.append(buffer);
      buffer.fill(0);
      await growing.sync();
      await growing.close();
      expect(await read(storage, "file")).toEqual(text("first"));
      expect(await read(storage, "growing")).toEqual(text("again"));
    });

    it("shows a created file when it is committed, and not before", async () => {
      const file = await storage.create("file");
      await file.write(text("new"));
      expect(await storage.list()).toEqual([]);
      expect(await storage.open("file")).toBeUndefined();
      await file.commit();
      await file.discard();
      expect(await storage.list()).toEqual(["file"]);
      expect(await read(storage, "file")).toEqual(text("new"));
    });

    it("keeps the former file until another is committed in its place", async () => {
      await put(storage, "file", "old");
      const file = await storage.create("file");
      await file.write(text("new"));
      expect(await read(storage, "file")).toEqual(text("old"));
      await file.commit();
      expect(await read(storage, "file")).toEqual(text("new"));
    });

    it("leaves nothing of a file that was discarded or never committed", async () => {
      await put(storage, "file", "old");
      const discarded = await storage.create("file");
      await discarded.write(text("discarded"));
      await discarded.discard();
      const forgotten = await storage.create("other");
      await forgotten.write(text("forgotten"));
      await reopen();
      expect(await storage.list()).toEqual(["file"]);
      expect(await read(storage, "file")).toEqual(text("old"));
      await forgotten.discard();
    });

    it("keeps what was appended and synced", async () => {
      const file = await storage.startAppending("growing");
      expect(await storage.list()).toEqual(["growing"]);
      for (const piece of ["one", "two", "three"]) {
        await file.append(text(piece));
        await file.sync();
      }
      expect(await read(storage, "growing")).toEqual(text("onetwothree"));
      await file.close();
      await reopen();
      expect(await read(storage, "growing")).toEqual(text("onetwothree"));
    });

    it("makes durable what somebody else wrote, and leaves it as it is", async () => {
      const file = await storage.startAppending("growing");
      await file.append(text("never synced"));
      await file.close();
      await reopen();
      await storage.sync("growing");
      await storage.sync("nothing");
      expect(await storage.list()).toEqual(["growing"]);
      expect(await read(storage, "growing")).toEqual(text("never synced"));
    });

    it("cuts a growing file back to its first bytes", async () => {
      const file = await storage.startAppending("growing");
      await file.append(text("kept and cut"));
      await file.truncate(4);
      expect(await read(storage, "growing")).toEqual(text("kept"));
      await file.append(text(" again"));
      await file.sync();
      await file.close();
      expect(await read(storage, "growing")).toEqual(text("kept again"));
    });

    it("brings nothing back of what was cut off", async () => {
      const file = await storage.startAppending("growing");
      for (const part of ["kept", " cut", " off", " now"]) await file.append(text(part));
      await file.truncate(4);
      for (const part of [" again, ", "and more"]) await file.append(text(part));
      await file.sync();
      await file.close();
      expect(await read(storage, "growing")).toEqual(text("kept again, and more"));
    });

    it("begins no growing file in place of another", async () => {
      await put(storage, "file", "old");
      await expect(storage.startAppending("file")).rejects.toMatchObject({ code: "conflict" });
      expect(await read(storage, "file")).toEqual(text("old"));
    });

    it("deletes files", async () => {
      await put(storage, "one", "1");
      await put(storage, "two", "2");
      await storage.delete("one");
      expect(await storage.list()).toEqual(["two"]);
      expect(await storage.open("one")).toBeUndefined();
    });

    it("deletes several files, one that is not there among them", async () => {
      for (const name of ["a", "b", "c"]) await put(storage, name, name);
      await storage.delete("a", "nothing", "c");
      await storage.delete();
      expect(await storage.list()).toEqual(["b"]);
      await reopen();
      expect(await storage.list()).toEqual(["b"]);
    });

    it("fails a read past the end of a file", async () => {
      await put(storage, "file", "short");
      const file = await storage.open("file");
      await expect(file?.read(3, new Uint8Array(3))).rejects.toMatchObject({ code: "internal" });
      await file?.close();
    });

    it("is held by one opener at a time", async () => {
      await expect(open()).rejects.toMatchObject({ code: "conflict" });
      await put(storage, "file", "still mine");
      await reopen();
      expect(await read(storage, "file")).toEqual(text("still mine"));
    });
  });
}

async function put(folder: Folder, name: string, content: string): Promise<void> {
  const file = await folder.create(name);
  await file.write(text(content));
  await file.commit();
}

async function read(folder: Folder, name: string): Promise<Uint8Array> {
  const file = await folder.open(name);
  if (file === undefined) throw new Error(`${name} is missing`);
  const bytes = new Uint8Array(file.sizeBytes);
  await file.read(0, bytes);
  await file.close();
  return bytes;
}

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

function joined(pieces: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((total, { byteLength }) => total + byteLength, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.byteLength;
  }
  return bytes;
}
