/** Files saved from the built page in Chromium: their bytes are with the service worker, not on the network. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OpenPage, PageSite } from "./open-page.ts";
import { showAnew } from "./ui-checks.ts";

const TEXT = "what is in it";
const FILE = { name: "Übersicht 'neu'.bin", mimeType: "", buffer: Buffer.from(TEXT) };

let site: PageSite;
let opened: OpenPage;
beforeAll(async () => {
  site = await PageSite.start();
  opened = await site.open();
  await opened.page.setInputFiles("input[type=file][multiple]", FILE);
  await opened.page.getByText(`${FILE.name} is shared`).waitFor();
});
afterAll(() => site[Symbol.asyncDispose]());

it("is a download of the browser, with its name and bytes, and leaves the page as it is", async () => {
  const { page } = opened;
  await showAnew(page, "#/files");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /Save to disk$/ }).click(),
  ]);
  expect(await readFile(await download.path(), "utf8")).toBe(TEXT);
  expect(download.suggestedFilename()).toBe(FILE.name);
  await page.getByRole("heading", { level: 1, name: "Files" }).waitFor();
  expect(await page.locator(".toast").count()).toBe(0);
  expect(opened.complaints).toEqual([]);
});

it("is said to have failed where its bytes are refused", async () => {
  const { page } = opened;
  await page.evaluate(() => {
    // A ticket that is over, as after a long sleep between its making and its use.
    Object.defineProperty(HTMLIFrameElement.prototype, "src", {
      set(this: HTMLIFrameElement) {
        this.setAttribute("src", "/api/v1/stream/none");
      },
    });
  });
  await page.getByRole("button", { name: /Save to disk$/ }).click();
  await page.getByRole("alert").getByText("could not be saved").waitFor();
});

it("is well at the second try where the service worker did not load at first, which is said", async () => {
  const first = await site.openUnready("/", {
    prepare: async (page) => {
      await page.addInitScript(() => {
        const { serviceWorker } = navigator;
        const register = serviceWorker.register.bind(serviceWorker);
        let isCut = true;
        Object.assign(window, { mend: () => (isCut = false) });
        serviceWorker.register = async (...options) => {
          if (isCut) throw new TypeError("the script did not come");
          return await register(...options);
        };
      });
    },
  });
  const { page } = first;
  await page.setInputFiles("input[type=file][multiple]", FILE);
  await page.getByText(`${FILE.name} is shared`).waitFor();
  const save = page.getByRole("button", { name: /Save to disk$/ });
  await save.click();
  await page.getByRole("alert").getByText("did not load. Try again.").waitFor();
  await page.evaluate(() => (window as unknown as { mend: () => void }).mend());
  const downloaded = page.waitForEvent("download");
  await save.click();
  expect(await readFile(await (await downloaded).path(), "utf8")).toBe(TEXT);
});

it("waits on a first visit for the service worker, without which the network would be asked", async () => {
  const first = await site.openUnready("/", {
    prepare: async (page) => {
      await page.addInitScript(() => {
        const { serviceWorker } = navigator;
        const register = serviceWorker.register.bind(serviceWorker);
        const gate = new Promise<void>((open) => Object.assign(window, { letRegister: open }));
        serviceWorker.register = async (...options) => {
          await gate;
          return await register(...options);
        };
      });
    },
  });
  const { page } = first;
  await page.setInputFiles("input[type=file][multiple]", FILE);
  await page.getByText(`${FILE.name} is shared`).waitFor();
  const downloaded = page.waitForEvent("download");
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/api/v1/stream/")) asked.push(request.url());
  });
  await page.getByRole("button", { name: /Save to disk$/ }).click();
  // Whatever was asked by now would have been asked of the network.
  await page.getByRole("button", { name: /^Copy link to/ }).click();
  await page.getByText("Link copied").or(page.getByText("did not let the link")).waitFor();
  expect(asked).toEqual([]);
  await page.evaluate(() => (window as unknown as { letRegister: () => void }).letRegister());
  expect(await readFile(await (await downloaded).path(), "utf8")).toBe(TEXT);
  expect(await page.locator(".toast.bad").count()).toBe(0);
});
