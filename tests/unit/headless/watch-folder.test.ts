/** How the command line follows a folder to its end: src/headless/commands/watch-folder. */
import { SingleBar } from "cli-progress";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ShoalClient } from "../../../src/client/client.ts";
import { watchFolder } from "../../../src/headless/commands/watch-folder.ts";
import { MAX_TRANSFERS } from "../../../src/sharing/limits.ts";

const started = (id: string, path: string) => ({
  transfer_id: id,
  file_id: "bafk",
  status: "started" as const,
  path,
});

/** What the node tells: a list of transfers, and then events. */
function clientThat(listed: object[], events: object[]): ShoalClient {
  return {
    transfers: async () => ({ transfers: listed, total: listed.length }),
    async *events() {
      yield* events;
    },
  } as unknown as ShoalClient;
}

const ended = (event: string, id: string, error?: string) => ({ event, data: { transfer_id: id, error } });

describe("watchFolder", () => {
  it("tells how each file ended, before it watched and while it did", async () => {
    const client = clientThat(
      [
        { id: "one", status: "completed", error: null },
        { id: "two", status: "failed", error: "no peer has it" },
        { id: "other", status: "completed", error: null },
      ],
      [
        { event: "transfer_progress", data: { transfer_id: "three", speed: 5 } },
        ended("transfer_interrupted", "three"),
        ended("transfer_complete", "other"),
        ended("transfer_complete", "three"),
        ended("transfer_failed", "four", "no room"),
        ended("transfer_cancelled", "five"),
      ],
    );
    const files = ["one", "two", "three", "four", "five"].map((id) => started(id, `${id}.txt`));
    const outcome = await watchFolder(client, async () => files);
    expect(outcome.map(({ path, error }) => [path, error])).toEqual([
      ["one.txt", null],
      ["two.txt", "no peer has it"],
      ["three.txt", null],
      ["four.txt", "no room"],
      ["five.txt", "cancelled"],
    ]);
  });

  it("knows of what was here before, though that is forgotten by now, and finds the oldest of very many", async () => {
    const listed = Array.from({ length: MAX_TRANSFERS }, (_, at) => ({ id: `${at}`, status: "started" }));
    listed.push({ id: "oldest", status: "completed" });
    const client = {
      transfers: async ({ limit }: { limit?: number }) => ({ transfers: listed.slice(0, limit) }),
      async *events() {},
    } as unknown as ShoalClient;
    const files = [{ ...started("forgotten", "a"), status: "completed" as const }, started("oldest", "b")];
    expect(await watchFolder(client, async () => files)).toHaveLength(2);
  });

  it("ends with all, and does not watch for what has ended", async () => {
    const client = clientThat([{ id: "one", status: "completed", error: null }], [{ no: "event" }]);
    const twice = [started("one", "a"), started("one", "b")];
    expect(await watchFolder(client, async () => twice)).toHaveLength(2);
  });

  it("hears of what ended while the stream was opened, though that is kept no longer", async () => {
    const lists = [[], [{ id: "one", status: "completed", error: null }]];
    const client = {
      transfers: async () => ({ transfers: lists.shift() }),
      async *events() {
        yield ended("transfer_complete", "other");
      },
    } as unknown as ShoalClient;
    expect(await watchFolder(client, async () => [started("one", "a")])).toMatchObject([
      { path: "a", error: null },
    ]);
    expect(lists).toEqual([]);
  });

  it("says once, where no bar shows, that nothing comes of all that is left, and why", async () => {
    const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const reason = "no provider is left";
    const wait = (id: string) => ({ event: "transfer_interrupted", data: { transfer_id: id, reason } });
    const file = (id: string, status: string) => ({ id, status, error: null });
    const lists = [
      [file("one", "in_progress"), file("two", "in_progress")],
      [file("one", "in_progress"), file("two", "in_progress"), file("three", "completed")],
      // What was told again is over: the first goes on.
      [file("one", "resumed"), file("two", "interrupted")],
      [file("one", "interrupted"), { ...file("two", "interrupted"), error: reason }],
    ];
    const client = {
      transfers: async () => ({ transfers: lists.shift() }),
      async *events() {
        yield* ["one", "two", "one", "two"].map(wait);
        yield* ["one", "two"].map((id) => ended("transfer_complete", id));
      },
    } as unknown as ShoalClient;
    await watchFolder(client, async () => ["one", "two", "three"].map((id) => started(id, id)));
    expect(said.mock.calls).toEqual([["shoal: waiting for 2 of 3 files: no provider is left\n"]]);
    expect(lists).toEqual([]);
  });

  it("shows on its bar when all that is left waits, as a single file's does", async () => {
    const update = vi.spyOn(SingleBar.prototype, "update");
    onTestFinished(() => update.mockRestore());
    const data = { transfer_id: "two", speed: 5, reason: "no provider is left" };
    const events = ["transfer_interrupted", "transfer_progress", "transfer_complete"];
    const client = clientThat(
      [{ id: "one", status: "completed", error: null }],
      events.map((event) => ({ event, data })),
    );
    await watchFolder(client, async () => ["one", "two"].map((id) => started(id, id)));
    const shown = update.mock.calls as unknown as [ended: number, { status: string }][];
    const statuses = shown.map(([, { status }]) => status);
    const changes = statuses.filter((status, at) => status !== statuses[at - 1]);
    expect(changes).toEqual(["in_progress", "interrupted", "in_progress"]);
  });

  it("says that the node stopped when events end before the files do", async () => {
    await expect(watchFolder(clientThat([], []), async () => [started("one", "a")])).rejects.toThrow(
      "the node stopped",
    );
  });
});
