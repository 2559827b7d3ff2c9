/** State of the page: live lists, toasts, imports, deletions, and search. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ShoalClient } from "../../../src/client/client.ts";
import { ShoalError } from "../../../src/client/shoal-error.ts";
import { type FindableFile, matching, withNamesakes } from "../../../src/ui/finding/matching.ts";
import {
  ASKED_AT_ONCE,
  FEW_IMPORTS,
  IMPORT_TRIES,
  LISTS_REST_MS,
  MAX_LISTS_REST_MS,
  RESTS_A_LOAD,
  SIZES_A_TASK,
  TOAST_LIFETIME_MS,
} from "../../../src/ui/limits.ts";
import { type Router, routeOf } from "../../../src/ui/router.ts";
import { createDeletions } from "../../../src/ui/state/deletions.ts";
import type { Transfer } from "../../../src/ui/state/entries.ts";
import { createImports } from "../../../src/ui/state/imports.ts";
import { keptEntries } from "../../../src/ui/state/kept-entries.ts";
import { createLive } from "../../../src/ui/state/live.ts";
import { someAtATime } from "../../../src/ui/state/some-at-a-time.ts";
import { createSoon } from "../../../src/ui/state/soon.ts";
import { createToasts, messageOf, opening } from "../../../src/ui/state/toasts.ts";
import {
  gatherProgress,
  isMoreKnown,
  type Progress,
  withProgress,
} from "../../../src/ui/state/transfer-progress.ts";
import { adviceOn, statusText } from "../../../src/ui/transfers/transfer-words.ts";
import { deferred } from "../../deferred.ts";
import { eventually, untilTrue } from "../../eventually.ts";

describe("events of a list", () => {
  test("have it loaded at once, and once more for all that come while it rests", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const refresh = vi.fn(async () => {});
    const soon = createSoon();
    const list = { refresh };
    soon(list);
    expect(refresh).toHaveBeenCalledTimes(1);
    for (let event = 0; event < 20; event++) soon(list);
    expect(refresh).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(LISTS_REST_MS);
    expect(refresh).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(10 * LISTS_REST_MS);
    expect(refresh).toHaveBeenCalledTimes(2);
    soon(list);
    expect(refresh).toHaveBeenCalledTimes(3);
  });

  test("leave one that is slow to load the longer rest, up to a bound, though it can't be had", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let loadMs = LISTS_REST_MS;
    const refresh = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, loadMs));
      throw new Error("gone");
    });
    const soon = createSoon();
    const list = { refresh };
    soon(list);
    for (const [duration, restMs] of [
      [LISTS_REST_MS, RESTS_A_LOAD * LISTS_REST_MS],
      [MAX_LISTS_REST_MS, MAX_LISTS_REST_MS],
    ] as const) {
      refresh.mockClear();
      soon(list);
      await vi.advanceTimersByTimeAsync(duration + restMs - 1);
      expect(refresh).not.toHaveBeenCalled();
      loadMs = MAX_LISTS_REST_MS;
      await vi.advanceTimersByTimeAsync(1);
      expect(refresh).toHaveBeenCalledTimes(1);
    }
  });
});

describe("requests for each of many", () => {
  function begun(count: number) {
    const asked: ReturnType<typeof deferred<void>>[] = [];
    const over = someAtATime(
      Array.from({ length: count }, (_, at) => at),
      (one) => {
        expect(one).toBe(asked.length);
        asked.push(deferred());
        return asked[one]?.promise ?? Promise.reject(new Error("it is there"));
      },
    );
    return { asked, over };
  }

  test("are begun in order, some at a time", async () => {
    const { asked, over } = begun(ASKED_AT_ONCE + 2);
    expect(asked).toHaveLength(ASKED_AT_ONCE);
    asked[1]?.resolve();
    await eventually(() => expect(asked).toHaveLength(ASKED_AT_ONCE + 1));
    asked[0]?.resolve();
    await eventually(() => expect(asked).toHaveLength(ASKED_AT_ONCE + 2));
    for (const { resolve } of asked) resolve();
    await over;
  });

  test("are none after one that failed, and it is told of once the others are over", async () => {
    const { asked, over } = begun(2 * ASKED_AT_ONCE);
    const told = vi.fn();
    const failed = over.catch(told);
    asked[1]?.reject(new Error("no room"));
    for (const one of [0, 2]) asked[one]?.resolve();
    await Promise.all([asked[0]?.promise, asked[2]?.promise]);
    expect(told).not.toHaveBeenCalled();
    for (const { resolve } of asked) resolve();
    await failed;
    expect(told).toHaveBeenCalledExactlyOnceWith(new Error("no room"));
    expect(asked).toHaveLength(ASKED_AT_ONCE);
  });
});

describe("a live list", () => {
  test("asks once more for all who ask while it waits", async () => {
    const answers: ((value: number) => void)[] = [];
    const live = createLive(() => new Promise<number>((resolve) => answers.push(resolve)));
    const first = live.refresh();
    const later = [live.refresh(), live.refresh(), live.refresh()];
    answers[0]?.(1);
    await first;
    await eventually(() => expect(answers).toHaveLength(2));
    answers[1]?.(2);
    await Promise.all(later);
    expect(answers).toHaveLength(2);
    expect(live.value.value).toBe(2);
  });

  test("asks again after a refusal", async () => {
    let count = 0;
    const live = createLive(async () => {
      count += 1;
      if (count === 1) throw new Error("busy");
      return count;
    });
    await expect(live.refresh()).rejects.toThrow("busy");
    await live.refresh();
    expect(live.value.value).toBe(2);
  });

  test("of entries keeps those that are told as they were, and the whole list where all are", async () => {
    let answer = [
      { id: "a", peers: ["x"] },
      { id: "b", peers: [] },
    ];
    const live = createLive<readonly (typeof answer)[number][]>(
      async () => structuredClone(answer),
      keptEntries,
    );
    await live.refresh();
    const first = live.value.value;
    await live.refresh();
    expect(live.value.value).toBe(first);
    answer = [
      { id: "b", peers: ["y"] },
      { id: "a", peers: ["x"] },
    ];
    await live.refresh();
    expect(live.value.value).toEqual(answer);
    expect(live.value.value?.[1]).toBe(first?.[0]);
    answer = answer.slice(1);
    await live.refresh();
    expect(live.value.value).toEqual(answer);
  });
});

describe("progress of transfers", () => {
  const progressOf = (transferId: string, progress: number): Progress => ({
    ...{ transfer_id: transferId, file_id: "f", status: "in_progress", progress, speed: 2_000_000, peers: 1 },
    estimated_completion: new Date(9000).toISOString(),
  });

  const started: Transfer = {
    ...{
      id: "t",
      file_id: "f",
      name: "a.bin",
      output_path: null,
      size: 1000,
      repair: false,
      paused: false,
      waiting: false,
    },
    status: "started",
    ...{ progress: 0, speed: 0, peers: 0, error: null, storage_full: false },
    ...{ started_at: new Date(0).toISOString(), ended_at: null, estimated_completion: null },
  };

  test("comes into the list with its speed and the time left", () => {
    const other = { ...started, id: "u" };
    const list = withProgress([started, other], new Map([["t", progressOf("t", 0.5)]]));
    expect(list[0]).toMatchObject({ id: "t", status: "in_progress", progress: 0.5 });
    expect(statusText(list[0] ?? started, 1000)).toBe("2 MB/s from 1 peer · 8 s left");
    expect(list[1]).toBe(other);
  });

  test("of a transfer that does not run may be late: the node is asked whether it runs again", () => {
    const gathered = new Map([["t", progressOf("t", 0.5)]]);
    for (const status of ["interrupted", "completed", "cancelled", "failed"] as const) {
      const stopped = { ...started, status };
      expect(withProgress([stopped], gathered)).toEqual([stopped]);
      expect(isMoreKnown(stopped, gathered)).toBe(true);
    }
    expect(isMoreKnown(started, gathered)).toBe(false);
    expect(isMoreKnown({ ...started, size: null }, gathered)).toBe(true);
    expect(isMoreKnown({ ...started, id: "u", status: "failed" }, gathered)).toBe(false);
  });

  function gathering() {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const told: [string, number][][] = [];
    const progress = gatherProgress((gathered) =>
      told.push([...gathered].map(([id, { progress }]) => [id, progress])),
    );
    return { told, progress };
  }

  test("is told of at once, and what comes meanwhile a moment later, together, of each transfer the last", () => {
    const { told, progress } = gathering();
    progress.add(progressOf("t", 0.1));
    expect(told).toEqual([[["t", 0.1]]]);
    for (const [id, share] of [
      ["t", 0.2],
      ["u", 0.1],
      ["t", 0.3],
    ] as const)
      progress.add(progressOf(id, share));
    expect(told).toHaveLength(1);
    vi.advanceTimersByTime(LISTS_REST_MS);
    expect(told.slice(1)).toEqual([
      [
        ["t", 0.3],
        ["u", 0.1],
      ],
    ]);
    progress.add(progressOf("t", 0.4));
    expect(told).toHaveLength(2);
    vi.advanceTimersByTime(LISTS_REST_MS);
    expect(told.slice(2)).toEqual([[["t", 0.4]]]);
    vi.advanceTimersByTime(LISTS_REST_MS);
    progress.add(progressOf("t", 0.5));
    expect(told.slice(3)).toEqual([[["t", 0.5]]]);
  });

  test("that was not told of yet is not when an answer of the node has come meanwhile, which tells of later", () => {
    const { told, progress } = gathering();
    for (const share of [0.1, 0.2]) progress.add(progressOf("t", share));
    progress.forget();
    vi.advanceTimersByTime(LISTS_REST_MS);
    expect(told).toEqual([[["t", 0.1]]]);
  });
});

describe("toasts", () => {
  test("what was said is not said anew where a dialog opens or closes", () => {
    const toasts = createToasts();
    toasts.takePlace({});
    toasts.say({ text: "It failed.", tone: "bad" });
    const leave = toasts.takePlace({});
    expect(toasts.said.value).toBeUndefined();
    toasts.say({ text: "It goes on.", tone: "plain" });
    leave();
    expect(toasts.said.value).toBeUndefined();
  });

  test("the oldest gives way to a fourth, and is told so", () => {
    const toasts = createToasts();
    const onGone = vi.fn();
    toasts.show({ text: "1", onGone });
    for (const text of ["2", "3", "4"]) toasts.show({ text });
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["2", "3", "4"]);
    expect(onGone).toHaveBeenCalledOnce();
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one that can be undone gives way to others like it alone, so that news do not do what it waits with", () => {
    const toasts = createToasts();
    const done: string[] = [];
    const deleteLater = (text: string) =>
      toasts.show({
        text,
        action: { label: "Undo", run: () => {}, undoes: true },
        onGone: () => done.push(text),
      });
    const texts = () => toasts.shown.value.map(({ text }) => text);
    deleteLater("a");
    for (const text of ["1", "2", "3"]) toasts.show({ text });
    expect(texts()).toEqual(["a", "2", "3"]);
    for (const text of ["b", "c"]) deleteLater(text);
    for (const text of ["4", "5"]) toasts.show({ text });
    expect([texts(), done]).toEqual([["a", "b", "c", "5"], []]);
    deleteLater("d");
    expect([texts(), done]).toEqual([["b", "c", "d"], ["a"]]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("show once what is said again, but for what there is something to do about", () => {
    const toasts = createToasts();
    const action = { label: "Undo", run: () => undefined };
    for (const text of ["Copied.", "Copied."]) toasts.show({ text });
    for (const text of ["Deleted.", "Deleted."]) toasts.show({ text, action });
    toasts.show({ text: "Copied." });
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["Deleted.", "Deleted.", "Copied."]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one that tells of what is under way goes when that is over, and no other", () => {
    const toasts = createToasts();
    toasts.show({ text: "Getting a", about: "a" });
    toasts.show({ text: "Getting b", about: "b" });
    toasts.show({ text: "Copied." });
    toasts.over("a");
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["Getting b", "Copied."]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("those with the same words for several are one, which goes when all that it tells of is over", () => {
    const toasts = createToasts();
    const together = (count: number) => `Asked for ${count} files`;
    const get = (id: string) => toasts.show({ text: `Getting ${id}`, together, about: id });
    const texts = () => toasts.shown.value.map(({ text }) => text);
    get("a");
    toasts.show({ text: "Copied." });
    expect(texts()).toEqual(["Getting a", "Copied."]);
    const [first] = toasts.shown.value;
    get("b");
    get("c");
    expect(texts()).toEqual(["Asked for 3 files", "Copied."]);
    // The same element, on whose buttons the keys may be.
    expect(toasts.shown.value[0]?.id).toBe(first?.id);
    for (const id of ["c", "a"]) toasts.over(id);
    expect(texts()).toEqual(["Asked for 3 files", "Copied."]);
    toasts.over("b");
    expect(texts()).toEqual(["Copied."]);
    get("d");
    expect(texts()).toEqual(["Copied.", "Getting d"]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one whose button opens a screen goes when somebody comes there, and no other", () => {
    const toasts = createToasts();
    const go = vi.fn();
    const router = { go } as unknown as Router;
    toasts.show({ text: "Getting a", action: opening(router, "transfers") });
    toasts.show({ text: "b is here", action: opening(router, "files") });
    toasts.show({ text: "Copied." });
    toasts.arrived("transfers");
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["b is here", "Copied."]);
    toasts.act(toasts.shown.value[0]?.id ?? -1);
    expect(go).toHaveBeenCalledExactlyOnceWith("files");
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one that comes while others are held stays with them", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const toasts = createToasts();
    toasts.show({ text: "1" });
    toasts.hold(true);
    toasts.show({ text: "2" });
    vi.advanceTimersByTime(TOAST_LIFETIME_MS);
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["1", "2"]);
    toasts.hold(false);
    vi.advanceTimersByTime(TOAST_LIFETIME_MS);
    expect(toasts.shown.value).toEqual([]);
  });
});

describe("deleting", () => {
  function open() {
    const deleteFile = vi.fn(async (_id: string) => ({ success: true, message: "" }) as const);
    const onDeleted = vi.fn(async (_ids: readonly string[]) => {});
    const cancel = vi.fn(async (_id: string) => ({ success: true, message: "" }) as const);
    const active: Transfer[] = [];
    const transfers = async () => ({ transfers: active, total: active.length });
    const toasts = createToasts();
    const deletions = createDeletions({ deleteFile, cancel, transfers }, toasts, onDeleted);
    deletions.request({ id: "a", name: "a.txt" });
    const toastId = toasts.shown.value[0]?.id ?? -1;
    return { deleteFile, cancel, active, onDeleted, toasts, deletions, toastId };
  }

  test("undo brings the file back, and nothing was deleted", () => {
    const { deleteFile, toasts, deletions, toastId } = open();
    expect(deletions.hidden.value.has("a")).toBe(true);
    toasts.act(toastId);
    expect(deletions.hidden.value.has("a")).toBe(false);
    expect(toasts.said.value).toMatchObject({ text: "a.txt is kept." });
    expect(deleteFile).not.toHaveBeenCalled();
  });

  test("the file is deleted when its toast goes", async () => {
    const { deleteFile, toasts, deletions, toastId } = open();
    toasts.dismiss(toastId);
    await eventually(() => expect(deletions.hidden.value.has("a")).toBe(false));
    expect(deleteFile).toHaveBeenCalledExactlyOnceWith("a");
  });

  test("what is still on its way is cancelled first, and may be gone with that", async () => {
    const { deleteFile, cancel, active, toasts, deletions, onDeleted } = open();
    const transfer = (file_id: string, status = "in_progress") =>
      ({ id: `t-${file_id}`, file_id, status, waiting: false, repair: false }) as Transfer;
    // Others, and repairs, which end with their files, are let be.
    active.push({ ...transfer("c"), waiting: true }, transfer("b"), transfer("other"), transfer("d"));
    active.push({ ...transfer("list"), repair: true });
    cancel.mockRejectedValueOnce(new ShoalError("It has ended", 409, "409", undefined));
    deleteFile.mockRejectedValueOnce(new ShoalError("File not found", 404, "404", undefined));
    deletions.request({ id: "list", name: "trip.folder.json", files: ["b", "c", "d"] });
    toasts.dismiss(toasts.shown.value.at(-1)?.id ?? -1);
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(cancel.mock.calls).toEqual([["t-c"], ["t-d"], ["t-b"]]);
    expect(deleteFile.mock.calls).toEqual([["b"], ["c"], ["d"], ["list"]]);
    expect(onDeleted).toHaveBeenCalledExactlyOnceWith(["b", "c", "d", "list"]);
    expect(toasts.shown.value.map(({ tone }) => tone)).toEqual(["plain"]);
  });

  test("a folder goes with its files by one toast, and is the last to go", async () => {
    const { deleteFile, toasts, deletions, onDeleted } = open();
    const request = () => {
      deletions.request({ id: "list", name: "trip.folder.json", files: ["b", "c"], after: " and 2 files." });
      return toasts.shown.value.at(-1)?.id ?? -1;
    };
    const first = request();
    expect([...deletions.hidden.value]).toEqual(["a", "b", "c", "list"]);
    expect(toasts.shown.value.length).toBe(2);
    toasts.act(first);
    expect([...deletions.hidden.value]).toEqual(["a"]);
    expect(toasts.said.value).toMatchObject({ text: "trip is kept." });
    toasts.dismiss(request());
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(deleteFile.mock.calls).toEqual([["b"], ["c"], ["list"]]);
    expect(onDeleted).toHaveBeenCalledExactlyOnceWith(["b", "c", "list"]);
  });

  test("what is shared once more meanwhile stays, and of a folder the others go", async () => {
    const { deleteFile, toasts, deletions } = open();
    deletions.keep("a");
    expect(toasts.shown.value).toEqual([]);
    expect(deletions.hidden.value.size).toBe(0);
    deletions.request({ id: "list", name: "trip.folder.json", files: ["a", "b"] });
    deletions.keep("a");
    expect([...deletions.hidden.value]).toEqual(["b", "list"]);
    toasts.dismiss(toasts.shown.value[0]?.id ?? -1);
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(deleteFile.mock.calls).toEqual([["b"], ["list"]]);
  });

  test("a folder of which a file can't be deleted stays, and says why", async () => {
    const { deleteFile, toasts, deletions, onDeleted } = open();
    deletions.request({ id: "list", name: "trip.folder.json", files: ["b", "c", "d"] });
    deleteFile.mockImplementation(async (id) => {
      if (id === "c") throw new Error("it is downloaded");
      return { success: true, message: "" } as const;
    });
    toasts.dismiss(toasts.shown.value.at(-1)?.id ?? -1);
    await eventually(() => expect(deletions.hidden.value.has("list")).toBe(false));
    expect(deleteFile.mock.calls).toEqual([["b"], ["c"], ["d"]]);
    expect(onDeleted).toHaveBeenCalledExactlyOnceWith(["b", "d"]);
    expect(toasts.shown.value.at(-1)).toMatchObject({ text: "It is downloaded.", tone: "bad" });
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });
});

const given = (path: string, text = "abc") => ({ file: new File([text], path), path });

describe("imports", () => {
  const host = (takesStreams: boolean, isUnlisted = () => false) => ({
    takesStreams,
    isUnlisted,
    whenRunning: async () => {},
  });
  const shared = { file_id: "id", name: "a.txt", size: 3, chunks: 1 };

  test("one file is sent at a time, and each that is done is named with its id", async () => {
    let inFlight = 0;
    let most = 0;
    const upload = vi.fn(async (_body: unknown, { name }: { name: string }) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await Promise.resolve();
      inFlight -= 1;
      return { ...shared, file_id: name };
    });
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add(["a", "b", "c"].map((name) => given(name)));
    await untilTrue(() => imports.shared.value.length === 3);
    expect(most).toBe(1);
    expect(imports.list.value).toEqual([]);
    expect(imports.shared.value.map(({ fileId }) => fileId)).toEqual(["a", "b", "c"]);
  });

  test("of many are told of beside a list of files that has them, and so is the end of the one that is read", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const names = Array.from({ length: 2 * FEW_IMPORTS }, (_, at) => `${at}`);
    const uploads = names.map(() => ({ begun: deferred<void>(), over: deferred<void>() }));
    const upload = async (_body: unknown, { name }: { name: string }) => {
      uploads[Number(name)]?.begun.resolve();
      await uploads[Number(name)]?.over.promise;
      return { ...shared, file_id: name };
    };
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add(names.map((name) => given(name)));
    const read = async (at: number) => {
      uploads[at]?.over.resolve();
      await uploads[at + 1]?.begun.promise;
    };
    const told = () => imports.shared.value.map(({ fileId }) => fileId);
    await read(0);
    await read(1);
    expect(told()).toEqual([]);
    imports.keepUp();
    expect(told()).toEqual(["0", "1"]);
    await read(2);
    expect(told()).toEqual(["0", "1", "2"]);
    await read(3);
    expect(told()).toEqual(["0", "1", "2"]);
  });

  test("of thousands the sizes are asked for some at a time", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let asked = 0;
    const files = Array.from({ length: 2 * SIZES_A_TASK + 1 }, (_, at) => {
      const { file, path } = given(`${at}.txt`);
      Object.defineProperty(file, "size", {
        get: () => {
          asked += 1;
          return 3;
        },
      });
      return { file, path };
    });
    const upload = () => new Promise(() => {});
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add(files);
    expect(imports.list.value).toHaveLength(files.length);
    expect(asked).toBeLessThan(2 * SIZES_A_TASK);
    imports.cancel(imports.list.value.at(-1)?.id ?? -1);
    await vi.runAllTimersAsync();
    expect(imports.list.value.map(({ sizeBytes }) => sizeBytes)).toEqual(Array(files.length - 1).fill(3));
    const inTheEnd = asked;
    imports.cancelWaiting();
    await vi.runAllTimersAsync();
    expect([imports.list.value.length, asked]).toEqual([1, inTheEnd]);
  });

  test.each([
    ["the node's reason", "abc", "There is no name."],
    ["to be picked again, where it can be read no more", "gone", /Pick it again\.$/],
  ])("one that can't be shared is told of with %s", async (_what, text, says) => {
    const gone = given("a.txt", text);
    if (text === "gone") {
      gone.file.slice = () =>
        Object.assign(new Blob([]), {
          arrayBuffer: () => Promise.reject(new DOMException("it was changed", "NotReadableError")),
        });
    }
    const upload = () => Promise.reject(new ShoalError("There is no name", 400, "400", undefined));
    const imports = createImports({ upload } as unknown as ShoalClient, host(true));
    imports.add([gone]);
    await untilTrue(() => imports.list.value[0]?.state === "failed");
    expect(imports.list.value[0]?.error).toMatch(says);
  });

  test("each is shared as unlisted as was chosen when it was given", async () => {
    let isUnlisted = true;
    const upload = vi.fn(async (_body: unknown, { name }: { name: string }) => ({
      ...shared,
      file_id: name,
    }));
    const imports = createImports(
      { upload } as unknown as ShoalClient,
      host(false, () => isUnlisted),
    );
    imports.add([given("a")]);
    isUnlisted = false;
    imports.add([given("b")]);
    await untilTrue(() => imports.list.value.length === 0);
    expect(imports.shared.value.map(({ unlisted }) => unlisted)).toEqual([true, false]);
    expect(upload.mock.calls.map(([, options]) => "unlisted" in options)).toEqual([true, false]);
  });

  test("equal files are told of at each of their places, and once at one", async () => {
    const upload = vi.fn(async () => shared);
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add(["trip/a.txt", "trip/copy/a.txt", "trip/a.txt"].map((path) => given(path)));
    await untilTrue(() => imports.list.value.length === 0);
    expect(imports.shared.value.map(({ path }) => path)).toEqual(["trip/copy/a.txt", "trip/a.txt"]);
    imports.forgetShared("id");
    expect(imports.shared.value).toEqual([]);
  });

  test("names are sent without the control characters that some systems let them have", async () => {
    const upload = vi.fn(async (_: unknown, { name }: { name: string }) => ({ ...shared, name }));
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add([given("my\ttrip/Icon\r")]);
    await untilTrue(() => imports.list.value.length === 0);
    expect(imports.shared.value).toMatchObject([{ name: "mytrip/Icon", path: "mytrip/Icon" }]);
  });

  test("those that failed are tried again, or left out, all together", async () => {
    const upload = vi.fn(async (_: unknown, { name }: { name: string }): Promise<unknown> => {
      if (upload.mock.calls.length < 4 || name === "c") throw new Error("no room");
      return { file_id: name, name, size: 1 };
    });
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    const left = () => imports.list.value.map(({ name, state }) => `${name} ${state}`);
    imports.add(["a", "b", "c"].map((name) => given(name)));
    await untilTrue(() => left().every((entry) => entry.endsWith("failed")));
    imports.retryFailed();
    await untilTrue(() => upload.mock.calls.length === 6 && left().join() === "c failed");
    expect(imports.shared.value.map(({ name }) => name)).toEqual(["a", "b"]);
    imports.leaveFailed();
    expect(left()).toEqual([]);
    expect(upload).toHaveBeenCalledTimes(6);
  });

  test("one that failed does not put what is shared later under one link with what was shared before", async () => {
    const upload = vi.fn(async (_: unknown, { name }: { name: string }): Promise<unknown> => {
      if (name === "b") throw new Error("no room");
      return { file_id: name, name, size: 1 };
    });
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add(["a", "b"].map((name) => given(name)));
    await untilTrue(() => imports.list.value[0]?.state === "failed");
    expect(imports.shared.value.map(({ name }) => name)).toEqual(["a"]);
    imports.add([given("c")]);
    await untilTrue(() => imports.list.value.length === 1);
    expect(imports.shared.value.map(({ name }) => name)).toEqual(["c"]);
  });

  test("a failed one stays with its reason, and can be tried again", async () => {
    const upload = vi.fn().mockRejectedValueOnce(new Error("Storage is full")).mockResolvedValueOnce(shared);
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add([given("a.txt")]);
    await untilTrue(() => imports.list.value[0]?.state === "failed");
    expect(imports.list.value[0]?.error).toBe("Storage is full.");
    imports.retry(imports.list.value[0]?.id ?? -1);
    await untilTrue(() => imports.shared.value.length === 1);
  });

  test("one that waits for the node is left out at once, and another is read when that runs", async () => {
    const upload = vi.fn(async () => shared);
    let run!: () => void;
    const running = new Promise<void>((resolve) => {
      run = resolve;
    });
    const waiting = { ...host(false), whenRunning: () => running };
    const imports = createImports({ upload } as unknown as ShoalClient, waiting);
    imports.add([given("a.txt"), given("b.txt")]);
    imports.cancel(imports.list.value[0]?.id ?? -1);
    await untilTrue(() => imports.list.value.length === 1);
    run();
    await untilTrue(() => imports.shared.value.length === 1);
    expect(imports.shared.value.map(({ path }) => path)).toEqual(["b.txt"]);
    expect(upload).toHaveBeenCalledOnce();
  });

  test("one whose node leaves with its tab is given to the next from the start", async () => {
    const left = new ShoalError("The tab that hosted the node has handed it over", 503, "503", 1);
    const upload = vi.fn().mockRejectedValueOnce(left).mockResolvedValueOnce(shared);
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    imports.add([given("a.txt")]);
    await untilTrue(() => imports.shared.value.length === 1);
    upload.mockRejectedValue(left);
    imports.add([given("b.txt")]);
    await untilTrue(() => imports.list.value[0]?.state === "failed");
    expect(upload).toHaveBeenCalledTimes(2 + IMPORT_TRIES);
  });

  test("one that is tried again tells nothing of the try before while it waits for a node", async () => {
    const left = new ShoalError("The tab that hosted the node has handed it over", 503, "503", 1);
    const failures = [left, new Error("Storage is full")];
    const upload = async () => {
      expect(isBegun()).toBe(true);
      throw failures.shift();
    };
    const runs: (() => void)[] = [];
    const whenRunning = () => new Promise<void>((resolve) => runs.push(resolve));
    const imports = createImports({ upload } as unknown as ShoalClient, { ...host(false), whenRunning });
    const isBegun = () => imports.list.value[0]?.startedMs !== undefined;
    imports.add([given("a.txt")]);
    runs[0]?.();
    await untilTrue(() => runs.length === 2);
    expect(isBegun()).toBe(false);
    runs[1]?.();
    await untilTrue(() => imports.list.value[0]?.state === "failed");
    expect(imports.list.value[0]?.error).toBe("Storage is full.");
    imports.retryFailed();
    expect([runs.length, isBegun()]).toEqual([3, false]);
  });

  test("of many, each word of one is told with those of others", async () => {
    const upload = vi.fn(async (_body: unknown, { name }: { name: string }) => ({
      ...shared,
      file_id: name,
    }));
    const imports = createImports({ upload } as unknown as ShoalClient, host(false));
    let told = 0;
    const stop = imports.list.subscribe(() => {
      told += 1;
    });
    imports.add(Array.from({ length: 200 }, (_, index) => given(String(index))));
    await untilTrue(() => imports.shared.value.length === 200);
    stop();
    expect(imports.list.value).toEqual([]);
    expect(told).toBeLessThan(100);
  });

  test("a stream carries every byte of the file where the host takes streams", async () => {
    let seen = "";
    const upload = async (body: ReadableStream<Uint8Array>) => {
      seen = await new Response(body).text();
      return shared;
    };
    const imports = createImports({ upload } as unknown as ShoalClient, host(true));
    imports.add([given("a.txt", "counted bytes")]);
    await untilTrue(() => imports.shared.value.length === 1);
    expect(seen).toBe("counted bytes");
  });
});

describe("search in the network", () => {
  const file = (name: string, holders: number) => ({
    id: name,
    name,
    size: 1,
    peers: Array<string>(holders).fill("p"),
  });
  const files = [file("Über das Meer.txt", 1), file("harbour at dawn.jpg", 3), file("dawn chorus.flac", 2)];

  test("each word must be in the name, whatever its case and accents", () => {
    expect(matching(files, "MEER uber").map(({ name }) => name)).toEqual(["Über das Meer.txt"]);
    expect(matching(files, "dawn x")).toEqual([]);
  });

  test("a hit is shown as its file is now, and not at all once that is gone", () => {
    const [first, second] = files.map((file, index) => ({ ...file, id: String(index) }));
    const hits = [second, first].flatMap((file) =>
      file === undefined ? [] : [{ ...file, excerpt: "of it" }],
    );
    const now = second === undefined ? [] : [{ ...second, name: "renamed" }];
    expect(withNamesakes(hits, now, "dawn")).toEqual([{ ...second, name: "renamed", excerpt: "of it" }]);
  });

  test("files whose names fit follow the hits, of which the node tells the first alone", () => {
    const [meer, , chorus] = files;
    const hits = [meer, chorus].flatMap((file) =>
      file === undefined ? [] : [{ ...file, why: ["content" as const] }],
    );
    const found = withNamesakes<FindableFile>(hits, files, "dawn").map(({ name }) => name);
    expect(found).toEqual(["Über das Meer.txt", "dawn chorus.flac", "harbour at dawn.jpg"]);
  });
});

describe("routes", () => {
  test("a link is a screen of its own, and what is neither is said to be unknown", () => {
    expect(routeOf("")).toEqual({ screen: "files" });
    expect(routeOf("#/peers")).toEqual({ screen: "peers" });
    expect(routeOf(`#/get/b${"a".repeat(58)}`)).toEqual({
      screen: "get",
      link: { fileId: `b${"a".repeat(58)}`, addresses: [] },
    });
    expect(routeOf("#/get/x").screen).toBe("unknown");
  });

  test("a link that the system hands over opens its file, and several open together", () => {
    const handed = encodeURIComponent(`web+shoal:get/b${"a".repeat(58)}?name=a%20b.txt`);
    expect(routeOf(`#/open?link=${handed}`)).toEqual({
      screen: "get",
      link: { fileId: `b${"a".repeat(58)}`, name: "a b.txt", addresses: [] },
    });
    const inWords = `(https://share.example/#/get/b${"a".repeat(58)}).`;
    expect(routeOf(`#/open?link=${encodeURIComponent(inWords)}`).screen).toBe("get");
    const two = `${inWords} ipfs://b${"c".repeat(58)}`;
    const { screen, ...opened } = routeOf(`#/open?link=${encodeURIComponent(two)}`);
    expect(screen).toBe("network");
    expect(opened).toMatchObject({
      links: [{ fileId: `b${"a".repeat(58)}` }, { fileId: `b${"c".repeat(58)}` }],
    });
    expect(routeOf("#/open?link=%E0%A4%A").screen).toBe("unknown");
    expect(routeOf("#/open").screen).toBe("unknown");
  });
});

describe("a reason of the node", () => {
  test.each([
    ["no room is left", "No room is left."],
    ["Delete files.", "Delete files."],
    [" ", "It failed without a reason. Try again, and reload the page if it fails again."],
  ])("%j is said as a sentence", (reason, said) => {
    expect(messageOf(new Error(reason))).toBe(said);
  });

  test("is followed by what helps", () => {
    const failed = (now: Partial<Transfer>) => adviceOn({ status: "failed", ...now } as Transfer);
    const error = "no peer offers this file";
    expect(failed({ error, progress: 0.5, size: 9 })).toMatch(
      /^No peer offers this file\. Try again: what is here/,
    );
    expect(failed({ error, progress: 0, size: null })).toMatch(
      /^No peer offers this file\. Ask .* same swarm/,
    );
    expect(failed({ error: "it is gone", progress: 0, size: 9 })).toBe(
      "It is gone. Try again when that has changed.",
    );
    const full = { error: "no room", storage_full: true };
    expect(failed({ ...full, progress: 0, size: null })).toBe("No room. Make room and try again.");
    expect(failed({ ...full, progress: 0.5, size: 9 })).toMatch(/^No room\. Make room and try again: what/);
  });
});
