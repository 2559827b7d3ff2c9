/** Chunks from the host of a page come to it over HTTP, in both engines, and by its stream where HTTP does not carry them. */
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Firefox, HAS_FIREFOX, WHY_SKIPPED } from "./firefox.ts";
import { type AnyPage, proxiedSite } from "./proxied-site.ts";

const MIB = 1024 * 1024;
const SIZE_BYTES = 24 * MIB + 5;

/** Before the side stream is open, chunks come on the stream: on a busy machine more than half of them. */
const MUCH_BYTES = 6 * MIB;

const proxied = proxiedSite();

/** The page downloads a new file of the host, equal to the byte. */
async function download(page: AnyPage, sizeBytes = SIZE_BYTES): Promise<void> {
  const bytes = randomBytes(sizeBytes);
  const path = join(proxied.site.host.folder, "shared", "side.bin");
  await writeFile(path, bytes);
  const { file_id: fileId } = await proxied.site.host.client.share(path);
  expect((await page.download(fileId)).event).toBe("transfer_complete");
  expect(await page.contentHash(fileId)).toBe(createHash("sha256").update(bytes).digest("hex"));
}

describe("a page in Chromium", () => {
  it("takes chunks of its host over HTTP, and the host counts them as uploaded", async () => {
    const page = await proxied.open();
    const before = proxied.proxy.bytes;
    const uploaded = async () => (await proxied.site.host.client.systemStats()).network.total_uploaded;
    const uploadedBefore = await uploaded();
    await download(page);
    expect(proxied.proxy.bytes - before).toBeGreaterThan(MUCH_BYTES);
    expect((await uploaded()) - uploadedBefore).toBeGreaterThanOrEqual(SIZE_BYTES);
    expect(page.complaints).toEqual([]);
    await page[Symbol.asyncDispose]();
  });

  it("has all of a file when its HTTP connection is cut half way, and goes on over another", async () => {
    const page = await proxied.open();
    const before = proxied.proxy.bytes;
    let cutAt: number | undefined;
    proxied.proxy.isCutAt = (bytes) => {
      if (cutAt !== undefined || bytes - before < 10 * MIB) return false;
      cutAt = bytes;
      return true;
    };
    // Some of it comes on the stream, until another connection is open: on a busy machine nearly all of the rest.
    await download(page, 3 * SIZE_BYTES);
    expect(proxied.proxy.bytes).toBeGreaterThan((cutAt ?? Number.POSITIVE_INFINITY) + MIB / 2);
    await page[Symbol.asyncDispose]();
  });

  it("has all of a file from the same host where no answer comes over HTTP", async () => {
    const page = await proxied.open();
    const before = proxied.proxy.bytes;
    proxied.proxy.isCutAt = () => true;
    await download(page);
    expect(proxied.proxy.bytes - before).toBeLessThan(MIB);
    await page[Symbol.asyncDispose]();
  });
});

describe.skipIf(!HAS_FIREFOX)(`a page in Firefox${WHY_SKIPPED}`, () => {
  it("takes chunks of its host over HTTP", async () => {
    await using firefox = await Firefox.launch();
    const page = await firefox.open(proxied.proxy.url);
    const before = proxied.proxy.bytes;
    await download(page);
    expect(proxied.proxy.bytes - before).toBeGreaterThan(MUCH_BYTES);
  });
});
