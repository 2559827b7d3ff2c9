/** What an index does by itself, and how it tells what went wrong. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import type { Engine } from "../../../src/vx/engine/engine.ts";
import { SNAPSHOT_RETRY_MS } from "../../../src/vx/engine/limits.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { Upkeep } from "../../../src/vx/engine/upkeep.ts";
import { VxError } from "../../../src/vx/errors.ts";
import { openMemoryIndexStorage } from "../../../src/vx/storage/memory-index-storage.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { eventually } from "../../eventually.ts";
import { MemoryDisk } from "../library/memory-disk.ts";
import { Faults, failing } from "../storage/failing-storage.ts";

const idle = { snapshot: async () => {}, isSnapshotDue: () => false, tend: () => false };

describe("upkeep", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("takes snapshots and backups at their intervals, and none once closed", async () => {
    const done: string[] = [];
    const work = {
      ...idle,
      snapshot: async () => void done.push("snapshot"),
      backup: async () => void done.push("backup"),
    };
    const upkeep = new Upkeep(work, { persistIntervalMs: 1000, backupIntervalMs: 2500 });
    await vi.advanceTimersByTimeAsync(3000);
    expect(done).toEqual(["snapshot", "snapshot", "backup", "snapshot"]);
    await upkeep.close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(done).toHaveLength(4);
  });

  it("tells a failure until the work succeeds", async () => {
    let isFull = true;
    const snapshot = async () => {
      if (isFull) throw new VxError("storage_full", "The disk is full");
    };
    const upkeep = new Upkeep({ ...idle, snapshot }, { persistIntervalMs: 1000 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(upkeep.failures).toMatchObject([
      { task: "snapshot", code: "storage_full", message: "The disk is full" },
    ]);
    isFull = false;
    await vi.advanceTimersByTimeAsync(1000);
    expect(upkeep.failures).toEqual([]);
    await upkeep.close();
  });

  it("begins no snapshot while one is being written", async () => {
    const ends: (() => void)[] = [];
    const snapshot = () => new Promise<void>((resolve) => ends.push(resolve));
    const upkeep = new Upkeep({ ...idle, snapshot, isSnapshotDue: () => true }, { persistIntervalMs: 1000 });
    upkeep.changed();
    upkeep.changed();
    await vi.advanceTimersByTimeAsync(3000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await upkeep.close();
  });

  it("takes one that is due again, once a snapshot that another asked for has succeeded", async () => {
    let tries = 0;
    const snapshot = async () => {
      tries++;
      throw new Error("no");
    };
    const upkeep = new Upkeep({ ...idle, snapshot, isSnapshotDue: () => true }, {});
    upkeep.changed();
    await vi.advanceTimersByTimeAsync(0);
    upkeep.changed();
    expect(tries).toBe(1);
    upkeep.succeeded("snapshot");
    upkeep.changed();
    expect(tries).toBe(2);
    await upkeep.close();
  });

  it("takes a snapshot before its time when one is due, but not again at once after a failure", async () => {
    let tries = 0;
    const snapshot = async () => {
      tries++;
      throw new Error("no");
    };
    const upkeep = new Upkeep({ ...idle, snapshot, isSnapshotDue: () => true }, { persistIntervalMs: 1000 });
    upkeep.changed();
    await vi.advanceTimersByTimeAsync(0);
    upkeep.changed();
    expect(tries).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(tries).toBe(2);
    await upkeep.close();
  });

  it("tries a snapshot that is due again after a while, where none is on a schedule", async () => {
    let tries = 0;
    const snapshot = async () => {
      tries++;
      throw new Error("no");
    };
    const upkeep = new Upkeep({ ...idle, snapshot, isSnapshotDue: () => true }, {});
    for (const waitMs of [0, SNAPSHOT_RETRY_MS - 1, 1, 1]) {
      await vi.advanceTimersByTimeAsync(waitMs);
      upkeep.changed();
    }
    expect(tries).toBe(2);
    await upkeep.close();
  });

  it("tends while there is more to do, after filtered searches", async () => {
    let left = 3;
    const upkeep = new Upkeep({ ...idle, tend: () => --left > 0 }, {});
    upkeep.filtered();
    upkeep.filtered();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(left).toBe(0);
    await upkeep.close();
  });
});

describe("an engine's schedule", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** The next one, of an engine that makes one a minute and whose clock the test sets. */
  async function scheduledBackup(engine: Engine): Promise<void> {
    const due = Date.now() + 60_000;
    await eventually(async () => {
      // None begins while the one before has the oldest deleted.
      vi.advanceTimersByTime(60_000);
      expect((await engine.health()).lastBackup?.getTime()).toBeGreaterThanOrEqual(due);
    });
  }

  it("tells no more of a snapshot that failed once the index was saved", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const faults = new Faults();
    const storage = failing(await openMemoryIndexStorage(), faults);
    const config = readConfig({ dimension: 2, storagePath: "disk", persistInterval: "1m" }, true);
    const engine = await openEngine(config, {
      openStorage: async (path) => (path === "disk" ? storage : openMemoryIndexStorage()),
      locateArchive: Promise.reject,
    });
    await engine.add({ ids: BigUint64Array.of(1n), vectors: Float32Array.of(1, 2) });
    faults.freeBytes = 0;
    vi.advanceTimersByTime(60_000);
    const failed = { task: "snapshot", code: "storage_full" };
    await eventually(async () => expect((await engine.health()).failures).toMatchObject([failed]));
    await expect(engine.save(undefined)).rejects.toMatchObject({ code: "storage_full" });
    await engine.save("elsewhere");
    expect((await engine.health()).failures).toMatchObject([failed]);
    faults.freeBytes = Number.POSITIVE_INFINITY;
    await engine.save(undefined);
    expect(await engine.health()).toMatchObject({ status: "ok", failures: [] });
    await engine.close();
  });

  it.each([undefined, "disk"])(
    "writes what changed to its own folder, and the same not again: save(%s)",
    async (path) => {
      const storage = await openMemoryIndexStorage();
      const engine = await openEngine(readConfig({ dimension: 2, storagePath: "disk" }, true), {
        openStorage: async () => storage,
        locateArchive: Promise.reject,
      });
      const written = async () => {
        await engine.save(path);
        return (await engine.health()).lastSnapshot;
      };
      expect(await written()).toBeUndefined();
      await engine.add({ ids: BigUint64Array.of(1n), vectors: Float32Array.of(1, 2) });
      const first = await written();
      expect(first).toBeInstanceOf(Date);
      expect(await written()).toBe(first);
      await engine.close();
    },
  );

  it("backs up what changed, keeps maxBackups of it, and says when", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const config = { dimension: 2, storagePath: "disk/index", backupInterval: "1m", maxBackups: 2 };
    const engine = await openEngine(readConfig(config, true), disk);
    for (let id = 1n; id <= 5n; id++) {
      await engine.add({ ids: BigUint64Array.of(id), vectors: Float32Array.of(1, Number(id)) });
      await scheduledBackup(engine);
    }
    const kept = () => disk.archivesIn("disk/index/backups");
    await eventually(() => expect(kept().length).toBeLessThanOrEqual(3));
    const names = kept();
    vi.advanceTimersByTime(60_000);
    await engine.close();
    expect(disk.archivesIn("disk/index/backups")).toEqual(names);
    expect(names.length).toBeGreaterThanOrEqual(2);

    const fresh = await openEngine(readConfig({ dimension: 2 }, true), disk);
    const newest = names.sort().at(-1);
    expect(await fresh.restore(`disk/index/backups/${newest}`)).toMatchObject({ vectorCount: 5 });
    await fresh.close();
  });

  it("counts those that earlier processes made of an index in memory, and none of one that differs", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const config = { backupPath: "disk/backups", backupInterval: "1m", maxBackups: 2 };
    const made: string[] = [];
    for (const [id, dimension] of [3, 2, 2, 2, 2].entries()) {
      const engine = await openEngine(readConfig({ ...config, dimension }, true), disk);
      await engine.add({ ids: BigUint64Array.of(BigInt(id)), vectors: new Float32Array(dimension).fill(1) });
      await scheduledBackup(engine);
      await engine.close();
      made.push(...disk.archivesIn("disk/backups").filter((name) => !made.includes(name)));
    }
    expect(disk.archivesIn("disk/backups")).toEqual([made[0], made[3], made[4]]);
    const fresh = await openEngine(readConfig({ dimension: 2 }, true), disk);
    await fresh.restore(`disk/backups/${made[4]}`);
    expect(await fresh.get(4n)).toBeDefined();
    await fresh.close();
  });

  it("makes no further one of the same after a restart, but of what is added then", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const config = { dimension: 2, storagePath: "disk/index", backupInterval: "1m" };
    const open = () => openEngine(readConfig(config, true), disk);
    const engine = await open();
    await engine.add({ ids: BigUint64Array.of(1n), vectors: Float32Array.of(1, 2) });
    await scheduledBackup(engine);
    await engine.close();
    const [made] = disk.archivesIn("disk/index/backups");

    let again = await open();
    vi.advanceTimersByTime(60_000);
    await again.close();
    expect(disk.archivesIn("disk/index/backups")).toEqual([made]);
    again = await open();
    await again.add({ ids: BigUint64Array.of(2n), vectors: Float32Array.of(1, 3) });
    await scheduledBackup(again);
    await again.close();
    expect(disk.archivesIn("disk/index/backups")).toHaveLength(2);
  });

  it.each(["disk/index", ":memory:"])(
    "makes one of %s once another model was fitted",
    async (storagePath) => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
      const disk = new MemoryDisk();
      const reduction = { enableDimReduction: true, dimReductionTarget: 2, fitAfter: 8 };
      const config = {
        dimension: 4,
        storagePath,
        backupPath: "disk/backups",
        backupInterval: "1m",
        ...reduction,
      };
      const engine = await openEngine(readConfig(config, true), disk);
      const vectors = Float32Array.from({ length: 48 }, (_, i) => Math.sin(i * i));
      await engine.add({ ids: BigUint64Array.from({ length: 12 }, (_, i) => BigInt(i)), vectors });
      await engine.refit();
      await scheduledBackup(engine);
      await engine.refit();
      await scheduledBackup(engine);
      await engine.close();
      expect(disk.archivesIn("disk/backups")).toHaveLength(2);
    },
  );

  it.each(["disk/index", ":memory:"])(
    "makes one of %s of what was added while the last one was made",
    async (storagePath) => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
      const disk = new MemoryDisk();
      const locate = disk.locateArchive.bind(disk);
      let adding: Promise<void> | undefined;
      disk.locateArchive = async (path) => {
        const place = await locate(path);
        const create = place.folder.create.bind(place.folder);
        place.folder.create = async (name) => {
          adding ??= engine.add({ ids: BigUint64Array.of(2n), vectors: Float32Array.of(1, 3) });
          await nextTurn();
          return create(name);
        };
        return place;
      };
      const config = { dimension: 2, storagePath, backupPath: "disk/backups", backupInterval: "1m" };
      const engine = await openEngine(readConfig(config, true), disk);
      await engine.add({ ids: BigUint64Array.of(1n), vectors: Float32Array.of(1, 2) });
      await engine.backup({ path: "disk/backups/mine.zip", incremental: false });
      await adding;
      vi.advanceTimersByTime(60_000);
      // Waits for one that is under way.
      await engine.close();
      const scheduled = disk.archivesIn("disk/backups").find((name) => name.startsWith("vx-scheduled-"));
      expect(scheduled).toBeDefined();
      const fresh = await openEngine(readConfig({ dimension: 2 }, true), disk);
      expect(await fresh.restore(`disk/backups/${scheduled}`)).toMatchObject({ vectorCount: 2 });
      await fresh.close();
    },
  );

  it("makes one of what was added since a restore, though as much was added before", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const config = { dimension: 2, backupPath: "disk/backups", backupInterval: "1m" };
    const engine = await openEngine(readConfig(config, true), disk);
    const add = (id: bigint) => engine.add({ ids: BigUint64Array.of(id), vectors: Float32Array.of(1, 2) });
    await engine.backup({ path: "disk/others/empty.zip", incremental: false });
    await add(1n);
    await scheduledBackup(engine);
    await engine.restore("disk/others/empty.zip");
    await add(2n);
    vi.advanceTimersByTime(60_000);
    // Waits for one that is under way.
    await engine.close();
    expect(disk.archivesIn("disk/backups")).toHaveLength(2);
  });

  it("makes none of an index that never held anything", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    for (const storagePath of ["disk/index", ":memory:"]) {
      const config = { dimension: 2, storagePath, backupPath: "disk/backups", backupInterval: "1m" };
      const engine = await openEngine(readConfig(config, true), disk);
      vi.advanceTimersByTime(60_000);
      // Waits for one that is under way.
      await engine.close();
    }
    expect(disk.archivesIn("disk/backups")).toEqual([]);
  });

  it("leaves backups alone that somebody asked for, and what they go on from", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const config = { dimension: 2, storagePath: "disk/index", backupInterval: "1m", maxBackups: 1 };
    const engine = await openEngine(readConfig(config, true), disk);
    const asked: string[] = [];
    for (let id = 1; id <= 6; id++) {
      await engine.add({ ids: BigUint64Array.of(BigInt(id)), vectors: Float32Array.of(1, id) });
      if (id === 1 || id === 3) {
        asked.push((await engine.backup({ incremental: true })).path);
        await engine.add({ ids: BigUint64Array.of(BigInt(10 + id)), vectors: Float32Array.of(1, id) });
      }
      await scheduledBackup(engine);
    }
    await engine.close();
    const fresh = await openEngine(readConfig({ dimension: 2 }, true), disk);
    expect(await fresh.restore(asked[0] as string)).toMatchObject({ vectorCount: 1 });
    expect(await fresh.restore(asked[1] as string)).toMatchObject({ vectorCount: 4 });
    await fresh.close();
    // The newest of its own, and the one that the second asked for goes on from.
    expect(disk.archivesIn("disk/index/backups")).toHaveLength(asked.length + 2);
  });

  it("makes one again that somebody deleted, though nothing changed", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const config = { dimension: 2, storagePath: "disk/index", backupInterval: "1m" };
    const engine = await openEngine(readConfig(config, true), disk);
    for (const id of [1, 2]) {
      await engine.add({ ids: BigUint64Array.of(BigInt(id)), vectors: Float32Array.of(1, id) });
      await scheduledBackup(engine);
    }
    const [, deleted] = disk.archivesIn("disk/index/backups").sort();
    const { folder, name } = await disk.locateArchive(`disk/index/backups/${deleted}`);
    await folder.delete(name);
    await scheduledBackup(engine);
    await engine.close();

    const newest = disk.archivesIn("disk/index/backups").sort().at(-1);
    expect(newest).not.toBe(deleted);
    const fresh = await openEngine(readConfig({ dimension: 2 }, true), disk);
    expect(await fresh.restore(`disk/index/backups/${newest}`)).toMatchObject({ vectorCount: 2 });
    await fresh.close();
  });

  it("makes no further one of the same while the oldest cannot be deleted, says why, and deletes them later", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const locate = disk.locateArchive.bind(disk);
    let unread: string | undefined;
    disk.locateArchive = async (path) => {
      const place = await locate(path);
      const open = place.folder.open.bind(place.folder);
      const failure = Object.assign(new Error("too many open files"), { code: "EMFILE", syscall: "open" });
      place.folder.open = (name) => (name === unread ? Promise.reject(failure) : open(name));
      return place;
    };
    const config = { dimension: 2, storagePath: "disk/index", backupInterval: "1m", maxBackups: 1 };
    const engine = await openEngine(readConfig(config, true), disk);
    const names = () => disk.archivesIn("disk/index/backups");
    for (const id of [1, 2]) {
      await engine.add({ ids: BigUint64Array.of(BigInt(id)), vectors: Float32Array.of(1, id) });
      await scheduledBackup(engine);
      unread ??= names()[0];
    }
    const said = {
      task: "backup",
      code: "unavailable",
      message: `The backup ${unread} cannot be read now: EMFILE`,
    };
    const failsSince = (dueMs: number) =>
      eventually(async () => {
        const [failure] = (await engine.health()).failures;
        expect(failure).toMatchObject(said);
        expect(failure?.timestamp.getTime()).toBeGreaterThanOrEqual(dueMs);
      });
    await failsSince(0);
    vi.advanceTimersByTime(60_000);
    await failsSince(Date.now());
    expect(names()).toHaveLength(2);
    const [, newest] = names();
    unread = undefined;
    vi.advanceTimersByTime(60_000);
    await eventually(async () => expect((await engine.health()).failures).toEqual([]));
    expect(names()).toEqual([newest]);
    await engine.close();
  });

  it.each([
    ["disk/index", "disk/elsewhere/mine.zip", 1],
    ["disk/index", "disk/index/backups/below/mine.zip", 1],
    ["disk/index", "disk/index/backups/mine.zip", 0],
    ["disk/index", undefined, 0],
    [":memory:", "disk/elsewhere/mine.zip", 1],
    [":memory:", "disk/index/backups/mine.zip", 0],
  ])("makes one of %s after a backup to %s if that is not in its folder", async (storagePath, path, made) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    const disk = new MemoryDisk();
    const config = { dimension: 2, storagePath, backupPath: "disk/index/backups", backupInterval: "1m" };
    const engine = await openEngine(readConfig(config, true), disk);
    await engine.add({ ids: BigUint64Array.of(1n), vectors: Float32Array.of(1, 2) });
    await engine.backup({ path, incremental: false });
    // One that is under way is waited for.
    vi.advanceTimersByTime(60_000);
    await engine.close();
    const scheduled = disk
      .archivesIn("disk/index/backups")
      .filter((name) => name.startsWith("vx-scheduled-"));
    expect(scheduled).toHaveLength(made);
  });
});
