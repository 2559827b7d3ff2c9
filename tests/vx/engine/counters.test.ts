/** What an engine counts of its calls. */
import { expect, it, vi } from "vitest";
import { Counters } from "../../../src/vx/engine/counters.ts";

it("counts searches, additions and deletions apart, and gives the median of what each took", () => {
  const now = vi.spyOn(performance, "now").mockReturnValue(1000);
  const counters = new Counters();
  expect(counters.metrics).toMatchObject({ search_latency_ms: 0, add_latency_ms: 0, uptime_seconds: 0 });
  now.mockReturnValue(61_000);
  for (const sinceMs of [60_990, 60_996, 60_998, 60_900]) counters.searched(sinceMs);
  counters.added(500, 60_960);
  counters.added(7, 60_950);
  counters.added(1, 60_500);
  counters.deleted();
  expect(counters.metrics).toEqual({
    uptime_seconds: 60,
    search_latency_ms: 7,
    add_latency_ms: 50,
    searches_total: 4,
    vectors_added_total: 508,
    vectors_deleted_total: 1,
  });
});
