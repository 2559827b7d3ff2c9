/** Attack 23: archives that are cut short, changed, forged, or made to fill the memory. */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { openArchive } from "../../../src/vx/storage/archives.ts";
import type { BackupOptions } from "../../../src/vx/storage/index-store.ts";
import { MAX_KDF_ROUNDS } from "../../../src/vx/storage/limits.ts";
import {
  MemoryFolder,
  MemoryMedium,
  openMemoryIndexStorage,
} from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import { encodeCentral, encodeEnd, encodeLocal, type ZipEntry } from "../../../src/vx/storage/zip.ts";
import { openZip } from "../../../src/vx/storage/zip-reader.ts";
import { ZipWriter } from "../../../src/vx/storage/zip-writer.ts";
import { adds, facts, loaded, placeIn, snapshot, write } from "./small-index.ts";

const KEY = "a key of thirty-two bytes or more";
const options: BackupOptions = { incremental: true, compress: true };

type Content = Awaited<ReturnType<typeof restore>>;

const corrupt = { code: "backup_corrupt" };
const plain = new MemoryMedium();
const encrypted = new MemoryMedium();
let content: Content;

beforeAll(async () => {
  content = await makeArchives(plain, undefined);
  await makeArchives(encrypted, KEY);
});

/** A full archive `full.zip` and `next.zip`, which goes on from it. */
async function makeArchives(medium: MemoryMedium, encryptionKey: string | undefined): Promise<Content> {
  const folder = new MemoryFolder(medium);
  const store = await openIndexStore(await openMemoryIndexStorage(), { create: facts, encryptionKey });
  const index = await loaded(store);
  await write(store, index, adds(0, 9));
  await snapshot(store, index);
  await store.backup(placeIn(folder, "full.zip"), options);
  await write(store, index, adds(7, 5, "next"));
  await store.backup(placeIn(folder, "next.zip"), options);
  await store.close();
  return index.content();
}

async function restore(medium: MemoryMedium, name: string, encryptionKey?: string) {
  const archive = await openArchive(placeIn(new MemoryFolder(medium), name), encryptionKey);
  try {
    return (await loaded(archive)).content();
  } finally {
    await archive.close();
  }
}

/** The medium with one file in place of another. */
function withFile(medium: MemoryMedium, name: string, bytes: Uint8Array): MemoryMedium {
  const changed = new MemoryMedium();
  for (const [other, file] of medium.files) changed.files.set(other, file);
  changed.files.set(name, { bytes, length: bytes.byteLength });
  return changed;
}

function bytesOf(medium: MemoryMedium, name: string): Uint8Array<ArrayBuffer> {
  const file = medium.files.get(name);
  if (file === undefined) throw new Error(`${name} is missing`);
  return file.bytes.slice(0, file.length);
}

/** The archive with entries changed, and all checksums of the zip right. */
async function forged(
  medium: MemoryMedium,
  name: string,
  change: (entries: Map<string, Uint8Array<ArrayBuffer>>) => void,
): Promise<MemoryMedium> {
  const file = await new MemoryFolder(medium).open(name);
  if (file === undefined) throw new Error(`${name} is missing`);
  const zip = await openZip(name, file);
  const entries = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const entry of zip.entries.keys()) entries.set(entry, await zip.read(entry));
  change(entries);
  return withFile(medium, name, await packed(entries));
}

async function packed(entries: Map<string, Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  const medium = new MemoryMedium();
  const file = await new MemoryFolder(medium).create("zip");
  const writer = new ZipWriter(file, new Date(0));
  for (const [name, bytes] of entries) await writer.add(name, bytes, { compress: true });
  await writer.finish();
  await file.commit();
  return bytesOf(medium, "zip");
}

type Json = Record<string, unknown>;

/** Puts other values in place of those in the manifest; undefined takes one away. */
function changeManifest(entries: Map<string, Uint8Array>, changes: Json | ((json: Json) => Json)): void {
  const json = JSON.parse(new TextDecoder().decode(entries.get("manifest.json"))) as Json;
  const changed = { ...json, ...(typeof changes === "function" ? changes(json) : changes) };
  entries.set("manifest.json", new TextEncoder().encode(JSON.stringify(changed)));
}

describe.each(["full.zip", "next.zip"])("%s", (name) => {
  test("is refused when it is cut short anywhere", async () => {
    const whole = bytesOf(plain, name);
    for (let length = 0; length < whole.byteLength; length++) {
      await expect(restore(withFile(plain, name, whole.slice(0, length)), "next.zip")).rejects.toMatchObject({
        code: expect.stringMatching(/^backup_(corrupt|not_found)$/),
      });
    }
  });

  test("gives what was backed up or is refused, whichever byte is changed", async () => {
    const whole = bytesOf(plain, name);
    for (let at = 0; at < whole.byteLength; at++) {
      const changed = whole.slice();
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const outcome = await restore(withFile(plain, name, changed), "next.zip").catch(
        (error: unknown) => error,
      );
      if (outcome instanceof Map) expect(outcome).toEqual(content);
      else expect(outcome).toMatchObject({ code: expect.stringMatching(/^backup_(corrupt|not_found)$/) });
    }
  });
});

