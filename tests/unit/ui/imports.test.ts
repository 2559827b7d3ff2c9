/** Files on their way into the node: src/ui/state/imports and upload. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ShoalClient } from "../../../src/client/client.ts";
import { ShoalError } from "../../../src/client/shoal-error.ts";
import { FEW_IMPORTS, IMPORT_TRIES, SENT_INTERVAL_MS, SIZES_A_TASK } from "../../../src/ui/limits.ts";
import { createImports } from "../../../src/ui/state/imports.ts";
import { deferred } from "../../deferred.ts";
import { untilTrue } from "../../eventually.ts";

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

  test("how far a try came is not told once that is over", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const upload = async (body: ReadableStream<Uint8Array>) => {
      await body.getReader().read();
      throw new ShoalError("The tab that hosted the node has handed it over", 503, "503", 1);
    };
    const isLeft = deferred<void>();
    let asked = 0;
    const whenRunning = async () => {
      asked += 1;
      if (asked === 1) return;
      isLeft.resolve();
      await new Promise(() => {});
    };
    const imports = createImports({ upload } as unknown as ShoalClient, { ...host(true), whenRunning });
    imports.add([given("a.txt")]);
    await isLeft.promise;
    vi.advanceTimersByTime(SENT_INTERVAL_MS);
    expect(imports.list.value[0]).toMatchObject({ state: "running", sentBytes: undefined });
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
