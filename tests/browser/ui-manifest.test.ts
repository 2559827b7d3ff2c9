/** The manifest and its icons, by what Chromium itself says of them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PageSite } from "./open-page.ts";

let site: PageSite;
beforeAll(async () => {
  site = await PageSite.start();
});
afterAll(() => site[Symbol.asyncDispose]());

interface Manifest {
  icons: { src: string; sizes: string; type: string; purpose: string }[];
  shortcuts: { url: string }[];
  protocol_handlers: { url: string }[];
}

describe("the manifest", () => {
  it("has no fault that Chromium finds, and the page can be installed", async () => {
    await using opened = await site.open();
    const session = await opened.context.newCDPSession(opened.page);
    const { url, errors } = await session.send("Page.getAppManifest");
    expect(new URL(url).pathname).toBe("/manifest.webmanifest");
    expect(errors).toEqual([]);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // A context of a test is as private as an incognito window, from which nothing is installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
  });

  it("names icons of the sizes that they have", async () => {
    await using opened = await site.open();
    const sizes = await opened.page.evaluate(async () => {
      const manifest: Manifest = await (await fetch("/manifest.webmanifest")).json();
      return await Promise.all(
        manifest.icons.map(async ({ src, sizes, type }) => {
          const image = new Image();
          image.src = src;
          await image.decode();
          return {
            src,
            sizes,
            actual: type === "image/svg+xml" ? "any" : `${image.naturalWidth}x${image.naturalHeight}`,
          };
        }),
      );
    });
    expect(sizes.length).toBeGreaterThanOrEqual(5);
    for (const { src, sizes: named, actual } of sizes) expect(actual, src).toBe(named);
  });

  it("leads to screens that there are", async () => {
    await using opened = await site.open();
    const { page } = opened;
    const manifest: Manifest = await page.evaluate(async () => (await fetch("/manifest.webmanifest")).json());
    const fileId = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
    const links = manifest.protocol_handlers.map(({ url }) =>
      url.replace("%s", encodeURIComponent(`web+shoal:${fileId}`)),
    );
    for (const url of [...manifest.shortcuts.map((shortcut) => shortcut.url), ...links]) {
      await page.goto(new URL(url, site.host.pageUrl).href);
      await page.locator("main h1").waitFor();
      expect(await page.getByRole("heading", { name: "Nothing here" }).count(), url).toBe(0);
    }
  });
});
