/** The map of files, of points as the test says: src/ui/map. */
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boxOf } from "./ui-checks.ts";
import { UiSession } from "./ui-session.ts";

/** Of a name's line. */
const HEIGHT = 16;

let session: UiSession;
beforeAll(async () => {
  session = await UiSession.start();
});
afterAll(() => session[Symbol.asyncDispose]());

declare global {
  interface Window {
    /** Where names are drawn now: the left end of each, at half its height. */
    drawnNames: { x: number; y: number; letter: number }[];
  }
}

/** A square of points, so many a side; or as much higher than it is wide. */
async function openMap(page: Page, side: number, height = 1): Promise<void> {
  const points = Array.from({ length: side * side }, (_, at) => ({
    ...{ file_id: `bafy${at}`, name: `${at}.txt`, x: at % side, y: height * Math.floor(at / side) },
    ...{ kind: "text", type: "text/plain", size: 1, local: true, holders: 0 },
  }));
  const total = points.length;
  await page.route("**/api/v1/search", (route) =>
    route.fulfill({ json: { state: "ready", indexed: total, pending: 0, problem: null } }),
  );
  await page.route("**/files/map", (route) => route.fulfill({ json: { points, total } }));
  await page.evaluate(() => {
    location.hash = "#/map";
  });
}

function recordNames(): void {
  window.drawnNames = [];
  const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    window.drawnNames = [];
    clearRect.apply(this, box);
  };
  CanvasRenderingContext2D.prototype.fillText = function (name, x, y) {
    window.drawnNames.push({ x, y, letter: Number.parseFloat(this.font) });
    fillText.call(this, name, x, y);
  };
}

test("a name lies beneath no button of the map, however it is zoomed", async () => {
  const page = await session.open("#/files");
  await page.evaluate(recordNames);
  await openMap(page, 12);
  const plane = page.getByRole("application");
  await plane.focus();
  const canvas = await boxOf(plane);
  const first = await boxOf(page.getByRole("button", { name: "Zoom in" }));
  for (let presses = 0; presses < 4; presses++) {
    await page.keyboard.press("+");
    const names = await page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return window.drawnNames;
    });
    expect(names.length).toBeGreaterThan(5);
    const isBeneath = ({ x, y }: { x: number; y: number }) =>
      canvas.x + x >= first.x && canvas.y + y + HEIGHT / 2 > first.y;
    expect(names.filter(isBeneath)).toEqual([]);
  }
});

test("with large letters names are as large, and no point lies beneath a button, which is larger too", async () => {
  const page = await session.open("#/files", { viewport: { width: 1024, height: 768 } });
  await page.evaluate(recordNames);
  await openMap(page, 2, 4);
  const drawn = async () => {
    await page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    });
    return page.evaluate(() => window.drawnNames);
  };
  await page.getByRole("application").waitFor();
  const [usual] = await drawn();
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "1.875rem";
  });
  const names = await drawn();
  expect(names).toHaveLength(4);
  expect(names[0]?.letter).toBe(2 * (usual?.letter ?? 0));
  const canvas = await boxOf(page.locator(".scatter canvas"));
  const first = await boxOf(page.getByRole("button", { name: "Zoom in" }));
  // The lowest points have theirs beside them.
  for (const { y } of names) expect(canvas.y + y).toBeLessThan(first.y);
});
