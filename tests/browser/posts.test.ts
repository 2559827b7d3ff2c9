/** Chunks of a page reach its host as posts over HTTP, in both engines, and by its stream where HTTP does not carry them. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { Firefox, HAS_FIREFOX, WHY_SKIPPED } from "./firefox.ts";
import { type AnyPage, proxiedSite } from "./proxied-site.ts";

const MIB = 1024 * 1024;
const SIZE_BYTES = 24 * MIB + 5;

/** Before there is a ticket, chunks go by the stream: on a busy machine more than half of them. */
const MUCH_BYTES = 6 * MIB;

const proxied = proxiedSite();

/** The host downloads a new file of the page, equal to the byte. */
async function upload(page: AnyPage): Promise<void> {
  const { client } = proxied.site.host;
  const { fileId, sha256 } = await page.shareRandom(SIZE_BYTES);
  await until("the file is offered", async () => {
    const { files } = await client.networkFiles();
    return files.some(({ id }) => id === fileId);
  });
  const { transfer_id: transferId } = await client.download({ file_id: fileId });
  expect((await transferEnd(proxied.site.host, transferId)).status).toBe("completed");
  const content = await (await client.content(fileId)).arrayBuffer();
  expect(createHash("sha256").update(new Uint8Array(content)).digest("hex")).toBe(sha256);
}

describe("a page in Chromium", () => {
  it("posts chunks to its host, and counts them as uploaded", async () => {
    const page = await proxied.open();
    const before = proxied.proxy.postedBytes;
    await upload(page);
    expect(proxied.proxy.postedBytes - before).toBeGreaterThan(MUCH_BYTES);
    await expect
      .poll(async () => {
        const { network } = await page.api<{ network: { total_uploaded: number } }>("system/stats");
        return network.total_uploaded;
      })
      .toBeGreaterThanOrEqual(SIZE_BYTES);
    expect(page.complaints).toEqual([]);
    await page[Symbol.asyncDispose]();
  });

  it("goes on with posts when one is cut half way", async () => {
    const page = await proxied.open();
    const before = proxied.proxy.postedBytes;
    let cuts = 0;
    proxied.proxy.isPostCutAt = (bytes) => cuts === 0 && bytes - before >= 3 * MIB && ++cuts > 0;
    await upload(page);
    expect(cuts).toBe(1);
    expect(proxied.proxy.postedBytes - before).toBeGreaterThan(MUCH_BYTES);
    await page[Symbol.asyncDispose]();
  });

  it("gives all of a file on the stream where no post gets through", async () => {
    const page = await proxied.open();
    const before = proxied.proxy.postedBytes;
    proxied.proxy.isPostCutAt = () => true;
    await upload(page);
    expect(proxied.proxy.postedBytes - before).toBeLessThan(8 * MIB);
    await page[Symbol.asyncDispose]();
  });
});

describe.skipIf(!HAS_FIREFOX)(`a page in Firefox${WHY_SKIPPED}`, () => {
  it("posts chunks to its host", async () => {
    await using firefox = await Firefox.launch();
    const page = await firefox.open(proxied.proxy.url);
    const before = proxied.proxy.postedBytes;
    await upload(page);
    expect(proxied.proxy.postedBytes - before).toBeGreaterThan(MUCH_BYTES);
  });
});
