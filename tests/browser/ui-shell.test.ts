/** The frame around the screens: ways between them, focus, and what is said when the node does not answer. */
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_FILES_A_DROP } from "../../src/ui/limits.ts";
import { axeViolations, type Box, boxOf, isFocused, sidewaysPixels, smallTargets } from "./ui-checks.ts";
import { PHONE, UiSession } from "./ui-session.ts";

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start();
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});

/** Settles once the browser has given up the request: one that a test holds back would go on with the next test. */
async function leaveOut(page: Page): Promise<void> {
  const givenUp = page.waitForEvent("requestfailed");
  await page.getByRole("button", { name: "Leave big.bin out" }).click();
  await givenUp;
}

describe("the frame", () => {
  test("the dot that tells the node's state by its colour grows with the letters beside it", async () => {
    const page = await session.open("#/files");
    const dot = page.locator(".status-dot");
    const usual = await boxOf(dot);
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    const large = await boxOf(dot);
    expect([large.width, large.height]).toEqual([2 * usual.width, 2 * usual.height]);
  });

  test("a new screen gets the focus and its name is the title", async () => {
    const page = await session.open("#/files");
    const peers = page.getByRole("link", { name: "Peers" });
    await peers.click();
    await page.getByRole("heading", { name: "Peers", level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Files", level: 1 }).waitFor();
    // With the screen: a moment later it would be taken from what keys have reached meanwhile.
    const focused = page.evaluate(
      () =>
        new Promise((resolve) => {
          new MutationObserver(() => {
            if (document.querySelector("h1")?.textContent === "Peers")
              resolve(document.activeElement?.tagName);
          }).observe(document.body, { childList: true, subtree: true });
        }),
    );
    await peers.click();
    expect(await focused).toBe("MAIN");
    expect(await page.title()).toBe("Peers · Shoal");
  });

  test("the first key leads past the navigation", async () => {
    const page = await session.open("#/files");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
  });

  test("in a wide and low window all ways are within it wherever the screen is scrolled, and cover nothing", async () => {
    const page = await session.open("#/settings", { viewport: { width: 844, height: 390 } });
    await page.getByLabel("Most room to take, GB").scrollIntoViewIfNeeded();
    const last = await boxOf(page.getByRole("link", { name: "Settings", exact: true }));
    expect(last.y + last.height).toBeLessThanOrEqual(390);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const [head, ways] = await Promise.all([boxOf(page.locator(".shell-head")), boxOf(page.locator("nav"))]);
    expect(ways.y).toBeGreaterThanOrEqual(head.y + head.height);
  });

  test("the node's state stays in sight wherever the screen is scrolled, in a window that has room for it above all ways", async () => {
    const page = await session.open("#/settings", { viewport: { width: 1280, height: 540 } });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const state = await boxOf(page.locator(".status-line"));
    const last = await boxOf(page.getByRole("link", { name: "Settings", exact: true }));
    expect(state.y).toBeGreaterThanOrEqual(0);
    expect(last.y + last.height).toBeLessThanOrEqual(540);
  });

  test("on a phone what the Tab key reaches is not under the bars at the edges", async () => {
    const page = await session.open("#/settings", PHONE);
    const [before, field, after] = ["Most upload, MB/s", "Most download, MB/s", "Most room to take, GB"].map(
      (label) => page.getByLabel(label),
    ) as [Locator, Locator, Locator];
    await after.waitFor();
    const bars = await Promise.all(
      [page.locator(".shell-head"), page.locator("nav")].map((bar) => boxOf(bar)),
    );
    const [head, foot] = bars as [Box, Box];
    for (const { from, key, top } of [
      { from: before, key: "Tab", top: foot.y + 8 },
      { from: after, key: "Shift+Tab", top: head.y + 8 },
    ]) {
      await field.evaluate((element, top) => scrollBy(0, element.getBoundingClientRect().top - top), top);
      await from.evaluate((element) => element.focus({ preventScroll: true }));
      for (let presses = 0; presses < 4 && !(await isFocused(field)); presses++)
        await page.keyboard.press(key);
      expect(await isFocused(field)).toBe(true);
      const { y, height } = await boxOf(field);
      expect(y, key).toBeGreaterThanOrEqual(head.y + head.height);
      expect(y + height, key).toBeLessThanOrEqual(foot.y);
    }
  });

  test.each([...["files", "network", "transfers", "peers", "map", "vectors", "api", "settings", "get/bafy"]])(
    "on a phone what is pressed on the screen %s is as large as a finger",
    async (screen) => {
      const page = await session.open(`#/${screen}`, PHONE);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
      });
      expect(await smallTargets(page)).toEqual([]);
    },
  );

  test("on a phone what was tapped last in the bar at its foot does not look chosen", async () => {
    const page = await session.open("#/files", PHONE);
    const more = page.getByRole("button", { name: "More" });
    const ground = () => more.evaluate((element) => getComputedStyle(element).backgroundColor);
    const before = await ground();
    await more.tap();
    await page.keyboard.press("Escape");
    expect(await more.evaluate((element) => element.matches(":hover"))).toBe(true);
    expect(await ground()).toBe(before);
  });

  test("on a phone a button looks as before once it was tapped", async () => {
    const page = await session.open("#/files", PHONE);
    const button = page.getByRole("button", { name: "Write a text" });
    const look = () =>
      button.evaluate((element) => {
        const { backgroundColor, borderColor } = getComputedStyle(element);
        return { backgroundColor, borderColor };
      });
    const before = await look();
    await button.tap();
    await page.keyboard.press("Escape");
    expect(await button.evaluate((element) => element.matches(":hover"))).toBe(true);
    expect(await look()).toEqual(before);
  });

  test("on a phone the other screens are behind More, which a new screen closes", async () => {
    const page = await session.open("#/files", PHONE);
    const settings = page.getByRole("link", { name: "Settings" });
    expect(await settings.isVisible()).toBe(false);
    const more = page.getByRole("button", { name: "More", exact: true });
    await more.click();
    await settings.focus();
    await page.keyboard.press("Escape");
    await settings.waitFor({ state: "hidden" });
    expect(await isFocused(more)).toBe(true);
    await more.click();
    await settings.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await settings.click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await settings.waitFor({ state: "hidden" });
    await page.emulateMedia({ forcedColors: "active" });
    expect(await more.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
    await page.emulateMedia({ forcedColors: null });
  });

  test("on a phone what More opened closes at Escape from the moment on that it is drawn", async () => {
    const page = await session.open("#/files", PHONE);
    const isOpen = await page.evaluate(async () => {
      Reflect.deleteProperty(window, "CloseWatcher");
      const navigation = document.querySelector(".navigation");
      if (navigation === null) return undefined;
      const drawn = new Promise<void>((resolve) => {
        new MutationObserver((_, observer) => {
          observer.disconnect();
          document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
          requestAnimationFrame(() => resolve());
        }).observe(navigation, { attributeFilter: ["class"] });
      });
      document.querySelector<HTMLElement>(".navigation-more")?.click();
      await drawn;
      return navigation.classList.contains("open");
    });
    expect(isOpen).toBe(false);
  });

  test("on a phone what More opened closes at a press beside it, where keys leave it, and at the link to where one is", async () => {
    const page = await session.open("#/settings", PHONE);
    const more = page.getByRole("button", { name: "More", exact: true });
    const settings = page.getByRole("link", { name: "Settings", exact: true });
    const api = page.getByRole("link", { name: "API", exact: true });
    const ways = [
      () => page.getByRole("heading", { level: 1, name: "Settings" }).click(),
      () => settings.press("Tab"),
      () => settings.click(),
    ];
    for (const leave of ways) {
      await more.click();
      await api.waitFor();
      await leave();
      await expect.poll(() => api.isVisible()).toBe(false);
    }
  });

  test.each(["", "1.875rem"])(
    "in a window of 320 pixels the words of the bar at its foot are read, none of them cut, letters of %s",
    async (rootFontSize) => {
      const page = await session.open("#/files", { ...PHONE, viewport: { width: 320, height: 740 } });
      await page.addStyleTag({ content: `:root { font-size: ${rootFontSize} !important; }` });
      const words = await page
        .locator(".navigation > ul:first-child a > span, .navigation-more > span")
        .evaluateAll((spans) =>
          spans.map((span) => {
            const { left, right } = span.getBoundingClientRect();
            const isCut = span.scrollWidth > span.clientWidth;
            return { left, right, isCut, pixels: Number.parseFloat(getComputedStyle(span).fontSize) };
          }),
        );
      expect(words).toHaveLength(5);
      for (const [at, { left, isCut, pixels }] of words.entries()) {
        expect(pixels).toBeGreaterThanOrEqual(13);
        expect(isCut).toBe(false);
        if (at > 0) expect(left - (words[at - 1]?.right ?? 0)).toBeGreaterThanOrEqual(4);
      }
      expect(await sidewaysPixels(page)).toBe(0);
    },
  );

  test("on a phone what comes unasked covers nothing that More opened", async () => {
    const page = await session.open("#/files", PHONE);
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    await page.getByText("A new version is ready.").waitFor();
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  });

  test("under a large zoom all that More opened can be seen", async () => {
    const page = await session.open("#/files", { viewport: { width: 320, height: 170 } });
    await page.getByRole("button", { name: "More", exact: true }).click();
    expect((await boxOf(page.locator(".navigation-rest"))).y).toBeGreaterThanOrEqual(0);
    await page.getByRole("link", { name: "Settings" }).scrollIntoViewIfNeeded();
    await page.getByRole("link", { name: "Map" }).click();
    await page.getByRole("heading", { name: "Map", level: 1 }).waitFor();
  });

  test("an address that names nothing says so", async () => {
    const page = await session.open("#/get/cut");
    await page.getByRole("heading", { name: "Nothing here" }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
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
  });

  test("a node of an earlier version, as of a tab that was open before an update, is met without what it does not know", async () => {
    const page = await session.open("#/peers");
    await page.route("**/api/v1/invitations**", (route) =>
      route.fulfill({ status: 404, json: { error: true, code: 404, message: "No such path" } }),
    );
    await page.reload();
    await page.locator(".status-line.running").waitFor();
    await page.unrouteAll();
  });

  test("a start is told step by step, and a failed one with what helps", async () => {
    const page = await session.open("#/files");
    await page.route("**/api/v1/**", (route) => route.abort());
    await page.evaluate(() => window.uiHost.setHosting({ state: "starting", step: "Opening the store" }));
    await page.getByText("Opening the store…").waitFor();
    await page.evaluate(() => {
      const retry = () => window.uiHost.setHosting({ state: "running", inThisTab: true });
      // Words of an engine end without a stop.
      const [reason, advice] = ["The node did not start: no space left", "Free some space, then try again."];
      window.uiHost.setHosting({ state: "failed", reason, advice, retry });
    });
    const notice = page.getByRole("alert");
    await notice.getByText("Free some space, then try again.").waitFor();
    expect(await notice.textContent()).toContain("no space left. Free some space");
    expect(await axeViolations(page)).toEqual([]);
    await page.unroute("**/api/v1/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".status-line.running").waitFor();
  });

  test("what a long reason of a failed start leaves on a phone is its button, under large letters too", async () => {
    const page = await session.open("#/files", { ...PHONE, viewport: { width: 320, height: 740 } });
    const again = page.getByRole("button", { name: "Try again" });
    for (const letters of ["", "1.875rem"]) {
      await page.evaluate((letters) => {
        document.documentElement.style.fontSize = letters;
        const retry = () => window.uiHost.setHosting({ state: "running", inThisTab: true });
        const reason = `Failed to fetch module: https://${"share.".repeat(12)}example/assets/start-node-CCRdzqDx.js`;
        window.uiHost.setHosting({ state: "failed", reason, advice: "Try again.", retry });
      }, letters);
      const { x, width } = await boxOf(again);
      expect(x + width).toBeLessThanOrEqual(320);
      expect((await boxOf(page.locator(".node-notice p"))).width).toBeGreaterThan(150);
      expect(await sidewaysPixels(page)).toBe(0);
      await again.tap();
      await page.locator(".status-line.running").waitFor();
    }
  });

  test("the page of a link says that the node starts while it does, and no longer", async () => {
    const page = await session.open("#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
    await page.evaluate(() => window.uiHost.setHosting({ state: "starting", step: "Opening the store" }));
    await page.getByText("The node in this page is starting.").waitFor();
    await page.evaluate(() =>
      window.uiHost.setHosting({ state: "failed", reason: "The disk is full.", advice: "Free some space." }),
    );
    await page.getByText("You can get it as soon as the node runs.").waitFor();
    expect(await page.getByText("is starting").count()).toBe(0);
  });

  test("a new version is offered, not forced", async () => {
    const page = await session.open("#/files");
    await page.evaluate(() => window.uiHost.setUpdate(() => (document.title = "reloaded")));
    await page.getByText("A new version is ready.").waitFor();
    expect(await page.title()).toBe("Files · Shoal");
    await page.getByRole("button", { name: "Reload" }).click();
    expect(await page.title()).toBe("reloaded");
  });

  test("a new version that is put off covers nothing, until there is another", async () => {
    const page = await session.open("#/files", PHONE);
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    const offer = page.getByText("A new version is ready.");
    await offer.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Later" }).click();
    await offer.waitFor({ state: "detached" });
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    await offer.waitFor();
  });

  test("in a narrow window with letters twice as large the head and an offer stay within it", async () => {
    const page = await session.open("#/files", { ...PHONE, viewport: { width: 320, height: 740 } });
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    await page.getByText("Looking for peers").waitFor();
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    for (const element of [
      page.getByText("Looking for peers"),
      page.getByRole("button", { name: "Reload" }),
    ]) {
      const { x, width } = await boxOf(element);
      expect(x + width).toBeLessThanOrEqual(320);
    }
    expect((await boxOf(page.locator(".corner-card"))).y).toBeGreaterThan(0);
    // Icons are as large beside letters as they always are.
    expect((await boxOf(page.locator("nav .icon").first())).width).toBe(37.5);
    expect((await boxOf(page.locator(".wordmark svg"))).width).toBe(67.5);
    // What scrolls into view, the page keeps this far from its upper edge.
    const kept = await page.evaluate(
      () => getComputedStyle(document.documentElement).scrollPaddingBlockStart,
    );
    expect((await boxOf(page.locator(".shell-head"))).height).toBeLessThanOrEqual(Number.parseFloat(kept));
    expect(await sidewaysPixels(page)).toBe(0);
  });

  test("a new version that was agreed to and can't come yet says what it waits for", async () => {
    const page = await session.open("#/files", PHONE);
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByText("The new version waits until nothing is played").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    await page.getByText("A new version is ready.").waitFor();
  });

  test("a reload to it that a person asked for is not asked about again, though others download", async () => {
    const page = await session.open("#/files");
    await page.route("**/api/v1/system/stats", async (route) => {
      const response = await route.fetch();
      const stats = await response.json();
      stats.network.upload_speed = 1000;
      await route.fulfill({ response, json: stats });
    });
    await page.getByText("1 kB/s").waitFor();
    await page.evaluate(() => window.uiHost.setUpdate(() => location.reload()));
    const dialogs: string[] = [];
    page.on("dialog", async (dialog) => {
      dialogs.push(dialog.type());
      await dialog.accept();
    });
    const reloaded = page.waitForEvent("load");
    await page.getByRole("button", { name: "Reload" }).click();
    await reloaded;
    page.removeAllListeners("dialog");
    expect(dialogs).toEqual([]);
  });

  test("it waits while a file is being read, which a reload would end", async () => {
    const page = await session.open("#/files");
    await page.route("**/api/v1/files?name=**", () => {});
    const input = page.getByLabel("Files to share");
    await input.setInputFiles({ name: "big.bin", mimeType: "", buffer: Buffer.alloc(10) });
    await page.getByText("Reading and checking").waitFor();
    await page.evaluate(() => window.uiHost.setUpdate(() => location.reload()));
    expect(await page.getByText("A new version is ready.").count()).toBe(0);
    await leaveOut(page);
    await page.getByText("A new version is ready.").waitFor();
  });

  test("put off it stays so when a file has been read meanwhile", async () => {
    const page = await session.open("#/files");
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    const offer = page.getByText("A new version is ready.");
    await offer.waitFor();
    await page.getByRole("button", { name: "Later" }).click();
    await page.route("**/api/v1/files?name=**", () => {});
    const input = page.getByLabel("Files to share");
    await input.setInputFiles({ name: "big.bin", mimeType: "", buffer: Buffer.alloc(10) });
    await page.getByText("Reading and checking").waitFor();
    await leaveOut(page);
    await page.getByText("Reading and checking").waitFor({ state: "detached" });
    expect(await offer.count()).toBe(0);
  });

  test("files that another program hands over are shared only after a person said so", async () => {
    const page = await session.open("#/peers");
    const handOver = (name: string) =>
      page.evaluate((given) => window.uiHost.handOver([new File([given], given)]), name);
    await handOver("refused.txt");
    await page.getByRole("button", { name: "Don't share" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await handOver("taken.txt");
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByText("taken.txt is shared").waitFor();
    const { files } = await session.own.client.files();
    expect(files.map(({ name }) => name)).toEqual(["taken.txt"]);
  });

  test("a file that any site may have handed over has no name that turns its ending around", async () => {
    const page = await session.open("#/peers");
    await page.evaluate(() => window.uiHost.handOver([new File([], "photo\u202egpj.exe")]));
    const dialog = page.getByRole("dialog", { name: "Share this file?" });
    expect(await dialog.locator(".file-name").getAttribute("title")).toBe("photogpj.exe");
    expect(await dialog.textContent()).not.toContain("\u202e");
    await dialog.getByRole("button", { name: "Don't share" }).click();
  });

  test("of more files than are taken at once that is said before they are shared", async () => {
    const page = await session.open("#/peers");
    await page.evaluate((count) => {
      window.uiHost.handOver(Array.from({ length: count }, (_, file) => new File([], `${file}.txt`)));
    }, MAX_FILES_A_DROP + 1);
    const files = `${MAX_FILES_A_DROP.toLocaleString("en")} files`;
    const dialog = page.getByRole("dialog", { name: `Share these ${files}?` });
    await dialog.getByText(`Only the first ${files} are taken at once.`).waitFor();
    await dialog.getByRole("button", { name: "Don't share" }).click();
  });

  test("the browser asks before a page is left whose file is still being read", async () => {
    const page = await session.open("#/files");
    await page.route("**/api/v1/files?name=**", () => {});
    await page
      .getByLabel("Files to share")
      .setInputFiles({ name: "big.bin", mimeType: "", buffer: Buffer.alloc(10) });
    await page.getByText("Reading and checking").waitFor();
    const asked = page.waitForEvent("dialog");
    const left = page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await left;
    await leaveOut(page);
    await page.getByText("Reading and checking").waitFor({ state: "detached" });
  });

  test("a mark beats only while a node is being reached, and for nobody who asked that nothing moves", async () => {
    const page = await session.open("#/files");
    const moving = () => page.evaluate(() => document.getAnimations().map(({ playState }) => playState));
    const starting = (step: string) =>
      page.evaluate((step) => window.uiHost.setHosting({ state: "starting", step }), step);
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await expect.poll(moving).toEqual([]);
    await page.route("**/api/v1/**", (route) => route.abort());
    await starting("Opening the store");
    await page.getByText("Opening the store…").waitFor();
    expect(await moving()).toEqual(["running"]);
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await moving()).toEqual([]);
  });

  test("the mark of a node without a peer is not that of one with peers", async () => {
    const page = await session.open("#/files");
    const status = page.locator(".status-line").getByRole("status");
    const colour = () => page.locator(".status-dot").evaluate((dot) => getComputedStyle(dot).backgroundColor);
    await status.getByText("Looking for peers").waitFor();
    const alone = await colour();
    await session.startOther([]);
    await status.getByText("1 peer").waitFor();
    expect(await colour()).not.toBe(alone);
  });
});

/** What is open over a screen, and the name of what opens it. */
const OVER_SCREENS = [
  { name: "what More opened", opener: "More", shown: "link", item: "Settings" },
  { name: "a menu", opener: "More for over.txt", shown: "menuitem", item: "Delete" },
  { name: "a dialog", opener: "Write a text", shown: "button", item: "Don't share" },
] as const;

describe.each(OVER_SCREENS)("$name", ({ opener, shown, item }) => {
  const openOne = async () => {
    await session.own.client.upload(new Uint8Array(1), { name: "over.txt" });
    const page = await session.open("#/files", PHONE);
    const by = page.getByRole("button", { name: opener, exact: true });
    const inside = page.getByRole(shown, { name: item, exact: true });
    return { page, by, inside };
  };

  test("closes where the browser alone is asked for it, as by Android's back button, and gives the keys back", async () => {
    const { page, by, inside } = await openOne();
    await page.evaluate(() => addEventListener("keydown", (event) => event.stopImmediatePropagation(), true));
    await by.click();
    await inside.waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => inside.isVisible()).toBe(false);
    expect(await isFocused(by)).toBe(true);
    expect(new URL(page.url()).hash).toBe("#/files");
  });

  test("closes at Escape in a browser that has no word for that", async () => {
    const { page, by, inside } = await openOne();
    await page.evaluate(() => Reflect.deleteProperty(window, "CloseWatcher"));
    await by.click();
    await inside.waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => inside.isVisible()).toBe(false);
    expect(await isFocused(by)).toBe(true);
  });
});
