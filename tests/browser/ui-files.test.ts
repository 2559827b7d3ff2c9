/** The screen of files, with a node behind it. */
import { randomBytes } from "node:crypto";
import type { Locator, Page } from "playwright";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  INTRODUCED_AFTER_MS,
  MAX_FILES_A_DROP,
  MAX_FILES_TOGETHER,
  PEERS_INTERVAL_MS,
} from "../../src/ui/limits.ts";
import { silence } from "./silence.ts";
import {
  axeViolations,
  boxOf,
  faultsOf,
  isFocused,
  showAnew,
  sidewaysPixels,
  untilTold,
} from "./ui-checks.ts";
import { PHONE, UiSession } from "./ui-session.ts";

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start();
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
});
/** What is asked of a screen costs the more, the longer its lists are. */
beforeEach(async () => {
  const { client } = session.own;
  const { files } = await client.files();
  for (const { id } of files) await client.deleteFile(id);
});

const letter = { name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from("Dear reader") };

/** Requests of those addresses wait until what it gives is called. */
async function keepBack(page: Page, addresses: RegExp): Promise<() => void> {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(addresses, async (route) => {
    await answered;
    await route.continue();
  });
  return answer;
}

/** Nothing is focused that would take it. */
const paste = (page: Page, text: string) =>
  page.evaluate((pasted) => {
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    window.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data }));
  }, text);

/** The node's list from its next answer on, row 0 being the oldest; in the middle they are largest. */
async function listFiles(page: Page, count: number): Promise<void> {
  const created_at = new Date().toISOString();
  const files = Array.from({ length: count }, (_, at) => ({
    id: `f${at}`,
    name: `row ${at}.txt`,
    size: 1_000 - Math.abs(at - 70),
    chunks: 1,
    complete: true,
    created_at,
  }));
  await page.route(/\/api\/v1\/files$/, (route) => route.fulfill({ json: { files, total: count } }));
}

async function openListOf(count: number, device = {}): Promise<Page> {
  const page = await session.open("#/peers", device);
  await listFiles(page, count);
  await page.reload();
  await showAnew(page, "#/files");
  await page.locator(".files-screen-list > li").first().waitFor();
  return page;
}

/** How the list shows the name of a file: on how many lines, and whether its beginning is cut off. */
const shownName = (page: Page, name: string) =>
  page
    .locator(".files-screen-list")
    .getByTitle(name, { exact: true })
    .evaluate((element) => {
      const head = element.querySelector(".file-name-head");
      const lines =
        element.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(element).lineHeight);
      return {
        lines: Math.round(lines),
        isCut:
          (head?.scrollHeight ?? 0) > (head?.clientHeight ?? 0) + 1 ||
          (head?.scrollWidth ?? 0) > (head?.clientWidth ?? 0) + 1,
      };
    });

/** On how many lines a word of an element stands at most, however narrow its window is. */
async function linesOf(element: Locator, word: string): Promise<number> {
  const page = element.page();
  const before = page.viewportSize();
  let most = 0;
  for (let width = 320; width <= 480; width += 8) {
    await page.setViewportSize({ width, height: 740 });
    const lines = await element.evaluate((within, word) => {
      const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const at = texts.currentNode.textContent?.indexOf(word) ?? -1;
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(texts.currentNode, at);
        range.setEnd(texts.currentNode, at + word.length);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size;
      }
      return 0;
    }, word);
    most = Math.max(most, lines);
  }
  if (before !== null) await page.setViewportSize(before);
  return most;
}

