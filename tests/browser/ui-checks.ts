/** What every screen is held to: no violation that axe-core finds, no sideways scrolling. Used by the tests of the screens. */
import axe from "axe-core";
import type { Page } from "playwright";

/** What a person sees a screen on. */
export const LOOKS = [
  { name: "light", colorScheme: "light", width: 1280, height: 900 },
  { name: "dark", colorScheme: "dark", width: 1280, height: 900 },
  { name: "a phone", colorScheme: "light", width: 360, height: 780 },
] as const;

/** Rules broken, each with the places; and whether the page is wider than the window. Leaves the page as the last look. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  // A content security policy keeps script elements out, not what a debugger evaluates.
  await page.evaluate(axe.source);
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const { name, colorScheme, width, height } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    faults.push(...(await violations(page)).map((fault) => `${name}: ${fault}`));
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (excess > 0) faults.push(`${name}: scrolls sideways by ${excess} pixels`);
  }
  return faults;
}

async function violations(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(
      ({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
    );
  });
}
