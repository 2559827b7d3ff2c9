/** Encryption of files: what opens a sealed unit, and what is never used twice. */
import { expect, onTestFinished, test, vi } from "vitest";
import { fileCipher, noCipher } from "../../../src/vx/storage/cipher.ts";
import { decodeHeader, encodeHeader, HEADER_BYTES, randomId } from "../../../src/vx/storage/file-header.ts";
import { encodeFrame } from "../../../src/vx/storage/frame.ts";
import { createKey } from "../../../src/vx/storage/key.ts";
import {
  MemoryFolder,
  MemoryMedium,
  openMemoryIndexStorage,
} from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import { adds, facts, loaded, placeIn, snapshot, write } from "./small-index.ts";

const KEY = "a key of thirty-two bytes or more";

test("a sealed unit opens at its own place alone, beside what stood there, under its header, in its file", async () => {
  const [header, beside, plain] = [Uint8Array.of(1, 2), Uint8Array.of(3), Uint8Array.of(4, 5, 6)];
  const fileId = new Uint8Array(16).fill(7);
  const key = await createKey(KEY, 1);
  const cipher = await fileCipher(key, fileId, header);
  const sealed = await cipher.seal(9, plain, beside);
  expect(await cipher.open(9, sealed, beside)).toEqual(plain);
  expect(await (await fileCipher(key, fileId, header)).open(9, sealed, beside)).toEqual(plain);

  expect(await cipher.open(10, sealed, beside)).toBeUndefined();
  expect(await cipher.open(9, sealed, Uint8Array.of(8))).toBeUndefined();
  expect(await cipher.open(9, sealed)).toBeUndefined();
  for (let at = 0; at < sealed.length; at++) {
    const changed = sealed.map((byte, i) => (i === at ? byte ^ 1 : byte));
    expect(await cipher.open(9, changed, beside), `byte ${at}`).toBeUndefined();
  }
  const others = [
    fileCipher(key, fileId, Uint8Array.of(1, 3)),
    fileCipher(key, new Uint8Array(16).fill(8), header),
    fileCipher(await createKey(KEY, 1), fileId, header),
  ];
  for (const other of others) expect(await (await other).open(9, sealed, beside)).toBeUndefined();
});

test("an encrypted index takes no operations from a segment that somebody wrote without its key", async () => {
  const medium = new MemoryMedium();
  const open = async () => {
    return openIndexStore(await openMemoryIndexStorage(medium), { create: facts, encryptionKey: KEY });
  };
  const store = await open();
  await write(store, await loaded(store), adds(0, 3));
  await store.close();

  const snapshotBytes = medium.files.get("snapshot")?.bytes ?? new Uint8Array();
  const history = decodeHeader(snapshotBytes.subarray(0, HEADER_BYTES), "snapshot", "snapshot");
  const fileId = randomId();
  const header = encodeHeader({ ...history, kind: "journal", key: undefined, sequence: 4, fileId });
  const frame = await encodeFrame(adds(100, 2), 4, { fileId, cipher: noCipher });
  const bytes = new Uint8Array([...header, ...frame]);
  medium.files.set("journal-000000000002", { bytes, length: bytes.length });

  const again = await open();
  await expect(loaded(again)).rejects.toMatchObject({
    code: "internal",
    message: expect.stringMatching(/after it was encrypted/),
  });
  await again.close();
});

test("over an index's life no nonce comes twice under one key, which has 256 bits", async () => {
  const { deriveKey, encrypt } = crypto.subtle;
  const fileOf = new Map<object, string>();
  const used: string[] = [];
  vi.spyOn(crypto.subtle, "deriveKey").mockImplementation(async (...args: Parameters<typeof deriveKey>) => {
    const key = await deriveKey.apply(crypto.subtle, args);
    fileOf.set(key, String((args[0] as { salt: unknown }).salt));
    return key;
  });
  vi.spyOn(crypto.subtle, "encrypt").mockImplementation((...args: Parameters<typeof encrypt>) => {
    const [{ name, iv }, key] = [args[0] as { name: string; iv: unknown }, args[1]];
    expect([name, key.algorithm]).toEqual(["AES-GCM", { name: "AES-GCM", length: 256 }]);
    used.push(`${fileOf.get(key)}: ${iv}`);
    return encrypt.apply(crypto.subtle, args);
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
  });

  const medium = new MemoryMedium();
  const backups = new MemoryFolder(new MemoryMedium());
  for (let life = 0; life < 3; life++) {
    const options = { create: facts, encryptionKey: KEY };
    const store = await openIndexStore(await openMemoryIndexStorage(medium), options);
    const index = await loaded(store);
    // The same every time, so that only the nonce can keep their bytes apart.
    for (let i = 0; i < 3; i++) await write(store, index, adds(0, 5));
    await store.backup(placeIn(backups, `${life}.zip`), { incremental: life > 0, compress: false });
    if (life !== 1) await snapshot(store, index);
    await write(store, index, adds(0, 5));
    await store.close();
  }
  expect(used.length).toBeGreaterThan(15);
  expect(used.some((nonce) => nonce.startsWith("undefined"))).toBe(false);
  expect(new Set(used).size).toBe(used.length);
});
