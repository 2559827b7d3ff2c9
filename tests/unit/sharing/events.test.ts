/** What a node keeps of its events for readers that come back. */
import { expect, it } from "vitest";
import { createNodeEvents } from "../../../src/sharing/events.ts";
import { EVENT_HISTORY } from "../../../src/sharing/limits.ts";
import { HandClock } from "../hand-clock.ts";

const figures = { file_id: "f", status: "in_progress", speed: 1, peers: 1, estimated_completion: null };

it("keeps the newest events and the newest progress of each transfer, however often that was told", () => {
  const events = createNodeEvents(new HandClock());
  const progressed = (transfer: string, progress: number) =>
    events.publish("transfer_progress", { ...figures, transfer_id: transfer, progress });
  events.publish("file_deleted", { file_id: "first" });
  for (let told = 0; told < EVENT_HISTORY; told++) for (const id of ["a", "b"]) progressed(id, told);
  events.publish("file_deleted", { file_id: "last" });
  expect(events.since(0)).toMatchObject([
    { id: 1, data: { file_id: "first" } },
    { data: { transfer_id: "a", progress: EVENT_HISTORY - 1 } },
    { data: { transfer_id: "b", progress: EVENT_HISTORY - 1 } },
    { id: 2 * EVENT_HISTORY + 2, data: { file_id: "last" } },
  ]);
  expect(events.since(2 * EVENT_HISTORY)).toMatchObject([
    { data: { transfer_id: "b" } },
    { data: { file_id: "last" } },
  ]);
});

it("keeps so many and no more", () => {
  const events = createNodeEvents(new HandClock());
  for (let i = 0; i < 2 * EVENT_HISTORY; i++) {
    events.publish("transfer_progress", { ...figures, transfer_id: String(i), progress: 0 });
    events.publish("file_deleted", { file_id: String(i) });
  }
  const kept = events.since(0);
  expect(kept.map(({ id }) => id)).toEqual(
    Array.from({ length: 2 * EVENT_HISTORY }, (_, i) => 2 * EVENT_HISTORY + 1 + i),
  );
});

it("what strangers cause takes the place of nothing else, and nothing else its own", () => {
  const events = createNodeEvents(new HandClock());
  const peerGone = (peerId: string) => events.publish("peer_disconnected", { peer_id: peerId });
  events.publish("file_deleted", { file_id: "first" });
  for (let nth = 0; nth <= EVENT_HISTORY; nth++) peerGone(`${nth}`);
  expect(events.since(0)).toHaveLength(1 + EVENT_HISTORY);
  expect(events.since(0).slice(0, 2)).toMatchObject([
    { data: { file_id: "first" } },
    { data: { peer_id: "1" } },
  ]);
  for (let nth = 0; nth < EVENT_HISTORY; nth++) events.publish("file_deleted", { file_id: `${nth}` });
  peerGone("last");
  expect(events.since(0)).toHaveLength(2 * EVENT_HISTORY);
  expect(events.since(0).at(-1)).toMatchObject({ data: { peer_id: "last" } });
  expect(events.since(0)[0]).toMatchObject({ data: { peer_id: "2" } });
});
