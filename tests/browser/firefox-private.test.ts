/** The built page in a private window of Firefox, which keeps the origin private file system from it, and nothing else. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Shoals } from "../interop/shoal-process.ts";
import { Firefox, type FirefoxPage, HAS_FIREFOX, WHY_SKIPPED } from "./firefox.ts";
import { startHost } from "./open-page.ts";

const shoals = new Shoals();

describe.skipIf(!HAS_FIREFOX)(`in a private window of Firefox, the page${WHY_SKIPPED}`, () => {
  let firefox: Firefox;
  let opened: FirefoxPage;
  beforeAll(async () => {
    const [{ pageUrl }, launched] = await Promise.all([
      startHost(shoals),
      Firefox.launch({ "browser.privatebrowsing.autostart": true }),
    ]);
    firefox = launched;
    opened = await firefox.openBare(pageUrl);
    await opened.page.locator("::-p-aria([name='Choose files'][role='button'])").wait();
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    await shoals[Symbol.asyncDispose]();
  });

  it("runs a node, which shares a file and gives its bytes back", async () => {
    await opened.ready();
    const { fileId, sha256 } = await opened.shareRandom(3_000_000);
    expect(await opened.contentHash(fileId)).toBe(sha256);
  });

  it("refuses what names a path, and says why", async () => {
    const refusal = { error: true, code: 403, message: expect.stringMatching(/private window/) };
    const answer = await opened.call("/api/v1/files/share", "POST", { file_path: "notes.txt" });
    expect(answer).toEqual({ status: 403, body: refusal });
  });

  it("keeps vectors, and finds them", async () => {
    const vector = Array.from({ length: 384 }, (_, at) => Number(at === 7));
    expect((await opened.call("/vectors", "POST", { id: 7, vector })).status).toBe(200);
    const { body } = await opened.call("/search", "POST", { vector, k: 1 });
    expect(body).toMatchObject({ results: [{ id: 7, distance: 0 }] });
  });

  it("has nothing to complain of", () => {
    expect(opened.complaints).toEqual([]);
  });
});
