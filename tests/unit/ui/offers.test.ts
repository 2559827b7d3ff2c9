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
import { createAsked } from "../../../src/ui/state/asked.ts";
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

const NONE_HERE = new Set<string>();

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
    const { files: got, folders, isPart } = gettable(found, NONE_HERE, 3);
    expect(got.map(({ fileId, name, folderId }) => [fileId, name, folderId])).toEqual([
      ["a", "day a/a", "f"],
      ["b", "day b/b", "f"],
      ["c", "c", undefined],
    ]);
    expect(folders.map(({ fileId }) => fileId)).toEqual(["f"]);
    expect(isPart).toBe(false);
    // A folder is got whole, or with the rest.
    const less = gettable(found, NONE_HERE, 2);
    expect([less.files.map(({ fileId }) => fileId), less.isPart]).toEqual([["a", "b"], true]);
    expect(gettable(found, NONE_HERE, 1).files).toHaveLength(2);
    expect(gettable([file("c", "x"), ...found], NONE_HERE, 2).folders).toEqual([]);
  });

  test("comes, once the first of it is here, to the rest", () => {
    const files = [list("f", "x"), file("a", "x"), file("b", "x"), file("c", "y"), file("d", "y")];
    const { rows } = offeredRows(files, new Map([["f", folder("a", "b")]]));
    const next = (...here: string[]) => {
      const { files: got, isPart } = gettable(rows, new Set(here), 2);
      return [got.map(({ fileId }) => fileId).join(" "), isPart];
    };
    expect(next()).toEqual(["a b", true]);
    expect(next("a")).toEqual(["a b", true]);
    expect(next("a", "b")).toEqual(["c d", false]);
    expect(next("a", "b", "c")).toEqual(["d", false]);
    // There is nothing to get, of which the dialog tells.
    expect(next("a", "b", "c", "d")).toEqual(["a b", true]);
  });
});

const link = (fileId: string, name?: string) => ({
  fileId,
  addresses: [],
  ...(name !== undefined && { name }),
});

/** What a client is asked for, in order; `refuses` throws of what is refused. */
function fakeClient(refuses: (fileId: string, isFolder: boolean) => void = () => {}) {
  const asked: unknown[] = [];
  const started = (file_id: string) => ({
    transfer_id: `of ${file_id}`,
    file_id,
    status: "started" as const,
  });
  const client = {
    async download(request: { file_id: string }) {
      asked.push(request);
      refuses(request.file_id, false);
      return started(request.file_id);
    },
    async downloadFolder(id: string, options: object) {
      asked.push([id, options]);
      refuses(id, true);
      return { transfers: [{ path: "day 1/sea.bin", ...started(`in ${id}`) }], total: 1 };
    },
  };
  const refresh = vi.fn(async () => void asked.push("refresh"));
  const states = createAsked();
  return { app: { client, transfers: { refresh }, files: { refresh }, asked: states }, asked };
}

test("folders are asked for whole after their lists, of which those that are here are not, then files by themselves", async () => {
  const { app, asked } = fakeClient();
  const told: number[] = [];
  const folders = [link("f", "trip.folder.json"), { ...link("g"), unlisted: true }];
  const files = [link("b", "sea.bin"), link("c")];
  const got = await getEach(app, { files, folders }, new Set(["g"]), (count) => told.push(count));
  expect(told).toEqual([1, 2, 3, 4]);
  expect(asked).toEqual([
    { file_id: "f", name: "trip.folder.json" },
    "refresh",
    ["f", { missing_only: true }],
    ["g", { missing_only: true, unlisted: true }],
    { file_id: "b", name: "sea.bin" },
    { file_id: "c" },
    "refresh",
    "refresh",
  ]);
  expect(got).toEqual(["of f", "of in f", "of in g", "of b", "of c"]);
});

test("a folder whose list nobody gives now comes as its list, unless that is here", async () => {
  const gone = new ShoalError("nobody gives it", 503, "503", undefined);
  const { app } = fakeClient((_, isFolder) => {
    if (isFolder) throw gone;
  });
  const wanted = { files: [], folders: [link("f")] };
  expect(await getEach(app, wanted, NONE_HERE)).toEqual(["of f"]);
  await expect(getEach(app, wanted, new Set(["f"]))).rejects.toBe(gone);
});

test("folders are known to be asked for until all in them stands in the lists, or the node refuses", async () => {
  const states: [string, (string | undefined)[]][] = [];
  const { app } = fakeClient((id, isFolder) => {
    if (isFolder) states.push([id, ["f", "g"].map((folder) => app.asked.states.value.get(folder))]);
    if (id === "bad") throw new Error("refused");
  });
  const areAsked = ["asking for all", "asking for all"];
  await getEach(app, { files: [], folders: [link("f"), link("g")] }, NONE_HERE);
  const bad = { files: [link("bad")], folders: [link("f")] };
  await expect(getEach(app, bad, NONE_HERE)).rejects.toThrow("refused");
  expect(states).toEqual([
    ["f", areAsked],
    ["g", areAsked],
    ["f", ["asking for all", undefined]],
  ]);
  expect(app.asked.states.value.size).toBe(0);
});

test("a folder is not taken for asked for where the node left with its tab meanwhile", async () => {
  const left = new ShoalError("the node left", 503, "503", 1);
  const { app } = fakeClient((_, isFolder) => {
    if (isFolder) throw left;
  });
  await expect(getEach(app, { files: [], folders: [link("f")] }, NONE_HERE)).rejects.toBe(left);
});

test("nobody is sent to get the rest where all were asked for, and the node left before its lists came", async () => {
  const left = new ShoalError("the node left", 503, "503", 1);
  const { app } = fakeClient();
  app.transfers.refresh.mockRejectedValue(left);
  await expect(getEach(app, { files: [link("b")], folders: [] }, NONE_HERE)).rejects.toBe(left);
});

test("where the node takes no more of many files, it is told how many were asked for and what of the rest", async () => {
  const full = new ShoalError("as many transfers as may be: wait", 409, "409", undefined);
  const { app } = fakeClient((id) => {
    if (id > "b") throw full;
  });
  const get = (...ids: string[]) =>
    getEach(app, { files: ids.map((id) => link(id)), folders: [] }, NONE_HERE);
  await expect(get("a", "b", "c", "d", "e", "f")).rejects.toThrow(
    "As many transfers as may be: wait. 2 of 6 are asked for: get the rest the same way once that has changed.",
  );
  await expect(get("c", "d")).rejects.toBe(full);
});
