/** Chunks between a page and its host over https: the host's own, and behind reverse proxies with manners of their own. */
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { ExchangeWays } from "./exchange-ways.ts";
import { type OpenPage, PageSite } from "./open-page.ts";
import { Certificate, type Manner, TlsProxy, TRUSTING } from "./tls-proxy.ts";

const MIB = 1024 * 1024;
const CHUNKS = 16;
const SIZE_BYTES = CHUNKS * MIB + 5;

/** Before there is a ticket, chunks go by the stream: on a busy machine more than half of them, and without these rates all. */
const MANY_CHUNKS = CHUNKS / 4;
const RATES = ["--max-upload", "8MiB", "--max-download", "8MiB"];

/** Two posts are lost before their conversation gives them up, and a busy machine may lose a connection; else all would be. */
const FEW_POSTS = CHUNKS / 4;

let certificate: Certificate;
beforeAll(async () => {
  certificate = await Certificate.make();
});
afterAll(() => certificate[Symbol.asyncDispose]());

/** The page downloads a file of its host, and the host one of the page, equal to the byte. */
async function tradeFiles({ host }: PageSite, opened: OpenPage): Promise<ExchangeWays> {
  const ways = await ExchangeWays.of(opened.page);
  const bytes = randomBytes(SIZE_BYTES);
  const path = join(host.folder, "shared", "down.bin");
  await writeFile(path, bytes);
  const { file_id: fileId } = await host.client.share(path);
  expect((await opened.download(fileId)).event).toBe("transfer_complete");
  expect(await opened.contentHash(fileId)).toBe(createHash("sha256").update(bytes).digest("hex"));

  const shared = await opened.shareRandom(SIZE_BYTES);
  await until("the file is offered", async () => {
    const { files } = await host.client.networkFiles();
    return files.some(({ id }) => id === shared.fileId);
  });
  const { transfer_id: transferId } = await host.client.download({ file_id: shared.fileId });
  expect((await transferEnd(host, transferId)).status).toBe("completed");
  const content = await (await host.client.content(shared.fileId)).arrayBuffer();
  expect(createHash("sha256").update(new Uint8Array(content)).digest("hex")).toBe(shared.sha256);
  await ways.counted();
  return ways;
}

describe("over the host's own https", () => {
  it("chunks go over HTTP, both ways", async () => {
    const flags = [...RATES, "--tls-cert", certificate.cert, "--tls-key", certificate.key];
    await using site = await PageSite.start({ flags }, TRUSTING);
    await using opened = await site.open();
    expect(new URL(site.host.pageUrl).protocol).toBe("https:");
    const ways = await tradeFiles(site, opened);
    expect(ways.sideBytes).toBeGreaterThan(MANY_CHUNKS * MIB);
    expect(ways.takenPosts).toBeGreaterThan(MANY_CHUNKS);
    expect(opened.complaints).toEqual([]);
  });
});

describe("behind a reverse proxy that ends TLS", () => {
  let site: PageSite;
  let proxy: TlsProxy;
  beforeAll(async () => {
    site = await PageSite.start({ flags: RATES }, TRUSTING);
    proxy = await TlsProxy.before(site.host.pageUrl, certificate);
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  async function tradedWith(manner: Manner): Promise<ExchangeWays> {
    proxy.manner = manner;
    await using opened = await site.openUnready("/", { origin: proxy.url });
    await opened.ready();
    return await tradeFiles(site, opened);
  }

  it("chunks go over HTTP, both ways, where it asks for a cookie", async () => {
    const ways = await tradedWith("asks for a cookie");
    expect(ways.sideBytes).toBeGreaterThan(MANY_CHUNKS * MIB);
    expect(ways.takenPosts).toBeGreaterThan(MANY_CHUNKS);
  });

  it("chunks for the page come on the stream, and its own go over HTTP, where it buffers", async () => {
    const ways = await tradedWith("buffers");
    expect(ways.sideBytes).toBe(0);
    expect(ways.takenPosts).toBeGreaterThan(MANY_CHUNKS);
    expect(ways.socketBytes).toBeGreaterThan(SIZE_BYTES);
  });

  it("all goes on the stream where it refuses bodies and cuts off what takes long", async () => {
    const ways = await tradedWith("refuses");
    expect([ways.sideBytes, ways.takenPosts]).toEqual([0, 0]);
    expect(ways.lostPosts).toBeLessThanOrEqual(FEW_POSTS);
    expect(ways.socketBytes).toBeGreaterThan(2 * SIZE_BYTES);
  });

  it("the page's chunks go on the stream where it swallows posts", async () => {
    const ways = await tradedWith("swallows posts");
    expect(ways.takenPosts).toBe(0);
    expect(ways.lostPosts).toBeLessThanOrEqual(FEW_POSTS);
    expect(ways.sideBytes).toBeGreaterThan(MANY_CHUNKS * MIB);
  });
});
