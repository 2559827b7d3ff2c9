/** The frame around the screens: ways between them, focus, and what is said when the node does not answer. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axeViolations, PHONE, UiSession } from "./ui-session.ts";

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start();
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

describe("the frame", () => {
  test("a new screen gets the focus and its name is the title", async () => {
    const page = await session.open("#/files");
    await page.getByRole("link", { name: "Peers" }).click();
    await page.getByRole("heading", { name: "Peers", level: 1 }).waitFor();
    await page.waitForFunction(() => document.activeElement === document.querySelector("main"));
    expect(await page.title()).toBe("Peers · Shoal");
    await page.goBack();
    await page.getByRole("heading", { name: "Files", level: 1 }).waitFor();
    await page.context().close();
  });

  test("the first key leads past the navigation", async () => {
    const page = await session.open("#/files");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    await page.context().close();
  });

  test("on a phone the other screens are behind More, which a new screen closes", async () => {
    const page = await session.open("#/files", PHONE);
    const settings = page.getByRole("link", { name: "Settings" });
    expect(await settings.isVisible()).toBe(false);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await settings.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await settings.click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await settings.waitFor({ state: "hidden" });
    await page.context().close();
  });

  test("an address that names nothing says so", async () => {
    const page = await session.open("#/get/cut");
    await page.getByRole("heading", { name: "Nothing here" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });

  test("a node that stops answering is told of, and the page is well again by itself once it is back", async () => {
    const page = await session.open("#/files");
    await page.route("**/api/v1/**", (route) => route.abort());
    await page.reload();
    await page.getByText("The node does not answer.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.unroute("**/api/v1/**");
    await page.locator(".status-line.running").waitFor();
    await page.getByText("The node does not answer.").waitFor({ state: "detached" });
    await page.context().close();
  });
});
