/** The list of a folder's files, as bytes and as a folder is shared: src/sharing/folders. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { UnsureFiles } from "../../../src/sharing/files/unsure-files.ts";
import {
  decodeFolder,
  encodeFolder,
  type FolderFile,
  folderFileName,
  ofFile,
  safeFolderPath,
} from "../../../src/sharing/folders/folder.ts";
import { shareFolderAt } from "../../../src/sharing/folders/folder-sharing.ts";
import { MAX_FOLDER_BYTES, MAX_FOLDER_FILES, MAX_NAME_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { Files } from "../../../src/sharing/ports.ts";
import { folderNameOf } from "../../../src/spelling/folder-name.ts";
import { deferred } from "../../deferred.ts";
import { untilTrue } from "../../eventually.ts";
import { Hub } from "./hub.ts";
import { memoryFiles } from "./memory-files.ts";

const HELLO_ID = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

const file = (path: string): FolderFile => ({ path, fileId: HELLO_ID, sizeBytes: 11 });
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const listOf = (entries: unknown[]) => bytesOf({ type: "shoal-folder", version: 1, files: entries });

describe("the list of a folder's files", () => {
  it("has as many as a folder may have", () => {
    const files = Array.from({ length: MAX_FOLDER_FILES }, (_, index) => file(`${index}`));
    expect(decodeFolder(encodeFolder(files))).toHaveLength(MAX_FOLDER_FILES);
  });

  it("has these bytes", () => {
    expect(new TextDecoder().decode(encodeFolder([file("day 1/sea.jpg"), file("a.txt")]))).toBe(
      `{
 "type": "shoal-folder",
 "version": 1,
 "files": [
  {
   "path": "a.txt",
   "id": "${HELLO_ID}",
   "size": 11
  },
  {
   "path": "day 1/sea.jpg",
   "id": "${HELLO_ID}",
   "size": 11
  }
 ]
}`,
    );
  });

  it("is the same in whatever order the files are given, and reads back", () => {
    const name = fc.stringMatching(/^[a-zé漢]{1,8}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join("/")}.txt`);
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 30 }), (paths) => {
        const files = paths.map((path, index) => ({ ...file(path), sizeBytes: index * 2 ** 30 }));
        const bytes = encodeFolder(files);
        expect(encodeFolder(files.toReversed())).toEqual(bytes);
        const read = decodeFolder(bytes);
        expect(read).toHaveLength(files.length);
        expect(read).toEqual(expect.arrayContaining(files));
      }),
    );
  });

  it.each([
    ["no files", []],
    ["too many", Array.from({ length: MAX_FOLDER_FILES + 1 }, (_, index) => file(`${index}`))],
    ["two at one place", [file("a"), file("a")]],
    ["a file where a folder is", [file("a/b/c"), file("a/b")]],
    ["a way out", [file("../a")]],
    ["a way out from within", [file("a/../../b")]],
    ["an absolute path", [file("/etc/passwd")]],
    ["an empty part", [file("a//b")]],
    ["a folder alone", [file("a/")]],
    ["a hidden file", [file(".bashrc")]],
    ["a hidden folder", [file("a/.git/config")]],
    ["a backslash", [file("..\\a")]],
    ["a control character", [file("a\u0000b")]],
    ["a change of direction", [file("a\u202eb")]],
    ["too many parts", [file(`${"a/".repeat(32)}b`)]],
    ["paths beyond the longest list", pathsOfTheLongestNames()],
  ])("refuses %s, when it is made and when it is read", (_what, files) => {
    expect(() => encodeFolder(files)).toThrow(SharingError);
    const entries = files.map(({ path, fileId, sizeBytes }) => ({ path, id: fileId, size: sizeBytes }));
    expect(() => decodeFolder(listOf(entries))).toThrow(SharingError);
  });

  it.each([
    ["bytes that are no text", new Uint8Array([0xff, 0xfe])],
    ["text that is no JSON", new TextEncoder().encode("hello")],
    ["JSON that is no list", bytesOf([1, 2])],
    ["nothing", bytesOf(null)],
    ["another type", bytesOf({ type: "else", version: 1, files: [{ path: "a", id: HELLO_ID, size: 1 }] })],
    ["a later version", bytesOf({ type: "shoal-folder", version: 2, files: [] })],
    ["files that are none", bytesOf({ type: "shoal-folder", version: 1, files: {} })],
    ["an entry that is none", listOf([null])],
    ["an entry without a path", listOf([{ id: HELLO_ID, size: 1 }])],
    ["an id that is none", listOf([{ path: "a", id: "b", size: 1 }])],
    ["a size below 0", listOf([{ path: "a", id: HELLO_ID, size: -1 }])],
    ["half a byte", listOf([{ path: "a", id: HELLO_ID, size: 0.5 }])],
    ["a size that no file has", listOf([{ path: "a", id: HELLO_ID, size: 2 ** 41 }])],
    ["more bytes than a list has", new Uint8Array(MAX_FOLDER_BYTES + 1).fill(0x20)],
  ])("refuses %s from a stranger", (_what, bytes) => {
    expect(() => decodeFolder(bytes)).toThrow(SharingError);
  });

  it("counts a stranger's files before it reads the id of any", () => {
    const entries = Array.from({ length: MAX_FOLDER_FILES + 1 }, () => null);
    expect(() => decodeFolder(listOf(entries))).toThrow(`at most ${MAX_FOLDER_FILES} files`);
  });

  it("never fails but by a SharingError", () => {
    const entry = fc.record({ path: fc.anything(), id: fc.anything(), size: fc.anything() });
    const list = fc.record({
      type: fc.constant("shoal-folder"),
      version: fc.constant(1),
      files: fc.oneof(fc.anything(), fc.array(fc.oneof(entry, fc.anything()))),
    });
    fc.assert(
      fc.property(fc.oneof(list, fc.json().map(JSON.parse)), (value) => {
        try {
          decodeFolder(new TextEncoder().encode(JSON.stringify(value) ?? ""));
        } catch (error) {
          expect(error).toBeInstanceOf(SharingError);
        }
      }),
    );
  });
});

it("a refusal names the file that it is of, and none where the node stops", async () => {
  const refuse = (name: "file_missing" | "stopped") =>
    ofFile("a/b", () => {
      throw new SharingError(name, "why");
    });
  await expect(refuse("file_missing")).rejects.toMatchObject({ name: "file_missing", message: "a/b: why" });
  await expect(refuse("stopped")).rejects.toMatchObject({ name: "stopped", message: "why" });
});

it.each([
  ["two at one place", ["a_b", "a_b"]],
  ["one too deep", ["a", `${"a/".repeat(32)}b`]],
  ["none", []],
  ["paths that are too long together", pathsOfTheLongestNames().map(({ path }) => path)],
])("a folder with %s is refused before any of its files is shared", async (_what, paths) => {
  const share = vi.fn();
  const files = paths.map((path) => ({ path, source: path }));
  const listFolder = async () => ({ name: "x", files });
  const ports = {
    files: { listFolder },
    share,
    sharePath: share,
    deleteFile: share,
    putBack: share,
    unsure: new UnsureFiles(),
  };
  const sharing = shareFolderAt("x", ports, { signal: new AbortController().signal });
  await expect(sharing).rejects.toMatchObject({ name: "bad_request" });
  expect(share).not.toHaveBeenCalled();
});

it("a folder that is refused at one of its files leaves none of them shared that was not before", async () => {
  const { openSource, ...others } = memoryFiles(new Map(), []);
  const texts = new Map(["new", "twice", "known"].map((text) => [text, new TextEncoder().encode(text)]));
  const files: Files = {
    ...others,
    listFolder: async () => ({
      name: "x",
      files: ["new", "twice", "twice", "known", "gone"].map((source, at) => ({ path: `${at}`, source })),
    }),
    async openSource(path) {
      const bytes = texts.get(path);
      if (bytes === undefined) return await openSource(path);
      return { name: path, sizeBytes: bytes.length, stream: () => ReadableStream.from([bytes]) };
    },
  };
  const [blocks, hub] = [new MemoryBlockStore(), new Hub()];
  const { node, announced } = await hub.join("ada", { files, blocks });
  const known = await node.sharePath("known");
  const usedBefore = blocks.usedBytes;
  await expect(node.shareFolder("x")).rejects.toMatchObject({
    name: "file_missing",
    message: "4: no files here",
  });
  expect(node.files().map(({ id }) => id)).toEqual([known.file.id]);
  expect([...announced.keys()]).toEqual([known.file.id]);
  expect(blocks.usedBytes).toBe(usedBefore);
});

it("a folder that is refused leaves the files that were here called and listed as they were", async () => {
  const { openSource, ...others } = memoryFiles(new Map(), []);
  const files: Files = {
    ...others,
    listFolder: async () => ({
      name: "x",
      files: ["1/a", "2/a", "3/a", "2/b", "2/c", "gone"].map((path) => ({ path, source: path })),
    }),
    async openSource(path) {
      if (path === "gone") return await openSource(path);
      const bytes = new TextEncoder().encode(path.slice(2));
      return { name: path, sizeBytes: bytes.length, stream: () => ReadableStream.from([bytes]) };
    },
  };
  const { node, announced } = await new Hub().join("ada", { files, blocks: new MemoryBlockStore() });
  await node.sharePath("0/a");
  await node.sharePath("0/b", { isUnlisted: true });
  await node.sharePath("2/c");
  const before = node.files();
  for (const isUnlisted of [true, false]) {
    await expect(node.shareFolder("x", { isUnlisted })).rejects.toThrow("gone");
    expect(node.files()).toEqual(before);
    expect([...announced.values()].map(({ name }) => name).sort()).toEqual(["0_a", "2_c"]);
  }
});

it("a folder that is refused leaves what others have shared meanwhile, and of two that are nothing stays", async () => {
  const refusing = { ada: deferred<never>(), bob: deferred<never>() };
  const { openSource, ...others } = memoryFiles(new Map(), []);
  const files: Files = {
    ...others,
    listFolder: async (name) => ({
      name,
      files: ["alone", "both", "kept", name].map((source, at) => ({ path: `${at}`, source })),
    }),
    async openSource(path) {
      if (path === "ada" || path === "bob") return await refusing[path].promise;
      const bytes = new TextEncoder().encode(path);
      return { name: path, sizeBytes: bytes.length, stream: () => ReadableStream.from([bytes]) };
    },
  };
  const { node } = await new Hub().join("ada", { files, blocks: new MemoryBlockStore() });
  const names = () => node.files().map(({ name }) => name);
  const refused = new SharingError("file_missing", "gone");
  const [first, second] = [node.shareFolder("ada"), node.shareFolder("bob")];
  await untilTrue(() => names().length === 3);
  await node.sharePath("kept");
  refusing.ada.reject(refused);
  await expect(first).rejects.toThrow("gone");
  expect(names().sort()).toEqual(["alone", "both", "kept"]);
  refusing.bob.reject(refused);
  await expect(second).rejects.toThrow("gone");
  expect(names()).toEqual(["kept"]);
});

it("makes the names in a path safe, and hides no way out of the folder", () => {
  expect(safeFolderPath("day 1. /a\u202eb\\c.txt")).toBe("day 1/ab_c.txt");
  expect(safeFolderPath(".env")).toBe("_env");
  expect(safeFolderPath("...a/b")).toBe("_a/b");
  for (const path of ["../a", "./a", "/a", "a//b", "a/.."]) {
    expect(safeFolderPath(path)).toBe(path);
    expect(() => encodeFolder([file(path)])).toThrow(SharingError);
  }
});

describe("a folder's name", () => {
  it("becomes that of a file, and again its own", () => {
    expect(folderFileName("Holiday 2026")).toBe("Holiday 2026.folder.json");
    expect(folderNameOf("Holiday 2026.folder.json")).toBe("Holiday 2026");
    expect(folderNameOf("notes.json")).toBeUndefined();
    expect(folderNameOf("all that was written down.txt")).toBeUndefined();
    expect(folderNameOf(".folder.json")).toBeUndefined();
  });

  it("is safe and keeps its ending, however long", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 600 }), (name) => {
        const fileName = folderFileName(name);
        expect(new TextEncoder().encode(fileName).length).toBeLessThanOrEqual(MAX_NAME_BYTES);
        expect(folderNameOf(fileName)).toBeDefined();
      }),
    );
  });
});

/** 1000 files whose paths fill more than MAX_FOLDER_BYTES. */
function pathsOfTheLongestNames(): FolderFile[] {
  const folders = Array.from({ length: 10 }, () => "a".repeat(MAX_NAME_BYTES)).join("/");
  return Array.from({ length: MAX_FOLDER_FILES }, (_, index) => file(`${folders}/${index}`));
}