test("arbitrary bytes are refused", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
      await expect(restore(withFile(plain, "x.zip", bytes), "x.zip")).rejects.toMatchObject(corrupt);
    }),
  );
});

test("what is not there is not found, nor is what an archive goes on from", async () => {
  await expect(restore(plain, "none.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  const alone = new MemoryMedium();
  alone.files.set("next.zip", {
    bytes: bytesOf(plain, "next.zip"),
    length: bytesOf(plain, "next.zip").length,
  });
  await expect(restore(alone, "next.zip")).rejects.toMatchObject({
    code: "backup_not_found",
    message: expect.stringContaining("full.zip"),
  });
});

test("an archive that an incremental one goes on from is found under another name", async () => {
  const renamed = new MemoryMedium();
  const full = bytesOf(plain, "full.zip");
  renamed.files.set("renamed.zip", { bytes: full, length: full.length });
  const next = bytesOf(plain, "next.zip");
  renamed.files.set("next.zip", { bytes: next, length: next.length });
  expect(await restore(renamed, "next.zip")).toEqual(content);
});

test("entries that the manifest does not name are refused, those that lead out of a folder too", async () => {
  for (const name of ["../escape", "/etc/passwd", "snapshot/../x", "C:\\x", "snapshot/000001", "a\0b"]) {
    const medium = await forged(plain, "full.zip", (entries) => entries.set(name, new Uint8Array(3)));
    await expect(restore(medium, "full.zip")).rejects.toMatchObject(corrupt);
  }
});

test("a manifest that names other files, sizes or archives than there are is refused", async () => {
  const resized = (by: number) => (json: Json) => {
    const [first, ...others] = json.files as { size_bytes: number }[];
    return { files: [{ ...first, size_bytes: (first?.size_bytes ?? 0) + by }, ...others] };
  };
  const changes: (Json | ((json: Json) => Json))[] = [
    { files: [{ name: "../x", size_bytes: 1, part_sha256: ["00".repeat(32)] }] },
    resized(1),
    resized(-1),
    resized(2 ** 50),
    { files: [] },
    { files: undefined },
    ({ files }) => ({ files: [files, files].flat() }),
    { last_operation: 10 },
    { last_operation: 8 },
    { last_operation: 2 ** 60 },
    (json) => ({ base: { id: json.id, name: "../../etc/passwd" } }),
    (json) => ({ base: { id: json.id, name: "full.zip" } }),
    { dimension: 4 },
    { dimension: 0 },
    { metric: "cosine" },
    { timeline: "00".repeat(16) },
    { encryption: { rounds: 1e9, salt: "00".repeat(16), check: "00".repeat(16) } },
  ];
  for (const change of changes) {
    const medium = await forged(plain, "full.zip", (entries) => changeManifest(entries, change));
    const error = await restore(medium, "full.zip").catch((error: unknown) => error);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(backup_corrupt|encryption_key_invalid)$/) });
  }
});

test("what is no archive is told of as such, and not as damage of the index in use", async () => {
  const garbage = withFile(plain, "full.zip", new TextEncoder().encode("no archive at all"));
  const message = "The backup full.zip cannot be used: it is no whole zip archive";
  await expect(restore(garbage, "full.zip")).rejects.toMatchObject({ ...corrupt, message });
});

test("an archive of a newer version is refused by its number", async () => {
  const medium = await forged(plain, "full.zip", (entries) => {
    changeManifest(entries, { format: 3 });
  });
  await expect(restore(medium, "full.zip")).rejects.toMatchObject({
    code: "backup_corrupt",
    message: expect.stringContaining("format version 3"),
  });
});

test("an archive that its disk does not give is not called damaged", async () => {
  const failure = Object.assign(new Error("EIO: i/o error, read '/backups/full.zip'"), { syscall: "read" });
  class FailingFolder extends MemoryFolder {
    override async open(name: string) {
      const file = await super.open(name);
      return (
        file && {
          ...file,
          sizeBytes: file.sizeBytes,
          close: async () => {},
          read: () => Promise.reject(failure),
        }
      );
    }
  }
  await expect(openArchive(placeIn(new FailingFolder(plain), "full.zip"), undefined)).rejects.toBe(failure);
});

test("an archive whose base its disk does not give is told so, and not that there is none", async () => {
  const folder = new MemoryFolder(plain);
  const open = folder.open.bind(folder);
  const failure = Object.assign(new Error("EIO: i/o error"), { syscall: "read", code: "EIO" });
  folder.open = (name) => (name === "full.zip" ? Promise.reject(failure) : open(name));
  await expect(openArchive(placeIn(folder, "next.zip"), undefined)).rejects.toMatchObject({
    code: "unavailable",
    message: "The backup full.zip cannot be read: EIO",
  });
});

