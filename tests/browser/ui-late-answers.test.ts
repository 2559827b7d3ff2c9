/** What the screens make of answers that come late, in another order, or not at all, and of wishes that come twice meanwhile. */
import type { Page, Route } from "playwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UiSession } from "./ui-session.ts";

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start(["--vx-dimension", "3"]);
});
afterAll(() => session[Symbol.asyncDispose]());

/** Holds the next request for `path` back; gives a function that waits for it. */
async function heldBack(page: Page, path: string, method: string): Promise<() => Promise<Route>> {
  let hold = (_: Route) => {};
  const held = new Promise<Route>((resolve) => {
    hold = resolve;
  });
  let isHeld = false;
  await page.route(path, async (route) => {
    if (isHeld || route.request().method() !== method) return await route.fallback();
    isHeld = true;
    hold(route);
  });
  return () => held;
}

describe("the settings", () => {
  it("add one webhook though Enter was pressed twice", async () => {
    const page = await session.open("#/settings");
    const held = await heldBack(page, "**/node/webhooks", "POST");
    let asked = 0;
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/node/webhooks")) asked += 1;
    });
    const address = page.getByLabel("Tell this address");
    await address.fill("https://hooks.example/twice");
    await address.press("Enter");
    const route = await held();
    await address.press("Enter");
    await route.continue();
    await page.getByRole("button", { name: "I have kept it" }).click();
    expect(asked).toBe(1);
  });

  it("stay what they are to the byte where Enter is pressed in a field that nobody changed", async () => {
    const maxStorage = async () => {
      const headers = { authorization: `Bearer ${session.own.apiKey}` };
      const answer = await fetch(`${session.own.url}/api/v1/settings`, { headers });
      return ((await answer.json()) as { max_storage: number }).max_storage;
    };
    const before = await maxStorage();
    const page = await session.open("#/settings");
    await page.getByLabel("Most room to take, GB").press("Enter");
    await page.getByLabel("Most upload, MB/s").fill("5");
    await page.getByLabel("Most upload, MB/s").press("Enter");
    await page.getByText("Most upload, MB/s: saved.").waitFor();
    expect(await maxStorage()).toBe(before);
  });
});