describe("the screen of files", () => {
  test("teaches a first-time user, and can be read by everybody", async () => {
    for (const options of [{ colorScheme: "light" }, { colorScheme: "dark" }, PHONE] as const) {
      const page = await session.open("#/files", options);
      await page.getByRole("heading", { name: "They open the link" }).waitFor();
      // The storage that a person allows, of which the disk has more.
      expect(await page.getByRole("main").textContent()).toContain("no size limit but the room you give it.");
      expect(await axeViolations(page)).toEqual([]);
      expect(await sidewaysPixels(page)).toBe(0);
    }
  });

  test.each([
    [800, "0.9375rem", "no depths"],
    [1024, "0.9375rem", "no depths"],
    [1280, "0.9375rem", "depths"],
    [1280, "1.875rem", "no depths"],
  ])(
    "its first words have no depth of the drawing under them: %i pixels wide with letters of %s it has %s",
    async (width, letters, shown) => {
      const page = await session.open("#/files", { viewport: { width, height: 800 } });
      await page.getByRole("heading", { name: "Drop a file. Get a link." }).waitFor();
      await page.evaluate((size) => {
        document.documentElement.style.fontSize = size;
      }, letters);
      const covered = await page.locator(".contours text").evaluateAll((depths) => {
        const words = document.createRange();
        words.selectNodeContents(document.querySelector(".add-files-words") as Element);
        const lines = [...words.getClientRects()];
        return depths.filter((depth) => {
          const { left, right, top, bottom } = depth.getBoundingClientRect();
          return lines.some(
            (line) => left < line.right && right > line.left && top < line.bottom && bottom > line.top,
          );
        }).length;
      });
      expect(covered).toBe(0);
      expect(await page.locator(".contours text:visible").count()).toBe(shown === "depths" ? 10 : 0);
    },
  );

  test("a picked file is shared, and its link is copied with the node's addresses in the fragment", async () => {
    const page = await session.open("#/files");
    await page.getByLabel("Files to share").setInputFiles(letter);
    const card = page.getByRole("region", { name: "Just shared" });
    await card.getByText("letter.txt is shared").waitFor();
    // What nobody is told takes no room beneath.
    const [outer, last] = [await boxOf(card), await boxOf(card.locator(".shared-card-link"))];
    const beneath = await card.evaluate((element) => {
      const { paddingBottom, borderBottomWidth } = getComputedStyle(element);
      return Number.parseFloat(paddingBottom) + Number.parseFloat(borderBottomWidth);
    });
    expect(outer.y + outer.height - last.y - last.height).toBeCloseTo(beneath, 1);
    // Reached and selected by keyboard, and not spelled out to those who listen.
    const url = card.getByRole("textbox", { name: "Link" });
    await url.focus();
    expect(await page.evaluate(() => getSelection()?.toString())).toContain("#/get/");
    expect((await card.getByRole("status").allTextContents()).join()).not.toContain("#/get/");
    await card.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied.").waitFor();
    await card.getByRole("button", { name: "QR code" }).click();
    const dialog = page.getByRole("dialog");
    const close = await dialog.getByRole("button", { name: "Close" }).boundingBox();
    const edge = await dialog.boundingBox();
    expect((edge?.x ?? 0) + (edge?.width ?? 0) - (close?.x ?? 0) - (close?.width ?? 0)).toBeLessThan(24);
    await page.keyboard.press("Escape");
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    const { files } = await session.own.client.files();
    expect(link.hash).toContain(`#/get/${files[0]?.id}?name=letter.txt&size=11&at=/ip4/127.0.0.1/`);
    expect(await axeViolations(page)).toEqual([]);
    // Forced colours take the ground away, by which it stands out from what it covers.
    await page.emulateMedia({ forcedColors: "active" });
    const toast = page.locator(".toast").filter({ hasText: "Link copied." });
    expect(await toast.evaluate((element) => getComputedStyle(element).borderStyle)).toBe("solid");
    await page.emulateMedia({ forcedColors: null });
  });

  test("under large letters the name of what was just shared is there as a whole, within its card", async () => {
    const page = await session.open("#/files", PHONE);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "1.875rem";
    });
    const name = "meet me at nine.txt";
    const picked = { name, mimeType: "text/plain", buffer: Buffer.from("at nine") };
    await page.getByLabel("Files to share").setInputFiles(picked);
    const card = page.getByRole("region", { name: "Just shared" });
    const halves = card.getByRole("heading").locator("[aria-hidden]");
    await halves.first().waitFor();
    const cut = await halves.evaluateAll((all) =>
      all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((half) => half.textContent),
    );
    expect(cut).toEqual([]);
    const [words, below] = [
      await boxOf(card.getByRole("status").first()),
      await boxOf(card.locator(".shared-card-link")),
    ];
    expect(words.x + words.width).toBeLessThanOrEqual(below.x + below.width);
  });

  test("nothing moves while picked files are read, nor when their links are there", async () => {
    const places = (page: Page) =>
      page
        .locator(".shared-card-link, .finding-box, .files-screen-list > li")
        .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().top));
    await session.own.client.upload(new TextEncoder().encode("first"), { name: "there-before.txt" });
    for (const [device, names] of [
      [{}, ["desk.txt"]],
      [{}, ["desk-one.txt", "desk-two.txt"]],
      [PHONE, ["phone.txt"]],
      [PHONE, ["phone-one.txt", "phone-two.txt"]],
    ] as const) {
      const page = await session.open("#/files", device);
      await page.getByText("there-before.txt").first().waitFor();
      let open = () => {};
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      await page.route(/\/api\/v1\/files/, async (route) => {
        if (route.request().method() === "POST") await opened;
        await route.continue();
      });
      await page
        .getByLabel("Files to share")
        .setInputFiles(names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })));
      await page.getByRole("progressbar", { name: `Reading ${names[0]}` }).waitFor();
      const reading = await places(page);
      expect(await axeViolations(page)).toEqual([]);
      open();
      await page.getByRole("region", { name: "Just shared" }).waitFor();
      await page.getByRole("button", { name: `More for ${names.at(-1)}` }).waitFor();
      expect(await places(page)).toEqual(reading);
    }
  });

  test("more files than one link leads to are promised a link to each part, from their first on", async () => {
    const page = await session.open("#/files");
    for (const count of [MAX_FILES_A_DROP, MAX_FILES_TOGETHER + 1 - MAX_FILES_A_DROP]) {
      await page.evaluate((files) => {
        const data = new DataTransfer();
        for (let at = 0; at < files; at++) data.items.add(new File([`${at}`], `${at}.bin`));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
      }, count);
    }
    const card = page.getByRole("region", { name: "Being shared" });
    await card.getByRole("heading", { name: "Reading 5,001 files" }).waitFor();
    await card.getByText("2 links to all come here").waitFor();
    expect(await card.getByRole("button", { name: "Copy all 2 links" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Stop after this one" }).click();
    await page.getByRole("region", { name: "Just shared" }).waitFor();
  });

  test("beside links stands that they lead nowhere where the page's host introduces nobody, for as long", async () => {
    const page = await session.openAlone("#/files");
    let relay = false;
    const peer = { id: "host", name: null, transport: "websocket", address: "127.0.0.1:1", in_swarm: true };
    const load = { uploaded: 0, downloaded: 0, upload_speed: 0, download_speed: 0, files_available: 0 };
    await page.route("**/api/v1/node/peers*", (route) =>
      route.fulfill({ json: { peers: [{ ...peer, ...load, latency_ms: 1, relay }], total: 1 } }),
    );
    const json = { ...(await session.own.client.nodeInfo()), addresses: [] };
    await page.route("**/api/v1/node/info", (route) => route.fulfill({ json }));
    await page.addInitScript(() => {
      let made: typeof window.uiHost;
      Object.defineProperty(window, "uiHost", {
        get: () => made,
        set: (host) => {
          made = { ...host, nodeId: "host" };
        },
      });
    });
    await page.clock.install();
    await page.reload();
    await page.locator(".status-line.running").waitFor();
    await page.getByLabel("Files to share").setInputFiles(letter);
    const card = page.getByRole("region", { name: "Just shared" });
    await card.getByRole("button", { name: "Copy link" }).waitFor();
    const advice = page.getByText("Start the host with --relay");
    await page.clock.fastForward(INTRODUCED_AFTER_MS);
    // Where it is heard, and nothing beside it says what it says is in vain.
    await card.getByRole("status").locator(advice).waitFor();
    await card.getByText("keep this page open until others have it").waitFor();
    expect(await card.getByText("send the link").count()).toBe(0);
    expect(await faultsOf(page, "unintroduced")).toEqual([]);
    await card.getByRole("button", { name: "Copy link" }).click();
    const toast = page.locator(".toast").filter({ hasText: "Start the host with --relay" });
    for (const words of [advice.first(), toast]) expect(await linesOf(words, "--relay")).toBe(1);
    await toast.getByRole("button", { name: "Dismiss" }).click();
    await card.getByRole("button", { name: "QR code" }).click();
    const inDialog = page.getByRole("dialog").locator(advice);
    await inDialog.waitFor();
    // Also while more is read.
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route("**/api/v1/files**", async (route) => {
      if (route.request().method() === "POST") await opened;
      await route.continue();
    });
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["more"], "more.txt"));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    });
    await page.locator(".shared-card.reading").waitFor();
    expect(await inDialog.isVisible()).toBe(true);
    open();
    await page.keyboard.press("Escape");
    relay = true;
    await page.clock.fastForward(PEERS_INTERVAL_MS);
    await advice.waitFor({ state: "detached" });
  });

  test("how long ago a file came is right on a page that stays open", async () => {
    // Whose clock is ours from then on.
    const page = await session.openAlone("#/files");
    await page.clock.install();
    await page.reload();
    await page.getByLabel("Files to share").setInputFiles({ ...letter, name: "of-the-day.txt" });
    const row = page.locator(".file-row", { hasText: "of-the-day.txt" });
    await row.getByText("just now").waitFor();
    await page.clock.fastForward(5 * 60_000);
    await row.getByText("5 min ago").waitFor();
    await page.clock.fastForward(2 * 60 * 60_000);
    await row.getByText(/ ago|just now/).waitFor({ state: "detached" });
  });

  test("a file whose name has a line end, as macOS makes them, is shared under the rest of it", async () => {
    const page = await session.open("#/files");
    await page.getByLabel("Files to share").evaluate((input: HTMLInputElement) => {
      const picked = new DataTransfer();
      picked.items.add(new File(["of a folder"], "Icon\r"));
      input.files = picked.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await page.getByText("Icon is shared").waitFor();
  });

  test("files dropped on another screen are shared too, and named with their number", async () => {
    const page = await session.open("#/network");
    await page.evaluate(() => {
      const data = new DataTransfer();
      for (const name of ["one.bin", "two.bin"]) data.items.add(new File([name], name));
      window.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    });
    await page.getByText("2 files are shared").waitFor();
    expect(new URL(page.url()).hash).toBe("#/files");
  });

  test("a file pasted while a field has the focus is shared, and text is that field's", async () => {
    const page = await session.open("#/network");
    const field = page.getByLabel("Open a link or a file id");
    await field.evaluate((input) => {
      for (const withText of [true, false]) {
        const data = new DataTransfer();
        data.items.add(new File(["pixels"], withText ? "of-a-text.png" : "of-the-screen.png"));
        if (withText) data.setData("text/plain", "cells");
        input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
      }
    });
    await page.getByText("of-the-screen.png is shared").waitFor();
    expect(await page.getByText("of-a-text.png").count()).toBe(0);
  });

  test("a link pasted anywhere opens its file", async () => {
    const page = await session.open("#/files");
    await paste(
      page,
      "https://elsewhere.example/#/get/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e?name=hello.txt",
    );
    await page.getByRole("heading", { name: "hello.txt" }).waitFor();
  });

  test("a link pasted in part is told of", async () => {
    const page = await session.open("#/files");
    await paste(page, "https://elsewhere.example/#/get/bafkrei");
    await page.getByText("is no whole link").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  test("a link dropped anywhere opens its file, and a text is asked about, unless it is this page's own or a field's", async () => {
    const page = await session.open("#/files");
    /** Whether the page takes it; else browsers bring no drop. */
    const drop = (within: string, text: string, type = "text/plain") =>
      page.locator(within).evaluate(
        (target, { text, type }) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.setData(type, text);
          const options = { dataTransfer, bubbles: true, cancelable: true };
          const isTaken = !target.dispatchEvent(new DragEvent("dragover", options));
          if (isTaken) target.dispatchEvent(new DragEvent("drop", options));
          return isTaken;
        },
        { text, type },
      );
    const dragged = await page.evaluateHandle(() => {
      const row = document.createElement("p");
      document.body.append(row);
      row.dispatchEvent(new DragEvent("dragstart", { bubbles: true }));
      return row;
    });
    expect(await drop("main", "Files")).toBe(false);
    // A row that is drawn anew amid it.
    await dragged.evaluate((row) => {
      row.remove();
      row.dispatchEvent(new DragEvent("dragend", { bubbles: true }));
    });
    // What says where it would go stands within a narrow window.
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator("main").evaluate((target) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/plain", "Ring twice");
      target.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
    });
    const told = page.getByText("Drop a text to share it, a link to open it");
    expect((await boxOf(told.locator(".."))).x).toBeGreaterThan(8);
    const id = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
    expect(await drop("main", `https://elsewhere.example/#/get/${id}?name=hello.txt`, "text/uri-list")).toBe(
      true,
    );
    await page.getByRole("heading", { name: "hello.txt" }).waitFor();
    await showAnew(page, "#/network");
    expect(await drop(".line-form input", "Ring twice")).toBe(false);
    expect(await drop("main", "Ring twice")).toBe(true);
    const dialog = page.getByRole("dialog", { name: "Share a text" });
    await dialog.getByText("Its name will be Ring twice.txt").waitFor();
    expect(await drop("main", "Ring once")).toBe(false);
    expect(await dialog.getByRole("textbox", { name: "Text" }).inputValue()).toBe("Ring twice");
  });

  test("a text pasted is shared once that is said, named after its first words, and copied where it is opened", async () => {
    const page = await session.open("#/network");
    await paste(page, "\n Door code: 4711#\nRing twice");
    const dialog = page.getByRole("dialog", { name: "Share a text" });
    await dialog.getByText("Door code 4711.txt").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Don't share" }).click();
    expect((await session.own.client.files()).files.map(({ name }) => name)).not.toContain(
      "Door code 4711.txt",
    );

    await page.goto(new URL("#/files", page.url()).href);
    await page.getByRole("button", { name: "Write a text" }).click();
    expect(await dialog.getByRole("button", { name: "Share", exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole("textbox", { name: "Text" }).fill("Door code: 4711#\nRing twice");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Door code 4711.txt is shared").waitFor();
    await page
      .getByRole("button", { name: /^(?!.*(More|QR|Copy)).*Door code 4711\.txt/ })
      .first()
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy text" }).click();
    await page.getByText("Text copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("Door code: 4711#\nRing twice");
  });

  test("a text that is written stays after a tap beside its dialog, until it is shared or thrown away", async () => {
    const page = await session.open("#/files", PHONE);
    const write = page.getByRole("button", { name: "Write a text" });
    const dialog = page.getByRole("dialog", { name: "Share a text" });
    const text = dialog.getByRole("textbox", { name: "Text" });
    const closed = () => dialog.waitFor({ state: "detached" });
    await write.click();
    await text.fill("The plan of ten minutes");
    await page.touchscreen.tap(180, 10);
    await closed();
    await write.click();
    expect(await text.inputValue()).toBe("The plan of ten minutes");
    await text.press("Escape");
    await closed();
    await write.click();
    await dialog.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByText("The plan of ten minutes.txt is shared").waitFor();
    await write.click();
    expect(await text.inputValue()).toBe("");
    await text.fill("Never mind");
    await dialog.getByRole("button", { name: "Don't share" }).click();
    await write.click();
    expect(await text.inputValue()).toBe("");
  });

  test("a text is shown on the page, and the dialog gives the focus back", async () => {
    await session.own.client.upload(new TextEncoder().encode("shown words"), { name: "shown.txt" });
    const page = await session.open("#/files");
    const row = page.getByRole("button", { name: /shown\.txt/ }).first();
    await row.click();
    await page.getByText("shown words").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test.each([
    ["UTF-8 with a mark", Buffer.from("\ufeffIn Åre fällt Schnee", "utf8"), "In Åre fällt Schnee", undefined],
    ["UTF-16 with a mark", Buffer.from("\ufeffПогода сегодня", "utf16le"), "Погода сегодня", undefined],
    [
      "UTF-16 with a mark, the high byte first",
      Buffer.from("\ufeffΚαλημέρα", "utf16le").swap16(),
      "Καλημέρα",
      undefined,
    ],
    [
      "Windows-1252",
      Buffer.from("F\xfcr die \x84sch\xf6ne Aussicht\x93 gr\xfc\xdfen wir h\xf6flich", "latin1"),
      "Für die „schöne Aussicht“ grüßen wir höflich",
      "Windows-1252",
    ],
    ["UTF-16 without a mark", Buffer.from("Plain letters", "utf16le"), "Plain letters", "UTF-16LE"],
  ])("a text in %s is shown as it was written", async (encoding, bytes, text, guessed) => {
    const name = `${encoding}.txt`;
    await session.own.client.upload(bytes, { name });
    const page = await session.open("#/files");
    await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
    const shown = page.getByRole("dialog").locator(".preview");
    await shown.locator("pre").waitFor();
    expect(await shown.locator("pre").textContent()).toBe(text);
    const told = shown.getByText("which is a guess");
    expect(await told.allTextContents()).toEqual(
      guessed === undefined ? [] : [expect.stringContaining(`Read as ${guessed}, `)],
    );
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
  });

  test("what is no text is said to be none, whatever its name says", async () => {
    await session.own.client.upload(randomBytes(4096), { name: "no text.txt" });
    const page = await session.open("#/files");
    await page.getByRole("button", { name: /^no text\.txt/ }).click();
    await page.getByRole("alert").getByText("This is no text").waitFor();
    expect(await page.getByRole("dialog").locator("pre").count()).toBe(0);
    await page.keyboard.press("Escape");
  });

  test("a paragraph without line ends is read on a phone, and each line begins on its script's side", async () => {
    const text = `${"The tide turns at four. ".repeat(40)}\nשלום עולם!`;
    await session.own.client.upload(new TextEncoder().encode(text), { name: "tides.txt" });
    const page = await session.open("#/files", PHONE);
    await page
      .getByRole("button", { name: /tides\.txt/ })
      .first()
      .click();
    const shown = page.getByRole("dialog").locator("pre");
    await shown.getByText("The tide turns").waitFor();
    const { excess, fromStart, fromEnd } = await shown.evaluate((pre) => {
      const range = document.createRange();
      const words = pre.firstChild as Text;
      range.setStart(words, words.data.indexOf("שלום"));
      range.setEnd(words, words.length);
      const [line, box] = [range.getBoundingClientRect(), pre.getBoundingClientRect()];
      return {
        excess: pre.scrollWidth - pre.clientWidth,
        fromStart: line.left - box.left,
        fromEnd: box.right - line.right,
      };
    });
    expect(excess).toBe(0);
    expect(fromEnd).toBeLessThan(fromStart);
    await page.keyboard.press("Escape");
  });

  test.each(["nothing.txt", "nothing.mp4"])("an empty file is said to be empty, %s", async (name) => {
    await session.own.client.upload(new Uint8Array(), { name });
    const page = await session.open("#/files");
    await page
      .getByRole("button", { name: new RegExp(name) })
      .first()
      .click();
    await page.getByRole("dialog").getByText("This file is empty.").waitFor();
    await page.keyboard.press("Escape");
  });

  test("a picture that is waited for is told of, until it is there", async () => {
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";
    await session.own.client.upload(Buffer.from(pixel, "base64"), { name: "pixel.png" });
    const page = await session.open("#/files");
    const answer = await keepBack(page, /\/stream\//);
    await page
      .getByRole("button", { name: /pixel\.png/ })
      .first()
      .click();
    const told = page.getByRole("dialog").getByText("Fetching the picture…");
    await told.waitFor();
    answer();
    await told.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
  });

  test("a place that is sought in a sound is told of for as long as it is waited for", async () => {
    // More than a player reads ahead.
    const sound = silence(48 * 1024 * 1024);
    await session.own.client.upload(sound, { name: "sound.wav" });
    const page = await session.open("#/files");
    await page
      .getByRole("button", { name: /sound\.wav/ })
      .first()
      .click();
    const player = page.getByRole("dialog").locator("audio");
    await player.evaluate(async (audio: HTMLAudioElement) => {
      audio.muted = true;
      await audio.play();
    });
    const answer = await keepBack(page, /\/stream\//);
    await player.evaluate((audio: HTMLAudioElement) => {
      audio.currentTime = audio.duration * 0.8;
    });
    const told = page.getByRole("dialog").getByText("Fetching this place…");
    await told.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    answer();
    await told.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
  });

  test("the menu of a file is worked by keyboard", async () => {
    await session.own.client.upload(new TextEncoder().encode("keys"), { name: "keys.txt" });
    const page = await session.open("#/files", PHONE);
    const more = page.getByRole("button", { name: "More for keys.txt" });
    await more.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    const code = dialog.getByRole("img", { name: "QR code of the link to keys.txt" });
    await code.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    await page.keyboard.press("Escape");
    await code.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("q");
    await page.keyboard.press("Enter");
    await code.waitFor();
  });

  test("in a narrow window with letters twice as large menus and dialogs are within it, and icons not squeezed", async () => {
    await session.own.client.upload(new TextEncoder().encode("narrow"), { name: "narrow.txt" });
    const page = await session.open("#/files", { ...PHONE, viewport: { width: 320, height: 740 } });
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    await page.getByRole("button", { name: "More for narrow.txt" }).press("Enter");
    const edges = (place: Locator) =>
      place.evaluate((element) => {
        const { left, right } = element.getBoundingClientRect();
        return [left, right];
      });
    const [left = 0, right = 0] = await edges(page.getByRole("menu"));
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(320);
    await page.keyboard.press("q");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("img", { name: "QR code of the link to narrow.txt" }).waitFor();
    expect(await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    const icons = dialog.locator("footer .icon");
    const widths = await icons.evaluateAll((all) => all.map((icon) => icon.getBoundingClientRect().width));
    expect(Math.min(...widths)).toBeCloseTo(18 * 1.875, 1);
    await page.keyboard.press("Escape");
  });

  test("in a window too low for it the menu of a file is scrolled to, and not cut off", async () => {
    for (const name of ["low.txt", "lower.txt", "lowest.txt"])
      await session.own.client.upload(new TextEncoder().encode(name), { name });
    const page = await session.open("#/files", { ...PHONE, viewport: { width: 640, height: 320 } });
    const more = page.getByRole("button", { name: "More for lower.txt" });
    await more.evaluate((button) => scrollBy(0, button.getBoundingClientRect().top - 150));
    await more.press("Enter");
    const first = page.getByRole("menuitem").first();
    expect((await first.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    await first.click({ trial: true });
    await page.keyboard.press("Escape");
  });

  test("with letters twice as large, too, a file's menu opens where the bars of a phone cover none of it", async () => {
    for (const name of ["large 1.txt", "large 2.txt", "large 3.txt", "large 4.txt"])
      await session.own.client.upload(new TextEncoder().encode(name), { name });
    const page = await session.open("#/files", { ...PHONE, viewport: { width: 640, height: 1000 } });
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    const more = page.getByRole("button", { name: "More for large 4.txt" });
    const menu = page.getByRole("menu");
    await more.press("Enter");
    const [{ height }, button] = [await boxOf(menu), await boxOf(more)];
    await page.keyboard.press("Escape");
    const [head, foot] = await Promise.all([
      boxOf(page.locator(".shell-head")),
      boxOf(page.getByRole("navigation")),
    ]);
    // Beneath its button it would end under the lower bar, or above it begin under the upper one.
    for (const top of [foot.y + 8 - height - button.height, head.y + head.height - 8 + height]) {
      await more.evaluate((button, top) => scrollBy(0, button.getBoundingClientRect().top - top), top);
      await more.press("Enter");
      const list = await boxOf(menu);
      expect(list.y).toBeGreaterThanOrEqual(head.y + head.height);
      expect(list.y + list.height).toBeLessThanOrEqual(foot.y);
      await page.keyboard.press("Escape");
    }
  });

  test("at the end of the page, too, all of a file's menu can be scrolled out from under the bar of a phone", async () => {
    await session.own.client.upload(new Uint8Array(1), { name: "last.txt" });
    const page = await session.open("#/files", { ...PHONE, viewport: { width: 640, height: 320 } });
    await page.getByRole("button", { name: "More for last.txt" }).press("Enter");
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const list = await page.getByRole("menu").boundingBox();
    const bar = await page.getByRole("navigation").boundingBox();
    expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    await page.keyboard.press("Escape");
  });

  test("an open menu is covered by nothing that comes unasked", async () => {
    await session.own.client.upload(new Uint8Array(1), { name: "asked.txt" });
    const page = await session.open("#/files");
    await page.getByRole("button", { name: "More for asked.txt" }).press("Enter");
    const { y, height } = await boxOf(page.getByRole("menu"));
    await page.setViewportSize({ width: 1280, height: Math.ceil(y + height) + 4 });
    await page.evaluate(() => window.uiHost.setUpdate(() => {}));
    await page.locator(".corner-card").waitFor();
    await page.getByRole("menuitem", { name: "Delete" }).click({ trial: true });
    await page.keyboard.press("Escape");
  });

  test("a deleted file comes back by Undo, and is gone from the node once the line is dismissed", async () => {
    const page = await session.open("#/files");
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name: "waste.txt", mimeType: "text/plain", buffer: Buffer.from("waste") });
    const card = page.getByRole("region", { name: "Just shared" });
    await card.waitFor();
    const shared = await session.own.client.files();
    const fileId = shared.files.find(({ name }) => name === "waste.txt")?.id ?? "";
    const remove = async () => {
      await page.getByRole("button", { name: "More for waste.txt" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
    };
    await remove();
    await page.getByRole("button", { name: "More for waste.txt" }).waitFor({ state: "detached" });
    expect(await card.count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("button", { name: "More for waste.txt" }).waitFor();
    await card.waitFor();
    expect((await session.own.client.file(fileId)).name).toBe("waste.txt");
    await remove();
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Dismiss" }).click();
    expect((await deleted).status()).toBe(200);
    await expect(session.own.client.file(fileId)).rejects.toMatchObject({ status: 404 });
    expect(await card.count()).toBe(0);
  });

  test("a file that is shared again while its deletion can be undone stays, with its link", async () => {
    const page = await session.open("#/files");
    const again = { ...letter, name: "again.txt", buffer: Buffer.from("Dear reader, again") };
    const pick = () => page.getByLabel("Files to share").setInputFiles(again);
    await pick();
    await page.getByRole("button", { name: "More for again.txt" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("Deleting again.txt").waitFor();
    await pick();
    await page.getByText("Deleting again.txt").waitFor({ state: "detached" });
    await page.getByRole("region", { name: "Just shared" }).getByText("again.txt is shared").waitFor();
    await page.getByRole("button", { name: "More for again.txt" }).waitFor();
    const { files } = await session.own.client.files();
    expect(files.map(({ name }) => name)).toContain("again.txt");
  });

  test("a deletion is taken back while a dialog covers the page", async () => {
    const page = await session.open("#/files");
    for (const name of ["covered.txt", "covering.txt"])
      await session.own.client.upload(new TextEncoder().encode(name), { name });
    const covered = page.getByRole("button", { name: "More for covered.txt" });
    const removed = async () => {
      await covered.click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await covered.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "More for covering.txt" }).click();
      await page.getByRole("menuitem", { name: "QR code and link" }).click();
    };
    const dialog = page.getByRole("dialog");
    await removed();
    const told = dialog.getByRole("status");
    await told.getByText("covered.txt").waitFor();
    // Of several messages the one that came is read, not each time all of them.
    expect(await told.getAttribute("aria-atomic")).toBe("false");
    const words = await dialog.getByRole("button", { name: "Undo" }).getAttribute("aria-describedby");
    expect(await dialog.locator(`#${words}`).textContent()).toContain("Deleting covered.txt");
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Undo" }).click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await covered.waitFor();
    await removed();
    await page.keyboard.press("Escape");
    await page.locator(".shell > .corner").getByRole("button", { name: "Undo" }).click();
    await covered.waitFor();
  });

  test("deleting and taking it back are done by keyboard, which keeps its place", async () => {
    const page = await session.open("#/files");
    for (const name of ["below.txt", "middle.txt", "above.txt"])
      await session.own.client.upload(new TextEncoder().encode(name), { name });
    const middle = page.getByRole("button", { name: "More for middle.txt" });
    await middle.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await middle.waitFor({ state: "detached" });
    const below = page.locator(".file-line-open", { hasText: "below.txt" });
    expect(await below.evaluate((button) => button === document.activeElement)).toBe(true);
    await page.keyboard.press("Control+z");
    await middle.waitFor();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    expect((await session.own.client.files()).files.map(({ name }) => name)).toContain("middle.txt");

    await middle.press("Enter");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    // Who comes to the toast by Tab comes from the last row.
    await page.locator(".files-screen-list button").last().focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await middle.waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest("li") !== null)).toBe(true);
  });

  test.each([
    { device: {}, name: "a desk" },
    { device: PHONE, name: "a phone" },
  ])("the last file can be scrolled out from under what a deletion says, on $name", async ({ device }) => {
    for (let i = 0; i < 12; i++)
      await session.own.client.upload(new TextEncoder().encode(`row ${i}`), { name: `row-${i}.txt` });
    const page = await session.open("#/files", device);
    await page.getByRole("button", { name: "More for row-11.txt" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.locator(".toast").waitFor();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const last = await page.locator(".files-screen-list > li").last().boundingBox();
    const toast = await page.locator(".toasts").boundingBox();
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(toast?.y ?? 0);
    await page.getByRole("button", { name: "Undo" }).click();
  });

  test("a long name is one line of what a deletion says, and is read whole", async () => {
    const name = `${"n".repeat(236)}.txt`;
    await session.own.client.upload(new TextEncoder().encode("named at length"), { name });
    const page = await session.open("#/files", PHONE);
    await page.getByRole("button", { name: `More for ${name}` }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const toast = page.locator(".toast");
    const { lineHeight, height } = await toast.locator("p").evaluate((text) => {
      const { lineHeight, paddingBlockStart } = getComputedStyle(text);
      return {
        lineHeight: Number.parseFloat(lineHeight),
        height: text.getBoundingClientRect().height - 2 * Number.parseFloat(paddingBlockStart),
      };
    });
    expect(Math.round(height / lineHeight)).toBe(2);
    expect(await toast.ariaSnapshot()).toContain(`Deleting ${name}`);
    await toast.getByTitle(name).waitFor();
    // Under large letters the words have its whole width.
    await page.setViewportSize({ width: 320, height: 740 });
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    const widthOf = async (place: Locator) => (await place.boundingBox())?.width ?? 0;
    expect(await widthOf(toast.locator("p"))).toBeGreaterThan((await widthOf(toast)) * 0.7);
    await page.getByRole("button", { name: "Undo" }).click();
  });

  test("where few letters fit on a line a name takes several, of a long one the beginning and the ending", async () => {
    const short = "harbour notes, spring.txt";
    const long = `Minutes of the harbour club${", and again".repeat(15)}.txt`;
    for (const name of [short, long])
      await session.own.client.upload(new TextEncoder().encode(name), { name });
    const page = await session.open("#/files", { ...PHONE, viewport: { width: 320, height: 740 } });
    await page.addStyleTag({ content: ":root { font-size: 1.875rem !important; }" });
    expect(await shownName(page, short)).toEqual({ lines: 3, isCut: false });
    expect(await shownName(page, long)).toEqual({ lines: 4, isCut: true });
    // As wide as that with a scrollbar.
    await page.setViewportSize({ width: 305, height: 740 });
    const [choose, banner] = await Promise.all([
      page.getByRole("button", { name: "Choose files" }).boundingBox(),
      page.locator(".add-files").boundingBox(),
    ]);
    expect((choose?.x ?? 0) + (choose?.width ?? 0)).toBeLessThan((banner?.x ?? 0) + (banner?.width ?? 0));
  });

  test("on a phone names that differ in their middle are told apart, in a folder, too", async () => {
    const { client } = session.own;
    const names = ["Exercise 01 – cells.txt", "Exercise 02 – cells.txt"];
    const files = await Promise.all(
      names.map(async (name) => {
        const { file_id } = await client.upload(new TextEncoder().encode(name), { name });
        return { path: name, file_id };
      }),
    );
    await client.makeFolder({ name: "biology", files });
    const page = await session.open("#/files", PHONE);
    await page.getByRole("button", { name: /^biology 2 files/ }).click();
    for (const name of names) expect(await shownName(page, name)).toEqual({ lines: 2, isCut: false });
  });

  test("a film that nobody brings any more is not said to be playable", async () => {
    const page = await session.open("#/nothing-here");
    const created_at = new Date().toISOString();
    const film = { id: "f", name: "film.mp4", size: 100, chunks: 1, complete: false, created_at };
    await page.route(/\/api\/v1\/files$/, (route) => route.fulfill({ json: { files: [film], total: 1 } }));
    const transfer = {
      ...{
        id: "t",
        file_id: "f",
        name: "film.mp4",
        output_path: null,
        size: 100,
        repair: false,
        paused: false,
      },
      ...{ progress: 0.4, speed: 0, peers: 0, error: null, estimated_completion: null },
      ...{ status: "in_progress", started_at: created_at, ended_at: null },
    };
    await page.route(/api\/v1\/transfers\?/, (route) =>
      route.fulfill({ json: { transfers: [transfer], total: 1 } }),
    );
    const row = page.locator(".file-row");
    for (const [status, words] of [
      ["in_progress", "40 % here, can be played already"],
      ["interrupted", "40 % here"],
    ] as const) {
      transfer.status = status;
      await page.reload();
      await showAnew(page, "#/files");
      await row.getByText(new RegExp(`${words}$`)).waitFor();
    }
  });

  test("a file that can't be shared is told of at once", async () => {
    const page = await session.open("#/files");
    const failure = { error: true, code: 507, message: "no more room" };
    await page.route(/\/api\/v1\/files\?/, (route) =>
      route.request().method() === "POST" ? route.fulfill({ status: 507, json: failure }) : route.fallback(),
    );
    const told = page.getByRole("alert").filter({ hasText: "letter.txt could not be shared. No more room." });
    await page.getByLabel("Files to share").setInputFiles(letter);
    await told.waitFor();
    const again = page.getByRole("button", { name: "Try again letter.txt" });
    await again.waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // On a phone the reason has the width, and what can be done a line beneath it.
    await page.setViewportSize({ width: 360, height: 740 });
    const [reason, left, right] = await Promise.all([
      boxOf(page.locator(".import-row-error")),
      boxOf(again),
      boxOf(page.getByRole("button", { name: "Leave letter.txt out" })),
    ]);
    expect(left.y).toBeGreaterThan(reason.y + reason.height);
    expect(right.y + right.height / 2).toBeCloseTo(left.y + left.height / 2, 0);
  });

  test.each([
    { device: {}, name: "a desk" },
    { device: PHONE, name: "a phone" },
  ])("reading for search comes and goes by itself, and moves nothing, on $name", async ({ device }) => {
    const page = await openListOf(6, device);
    let pending = 0;
    await page.route(/\/api\/v1\/search$/, (route) =>
      route.fulfill({ json: { state: "ready", indexed: 1, pending } }),
    );
    await page.getByLabel("Order").waitFor();
    const list = page.getByRole("list", { name: "Your files" });
    const top = async () => (await list.boundingBox())?.y;
    const before = await top();
    pending = 12_345;
    const line = page.getByText("Reading for search: 12,345 left");
    await line.waitFor();
    expect(await top()).toBe(before);
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysPixels(page)).toBe(0);
    pending = 0;
    await line.waitFor({ state: "hidden" });
    expect(await top()).toBe(before);
  });

  test("the field for words says by what files are found", async () => {
    await session.own.client.upload(letter.buffer, { name: letter.name });
    const page = await session.open("#/files");
    await page.getByPlaceholder("Search by name", { exact: true }).waitFor();
    await page.route("**/api/v1/search", (route) =>
      route.fulfill({ json: { state: "ready", indexed: 1, pending: 0, problem: null } }),
    );
    await page.getByPlaceholder("Search by name or by what it is about", { exact: true }).waitFor();
  });

  test("a file of which all has come is not said to be gone until the list of files is anew", async () => {
    const page = await session.open("#/peers");
    const created_at = new Date().toISOString();
    const file = { id: "f", name: "sea.bin", size: 9, chunks: 1, complete: false, created_at };
    const transfer = { id: "t", file_id: "f", name: "sea.bin", size: 9, status: "completed", progress: 1 };
    await page.route(/\/api\/v1\/files$/, (route) => route.fulfill({ json: { files: [file], total: 1 } }));
    await page.route(/\/api\/v1\/transfers\?/, (route) =>
      route.fulfill({ json: { transfers: [{ ...transfer, started_at: created_at, ended_at: created_at }] } }),
    );
    await page.reload();
    await showAnew(page, "#/files");
    const row = page.getByRole("listitem").filter({ hasText: "sea.bin" });
    expect(await row.locator(".figures").textContent()).toMatch(/ · 100\s?% here$/);
  });

  test("of a long list more is shown, and the keyboard goes on where it ended", async () => {
    const page = await openListOf(150);
    const more = page.getByRole("button", { name: "Show 50 more" });
    await more.press("Enter");
    await more.waitFor({ state: "detached" });
    const hundredAndFirst = page.locator(".file-line-open", { hasText: "row 49.txt" });
    expect(await isFocused(hundredAndFirst)).toBe(true);
  });

  test("of a long list more is shown as one scrolls, and not before keys, which come to its end", async () => {
    const page = await openListOf(350);
    const rows = page.locator(".files-screen-list > li");
    const more = (count: number) => page.getByRole("button", { name: `Show ${count} more` });
    await page.getByRole("searchbox").focus();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await more(100).waitFor({ state: "attached" });
    await expect.poll(() => rows.count()).toBe(200);

    await rows.last().getByRole("button").last().press("Tab");
    await untilTold(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Show 100 more");
    await page.keyboard.press("Shift+Tab");
    await untilTold(page);
    expect(await rows.count()).toBe(200);
    // Who points goes on.
    await page.evaluate(() => scrollTo(0, 0));
    await page.getByRole("heading", { level: 1, name: "Files" }).click();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => rows.count()).toBe(300);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => rows.count()).toBe(350);
    await more(50).waitFor({ state: "detached" });
  });

  test("a long list goes on for who scrolls away from a file that they have opened and closed with Escape", async () => {
    const page = await openListOf(250);
    await page.getByText("row 240.txt").first().click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await isFocused(page.locator(".file-line-open", { hasText: "row 240.txt" }))).toBe(true);
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(() => page.locator(".files-screen-list > li").count()).toBe(200);
  });

  test("the list is in the order that was chosen, on the next visit, too, and what is found in its own", async () => {
    const page = await openListOf(150, PHONE);
    const order = page.getByLabel("Order");
    const names = () =>
      page
        .locator(".files-screen-list .file-name")
        .evaluateAll((all) => all.map((name) => name.getAttribute("title")));
    const first = () => names().then(([name]) => name);
    const top = () => page.locator(".files-screen-list").evaluate((list) => list.getBoundingClientRect().top);
    expect(await first()).toBe("row 149.txt");
    const before = await top();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect.poll(async () => (await names()).length).toBe(150);
    await page.evaluate(() => scrollTo(0, 0));
    await order.selectOption("By name");
    await expect
      .poll(async () => (await names()).slice(0, 3))
      .toEqual(["row 0.txt", "row 1.txt", "row 2.txt"]);
    await expect
      .poll(async () => (await names()).slice(0, 3))
      .toEqual(["row 0.txt", "row 1.txt", "row 2.txt"]);
    expect((await names()).length).toBe(100);
    await order.selectOption("By size");
    await expect.poll(first).toBe("row 70.txt");

    const search = page.getByRole("searchbox");
    await search.fill("row 1");
    await expect.poll(async () => (await names()).slice(0, 2)).toEqual(["row 149.txt", "row 148.txt"]);
    expect(await order.count()).toBe(0);
    expect(await top()).toBe(before);
    await search.fill("");
    await expect.poll(first).toBe("row 70.txt");
    await page.reload();
    await expect.poll(first).toBe("row 70.txt");
    expect(await order.inputValue()).toBe("size");
  });

  test("of a handful of files no order is to be chosen, and nothing moves when one is", async () => {
    const page = await openListOf(5, PHONE);
    const top = () => page.locator(".files-screen-list").evaluate((list) => list.getBoundingClientRect().top);
    const before = await top();
    expect(await page.getByLabel("Order").count()).toBe(0);
    await listFiles(page, 6);
    await page.reload();
    await page.getByLabel("Order").waitFor();
    expect(await top()).toBe(before);
    expect(await faultsOf(page)).toEqual([]);
  });

  test("the card of files that were just shared counts none that was deleted elsewhere", async () => {
    const page = await session.open("#/files");
    const files = ["here.txt", "gone.txt"].map((name) => {
      return { name, mimeType: "text/plain", buffer: Buffer.from(name) };
    });
    await page.locator("input[type=file]").first().setInputFiles(files);
    const card = page.getByRole("region", { name: "Just shared" });
    await card.getByText("2 files are shared").waitFor();
    const { files: all } = await session.own.client.files();
    await session.own.client.deleteFile(all.find(({ name }) => name === "gone.txt")?.id ?? "");
    await card.getByText("here.txt is shared").waitFor();
  });

  test("a hostile name is text", async () => {
    const name = `<img src=x onerror="document.title='taken'">.txt`;
    await session.own.client.upload(new TextEncoder().encode("x"), { name });
    const page = await session.open("#/files");
    await page.getByTitle(name).first().waitFor();
    // As screen readers say it: whole, though it is cut in the middle to be seen.
    await page.locator(".file-line-open").and(page.getByRole("button", { name })).waitFor();
    expect(await page.locator(".files-screen-list img").count()).toBe(0);
    expect(await page.title()).toBe("Files · Shoal");
  });
});
