/** The list of files, with folders in it: src/ui/state/listing. */
import { signal } from "@preact/signals";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Folder } from "../../../src/api/folders.ts";
import { ShoalError } from "../../../src/client/shoal-error.ts";
import { FOLDERS_AT_ONCE, FOLDERS_WAIT_MS, MAX_GROUPED_FOLDERS } from "../../../src/ui/limits.ts";
import type { LocalFile } from "../../../src/ui/state/entries.ts";
import { createListing } from "../../../src/ui/state/listing.ts";

const file = (id: string, complete = true) => ({ id, name: id, size: 1000, complete }) as LocalFile;
const list = (id: string, complete = true) => ({ ...file(id, complete), name: `${id}.folder.json` });
const refusal = (status: number) => new ShoalError("no", status, String(status), undefined);

/** Each list is read when the test says so. */
function open() {
  const asked: { id: string; answer: (folder?: Folder) => void; refuse: (error: Error) => void }[] = [];
  const folder = vi.fn(
    (id: string) =>
      new Promise<Folder>((resolve, reject) => {
        asked.push({
          id,
          answer: (read = { name: id, size: 0, files: [] }) => resolve(read),
          refuse: reject,
        });
      }),
  );
  const files = signal<readonly LocalFile[] | undefined>(undefined);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const listing = createListing(
    { folder },
    files,
    (lists) => lists.filter(({ complete }) => complete),
    stop.signal,
  );
  const told = () => ({
    files: listing.value?.files.map(({ id }) => id),
    folders: [...(listing.value?.folders.keys() ?? [])],
  });
  const known = () => [...(listing.value?.known.keys() ?? [])];
  const read = async (
    at: number,
    how: (entry: (typeof asked)[number]) => void = ({ answer }) => answer(),
  ) => {
    const entry = asked[at];
    if (entry === undefined) throw new Error(`only ${asked.length} lists were asked for`);
    how(entry);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { files, listing, told, known, read, folder, ids: () => asked.map(({ id }) => id) };
}

describe("the listing of files", () => {
  test("is there at once where no folder is, and before a folder's list is whole", () => {
    const { files, listing, told, folder } = open();
    expect(listing.value).toBeUndefined();
    files.value = [file("a"), list("f", false)];
    expect(told()).toEqual({ files: ["a", "f"], folders: [] });
    expect(folder).not.toHaveBeenCalled();
  });

  test("waits for what folders hold, reads each once, and forgets those that go", async () => {
    const { files, listing, told, read, folder } = open();
    files.value = [list("f"), file("a")];
    expect(listing.value).toBeUndefined();
    await read(0);
    expect(told()).toEqual({ files: ["f", "a"], folders: ["f"] });
    files.value = [file("b"), list("f"), file("a")];
    expect(told()).toEqual({ files: ["b", "f", "a"], folders: ["f"] });
    files.value = [list("g"), list("f")];
    expect(told().files).toEqual(["b", "f", "a"]);
    files.value = [list("g"), file("a")];
    await read(1);
    expect(told()).toEqual({ files: ["g", "a"], folders: ["g"] });
    files.value = [list("h"), list("g")];
    files.value = [list("g")];
    await read(2);
    expect(told()).toEqual({ files: ["g"], folders: ["g"] });
    expect(folder).toHaveBeenCalledTimes(3);
  });

  test("keeps what folders held that have gone, the last of them", async () => {
    const { files, told, known, read, folder } = open();
    const all = Array.from({ length: MAX_GROUPED_FOLDERS + 2 }, (_, at) => `f${at}`);
    for (const [at, id] of all.entries()) {
      files.value = [list(id)];
      await read(at);
    }
    expect(told().folders).toEqual([all.at(-1)]);
    expect(known()).toEqual([all.at(-1), ...all.slice(1, -1)]);
    // One that comes back is known still.
    files.value = [list("f1")];
    expect(told().folders).toEqual(["f1"]);
    expect(known()).toEqual(["f1", ...all.slice(2)]);
    expect(folder).toHaveBeenCalledTimes(all.length);
  });

  test("stays as it is while files are not asked for, and reads no further list", async () => {
    const { files, told, read, ids } = open();
    const all = Array.from({ length: FOLDERS_AT_ONCE + 2 }, (_, at) => `f${at}`);
    files.value = [];
    files.value = all.map((id) => list(id));
    files.value = undefined;
    await read(0);
    expect(told()).toEqual({ files: [], folders: [] });
    expect(ids()).toEqual(all.slice(0, FOLDERS_AT_ONCE));
    files.value = [list("f0")];
    expect(told()).toEqual({ files: ["f0"], folders: ["f0"] });
  });

  test("tries those again that failed once all others were tried", async () => {
    const { files, read, ids } = open();
    const all = Array.from({ length: FOLDERS_AT_ONCE + 2 }, (_, at) => `f${at}`);
    files.value = all.map((id) => list(id));
    await read(0, ({ refuse }) => refuse(refusal(404)));
    files.value = all.map((id) => list(id));
    await read(1);
    await read(2);
    expect(ids().slice(FOLDERS_AT_ONCE)).toEqual(["f4", "f5", "f0"]);
  });

  test("reads a few at a time, and the newest alone of very many", async () => {
    const { files, told, read, ids } = open();
    const all = Array.from({ length: MAX_GROUPED_FOLDERS + 3 }, (_, at) => list(`f${at}`));
    files.value = all;
    expect(ids()).toEqual(all.slice(0, FOLDERS_AT_ONCE).map(({ id }) => id));
    for (let at = 0; at < MAX_GROUPED_FOLDERS; at++) {
      expect(ids().length).toBeLessThanOrEqual(at + FOLDERS_AT_ONCE);
      expect(told().files).toBeUndefined();
      await read(at);
    }
    expect(told().files?.length).toBe(all.length);
    expect(told().folders.length).toBe(MAX_GROUPED_FOLDERS);
    expect(ids().length).toBe(MAX_GROUPED_FOLDERS);
  });

  test("takes no folder that is longer than its list was said to be, and does not ask for it again", async () => {
    const { files, told, read, ids } = open();
    const entry = (path: string) => ({ path, file_id: path, size: 1 });
    const held = (...paths: string[]) => ({ name: "trip", size: paths.length, files: paths.map(entry) });
    files.value = [list("long"), list("many"), list("fits")];
    await read(0, ({ answer }) => answer(held("x".repeat(1000))));
    await read(1, ({ answer }) => answer(held(..."abcdefghijklmnop")));
    await read(2, ({ answer }) => answer(held("day 1/a", "day 1/b")));
    expect(told()).toEqual({ files: ["long", "many", "fits"], folders: ["fits"] });
    files.value = [list("many"), list("fits"), list("long"), file("new")];
    expect(ids()).toEqual(["long", "many", "fits"]);
    // Others, who are believed by now, say otherwise.
    files.value = [{ ...list("many"), size: 2000 }, list("fits"), list("long")];
    await read(3, ({ answer }) => answer(held(..."abcdefghijklmnop")));
    expect(told().folders).toEqual(["fits", "many"]);
  });

  test("is told anew only where it is another", async () => {
    const { files, listing, told, read } = open();
    let tellings = 0;
    onTestFinished(listing.subscribe(() => void tellings++));
    files.value = [list("f"), file("a")];
    await read(0);
    expect(tellings).toBe(2);
    files.value = [list("f"), file("a")];
    expect(tellings).toBe(2);
    files.value = [list("f"), file("a", false)];
    files.value = [file("a", false)];
    expect(tellings).toBe(4);
    expect(told()).toEqual({ files: ["a"], folders: [] });
  });

  test("has a list that can't be read as a file, and tries again unless it is no folder", async () => {
    const { files, told, read, ids } = open();
    files.value = [list("none"), list("later")];
    await read(0, ({ refuse }) => refuse(refusal(400)));
    await read(1, ({ refuse }) => refuse(refusal(503)));
    expect(told()).toEqual({ files: ["none", "later"], folders: [] });
    files.value = [file("a"), list("none"), list("later")];
    // What was listed before is not kept back for another try.
    expect(told().files).toEqual(["a", "none", "later"]);
    expect(ids()).toEqual(["none", "later", "later"]);
    await read(2);
    expect(told().folders).toEqual(["later"]);
  });

  test("waits no longer than a moment for slow folders, which come all at once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { files, listing, told, read } = open();
    files.value = [list("f"), list("g"), file("a")];
    vi.advanceTimersByTime(FOLDERS_WAIT_MS - 1);
    expect(listing.value).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(told()).toEqual({ files: ["f", "g", "a"], folders: [] });
    await read(0);
    expect(told().folders).toEqual([]);
    files.value = [file("b"), list("f"), list("g")];
    expect(told().files).toEqual(["b", "f", "g"]);
    await read(1);
    expect(told().folders).toEqual(["f", "g"]);
  });
});