describe("an archive that claims to be small", () => {
  const zeros = new Uint8Array(1024 * 1024);

  test("is not unpacked beyond the size that it claims", async () => {
    const deflated = new Uint8Array(
      await new Response(
        new Blob([zeros]).stream().pipeThrough(new CompressionStream("deflate-raw")),
      ).arrayBuffer(),
    );
    const entry = { name: "manifest.json", deflated: true, crc: 0, offset: 0 };
    const bomb = zipOf({ ...entry, packedBytes: deflated.byteLength, sizeBytes: 1000 }, deflated);
    await expect(restore(withFile(plain, "bomb.zip", bomb), "bomb.zip")).rejects.toMatchObject(corrupt);
  });

  test("gets no memory for sizes that it merely claims", async () => {
    for (const sizeBytes of [17 * 1024 * 1024, 0xfffffffe]) {
      const entry = { name: "manifest.json", deflated: true, crc: 0, offset: 0 };
      const bomb = zipOf({ ...entry, packedBytes: 10, sizeBytes }, new Uint8Array(10));
      await expect(restore(withFile(plain, "bomb.zip", bomb), "bomb.zip")).rejects.toMatchObject(corrupt);
      const stored = zipOf(
        { ...entry, deflated: false, packedBytes: sizeBytes, sizeBytes },
        new Uint8Array(10),
      );
      await expect(restore(withFile(plain, "bomb.zip", stored), "bomb.zip")).rejects.toMatchObject(corrupt);
    }
  });

  test("is not unpacked for a graph's header that is longer than any", async () => {
    const medium = new MemoryMedium();
    const store = await openIndexStore(await openMemoryIndexStorage(), { create: facts });
    await loaded(store);
    const state = { header: zeros, parts: [], release() {} };
    await store.replace(facts, () => ({ state, metadata: [] }));
    await store.backup(placeIn(new MemoryFolder(medium), "full.zip"), options);
    await store.close();
    await expect(restore(medium, "full.zip")).rejects.toMatchObject({
      ...corrupt,
      message: expect.stringContaining(`its section graph has ${zeros.byteLength} bytes`),
    });
  });

  function zipOf(entry: ZipEntry, bytes: Uint8Array): Uint8Array {
    const at = new Date(0);
    const local = encodeLocal(entry, at);
    const central = encodeCentral(entry, at);
    const offset = local.byteLength + bytes.byteLength;
    const end = encodeEnd({ offset, sizeBytes: central.byteLength, entryCount: 1 });
    return new Uint8Array(Buffer.concat([local, bytes, central, end]));
  }
});

describe("an encrypted archive", () => {
  test("opens under its key alone", async () => {
    expect(await restore(encrypted, "next.zip", KEY)).toEqual(content);
    for (const key of [undefined, `${KEY}!`, "short"]) {
      await expect(restore(encrypted, "next.zip", key)).rejects.toMatchObject({
        code: "encryption_key_invalid",
      });
    }
    await expect(restore(plain, "next.zip", KEY)).rejects.toMatchObject({ code: "encryption_key_invalid" });
  });

  test("asks nobody to count more rounds of PBKDF2 than an index has any use for", async () => {
    const endless = await forged(encrypted, "full.zip", (entries) => {
      changeManifest(entries, ({ encryption }) => ({
        encryption: { ...(encryption as Json), rounds: MAX_KDF_ROUNDS + 1 },
      }));
    });
    await expect(restore(endless, "full.zip", KEY)).rejects.toMatchObject({
      code: "encryption_key_invalid",
      message: expect.stringContaining(`more than ${MAX_KDF_ROUNDS}`),
    });
  });

  test("shows no metadata", async () => {
    for (const name of ["full.zip", "next.zip"]) {
      const stored = await forged(encrypted, name, (entries) => {
        for (const bytes of entries.values()) expect(Buffer.from(bytes).includes("mark")).toBe(false);
      });
      expect(stored.files.size).toBe(2);
    }
  });

  test("is refused when its manifest or a part was changed by someone without the key", async () => {
    const older = await forged(encrypted, "full.zip", (entries) => {
      changeManifest(entries, { created_at: "2020-01-01T00:00:00.000Z" });
    });
    await expect(restore(older, "full.zip", KEY)).rejects.toMatchObject(corrupt);
    const unsealed = await forged(encrypted, "full.zip", (entries) => entries.delete("manifest.seal"));
    await expect(restore(unsealed, "full.zip", KEY)).rejects.toMatchObject(corrupt);
    const decrypted = await forged(encrypted, "full.zip", (entries) => {
      entries.delete("manifest.seal");
      changeManifest(entries, { encryption: null });
    });
    await expect(restore(decrypted, "full.zip")).rejects.toMatchObject(corrupt);
  });
});
