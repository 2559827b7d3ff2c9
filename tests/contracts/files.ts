/**
 * What every Files promises, run against each implementation by a file beside this one and, with the same
 * code, in a browser: so nothing here is from Node.js. The factory gives a fresh place, and hands to look at it
 * past the port.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import { MAX_FOLDER_FILES } from "../../src/sharing/limits.ts";
import type { FileSource, Files } from "../../src/sharing/ports.ts";

export interface FilesPlace {
  files: Files;
  /** Puts a file where `openSource(path)` finds it. */
  place(path: string, bytes: Uint8Array): Promise<void>;
  /** What stands at the place that an output named, or undefined. */
  look(outputPath: string): Promise<Uint8Array | undefined>;
  /** How many files the place of outputs holds, finished or not, hidden or not. */
  countOutputs(): Promise<number>;
  /** Paths of the folders at the place of outputs that are not hidden. */
  outputFolders(): Promise<string[]>;
}

export function filesContract(makePlace: () => Promise<FilesPlace>): void {
  describe("files", () => {
    let place: FilesPlace;
    beforeEach(async () => {
      place = await makePlace();
    });

    it("stream a source's bytes in order, with its name and size", async () => {
      const bytes = pattern(3_000_000);
      await place.place("folder/movie.bin", bytes);
      const source = await place.files.openSource("folder/movie.bin");
      expect(source.name).toBe("movie.bin");
      expect(source.sizeBytes).toBe(bytes.byteLength);
      expect(same(await readAll(source), bytes)).toBe(true);
    });

    it("stream an empty source", async () => {
      await place.place("empty", new Uint8Array(0));
      const source = await place.files.openSource("empty");
      expect(source.sizeBytes).toBe(0);
      expect((await readAll(source)).byteLength).toBe(0);
    });

    it("stop a stream when its signal aborts", async () => {
      await place.place("long", pattern(4_000_000));
      const source = await place.files.openSource("long");
      const abort = new AbortController();
      const reading = (async () => {
        for await (const _ of source.stream(abort.signal)) abort.abort(new Error("enough"));
      })();
      await expect(reading).rejects.toThrow("enough");
    });

    it("say that a source is missing", async () => {
      await expect(place.files.openSource("nowhere.txt")).rejects.toMatchObject({ name: "file_missing" });
    });

    it("list a folder's files and those beneath it, without hidden ones, as sources to open", async () => {
      await place.place("trip/a.txt", pattern(1));
      await place.place("trip/day 1/b.txt", pattern(2));
      await place.place("trip/.hidden", pattern(3));
      await place.place("trip/.folder/c.txt", pattern(4));
      await place.place("other/d.txt", pattern(5));
      const { name, files } = await place.files.listFolder("trip");
      expect(name).toBe("trip");
      expect(files.map(({ path }) => path).sort()).toEqual(["a.txt", "day 1/b.txt"]);
      for (const { path, source } of files) {
        const opened = await place.files.openSource(source);
        expect(opened.sizeBytes).toBe(path === "a.txt" ? 1 : 2);
      }
      expect((await place.files.listFolder("trip/day 1")).files).toHaveLength(1);
    });

    it("refuse to list a file, and what is not there", async () => {
      await place.place("file.txt", pattern(1));
      await expect(place.files.listFolder("file.txt")).rejects.toMatchObject({ name: "bad_request" });
      await expect(place.files.listFolder("nowhere")).rejects.toMatchObject({ name: "file_missing" });
      await expect(place.files.listFolder("file.txt/in")).rejects.toMatchObject({
        name: expect.stringMatching(/^(file_missing|bad_request)$/),
      });
    });

    it("refuse to list more files than a folder has", async () => {
      await place.place("many/first", pattern(0));
      await Promise.all(
        Array.from({ length: MAX_FOLDER_FILES }, (_, index) => place.place(`many/${index}`, pattern(0))),
      );
      await expect(place.files.listFolder("many")).rejects.toMatchObject({ name: "bad_request" });
    });

    it.each(["../secret", "a/../../secret", "a\0b", "", "C:\\secret"])(
      "refuse the path %j both ways, with nothing written",
      async (path) => {
        const refusal = { name: expect.stringMatching(/^(path_forbidden|bad_request)$/) };
        await expect(place.files.openSource(path)).rejects.toMatchObject(refusal);
        await expect(place.files.listFolder(path)).rejects.toMatchObject(refusal);
        await expect(place.files.openOutput(path, { overwrite: true })).rejects.toMatchObject(refusal);
        await expect(place.files.outputPath(path, { overwrite: true })).rejects.toMatchObject(refusal);
        expect(await place.countOutputs()).toBe(0);
      },
    );

    it("show an output at its commit and not before, whatever the order of its writes", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }),
          fc.uuid(),
          async (order, name) => {
            const bytes = pattern(8 * 1000);
            const output = await place.files.openOutput(name, { overwrite: false });
            await Promise.all(
              order.map((i) => output.write(i * 1000, bytes.subarray(i * 1000, (i + 1) * 1000))),
            );
            expect(await place.look(name)).toBeUndefined();
            await output.commit(bytes.byteLength);
            expect(await place.look(name)).toEqual(bytes);
          },
        ),
        { numRuns: 10 },
      );
    });

    it("tell how many bytes may still be written to an output", async () => {
      const output = await place.files.openOutput("new/file", { overwrite: false });
      const freeBytes = await output.freeBytes(0);
      expect(freeBytes).toBeGreaterThan(100);
      await output.write(0, pattern(100));
      await output.discard();
    });

    it("make the folders on an output's way", async () => {
      const output = await place.files.openOutput("new/deep/file.txt", { overwrite: false });
      await output.write(0, pattern(10));
      await output.commit(10);
      expect(await place.look("new/deep/file.txt")).toEqual(pattern(10));
    });

    it("commit an empty output", async () => {
      const output = await place.files.openOutput("nothing", { overwrite: false });
      await output.commit(0);
      expect(await place.look("nothing")).toEqual(new Uint8Array(0));
    });

    it("cut an output to the size committed", async () => {
      const output = await place.files.openOutput("cut", { overwrite: false });
      await output.write(0, pattern(100));
      await output.commit(60);
      expect(await place.look("cut")).toEqual(pattern(100).subarray(0, 60));
    });

    it("leave nothing of a discarded output", async () => {
      const output = await place.files.openOutput("gone", { overwrite: false });
      await output.write(0, pattern(100));
      await output.discard();
      expect(await place.countOutputs()).toBe(0);
    });

    it("leave no folder where no output came to stand, and each in which one did", async () => {
      const open = (path: string) => place.files.openOutput(path, { overwrite: false });
      await commitOutput(place.files, "there/file", pattern(1));
      const outputs = await Promise.all(["a/b/1", "a/b/2", "a/c/3", "a/c/4"].map(open));
      await outputs[1]?.commit(0);
      for (const output of outputs) await output.discard();
      const fleeting = await open("there/d/5");
      const [lasting] = await Promise.all([open("there/d/6"), fleeting.discard()]);
      await lasting.commit(0);
      expect((await place.outputFolders()).sort()).toEqual(["a", "a/b", "there", "there/d"]);

      await (await open("a/b/c/7")).discard();
      expect((await place.outputFolders()).sort()).toEqual(["a", "a/b", "there", "there/d"]);
    });

    it("tell where an output would come to, and make nothing there", async () => {
      const path = await place.files.outputPath("new/deep/file", { overwrite: false });
      expect([await place.countOutputs(), await place.outputFolders()]).toEqual([0, []]);
      const output = await place.files.openOutput("new/deep/file", { overwrite: false });
      expect(output.path).toBe(path);
      await output.discard();
      const again = await place.files.openOutput(path, { overwrite: false });
      expect(again.path).toBe(path);
      await again.discard();
    });

    it.each<[string, string, boolean, string | undefined]>([
      ["over a file", "folder/file", false, "output_exists"],
      ["in place of a file", "folder/file", true, undefined],
      ["over a folder", "folder", false, "output_exists"],
      ["in place of a folder", "folder", true, "bad_request"],
      ["beneath a file", "folder/file/other", false, "bad_request"],
    ])("tell of an output %s what opening it does", async (_, path, overwrite, refusal) => {
      await commitOutput(place.files, "folder/file", pattern(1));
      const told = place.files.outputPath(path, { overwrite });
      if (refusal === undefined) await expect(told).resolves.toContain(path);
      else await expect(told).rejects.toMatchObject({ name: refusal });
      const opened = place.files.openOutput(path, { overwrite });
      if (refusal === undefined) await (await opened).discard();
      else await expect(opened).rejects.toMatchObject({ name: refusal });
    });

    it("open what was committed by the path of its output, and nothing before", async () => {
      const output = await place.files.openOutput("folder/brought", { overwrite: false });
      const missing = { name: "file_missing" };
      await expect(place.files.openPlaced(output.path)).rejects.toMatchObject(missing);
      await output.write(0, pattern(100));
      await output.commit(100);
      const placed = await place.files.openPlaced(output.path);
      expect([placed.sizeBytes, await readAll(placed)]).toEqual([100, pattern(100)]);
    });

    it("bear a discard after a commit, which stands", async () => {
      const output = await place.files.openOutput("kept", { overwrite: false });
      await output.write(0, pattern(10));
      await output.commit(10);
      await output.discard();
      expect(await place.look("kept")).toEqual(pattern(10));
    });

    it("refuse an output over an existing file, at open", async () => {
      await commitOutput(place.files, "same", pattern(10));
      await expect(place.files.openOutput("same", { overwrite: false })).rejects.toMatchObject({
        name: "output_exists",
      });
      expect(await place.look("same")).toEqual(pattern(10));
    });

    it("refuse an output over a file that came meanwhile, at commit, and leave no litter", async () => {
      const slow = await place.files.openOutput("raced", { overwrite: false });
      await slow.write(0, pattern(20));
      await commitOutput(place.files, "raced", pattern(10));
      await expect(slow.commit(20)).rejects.toMatchObject({ name: "output_exists" });
      await slow.discard();
      expect(await place.look("raced")).toEqual(pattern(10));
      expect(await place.countOutputs()).toBe(1);
    });

    it.each([
      [false, "output_exists"],
      [true, "bad_request"],
    ])("refuse an output over a folder that came meanwhile (overwrite: %s)", async (overwrite, name) => {
      const slow = await place.files.openOutput("raced", { overwrite });
      await commitOutput(place.files, "raced/inside", pattern(10));
      await expect(slow.commit(0)).rejects.toMatchObject({ name });
      await slow.discard();
      expect(await place.look("raced/inside")).toEqual(pattern(10));
      expect(await place.countOutputs()).toBe(1);
    });

    it("replace a file when told to overwrite, at the commit", async () => {
      await commitOutput(place.files, "replaced", pattern(10));
      const output = await place.files.openOutput("replaced", { overwrite: true });
      await output.write(0, pattern(5));
      expect(await place.look("replaced")).toEqual(pattern(10));
      await output.commit(5);
      expect(await place.look("replaced")).toEqual(pattern(5));
    });
  });
}

async function commitOutput(files: Files, path: string, bytes: Uint8Array): Promise<void> {
  const output = await files.openOutput(path, { overwrite: false });
  await output.write(0, bytes);
  await output.commit(bytes.byteLength);
}

function pattern(sizeBytes: number): Uint8Array {
  return Uint8Array.from({ length: sizeBytes }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
}

/** Copies each piece, which is good until the next is asked for. */
async function readAll(source: FileSource): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.stream(new AbortController().signal)) pieces.push(piece.slice());
  return collectBytes(pieces);
}

/** A plain comparison: toEqual on megabytes takes seconds. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && a.every((byte, i) => byte === b[i]);
}
