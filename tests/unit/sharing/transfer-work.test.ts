import { expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/sharing/catalog-entry.ts";
import { Demand } from "../../../src/sharing/demand.ts";
import { Inbox } from "../../../src/sharing/inbox.ts";
import {
  type TransferEvent,
  TransferWork,
  type TransferWorkPorts,
} from "../../../src/sharing/transfer-work.ts";

/** What the inbox of a transfer hears of a reader that moves before and after the transfer's end. */
async function heardOf(ending: AbortController): Promise<number> {
  const inbox = new Inbox<TransferEvent>();
  const work = new TransferWork({} as TransferWorkPorts, inbox, ending.signal);
  const demand = new Demand();
  work.followReaders({ demand } as CatalogEntry);
  demand.move({}, 0, 1);
  ending.abort();
  demand.move({}, 0, 1);
  inbox.push({ type: "tick" });
  const never = new AbortController().signal;
  let count = 0;
  while ((await inbox.next(never)).type === "demand") count += 1;
  return count;
}

it("readers are followed until the transfer ends", async () => {
  expect(await heardOf(new AbortController())).toBe(1);
});

it("readers are not followed by a transfer that has ended before it began", async () => {
  const ending = new AbortController();
  ending.abort();
  expect(await heardOf(ending)).toBe(0);
});
