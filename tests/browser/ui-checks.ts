/**
 * What every screen is held to: no violation that axe-core finds, no sideways scrolling; and the way to a screen that other
 * tests of its file used before. Used by the tests of the screens.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Locator, Page } from "playwright";

/** What a person sees a screen on. */
const LOOKS = [
  { name: "light", colorScheme: "light", width: 1280, height: 900 },
  { name: "dark", colorScheme: "dark", width: 1280, height: 900 },
  { name: "a phone", colorScheme: "light", width: 360, height: 780 },
] as const;

/** WCAG 2.2, 1.4.10 and 1.4.4: what a window may be zoomed to, and letters of twice the size by a style of one's own. */
const REFLOWS = [
  { name: "320 pixels wide", width: 320, rootFontSize: "" },
  { name: "letters twice as large", width: 1280, rootFontSize: "1.875rem" },
  { name: "320 pixels wide, letters twice as large", width: 320, rootFontSize: "1.875rem" },
] as const;

/** Where screens are kept as pictures, for people to look at. */
const PICTURES = fileURLToPath(new URL("../../dist/screens", import.meta.url));

/**
 * Rules broken, each with the places; and whether the page is wider than the window. Leaves the page as it was.
 * `picture`: the name under which it is kept as a picture in every look.
 */
export async function faultsOf(page: Page, picture?: string): Promise<string[]> {
  const faults: string[] = [];
  const before = page.viewportSize();
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const { name, colorScheme, width, height } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    faults.push(...(await axeViolations(page)).map((fault) => `${name}: ${fault}`));
    const excess = await sidewaysPixels(page);
    if (excess > 0) faults.push(`${name}: scrolls sideways by ${excess} pixels`);
    if (picture) await page.screenshot({ path: join(PICTURES, `${picture}, ${name}.png`), fullPage: true });
  }
  for (const { name, width, rootFontSize } of REFLOWS) {
    await page.setViewportSize({ width, height: 900 });
    await setRootFontSize(page, rootFontSize);
    const excess = await sidewaysPixels(page);
    if (excess > 0) faults.push(`${name}: scrolls sideways by ${excess} pixels`);
  }
  await setRootFontSize(page, "");
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  if (before !== null) await page.setViewportSize(before);
  return faults;
}

/** What axe finds against WCAG 2.2 AA and its own best practices, one line each. */
export async function axeViolations(page: Page): Promise<string[]> {
  // A content security policy keeps script elements out, not what a debugger evaluates.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResult> } };
    // Of what is well it need not say where.
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(
      ({ id, nodes }) =>
        `${id} at ${nodes.map(({ target, html }) => `${target.join(" ")}, ${html}`).join(" | ")}`,
    );
  });
}

interface AxeResult {
  violations: { id: string; nodes: { target: string[]; html: string }[] }[];
}

async function setRootFontSize(page: Page, size: string): Promise<void> {
  await page.evaluate((size) => {
    document.documentElement.style.fontSize = size;
  }, size);
}

/**
 * CSS pixels that the page is wider than its window, by whose width as the page was laid out: a phone shows a wide page
 * smaller.
 */
export async function sidewaysPixels(page: Page): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
}

export type Box = { x: number; y: number; width: number; height: number };

export async function boxOf(element: Locator): Promise<Box> {
  const box = await element.boundingBox();
  if (box === null) throw new Error("not on the page");
  return box;
}

/**
 * What is pressed, and has less than 40 pixels to either side in which a finger meets it. Links within a sentence are as high
 * as its lines (WCAG 2.2, 2.5.8).
 */
export async function smallTargets(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const reach = 19;
    const pressed = "a:not(p:not(.api-links) a), button:not(.skip-link), input, select, textarea, summary";
    const small: string[] = [];
    for (const control of document.querySelectorAll(pressed)) {
      if (!control.checkVisibility({ visibilityProperty: true })) continue;
      const target = control.closest("label") ?? control;
      target.scrollIntoView({ block: "center" });
      const { left, top, width, height } = target.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      const isMet = (across: number, down: number) =>
        target.contains(document.elementFromPoint(x + across, y + down));
      if (isMet(-reach, 0) && isMet(reach, 0) && isMet(0, -reach) && isMet(0, reach)) continue;
      small.push(control.outerHTML.slice(0, 120));
    }
    return small;
  });
}

export function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((found) => found === document.activeElement);
}

/** Until whoever watches what comes into the window has been told of what is in it now, and has drawn what they draw for it. */
export function untilTold(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        });
        observer.observe(document.body);
      }),
  );
}

/** Leaves whatever is shown for the screen of the fragment, made anew: nothing that was typed or told there is left. */
export async function showAnew(page: Page, fragment: string): Promise<void> {
  for (const hash of ["#/nothing-here", fragment]) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, hash);
    const isNothing = page.getByRole("heading", { level: 1, name: "Nothing here" });
    await isNothing.waitFor({ state: hash === fragment ? "detached" : "attached" });
  }
}

/** How many of what a selector finds are drawn together, once there are any. */
export function drawnAtFirst(page: Page, selector: string): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        new MutationObserver((_, observer) => {
          const drawn = document.querySelectorAll(wanted).length;
          if (drawn === 0) return;
          observer.disconnect();
          resolve(drawn);
        }).observe(document.body, { childList: true, subtree: true });
      }),
    selector,
  );
}
