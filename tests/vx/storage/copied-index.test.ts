/**
 * Copies of an index's folder that back up to one place, as two machines do, or one that was set back: each has chains
 * of its own.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deleteArchive } from "../../../src/vx/storage/archive-removal.ts";
import { scheduledBackupName } from "../../../src/vx/storage/backup-name.ts";
import type { IndexStore } from "../../../src/vx/storage/index-store.ts";
import { full, incremental, Site } from "./backup-site.ts";
import { adds, loaded, placeIn, type SmallIndex, snapshot, write } from "./small-index.ts";

type Content = ReturnType<SmallIndex["content"]>;

/** One of two copies, open. */
class Machine {
  readonly site: Site;
  readonly #mark: string;
  store: IndexStore;
  index: SmallIndex;
  #written = 0;

  private constructor(site: Site, mark: string, store: IndexStore, index: SmallIndex) {
    this.site = site;
    this.#mark = mark;
    this.store = store;
    this.index = index;
  }

  static async open(site: Site, mark: string): Promise<Machine> {
    const store = await site.open();
    return new Machine(site, mark, store, await loaded(store));
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = await this.site.open();
    this.index = await loaded(this.store);
  }

  async write(count = 2): Promise<void> {
    this.#written += count;
    await write(this.store, this.index, adds(this.#written % 20, count, this.#mark));
  }
}

/** Two that have the same three records and one full backup, `first.zip`. */
async function twoMachines(): Promise<{ a: Machine; b: Machine }> {
  const a = await Machine.open(new Site(), "a");
  await write(a.store, a.index, adds(0, 3));
  await a.site.backup(a.store, "first.zip", full);
  const b = await Machine.open(a.site.copy(), "bb");
  return { a, b };
}

test("a backup of a copy goes on from its own, not from one of the other that is newer", async () => {
  const { a, b } = await twoMachines();
  await b.write(9);
  await b.site.backup(b.store, "b1.zip", incremental);
  await a.write(3);
  await a.site.backup(a.store, "a1.zip", incremental);
  await b.write(5);
  expect(await b.site.backup(b.store, "b2.zip", incremental)).toMatchObject({ incremental: true });
  expect(await b.site.restored("b2.zip")).toEqual(b.index.content());
  expect(await b.site.restored("a1.zip")).toEqual(a.index.content());
  for (const { store } of [a, b]) await store.close();
});

/** Where its own newest backup is deleted, the next one restores what the index holds, after so many writes more. */
async function expectSoundWithoutItsNewest(machine: Machine, writes: number): Promise<void> {
  const { site, store, index } = machine;
  await machine.write(9);
  await site.backup(store, "b1.zip", incremental);
  await deleteArchive(placeIn(site.folder, "b1.zip"));
  await machine.write(writes);
  await site.backup(store, "b2.zip", incremental);
  expect(await site.restored("b2.zip")).toEqual(index.content());
  await store.close();
}

test("an index that was set back goes on from none of its lost future, also once its own newest is deleted", async () => {
  const { a, b } = await twoMachines();
  await a.write(3);
  await a.site.backup(a.store, "lost.zip", incremental);
  await a.store.close();
  await expectSoundWithoutItsNewest(b, 5);
});

describe("a copy whose journal is older than what it knows of backups goes on from none of them", () => {
  async function tornCopy(): Promise<Machine> {
    const { a } = await twoMachines();
    const torn = a.site.copy();
    await a.write(3);
    await a.site.backup(a.store, "a1.zip", incremental);
    const known = a.site.index.files.get("last-backup");
    if (known === undefined) throw new Error("no last-backup");
    torn.index.files.set("last-backup", known);
    await a.store.close();
    return Machine.open(torn, "b");
  }

  test("where it makes one at once", async () => {
    await expectSoundWithoutItsNewest(await tornCopy(), 2);
  });

  test("where it was opened once more, with a journal as long as theirs", async () => {
    const b = await tornCopy();
    await b.write(9);
    await b.reopen();
    await b.site.backup(b.store, "b1.zip", incremental);
    expect(await b.site.restored("b1.zip")).toEqual(b.index.content());
    await b.store.close();
  });
});

test.each(["", "null", "3", '{"archives":[1]}', '{"timeline":"a","sequence":"1","archives":[]}'])(
  "an index opens whose list of its backups is damaged (%s), and backs up in full",
  async (text) => {
    const { a, b } = await twoMachines();
    await a.store.close();
    const bytes = new TextEncoder().encode(text);
    a.site.index.files.set("last-backup", { bytes, length: bytes.length });
    await a.reopen();
    expect(await a.site.backup(a.store, "a1.zip", incremental)).toMatchObject({ incremental: false });
    for (const { store } of [a, b]) await store.close();
  },
);

test("a schedule deletes none that a copy has made", async () => {
  const { a, b } = await twoMachines();
  const names = [0, 1, 2, 3, 4, 5].map((i) => scheduledBackupName(new Date(i)));
  const contents = new Map<string, Content>();
  for (const [i, name] of names.entries()) {
    // The copy makes the first two, and nothing after that.
    const machine = i < 2 ? b : a;
    await machine.write();
    await machine.site.scheduled(machine.store, name, incremental, 2);
    contents.set(name, machine.index.content());
  }
  for (const name of a.site.names().filter((name) => contents.has(name)))
    expect(await a.site.restored(name)).toEqual(contents.get(name));
  expect(a.site.names()).toEqual(expect.arrayContaining([...names.slice(0, 2), ...names.slice(-2)]));
  for (const { store } of [a, b]) await store.close();
});

/** A machine that made two backups by schedule, of which one is too many, and a copy of it from between them. */
async function copiedBetweenTwo() {
  const { a } = await twoMachines();
  const [old, kept] = [scheduledBackupName(new Date(0)), scheduledBackupName(new Date(1))];
  await a.write();
  await a.site.backup(a.store, old, full);
  const b = await Machine.open(a.site.copy(), "b");
  await b.write();
  await a.write();
  await a.site.backup(a.store, kept, full);
  return { a, b, old, kept };
}

test("what a schedule deletes is kept where a copy has come to go on from it meanwhile", async () => {
  const { a, b, old, kept } = await copiedBetweenTwo();
  const create = a.site.folder.create.bind(a.site.folder);
  a.site.folder.create = async (name) => {
    a.site.folder.create = create;
    // The first look is over, and no mark is there yet.
    expect(await b.site.backup(b.store, "b1.zip", incremental)).toMatchObject({ incremental: true });
    return create(name);
  };
  await a.store.prune(placeIn(a.site.folder, kept), 1);
  expect(await b.site.restored("b1.zip")).toEqual(b.index.content());
  expect(a.site.names()).toEqual(["b1.zip", "first.zip", old, kept]);
  for (const { store } of [a, b]) await store.close();
});

test("a backup of a copy is full where a schedule deletes what it would go on from", async () => {
  const { a, b, old, kept } = await copiedBetweenTwo();
  const remove = a.site.folder.delete.bind(a.site.folder);
  a.site.folder.delete = async (...gone) => {
    if (gone.includes(old))
      expect(await b.site.backup(b.store, "b1.zip", incremental)).toMatchObject({ incremental: false });
    return remove(...gone);
  };
  await a.store.prune(placeIn(a.site.folder, kept), 1);
  expect(await b.site.restored("b1.zip")).toEqual(b.index.content());
  expect(a.site.names()).toEqual(["b1.zip", "first.zip", kept]);
  for (const { store } of [a, b]) await store.close();
});

const kind = fc.constantFrom(
  ...(["write", "write", "backup", "scheduled", "snapshot", "reopen", "delete"] as const),
);
const step = fc.record({ kind, who: fc.constantFrom("a" as const, "b" as const), place: fc.nat(9) });

test("every backup of two copies restores what it was made of, whatever they do", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      const machines = await twoMachines();
      const { site } = machines.a;
      const contents = new Map([["first.zip", machines.a.index.content()]]);
      for (const [i, { kind, who, place }] of steps.entries()) {
        const machine = machines[who];
        const name = kind === "scheduled" ? scheduledBackupName(new Date(i)) : `${i}.zip`;
        if (kind === "write") await machine.write();
        else if (kind === "snapshot") await snapshot(machine.store, machine.index);
        else if (kind === "reopen") await machine.reopen();
        else if (kind === "delete") {
          const names = site.names();
          const gone = names[place % Math.max(1, names.length)] ?? "none.zip";
          await deleteArchive(placeIn(site.folder, gone)).catch((error: unknown) => {
            expect(error).toMatchObject({ code: "conflict" });
          });
        } else {
          contents.set(name, machine.index.content());
          if (kind === "scheduled") await machine.site.scheduled(machine.store, name, incremental, 2);
          else await machine.site.backup(machine.store, name, incremental);
        }
      }
      for (const name of site.names()) expect(await site.restored(name)).toEqual(contents.get(name));
      for (const { store } of Object.values(machines)) await store.close();
    }),
    { numRuns: 15 },
  );
});
