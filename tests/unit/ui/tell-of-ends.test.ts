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

interface Case {
  listing?: boolean;
  offers?: boolean;
  asked?: boolean;
  /** "b" goes on when "a" has come, and is cancelled. */
  cancelled?: boolean;
}

/** What is told of "a" and "b", of which the page knows how they ended only once it asks. */
async function toldOf({ listing, offers, asked, cancelled }: Case) {
  const known = (isKnown = false) => signal(isKnown ? { known: new Map([["trip", FOLDER]]) } : undefined);
  const entry = (id: string, status: string) => ({ id: `of ${id}`, file_id: id, name: id, status });
  const list = asked ? [entry("trip", "completed")] : [];
  const transfers = signal([...list, entry("a", "in_progress"), entry("b", "in_progress")]);
  const told: string[] = [];
  const ends = new Map<string, string>();
  let tellEvent = (_: ShoalEvent) => {};
  const app = {
    onEvent(listener: typeof tellEvent) {
      tellEvent = listener;
      return () => {};
    },
    transfers: {
      value: transfers,
      async refresh() {
        transfers.value = [...list, ...["a", "b"].map((id) => entry(id, ends.get(id) ?? "in_progress"))];
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
  const end = (id: string, event: string, status: string) => {
    ends.set(id, status);
    tellEvent({ id, event, data: { transfer_id: `of ${id}`, file_id: id } } as unknown as ShoalEvent);
  };
  end("a", "transfer_complete", "completed");
  if (cancelled) {
    await vi.advanceTimersByTimeAsync(FOLDER_ENDS_AFTER_MS);
    expect(told).toEqual([]);
    end("b", "transfer_cancelled", "cancelled");
  } else end("b", "transfer_complete", "completed");
  await vi.advanceTimersByTimeAsync(FOLDER_ENDS_AFTER_MS);
  stop();
  return told;
}

const TOGETHER = ["trip is here: 2 files, all of them checked."];
const APART = ["a is here, all of it checked.", "b is here, all of it checked."];

test.each([
  ["whose list is here", { listing: true }, TOGETHER],
  ["got from the network, whose list is not read here yet", { offers: true, asked: true }, TOGETHER],
  [
    "of which the last was cancelled",
    { listing: true, cancelled: true },
    ["trip is here: 1 file, all of it checked."],
  ],
  ["that somebody offers and nobody asked for", { offers: true }, APART],
  ["that nobody knows", {}, APART],
])("files of a folder %s", async (_, folder, words) => {
  expect(await toldOf(folder)).toEqual(words);
});

test("files that come while nobody looks are told of by their number, until somebody does, and lists of folders as what they are", async () => {
  const told: string[] = [];
  const page = { visibilityState: "hidden", addEventListener: vi.fn(), removeEventListener() {} };
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", { setAppBadge: async (count: number) => told.push(`badge ${count}`) });
  class Told {
    static permission = "granted";
    constructor(_: string, { body }: { body: string }) {
      told.push(body);
    }
  }
  vi.stubGlobal("window", { Notification: Told });
  vi.stubGlobal("Notification", Told);
  let tellEvent = (_: ShoalEvent) => {};
  const app = {
    onEvent(listener: typeof tellEvent) {
      tellEvent = listener;
      return () => {};
    },
    client: { transfer: async (id: string) => ({ name: id }) },
    ...{ transfers: { value: signal([]) }, listing: signal(undefined), offers: signal(undefined) },
    toasts: { over() {} },
    router: { route: signal({ screen: "network" }) },
  };
  const stop = tellOfEnds(app as unknown as TellOfEndsParts);
  const end = async (id: string, event: string) => {
    told.length = 0;
    const data = { transfer_id: id, file_id: id, error: "no room" };
    tellEvent({ id, event, data } as unknown as ShoalEvent);
    await vi.advanceTimersByTimeAsync(0);
    return told;
  };
  expect(await end("a", "transfer_complete")).toEqual(["badge 1", "a is here, all of it checked."]);
  expect(await end("b", "transfer_failed")).toEqual(["b did not come. No room."]);
  expect(await end("c", "transfer_complete")).toEqual(["badge 2", "2 files are here, all of them checked."]);
  expect(await end("d", "transfer_failed")).toEqual(["2 files did not come."]);
  page.visibilityState = "visible";
  page.addEventListener.mock.calls[0]?.[1]();
  page.visibilityState = "hidden";
  expect(await end("e", "transfer_complete")).toEqual(["badge 1", "e is here, all of it checked."]);
  await end("trip.folder.json", "transfer_complete");
  await vi.advanceTimersByTimeAsync(FOLDER_ENDS_AFTER_MS);
  expect(told).toEqual(["badge 2", "trip can be opened: what is in it is known here."]);
  stop();
});
