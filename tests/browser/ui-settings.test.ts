/** The screen of settings on the built page, whose node is in the page: what is changed, what is kept, what is refused. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type OpenPage, PageSite } from "./open-page.ts";
import { axeViolations, faultsOf, isFocused, showAnew } from "./ui-checks.ts";
import { PHONE } from "./ui-session.ts";

let site: PageSite;
let opened: OpenPage;
let page: OpenPage["page"];
beforeAll(async () => {
  site = await PageSite.start();
  opened = await openSettings();
  page = opened.page;
});
beforeEach(() => showAnew(page, "#/settings"));
afterAll(() => site[Symbol.asyncDispose]());

async function openSettings(): Promise<OpenPage> {
  const opened = await site.open("/#/settings");
  await opened.page.getByLabel("Most upload, MB/s").waitFor();
  await opened.page.getByText(/taken, room for up to/).waitFor();
  return opened;
}

interface Settings {
  name: string | null;
  max_upload: number | null;
  bootstrap: string[];
}

describe("the settings", () => {
  it("break no rule of accessibility, on any look", async () => {
    expect(await faultsOf(page)).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("leave air between a label and its Save on a phone", async () => {
    const before = page.viewportSize();
    // A phone's width less a scrollbar.
    await page.setViewportSize({ width: 345, height: 740 });
    const label = "Peers and relays to stay connected to";
    await page.getByLabel(label).fill("changed");
    const save = await page.getByRole("button", { name: `Save ${label}` }).boundingBox();
    const wordsEnd = await page.locator("label", { hasText: label }).evaluate((element) => {
      const words = document.createRange();
      words.selectNodeContents(element);
      return words.getBoundingClientRect().right;
    });
    expect((save?.x ?? 0) - wordsEnd).toBeGreaterThanOrEqual(8);
    if (before !== null) await page.setViewportSize(before);
  });

  it("keep a name over a reload", async () => {
    await page.getByLabel("Name", { exact: true }).fill("Ada's laptop");
    await page.getByRole("button", { name: "Save Name", exact: true }).click();
    await page.getByText(/^Name: saved/).waitFor();
    await page.reload();
    await opened.ready();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("input")].some(({ value }) => value === "Ada's laptop"),
    );
    expect((await opened.api<Settings>("settings")).name).toBe("Ada's laptop");
    await showAnew(page, "#/peers");
    await page.locator(".swarm-map").getByText("Ada's laptop").waitFor();
  });

  it("leave the keyboard where it was, though what it was on goes or waits", async () => {
    const name = page.getByLabel("Name", { exact: true });
    await name.fill("Grace's laptop");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText(/^Name: saved/).waitFor();
    await page.waitForFunction((field) => field === document.activeElement, await name.elementHandle());
    const excerpts = page.getByRole("switch", { name: /^Let others find/ });
    await excerpts.focus();
    await page.keyboard.press("Space");
    await page.getByRole("switch", { name: /^Let others find/, checked: false }).waitFor();
    expect(await excerpts.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.press("Space");
    await page.getByRole("switch", { name: /^Let others find/, checked: true }).waitFor();
  });

  it("take a speed in MB/s, and say at the field what is none", async () => {
    const field = page.getByLabel("Most upload, MB/s");
    await field.fill("fast");
    await field.press("Enter");
    await page.getByText("A number of MB/s above 0").waitFor();
    expect((await opened.api<Settings>("settings")).max_upload).toBeNull();
    await field.fill("1.5");
    await field.press("Enter");
    await page.getByText(/^Most upload, MB\/s: saved/).waitFor();
    expect((await opened.api<Settings>("settings")).max_upload).toBe(1_500_000);
  });

  it("say of a change that it waits for the next start, and not of one that is back at what runs", async () => {
    const field = page.getByLabel("Swarm");
    await field.fill("friends");
    await field.press("Enter");
    await page.getByText("Swarm: saved, from the node's next start on.").waitFor();
    await page.getByText("Some changes wait for the next start").waitFor();
    await field.fill("main");
    expect(await faultsOf(page)).toEqual([]);
    await field.press("Enter");
    await page.getByText("Swarm: saved.", { exact: true }).waitFor();
  });

  it("stay where they are while one is typed, saved and told to wait, on a phone too", async () => {
    const places = () =>
      page.evaluate(() =>
        [...document.querySelectorAll("main :is(label, input, textarea)")]
          .filter((element) => element.checkVisibility())
          .map((element) => element.getBoundingClientRect().top + scrollY),
      );
    await page.getByText(/taken, room for up to/).waitFor();
    const field = page.getByLabel("Swarm");
    const notice = page.getByText("Some changes wait for the next start");
    const before = page.viewportSize();
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const size of [{ width: 1280, height: 720 }, PHONE.viewport]) {
      await page.setViewportSize(size);
      const still = await places();
      await field.fill("friends");
      await page.getByRole("button", { name: "Undo Swarm", exact: true }).waitFor();
      expect(await places()).toEqual(still);
      await field.press("Enter");
      await notice.waitFor();
      expect(await places()).toEqual(still);
      await page.getByText("Swarm: saved, from the node's next start on.").last().waitFor();
      // Its button can be reached while the toast is there.
      const [toasts, bar] = await Promise.all([
        page.locator(".toasts").boundingBox(),
        page.locator(".pending-changes").boundingBox(),
      ]);
      expect((toasts?.y ?? 0) + (toasts?.height ?? 0)).toBeLessThan(bar?.y ?? 0);
      expect(await axeViolations(page)).toEqual([]);
      await field.fill("main");
      await field.press("Enter");
      await notice.waitFor({ state: "detached" });
      expect(await places()).toEqual(still);
    }
    await page.emulateMedia({ reducedMotion: null });
    if (before !== null) await page.setViewportSize(before);
  });

  it("show at once what a limit leaves, and are named where it leaves too little", async () => {
    const field = page.getByLabel("Most room to take, GB");
    const typed = await field.inputValue();
    // A page that is not looked at does not ask again by itself.
    await page.evaluate(() =>
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true }),
    );
    await field.fill("0.000001");
    await field.press("Enter");
    await page.getByText(/ taken, room for up to \d+ (?:bytes|kB) more/).waitFor();
    await page.evaluate(() => Reflect.deleteProperty(document, "visibilityState"));
    await showAnew(page, "#/files");
    const large = { name: "large.bin", mimeType: "", buffer: Buffer.alloc(2000) };
    await page.setInputFiles("input[type=file][multiple]", large);
    await page.locator(".import-row").getByText("raise “Most room to take” in Settings").waitFor();
    await showAnew(page, "#/settings");
    await field.fill(typed);
    await field.press("Enter");
    await page.getByText(/ taken, room for up to [\d.]+ GB more/).waitFor();
  });

  it("show the node's own refusal at the field", async () => {
    await page.getByLabel("Peers and relays to stay connected to").fill("not a multiaddr");
    await page.getByRole("button", { name: "Save Peers and relays to stay connected to" }).click();
    await page.getByRole("alert").filter({ hasText: "Entry 1: must be a multiaddr" }).waitFor();
    expect((await opened.api<Settings>("settings")).bootstrap).toEqual([]);
  });

  it("add a webhook, show its secret once, and ask before it is removed with that", async () => {
    await page.getByLabel("Tell this address").fill("https://hooks.example/shoal");
    const add = page.getByRole("button", { name: "Add", exact: true });
    await add.press("Enter");
    await page.getByText("Tell it of all events").waitFor({ state: "attached" });
    const secret = await page.getByRole("dialog").getByLabel("Secret").inputValue();
    expect(secret.length).toBeGreaterThan(20);
    await page.getByRole("button", { name: "I have kept it" }).press("Enter");
    expect(await isFocused(add)).toBe(true);
    expect(await page.content()).not.toContain(secret);
    const listed = async () => (await opened.api<{ webhooks: { url: string }[] }>("node/webhooks")).webhooks;
    expect(await listed()).toMatchObject([{ url: "https://hooks.example/shoal" }]);
    await page.getByRole("button", { name: "Remove https://hooks.example/shoal" }).click();
    const asks = page.getByRole("dialog", { name: "Remove this webhook?" });
    await asks.getByText("Added again it has another secret.").waitFor();
    expect(await listed()).toHaveLength(1);
    await asks.getByRole("button", { name: "Remove", exact: true }).click();
    await asks.waitFor({ state: "detached" });
    expect(await listed()).toEqual([]);
    await page.getByLabel("Tell this address").fill("https://hooks.example/shoal");
    await add.press("Enter");
    await page.evaluate(() => {
      const refusing = { writeText: () => Promise.reject(new DOMException("Denied", "NotAllowedError")) };
      Object.defineProperty(navigator, "clipboard", { value: refusing, configurable: true });
    });
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    const told = page.locator(".toast.bad");
    expect(await told.textContent()).toContain("Select the text, and copy it by hand.");
    await told.getByRole("button", { name: "Dismiss" }).click();
    await page.evaluate(() => Reflect.deleteProperty(navigator, "clipboard"));
    await page.getByRole("button", { name: "I have kept it" }).click();
    expect(await listed()).toHaveLength(1);
  });

  it("say of a webhook why its receiver did not take what it was told", async () => {
    const receiver = "https://hooks.example/**";
    await page.route(receiver, (route) =>
      route.fulfill({ status: 500, headers: { "access-control-allow-origin": "*" } }),
    );
    await opened.shareRandom(10, "told.bin");
    await page.getByText(/^The receiver answered 500\. .+ sent again\.$/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.unroute(receiver);
  });

  it("change a webhook's address and events where it stands", async () => {
    const listed = async () =>
      (await opened.api<{ webhooks: { id: string; url: string; events: string[] }[] }>("node/webhooks"))
        .webhooks;
    const [before] = await listed();
    await page.getByRole("button", { name: "Change https://hooks.example/shoal" }).click();
    const dialog = page.getByRole("dialog", { name: "Change the webhook" });
    await dialog.getByLabel("Address").fill("https://hooks.example/other");
    await dialog.getByLabel("peer_connected").uncheck();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Change https://hooks.example/other" }).waitFor();
    const [after] = await listed();
    expect(after).toMatchObject({ id: before?.id, url: "https://hooks.example/other" });
    expect(after?.events).toEqual(before?.events.filter((event) => event !== "peer_connected"));
  });

  it("keep the theme chosen", async () => {
    await page.getByText("Dark", { exact: true }).click();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
    await page.reload();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
    expect(await page.getByRole("radio", { name: "Dark" }).isChecked()).toBe(true);
  });

  it("take the node's identity to another browser", async () => {
    const { node_id: id } = await opened.api<{ node_id: string }>("node/info");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save to a file" }).click(),
    ]);
    const identity = await readFile(await download.path());

    await using other = await openSettings();
    const input = other.page.getByLabel("Identity file");
    await input.setInputFiles({
      name: "other.json",
      mimeType: "application/json",
      buffer: Buffer.from("{}"),
    });
    await other.page.getByText("This is no identity file of Shoal.").waitFor();
    const file = { name: "identity.json", mimeType: "application/json", buffer: identity };
    await page.getByLabel("Identity file").setInputFiles(file);
    await page.getByText("This is the identity that this node has already.").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    await input.setInputFiles(file);
    await other.page.getByRole("dialog").getByText(id).waitFor();
    await other.page.getByRole("button", { name: "Be this node" }).click();
    await other.page.getByText("From the next start on this node is the other one.").waitFor();
    // Two nodes of one identity don't meet.
    await opened.context.close();
    await other.page.reload();
    await other.ready();
    expect((await other.api<{ node_id: string }>("node/info")).node_id).toBe(id);
  });
});
