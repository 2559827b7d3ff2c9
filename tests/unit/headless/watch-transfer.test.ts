/** How the command line follows a transfer to its end: src/headless/commands/watch-transfer. */
import { SingleBar } from "cli-progress";
import { expect, it, onTestFinished, vi } from "vitest";
import type { ShoalClient } from "../../../src/client/client.ts";
import { transferEnd } from "../../../src/headless/commands/watch-transfer.ts";

/** What the node tells: events, and what the transfer is at each look. */
function clientThat(events: object[], statuses: string[]): ShoalClient {
  return {
    transfer: async (id: string) => ({ id, status: statuses.shift() }),
    async *events() {
      yield* events;
    },
  } as unknown as ShoalClient;
}

const endSeenBy = (client: ShoalClient) => transferEnd(client, "bafk", async () => ({ transfer_id: "one" }));
const ended = (id: string) => ({ event: "transfer_complete", data: { transfer_id: id } });

it("a transfer that ended before its events were asked for is over, though that is kept no longer", async () => {
  const client = clientThat([ended("other"), ended("other")], ["completed"]);
  expect(await endSeenBy(client)).toEqual({ id: "one", status: "completed" });
});

it("a transfer is looked at once, and then when something of it is told", async () => {
  const statuses = ["in_progress", "completed", "not looked at"];
  const client = clientThat([ended("other"), ended("other"), ended("one")], statuses);
  expect(await endSeenBy(client)).toEqual({ id: "one", status: "completed" });
  expect(statuses).toEqual(["not looked at"]);
});

it("a node that stops before the end is told of, with how to go on", async () => {
  await expect(endSeenBy(clientThat([], []))).rejects.toThrow(
    "the node stopped; when it runs again: shoal resume bafk",
  );
});

it("the time left is told by the clock of the node, whatever that here says", async () => {
  const update = vi.spyOn(SingleBar.prototype, "update");
  onTestFinished(() => update.mockRestore());
  const data = { transfer_id: "one", progress: 0.5, speed: 1000, peers: 1, status: "in_progress" };
  const progress = {
    event: "transfer_progress",
    timestamp: "2001-02-03T04:05:06.000Z",
    data: { ...data, estimated_completion: "2001-02-03T04:06:16.000Z" },
  };
  await endSeenBy(clientThat([progress, ended("one")], ["completed"]));
  expect(update).toHaveBeenCalledWith(50, expect.objectContaining({ left: "1m 10s" }));
});

it("where no bar shows, it is told once that nothing comes, and why", async () => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const interrupted = { event: "transfer_interrupted", data: { transfer_id: "one" } };
  const error = "no provider is left";
  const looks = ["interrupted", "interrupted", "completed"].map((status) => ({
    status,
    file_id: "bafk",
    error,
  }));
  const client = {
    transfer: async () => looks.shift(),
    async *events() {
      yield* [interrupted, interrupted, ended("one")];
    },
  } as unknown as ShoalClient;
  await endSeenBy(client);
  expect(said.mock.calls).toEqual([["shoal: waiting for bafk: no provider is left\n"]]);
});
