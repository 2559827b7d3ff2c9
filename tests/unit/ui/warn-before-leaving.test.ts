/** When the browser is told that the page would ask before it closes. */
import { signal } from "@preact/signals";
import { afterEach, expect, it, vi } from "vitest";
import { warnBeforeLeaving } from "../../../src/ui/shell/warn-before-leaving.ts";

afterEach(() => vi.unstubAllGlobals());

it("tells it once for as long as there is a reason, however often the transfers change", () => {
  const told: string[] = [];
  vi.stubGlobal("addEventListener", (name: string) => told.push(`asks on ${name}`));
  vi.stubGlobal("removeEventListener", (name: string) => told.push(`no longer on ${name}`));
  const progress = signal([0]);
  const stop = warnBeforeLeaving(() => progress.value.some((part) => part < 1));
  for (const part of [0.25, 0.5, 0.75]) progress.value = [part];
  expect(told).toEqual(["asks on beforeunload"]);
  progress.value = [1];
  stop();
  expect(told).toEqual(["asks on beforeunload", "no longer on beforeunload"]);
});
