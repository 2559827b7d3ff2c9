/** The drawings that need a real browser: a QR code read by a camera, the map of the swarm, the picture of points in motion. */
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright";
import { encodeQR } from "qr";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenPage, PageSite } from "./open-page.ts";
import { axeViolations, showAnew } from "./ui-checks.ts";

let folder: string;
let film: string;
let site: PageSite;
let opened: OpenPage;
let page: Page;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shoal-camera-"));
  film = join(folder, "seen.y4m");
  await writeFile(film, filmOf("nothing yet"));
  const camera = ["--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${film}`];
  site = await PageSite.start({}, camera);
  opened = await site.open();
  page = opened.page;
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

describe("the scanner", () => {
  /** Opens it before a camera that sees the text as a QR code. */
  async function scan(text: string): Promise<void> {
    // First what is open goes, or it would see the text as well.
    await showAnew(page, "#/peers");
    await overwrite(film, filmOf(text));
    await page.getByRole("button", { name: "Scan", exact: true }).click();
  }

  it("says what to do where the camera is not allowed", async () => {
    await scan("x");
    await page.getByText("The camera was not allowed.").waitFor();
  });

  it("reads a code in a picture that is chosen, and says where it can't", async () => {
    await showAnew(page, "#/network");
    await page.getByRole("button", { name: "Scan", exact: true }).click();
    const choose = (text: string) =>
      page.getByLabel("Picture of a QR code").setInputFiles({
        name: "sent.gif",
        mimeType: "image/gif",
        buffer: Buffer.from(text === "" ? "no picture" : encodeQR(text, "gif", { scale: 8, border: 4 })),
      });
    await choose("");
    await page.getByText("No code can be read in that picture.").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await choose("https://elsewhere.example/");
    await page.getByText("The code in that picture is none of Shoal's.").waitFor();
    await choose(`https://elsewhere.example/#/get/b${"a".repeat(58)}?name=sent.txt`);
    await page.getByRole("heading", { name: "sent.txt" }).waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("reads a code that is drawn on nothing", async () => {
    await showAnew(page, "#/network");
    await page.getByRole("button", { name: "Scan", exact: true }).click();
    const modules = encodeQR(`web+shoal:b${"a".repeat(58)}?name=clear.txt`, "raw", { scale: 8, border: 4 });
    const url = await page.evaluate((rows) => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = rows.length;
      for (const [y, row] of rows.entries())
        for (const [x, isDark] of row.entries()) if (isDark) canvas.getContext("2d")?.fillRect(x, y, 1, 1);
      return canvas.toDataURL("image/png");
    }, modules);
    const buffer = Buffer.from(url.slice(url.indexOf(",")), "base64");
    const picture = { name: "clear.png", mimeType: "image/png", buffer };
    await page.getByLabel("Picture of a QR code").setInputFiles(picture);
    const read = page.getByRole("heading", { name: "clear.txt" });
    await read.or(page.getByText("No code can be read in that picture.")).waitFor();
    expect(await read.count()).toBe(1);
  });

  it("opens nothing out of a picture that is read once it is closed", async () => {
    await showAnew(page, "#/network");
    await page.getByRole("button", { name: "Scan", exact: true }).click();
    const read = await page.evaluateHandle(() => {
      const real = window.createImageBitmap;
      let begin = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      let reading: Promise<ImageBitmap> | undefined;
      window.createImageBitmap = async (file: ImageBitmapSource) => {
        reading = begun.then(() => real(file));
        return await reading;
      };
      return async () => {
        begin();
        window.createImageBitmap = real;
        await reading;
        // What it led to has been done by the next task.
        await new Promise((resolve) => setTimeout(resolve));
        return reading !== undefined;
      };
    });
    await page.getByLabel("Picture of a QR code").setInputFiles({
      name: "late.gif",
      mimeType: "image/gif",
      buffer: Buffer.from(encodeQR(`web+shoal:b${"a".repeat(58)}`, "gif", { scale: 8, border: 4 })),
    });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await read.evaluate((finish) => finish())).toBe(true);
    expect(new URL(page.url()).hash).toBe("#/network");
  });

  it("goes on looking when it sees another code", async () => {
    await opened.context.grantPermissions(["camera"]);
    await scan("https://elsewhere.example/");
    await page.getByText("Still looking.").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(1);
  });

  it("says so where the camera stops, as one whose plug is pulled", async () => {
    await opened.context.grantPermissions(["camera"]);
    await scan("https://elsewhere.example/");
    await page.getByText("Still looking.").waitFor();
    await page.locator("video").evaluate((video: HTMLVideoElement) => {
      for (const track of (video.srcObject as MediaStream).getTracks()) track.stop();
    });
    await page.getByRole("alert").getByText("The camera stopped.").waitFor();
  });

  it("connects to the peer whose address the camera sees", async () => {
    await opened.context.grantPermissions(["camera"]);
    const { addresses } = await site.host.client.nodeInfo();
    await scan(addresses.find((text) => text.includes("/ws/")) ?? "");
    await page.getByText(/^Connected\./).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });
});

describe("the map of the swarm", () => {
  it("has a peer that keys can pick", async () => {
    await showAnew(page, "#/peers");
    const peer = page.getByRole("list", { name: "Connected peers" }).getByRole("button").first();
    await peer.focus();
    await page.keyboard.press("Enter");
    await page.locator('.swarm-map button[aria-pressed="true"]').waitFor();
    const row = page.getByRole("row", { name: (await peer.textContent()) ?? "" });
    expect(await row.getAttribute("aria-current")).toBe("true");
    await page.emulateMedia({ forcedColors: "active" });
    expect(await row.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
    await page.emulateMedia({ forcedColors: null });
    await page.keyboard.press("Enter");
    await page.locator('.swarm-map button[aria-pressed="true"]').waitFor({ state: "detached" });
  });
});

describe("the picture of points", () => {
  /** Settles when what is drawn is the picture given, or differs from it. */
  async function until(page: Page, relation: "is" | "differs", picture: string): Promise<void> {
    await page.waitForFunction(
      ({ relation, picture }) => {
        const canvas = document.querySelector(".scatter canvas") as HTMLCanvasElement;
        return (canvas.toDataURL() === picture) === (relation === "is");
      },
      { relation, picture },
    );
  }

  /** What is drawn, once layout and drawing have had their frames. */
  async function drawn(page: Page): Promise<string> {
    return page.evaluate(async () => {
      for (let frame = 0; frame < 5; frame++) await new Promise(requestAnimationFrame);
      return (document.querySelector(".scatter canvas") as HTMLCanvasElement).toDataURL();
    });
  }

  it("shows all points in whatever room it comes to have", async () => {
    await showAnew(page, "#/vectors");
    await page.getByRole("button", { name: /made-up vectors/ }).click();
    await page.getByText(/^600 of 600 vectors/).waitFor();
    const blank = await page.evaluate(() => document.createElement("canvas").toDataURL());
    await until(page, "differs", blank);
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    // A point under the pointer is drawn larger.
    await page.mouse.move(0, 0);
    const whole = await drawn(page);
    await page.setViewportSize({ width: Math.round(width / 2), height });
    await until(page, "differs", whole);
    const narrow = await drawn(page);
    await page.getByRole("button", { name: "Show all points" }).press("Enter");
    expect(await drawn(page)).toBe(narrow);
    await page.setViewportSize({ width, height });
    await until(page, "is", whole);
  });

  it("is zoomed and moved by keys, buttons and the wheel, and shows all again", async () => {
    const plane = page.getByRole("application", { name: /principal components/ });
    const whole = await drawn(page);
    const back = async () => {
      await page.getByRole("button", { name: "Show all points" }).click();
      await until(page, "is", whole);
      await plane.focus();
    };
    await plane.focus();
    for (const key of ["+", "-", "Shift+ArrowLeft"]) {
      await page.keyboard.press(key);
      await until(page, "differs", whole);
      await page.keyboard.press("0");
      await until(page, "is", whole);
    }
    await page.getByRole("button", { name: "Zoom in" }).click();
    await until(page, "differs", whole);
    await back();
    await plane.hover();
    await page.mouse.wheel(0, -200);
    await until(page, "differs", whole);
    await back();
  });
});

/** In its place, and never shorter: a camera that is still open ends where its film does. */
async function overwrite(path: string, film: Buffer): Promise<void> {
  const file = await open(path, "r+");
  await file.write(film, 0, film.length, 0);
  await file.close();
}

/** One still of 640 by 480 with the code in its middle, as raw video (YUV4MPEG2, 4:2:0). */
function filmOf(text: string): Buffer {
  const [width, height] = [640, 480];
  const modules = encodeQR(text, "raw", { ecc: "medium", border: 4 });
  const scale = Math.floor(height / modules.length);
  const luma = Buffer.alloc(width * height, 235);
  const left = Math.floor((width - scale * modules.length) / 2);
  modules.forEach((row, y) => {
    row.forEach((isDark, x) => {
      if (!isDark) return;
      for (let line = 0; line < scale; line++) {
        const start = (y * scale + line) * width + left + x * scale;
        luma.fill(16, start, start + scale);
      }
    });
  });
  const chroma = Buffer.alloc((width * height) / 2, 128);
  const head = Buffer.from(`YUV4MPEG2 W${width} H${height} F10:1 Ip A1:1 C420jpeg\n`);
  return Buffer.concat([head, Buffer.from("FRAME\n"), luma, chroma]);
}
