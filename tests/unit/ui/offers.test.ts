/** What others offer: the folders among it are read while it is looked at, and are rows with their files in them. */
import { signal } from "@preact/signals";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Folder } from "../../../src/api/folders.ts";
import { ShoalError } from "../../../src/client/shoal-error.ts";
import { getEach } from "../../../src/ui/get/get-each.ts";
import { MAX_OFFERED_LISTS_BYTES } from "../../../src/ui/limits.ts";
import {
  gettable,
  type OfferedRow,
  offeredFiles,
  offeredRows,
} from "../../../src/ui/network/offered-rows.ts";
import type { Route } from "../../../src/ui/router.ts";
import type { NetworkFile } from "../../../src/ui/state/entries.ts";
import { createOffers } from "../../../src/ui/state/offers.ts";
import { eventually } from "../../eventually.ts";

const file = (id: string, ...peers: string[]): NetworkFile => ({ id, name: id, size: 10, peers });
const list = (id: string, ...peers: string[]) => ({
  ...file(id, ...peers),
  name: `${id}.folder.json`,
  size: 1000,
});
const folder = (...ids: string[]): Folder => ({
  name: "trip",
  size: ids.length * 10,
  files: ids.map((id) => ({ path: `day ${id}/${id}`, file_id: id, size: 10 })),
});
const tellRow = (row: OfferedRow) =>
  "list" in row ? { [row.list.id]: row.files.map((entry) => entry.file.id) } : row.id;
const rowsOf = (files: NetworkFile[], folders: Record<string, Folder>) =>
  offeredRows(files, new Map(Object.entries(folders))).rows.map(tellRow);

describe("what is offered", () => {
  test("is listed with those first that most hold, and its folders are read while its screen is open", async () => {
    const route = signal<Route>({ screen: "files" });
    const network = signal<readonly NetworkFile[] | undefined>(undefined);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const read = vi.fn(async (_: string) => folder("a"));
    const offers = createOffers({ folder: read }, network, { route }, stop.signal);
    network.value = [
      file("b", "x"),
      file("a", "x"),
      list("f", "x", "y"),
      { ...list("long", "x"), size: MAX_OFFERED_LISTS_BYTES },
      { ...list("short", "x"), size: 1000 },
    ];
    expect([offers.value, read.mock.calls]).toEqual([undefined, []]);
    route.value = { screen: "network" };
    await eventually(() =>
      expect(offers.value?.files.map(({ id }) => id)).toEqual(["f", "a", "b", "long", "short"]),
    );
    // Beside the first there is no room for the long one.
    expect([...(offers.value?.folders.keys() ?? [])]).toEqual(["f", "short"]);
    expect(read.mock.calls.map(([id]) => id)).toEqual(["f", "short"]);
    route.value = { screen: "transfers" };
    network.value = [list("g", "x")];
    expect(read).toHaveBeenCalledTimes(2);
  });

  test("stands in the folder that its holders offer", () => {
    const files = [file("new", "x"), list("f", "x", "y"), file("a", "x", "y"), file("b", "y")];
    expect(rowsOf(files, { f: folder("a", "b", "gone") })).toEqual(["new", { f: ["a", "b"] }]);
  });

  test("stays where it is, too, when somebody else names it in a folder", () => {
    const files = [
      list("evil", "z"),
      file("a", "x", "z"),
      file("b", "x"),
      list("f", "y"),
      file("c", "x", "y"),
    ];
    expect(rowsOf(files, { evil: folder("a", "b", "c"), f: folder("c") })).toEqual([
      { evil: ["a", "b", "c"] },
      "a",
      "b",
      { f: ["c"] },
      "c",
    ]);
    // Its holders offer it in folders each.
    const both = [list("evil", "z"), list("f", "x"), file("c", "x", "z")];
    expect(rowsOf(both, { evil: folder("c"), f: folder("c") })).toEqual([{ evil: ["c"] }, { f: ["c"] }]);
  });

  test("counts no list of a folder, read or not", () => {
    expect(offeredFiles([list("f", "x"), file("a", "x"), list("unread", "x")]).map(({ id }) => id)).toEqual([
      "a",
    ]);
  });

  test("comes to each file once where all of it is got, and to the folders that they are in", () => {
    const files = [list("f", "x"), list("unread", "x"), file("a", "x"), file("c", "x")];
    const { rows } = offeredRows(files, new Map([["f", folder("a", "b")]]));
    const [row, ...others] = rows;
    if (row === undefined) throw new Error("there is a folder");
    const found: OfferedRow[] = [row, ...others, file("a", "x")];
    const { files: got, lists } = gettable(found);
    expect(got.map(({ fileId, name, folderId }) => [fileId, name, folderId])).toEqual([
      ["a", "day a/a", "f"],
      ["b", "day b/b", "f"],
      ["c", "c", undefined],
    ]);
    expect(lists.map(({ fileId }) => fileId)).toEqual(["f"]);
  });
});

test("files are asked for after the lists of their folders, by their names", async () => {
  const download = vi.fn(async () => ({ transfer_id: "t", file_id: "f", status: "started" as const }));
  const link = (fileId: string, name?: string) => ({
    fileId,
    addresses: [],
    ...(name !== undefined && { name }),
  });
  const told: number[] = [];
  const files = [{ ...link("a", "day 1/sea.bin"), folderId: "f" }, link("b"), link("c")];
  const refresh = vi.fn(async () => expect(download).toHaveBeenCalledTimes(1));
  const app = { client: { download }, transfers: { refresh } };
  await getEach(app, [link("f", "trip.folder.json")], files, (count) => told.push(count));
  expect(told).toEqual([1, 2, 3]);
  expect(refresh).toHaveBeenCalledTimes(1);
  expect(download.mock.calls).toEqual([
    [{ file_id: "f", name: "trip.folder.json" }],
    [{ file_id: "a", name: "sea.bin", folder_id: "f" }],
    [{ file_id: "b" }],
    [{ file_id: "c" }],
  ]);
});

test("where the node takes no more of many files, it is told how many were asked for and what of the rest", async () => {
  const full = new ShoalError("as many transfers as may be: wait", 409, "409", undefined);
  const download = async ({ file_id }: { file_id: string }) => {
    if (file_id > "b") throw full;
    return { transfer_id: "t", file_id, status: "started" as const };
  };
  const app = { client: { download }, transfers: { refresh: async () => {} } };
  const get = (...ids: string[]) =>
    getEach(
      app,
      [],
      ids.map((fileId) => ({ fileId, addresses: [] })),
      () => {},
    );
  await expect(get("a", "b", "c", "d", "e", "f")).rejects.toThrow(
    "As many transfers as may be: wait. 2 of 6 files are asked for: get the rest the same way once that has changed.",
  );
  await expect(get("c", "d")).rejects.toBe(full);
});
