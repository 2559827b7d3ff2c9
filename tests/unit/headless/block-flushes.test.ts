/**
 * When blocks become durable, and what a flush that fails leaves: src/headless/blocks/block-flushes, on a disk that
 * waits to be told.
 */
import { describe, expect, it, vi } from "vitest";
import { BlockFlushes, type BlockFlushesOptions } from "../../../src/headless/blocks/block-flushes.ts";
import type { BlockPlace } from "../../../src/headless/blocks/segment-files.ts";
import { FLUSH_BYTES, MAX_UNFLUSHED_BYTES } from "../../../src/headless/limits.ts";
import { deferred } from "../../deferred.ts";

const soon = () => new Promise((resolve) => setImmediate(resolve));

function openFlushes() {
  const done: string[] = [];
  const disk = { position: { segment: 1, offset: 0 }, syncs: [] as ReturnType<typeof deferred<void>>[] };
  const lost: number[] = [];
  const forget = vi.fn<BlockFlushesOptions["forget"]>(async () => {});
  const onError = vi.fn();
  const flushes = new BlockFlushes({
    index: {
      setDurable: async (mark: object) => void done.push(`mark ${Object.values(mark)}`),
    },
    segments: {
      position: () => disk.position,
      sync: async (onLost: (segment: number) => void) => {
        const sync = deferred<void>();
        disk.syncs.push(sync);
        await sync.promise.finally(() => lost.forEach(onLost));
        done.push("sync");
      },
    },
    durable: { segment: 1, offset: 0, flush: 6 },
    firstFlush: 7,
    ...{ forget, onError },
  } as unknown as BlockFlushesOptions);
  /** Ends the newest sync. */
  const sync = async (error?: Error) => {
    const newest = disk.syncs.at(-1);
    if (error === undefined) newest?.resolve();
    else newest?.reject(error);
    await soon();
  };
  return { flushes, disk, done, lost, forget, onError, sync };
}

const fault = (code: string) => Object.assign(new Error(`${code}: fdatasync`), { code });

describe("a flush", () => {
  it("waits for the writes under way, syncs, and marks as durable what had a place when it began", async () => {
    const { flushes, disk, done, sync } = openFlushes();
    const [writing, failing] = [deferred(), deferred()];
    const written = flushes.cover(10, writing.promise);
    const failed = flushes.cover(10, failing.promise);
    disk.position = { segment: 1, offset: 4096 };
    const flush = flushes.request();
    disk.position = { segment: 2, offset: 0 };
    failing.reject(new Error("not written"));
    await expect(failed).rejects.toThrow("not written");
    await soon();
    expect(disk.syncs).toHaveLength(0);
    writing.resolve();
    await written;
    await soon();
    expect(done).toEqual([]);
    await sync();
    await flush;
    expect(done).toEqual(["sync", "mark 1,4096,7"]);
  });

  it("has a number of its own, which is known before", async () => {
    const { flushes, done, sync } = openFlushes();
    expect(flushes.next).toBe(7);
    const first = flushes.request();
    expect(flushes.next).toBe(8);
    await soon();
    await sync();
    await first;
    const second = flushes.request();
    await soon();
    await sync();
    await second;
    expect(done.filter((what) => what !== "sync")).toEqual(["mark 1,0,7", "mark 1,0,8"]);
  });

  it("comes by itself once enough is written, and again for what is written meanwhile", async () => {
    const { flushes, disk, sync } = openFlushes();
    const write = async (sizeBytes: number) => {
      await flushes.cover(sizeBytes, Promise.resolve());
      await flushes.requestSoon();
      await soon();
    };
    await write(FLUSH_BYTES - 1);
    expect(disk.syncs).toHaveLength(0);
    await write(1);
    expect(disk.syncs).toHaveLength(1);
    await write(FLUSH_BYTES - 1);
    await sync();
    expect(disk.syncs).toHaveLength(1);
    await write(0);
    expect(disk.syncs).toHaveLength(1);
    await write(1);
    expect(disk.syncs).toHaveLength(2);
    await sync();
  });

  it("is waited for where too much is not durable, and takes as much as has been written till then", async () => {
    const { flushes, disk, sync } = openFlushes();
    await flushes.cover(MAX_UNFLUSHED_BYTES, Promise.resolve());
    const ended = vi.fn();
    const waiting = flushes.requestSoon().then(ended);
    await soon();
    expect(disk.syncs).toHaveLength(1);
    expect(ended).not.toHaveBeenCalled();
    await sync();
    await waiting;
    await flushes.requestSoon();
    await soon();
    expect(disk.syncs).toHaveLength(1);
  });

  it("that failed and that nobody waited for is told of, and its work is the next one's", async () => {
    const { flushes, disk, done, onError, forget, sync } = openFlushes();
    await flushes.cover(FLUSH_BYTES, Promise.resolve());
    await flushes.requestSoon();
    await soon();
    await sync(fault("ENOSPC"));
    expect(onError.mock.calls).toMatchObject([[{ name: "storage_full" }]]);
    expect(forget).not.toHaveBeenCalled();
    await flushes.keepDeletions();
    expect(done).toEqual(["mark 1,0,6"]);
    await flushes.requestSoon();
    await soon();
    expect(disk.syncs).toHaveLength(2);
    await sync();
    await flushes.keepDeletions();
    expect(done).toEqual(["mark 1,0,6", "sync", "mark 1,0,8", "mark 1,0,8"]);
  });

  it("that may have lost something has that forgotten before it fails, and nothing that was durable", async () => {
    const { flushes, lost, forget, onError, sync } = openFlushes();
    const place = (segment: number, flush: number): BlockPlace => ({
      segment,
      offset: 0,
      sizeBytes: 10,
      flush,
    });
    const forgetting = deferred();
    forget.mockReturnValueOnce(forgetting.promise);
    lost.push(3);
    const error = fault("EIO");
    const ended = vi.fn();
    const flush = flushes.request().finally(ended);
    flush.catch(() => undefined);
    await soon();
    await sync(error);
    expect(forget).toHaveBeenCalledExactlyOnceWith(expect.any(Function), error);
    expect(ended).not.toHaveBeenCalled();
    const isLost = forget.mock.calls[0]?.[0] as (place: BlockPlace) => boolean;
    expect([place(3, 7), place(3, 6), place(2, 7)].map(isLost)).toEqual([true, false, false]);
    const another = new Error("nor can that be noted");
    forgetting.reject(another);
    await expect(flush).rejects.toBe(error);
    expect(onError.mock.calls).toEqual([[another]]);
  });
});
