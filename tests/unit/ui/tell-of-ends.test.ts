/** Which downloads that end are told of together. */
import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ShoalEvent } from "../../../src/client/events.ts";
import { FOLDER_ENDS_AFTER_MS } from "../../../src/ui/limits.ts";
import { type TellOfEndsParts, tellOfEnds } from "../../../src/ui/shell/tell-of-ends.ts";
import { plainText } from "../../../src/ui/state/toasts.ts";

const FOLDER = {
  name: "trip",
  size: 20,
  files: ["a", "b"].map((id) => ({ path: id, file_id: id, size: 10 })),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("document", { visibilityState: "visible", addEventListener() {}, removeEventListener() {} });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What is told of "a" and "b", of which the page knows that they are done only once it asks. */
async function toldOf({ listing, offers, asked }: { listing?: boolean; offers?: boolean; asked?: boolean }) {
  const known = (isKnown = false) => signal(isKnown ? { known: new Map([["trip", FOLDER]]) } : undefined);
  const entry = (id: string, status: string) => ({ id: `of ${id}`, file_id: id, name: id, status });
  const list = asked ? [entry("trip", "completed")] : [];
  const transfers = signal([...list, entry("a", "in_progress"), entry("b", "in_progress")]);
  const told: string[] = [];
  let tellEvent = (_: ShoalEvent) => {};
  const app = {
    onEvent(listener: typeof tellEvent) {
      tellEvent = listener;
      return () => {};
    },
    transfers: {
      value: transfers,
      async refresh() {
        transfers.value = [...list, entry("a", "completed"), entry("b", "completed")];
      },
    },
    listing: known(listing),
    offers: known(offers),
    toasts: {
      over() {},
      show: ({ text }: { text: Parameters<typeof plainText>[0] }) => void told.push(plainText(text)),
    },
    router: { route: signal({ screen: "network" }) },
  };
  const stop = tellOfEnds(app as unknown as TellOfEndsParts);
  for (const id of ["a", "b"]) {
    tellEvent({
      id,
      event: "transfer_complete",
      data: { transfer_id: `of ${id}`, file_id: id },
    } as unknown as ShoalEvent);
  }
  await vi.advanceTimersByTimeAsync(FOLDER_ENDS_AFTER_MS);
  stop();
  return told;
}

const TOGETHER = ["trip is here: 2 files, all of them checked."];
const APART = ["a is here, all of it checked.", "b is here, all of it checked."];

test.each([
  ["whose list is here", { listing: true }, TOGETHER],
  ["got from the network, whose list is not read here yet", { offers: true, asked: true }, TOGETHER],
  ["that somebody offers and nobody asked for", { offers: true }, APART],
  ["that nobody knows", {}, APART],
])("files of a folder %s", async (_, folder, words) => {
  expect(await toldOf(folder)).toEqual(words);
});
