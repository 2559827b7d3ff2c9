/** What the style sheets do where fingers tap, on whose screens what was tapped last counts as hovered. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

const UI = join(import.meta.dirname, "../../../src/ui");

const WHERE_POINTERS_HOVER = /^@media \(hover: hover\) \{$.*?^\}$/gms;

it("nothing looks otherwise under a pointer where none hovers", async () => {
  const others: string[] = [];
  for (const path of await readdir(UI, { recursive: true })) {
    if (!path.endsWith(".css")) continue;
    const sheet = await readFile(join(UI, path), "utf8");
    if (sheet.replaceAll(WHERE_POINTERS_HOVER, "").includes(":hover")) others.push(path);
  }
  expect(others).toEqual([]);
});
