/** What is known of other authors' files: src/network/announcing/catalogues. */
import { beforeEach, describe, expect, it } from "vitest";
import type { AnnounceMessage } from "../../../src/network/announcing/announcement.ts";
import { Catalogues } from "../../../src/network/announcing/catalogues.ts";
import {
  AUTHOR_EXPIRY_MS,
  MAX_AUTHORS_TOLD_OF,
  MAX_FILES_IN_ALL,
  MAX_FILES_PER_AUTHOR,
  MAX_FILES_TOLD_OF,
} from "../../../src/network/announcing/limits.ts";
import { EXPIRY_CHECK_MS, MAX_AUTHORS } from "../../../src/network/limits.ts";
import type { Announcement } from "../../../src/sharing/ports.ts";
import { someFile } from "../../network/some-file.ts";
import { processorMs } from "../../processor-time.ts";
import { HandClock } from "../hand-clock.ts";

const one = someFile("one");
const two = someFile("two");

function hello(epoch = 1): AnnounceMessage {
  return { kind: "hello", epoch, seq: 1, revision: 0, addresses: [] };
}
function alive(seq: number, revision: number, epoch = 1): AnnounceMessage {
  return { kind: "alive", epoch, seq, revision, addresses: [] };
}
function add(seq: number, revision: number, files = [one], epoch = 1): AnnounceMessage {
  return { kind: "add", epoch, seq, revision, files };
}

describe("catalogues of others", () => {
  let clock: HandClock;
  let changes: number;
  let catalogues: Catalogues;

  /** From the author itself. */
  const hear = (authorId: string, message: AnnounceMessage) => catalogues.hear(authorId, message, authorId);

  /** Time in which it is looked who is silent, as the swarm does. */
  const pass = async (ms: number) => {
    for (let restMs = ms; restMs > 0; restMs -= EXPIRY_CHECK_MS) {
      await clock.pass(Math.min(restMs, EXPIRY_CHECK_MS));
      catalogues.expire();
    }
  };

  beforeEach(() => {
    clock = new HandClock();
    changes = 0;
    catalogues = new Catalogues(clock, () => {
      changes += 1;
    });
  });

  it("follow an author from its hello on, without asking it", () => {
    expect(hear("a", hello())).toBe("applied");
    expect(hear("a", add(2, 1, [one, two]))).toBe("applied");
    const remove: AnnounceMessage = { kind: "remove", epoch: 1, seq: 3, revision: 2, fileIds: [one.fileId] };
    expect(hear("a", remove)).toBe("applied");
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["two"]);
    expect(changes).toBe(2);
  });

  it("need the whole catalogue of an unknown author, after a gap, and of a new epoch", () => {
    expect(hear("a", alive(7, 3))).toBe("behind");
    expect(hear("b", hello())).toBe("applied");
    expect(hear("b", add(3, 2))).toBe("behind");
    expect(hear("b", alive(4, 5))).toBe("behind");
    expect(hear("b", alive(1, 9, 2))).toBe("behind");
    expect(catalogues.offers()).toEqual([]);
  });

  it("ignore repeats and older epochs", () => {
    hear("a", hello(5));
    hear("a", add(2, 1, [one], 5));
    expect(hear("a", add(2, 1, [two], 5))).toBe("repeat");
    expect(hear("a", hello(4))).toBe("repeat");
    expect(hear("a", add(9, 1, [two], 4))).toBe("repeat");
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["one"]);
  });

  it("tell of a change once it is made", () => {
    const told: number[] = [];
    catalogues = new Catalogues(clock, () => told.push(catalogues.offers().length));
    hear("a", hello(1));
    hear("a", add(2, 1));
    hear("a", hello(2));
    catalogues.replace("a", { epoch: 3, seq: 1, revision: 1 }, [one, two], []);
    catalogues.forget("a", "lost");
    expect(told).toEqual([1, 0, 2, 0]);
  });

  it("start over with a new epoch", () => {
    hear("a", hello(1));
    hear("a", add(2, 1));
    hear("a", hello(2));
    expect(catalogues.offers()).toEqual([]);
    expect(changes).toBe(2);
  });

  it("end with bye, and old messages don't bring them back", () => {
    hear("a", hello());
    hear("a", add(2, 1));
    expect(hear("a", { kind: "bye", epoch: 1, seq: 3, revision: 1 })).toBe("applied");
    expect(hear("a", add(2, 1))).toBe("repeat");
    expect(hear("a", alive(9, 1))).toBe("repeat");
    catalogues.replace("a", { epoch: 1, seq: 9, revision: 1 }, [one], []);
    expect(catalogues.offers()).toEqual([]);
    expect(hear("a", hello(2))).toBe("applied");
  });

  it("end after silence; a repeated alive does not count as a sign of life", async () => {
    hear("a", hello());
    hear("a", add(2, 1));
    await pass(AUTHOR_EXPIRY_MS - 1);
    expect(hear("a", alive(2, 1))).toBe("repeat");
    expect(catalogues.offers()).toHaveLength(1);
    await pass(2);
    expect(catalogues.offers()).toEqual([]);
    expect(hear("a", alive(3, 1))).toBe("behind");
  });

  it("stay for as long as their author goes on speaking", async () => {
    hear("a", hello());
    hear("a", add(2, 1));
    for (const seq of [3, 4]) {
      await pass(AUTHOR_EXPIRY_MS - 1);
      hear("a", alive(seq, 1));
    }
    expect(catalogues.offers()).toHaveLength(1);
  });

  it("outlast a time in which this process was suspended, and end after silence once it runs again", async () => {
    hear("a", hello());
    hear("a", add(2, 1));
    for (let night = 0; night < 2; night++) {
      await clock.suspend(8 * 3_600_000);
      await pass(AUTHOR_EXPIRY_MS / 2);
      expect(catalogues.offers()).toHaveLength(1);
      expect(hear("a", alive(3 + night, 1))).toBe("repeat");
    }
    await pass(AUTHOR_EXPIRY_MS + 1);
    expect(catalogues.offers()).toEqual([]);
  });

  it("are not asked for again for what their author said before it was lost, nor for its goodbye", async () => {
    hear("a", hello());
    hear("a", alive(5, 0));
    await pass(AUTHOR_EXPIRY_MS + 1);
    expect(hear("a", alive(5, 0))).toBe("repeat");
    expect(hear("a", add(4, 1))).toBe("repeat");
    expect(hear("a", { kind: "bye", epoch: 1, seq: 6, revision: 1 })).toBe("repeat");
    expect(hear("a", alive(6, 1))).toBe("behind");
  });

  it("stay away after a bye, whatever of before it comes late, and however late", async () => {
    hear("a", hello());
    hear("a", { kind: "bye", epoch: 1, seq: 3, revision: 1 });
    expect(hear("a", add(2, 1))).toBe("repeat");
    await pass(AUTHOR_EXPIRY_MS + 1);
    expect(hear("a", alive(4, 1))).toBe("repeat");
    expect(catalogues.offers()).toEqual([]);
  });

  it("end with a bye of an epoch of which nothing else was heard", () => {
    const bye: AnnounceMessage = { kind: "bye", epoch: 2, seq: 9, revision: 4 };
    hear("a", hello());
    hear("a", add(2, 1));
    expect(hear("a", bye)).toBe("applied");
    expect(catalogues.offers()).toEqual([]);
    expect(hear("unknown", bye)).toBe("repeat");
    expect(catalogues.authorCount).toBe(1);
  });

  it("tell where their author is, as it said last", () => {
    const [home, office] = [[Uint8Array.of(1)], [Uint8Array.of(2)]];
    hear("a", { kind: "hello", epoch: 1, seq: 1, revision: 0, addresses: home });
    expect(catalogues.addresses("a")).toEqual(home);
    hear("a", { kind: "alive", epoch: 1, seq: 3, revision: 0, addresses: office });
    hear("a", { kind: "hello", epoch: 1, seq: 2, revision: 0, addresses: home });
    hear("a", add(4, 1));
    expect(catalogues.addresses("a")).toEqual(office);
    hear("a", { kind: "hello", epoch: 1, seq: 5, revision: 1, addresses: home });
    expect(catalogues.addresses("a")).toEqual(home);
    expect(catalogues.canBeMet("a")).toBe(true);
    hear("a", { kind: "bye", epoch: 1, seq: 6, revision: 1 });
    expect(catalogues.canBeMet("a")).toBe(false);
    hear("b", hello());
    expect(catalogues.canBeMet("b")).toBe(false);
  });

  it("are replaced by what the author itself gives, unless that is older", () => {
    catalogues.replace("a", { epoch: 1, seq: 4, revision: 3 }, [one], []);
    catalogues.replace("a", { epoch: 1, seq: 3, revision: 2 }, [two], []);
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["one"]);
    expect(hear("a", add(5, 4, [two]))).toBe("applied");
    expect(catalogues.fileCount("a")).toBe(2);
  });

  it("are those of a lower epoch when the author itself says so, as after its clock was set back", () => {
    hear("a", hello(9));
    hear("a", { kind: "bye", epoch: 9, seq: 2, revision: 0 });
    catalogues.replace("a", { epoch: 5, seq: 1, revision: 1 }, [one], []);
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["one"]);
    expect(hear("a", add(2, 2, [two], 5))).toBe("applied");
  });

  it("are asked for when an author that was lost or had left speaks from a lower epoch", async () => {
    hear("lost", hello(9));
    await pass(AUTHOR_EXPIRY_MS + 1);
    hear("left", hello(9));
    hear("left", { kind: "bye", epoch: 9, seq: 2, revision: 0 });
    for (const author of ["lost", "left"]) {
      expect(hear(author, alive(2, 1, 5))).toBe("behind");
      expect(hear(author, { kind: "bye", epoch: 5, seq: 3, revision: 1 })).toBe("repeat");
    }
  });

  it("name complete and partial holders, and believe most of them about name and size", () => {
    const lie = { ...one, name: "lie", sizeBytes: 9_999 };
    catalogues.replace("liar", { epoch: 1, seq: 1, revision: 1 }, [lie], []);
    catalogues.replace("a", { epoch: 1, seq: 1, revision: 1 }, [one], []);
    catalogues.replace("b", { epoch: 1, seq: 1, revision: 1 }, [{ ...one, complete: false }], []);
    expect(catalogues.offer(one.fileId)).toEqual({
      fileId: one.fileId,
      name: "one",
      sizeBytes: one.sizeBytes,
      chunkCount: 1,
      completeHolders: ["liar", "a"],
      partialHolders: ["b"],
    });
  });

  it("take no more files of one author than the cap", () => {
    const files = Array.from({ length: MAX_FILES_PER_AUTHOR + 5 }, (_, i) => ({
      ...one,
      fileId: `file ${i}`,
    }));
    catalogues.replace("a", { epoch: 1, seq: 1, revision: 1 }, files, []);
    expect(catalogues.fileCount("a")).toBe(MAX_FILES_PER_AUTHOR);
    expect(catalogues.offers()).toHaveLength(MAX_FILES_PER_AUTHOR);
  });

  it("take no more authors than the cap, and no newcomer pushes out who is here", () => {
    for (let i = 0; i < MAX_AUTHORS; i++) hear(`author ${i}`, hello());
    expect(hear("late", hello())).toBe("repeat");
    expect(catalogues.knows("author 0")).toBe(true);
    hear("author 0", { kind: "bye", epoch: 1, seq: 2, revision: 0 });
    expect(hear("late", hello())).toBe("applied");
    expect(catalogues.authorCount).toBe(MAX_AUTHORS);
  });
});

describe("catalogues of authors that others tell of", () => {
  let catalogues: Catalogues;
  /** What each offer was called when a change was told. */
  let toldNames: string[][];
  const tell = (teller: string, author: string, ...files: Announcement[]) => {
    catalogues.hear(author, hello(), teller);
    if (files.length > 0) catalogues.hear(author, add(2, 1, files), teller);
  };
  const manyFiles = (of: string, count: number) =>
    Array.from({ length: count }, (_, nth) => ({ ...one, fileId: `${of} ${nth}` }));
  const MOST = manyFiles("many", MAX_FILES_PER_AUTHOR);
  const meet = (author: string, files: Announcement[]) =>
    catalogues.replace(author, { epoch: 1, seq: 1, revision: 1 }, files, []);

  const fileCountInAll = () =>
    catalogues
      .offers()
      .reduce(
        (sum, { completeHolders, partialHolders }) => sum + completeHolders.length + partialHolders.length,
        0,
      );

  beforeEach(() => {
    toldNames = [];
    catalogues = new Catalogues(new HandClock(), () => {
      toldNames.push(catalogues.offers().map(({ name }) => name));
    });
  });

  it("are so many of each that tells, until they are met", () => {
    for (let nth = 0; nth <= MAX_AUTHORS_TOLD_OF; nth++) tell("liar", `made up ${nth}`);
    expect(catalogues.authorCount).toBe(MAX_AUTHORS_TOLD_OF);
    tell("friend", "real", one);
    expect(catalogues.fileCount("real")).toBe(1);
    catalogues.hear("made up 0", { kind: "bye", epoch: 1, seq: 9, revision: 0 }, "liar");
    meet("made up 1", []);
    for (const nth of [1, 2, 3]) tell("liar", `more ${nth}`);
    expect([1, 2, 3].map((nth) => catalogues.knows(`more ${nth}`))).toEqual([true, true, false]);
  });

  it("are met once they speak themselves", () => {
    tell("friend", "real", one);
    catalogues.hear("real", alive(3, 1), "friend");
    expect(catalogues.standing("real")).toBe("told of");
    catalogues.hear("real", alive(4, 1), "real");
    expect(catalogues.standing("real")).toBe("met");
  });

  it("tell of a change as they are met, since what a file is called then is what they say", () => {
    tell("friend", "real", one);
    for (const nth of [0, 1]) tell("liar", `made up ${nth}`, { ...one, name: "lie" });
    toldNames = [];
    for (const seq of [4, 5]) catalogues.hear("real", alive(seq, 1), "real");
    expect(toldNames).toEqual([["one"]]);
    tell("friend", "without files");
    catalogues.hear("without files", alive(3, 0), "without files");
    expect(catalogues.standing("without files")).toBe("met");
    expect(toldNames).toHaveLength(1);
  });

  it("have no say in what a file is called that one holds who was met", () => {
    for (const nth of [0, 1, 2]) tell("liar", `made up ${nth}`, { ...one, name: "lie", sizeBytes: 9_999 });
    expect(catalogues.offer(one.fileId)).toMatchObject({ name: "lie", sizeBytes: 9_999 });
    meet("friend", [one]);
    expect(catalogues.offer(one.fileId)).toMatchObject({ name: "one", sizeBytes: one.sizeBytes });
    meet("friend", [{ ...one, name: one.fileId }]);
    expect(catalogues.offer(one.fileId)).toMatchObject({ name: "lie", sizeBytes: one.sizeBytes });
  });

  it("come behind who was met among those that hold a file", () => {
    for (const nth of [0, 1]) tell("liar", `made up ${nth}`, { ...one, complete: nth === 0 });
    meet("friend", [one]);
    meet("partial friend", [{ ...one, complete: false }]);
    const offer = catalogues.offer(one.fileId);
    expect(offer?.completeHolders).toEqual(["friend", "made up 0"]);
    expect(offer?.partialHolders).toEqual(["partial friend", "made up 1"]);
  });

  it("make room for one that is met, those first that were told of last by who told of the most", () => {
    tell("friend", "real", one);
    const tellers = Array.from({ length: MAX_AUTHORS / MAX_AUTHORS_TOLD_OF }, (_, nth) => `liar ${nth}`);
    for (const teller of tellers)
      for (let nth = 0; nth < MAX_AUTHORS_TOLD_OF; nth++) tell(teller, `${teller} ${nth}`);
    expect(catalogues.authorCount).toBe(MAX_AUTHORS);
    tell("friend", "told of too late", one);
    meet("met", [two]);
    expect(["real", "told of too late", "met"].map((author) => catalogues.fileCount(author))).toEqual([
      1, 0, 1,
    ]);
    expect(catalogues.authorCount).toBe(MAX_AUTHORS);
    const last = MAX_AUTHORS_TOLD_OF - 1;
    const others = ["liar 0 0", `liar 0 ${last}`, `liar 1 ${last - 1}`];
    expect(others.map((author) => catalogues.standing(author))).toEqual(["told of", "gone", "told of"]);
  });

  it("leave with all that is known of them, one for each that is met", () => {
    for (let nth = 0; nth < MAX_AUTHORS - 2; nth++) meet(`met ${nth}`, []);
    tell("liar", "made up", one);
    tell("liar", "made up too", two);
    meet("first", []);
    meet("second", []);
    meet("one too many", []);
    const newcomers = ["first", "second", "one too many"];
    expect(newcomers.map((author) => catalogues.standing(author))).toEqual(["met", "met", "gone"]);
    expect(catalogues.offers()).toEqual([]);
  });

  it("are not those that were met and are told of by others after they were started anew", () => {
    meet("real", [one]);
    catalogues.hear("real", hello(2), "friend");
    expect([catalogues.knows("real"), catalogues.standing("real")]).toEqual([true, "met"]);
  });

  it("bring so many files of each that tells", () => {
    const count = MAX_FILES_TOLD_OF / MAX_FILES_PER_AUTHOR;
    for (let nth = 0; nth <= count; nth++) tell("liar", `made up ${nth}`, ...MOST);
    expect([count - 1, count].map((nth) => catalogues.fileCount(`made up ${nth}`))).toEqual([
      MAX_FILES_PER_AUTHOR,
      0,
    ]);
    catalogues.hear(
      "made up 0",
      { kind: "remove", epoch: 1, seq: 3, revision: 2, fileIds: ["many 0", "many 1"] },
      "liar",
    );
    tell("liar", "more", ...manyFiles("more", 3));
    expect(catalogues.fileCount("more")).toBe(2);
  });

  it("make room for the files of one that is met", () => {
    meet("met before", MOST);
    for (let nth = 0; nth < MAX_FILES_IN_ALL / MAX_FILES_PER_AUTHOR; nth++)
      tell(`liar ${nth}`, `made up ${nth}`, ...MOST);
    tell("liar", "told of too late", one);
    expect(catalogues.fileCount("told of too late")).toBe(0);
    meet("met", manyFiles("met", 300));
    expect(catalogues.fileCount("met")).toBe(300);
    expect(catalogues.fileCount("met before")).toBe(MAX_FILES_PER_AUTHOR);
    expect(fileCountInAll()).toBeLessThanOrEqual(MAX_FILES_IN_ALL);
  });

  it("make room for the files of one that is met, those first who have the most", () => {
    meet("met before", MOST);
    for (let nth = 0; nth < MAX_FILES_IN_ALL / MAX_FILES_PER_AUTHOR - 2; nth++)
      tell(`liar ${nth}`, `made up ${nth}`, ...MOST);
    tell("liar", "made up", ...manyFiles("made up", MAX_FILES_PER_AUTHOR - 1));
    tell("friend", "real", one);
    meet("met", [two]);
    expect(["real", "met"].map((author) => catalogues.fileCount(author))).toEqual([1, 1]);
  });

  it("leave it to those that were met to share the room: who has the most gives way", () => {
    const count = MAX_FILES_IN_ALL / MAX_FILES_PER_AUTHOR;
    for (let nth = 0; nth < count; nth++) meet(`greedy ${nth}`, MOST);
    meet("modest", manyFiles("modest", 300));
    expect(catalogues.fileCount("modest")).toBe(300);
    meet("greedy too", MOST);
    const counts = Array.from({ length: count }, (_, nth) => catalogues.fileCount(`greedy ${nth}`));
    expect(Math.min(...counts)).toBeGreaterThan(MAX_FILES_PER_AUTHOR * 0.8);
    expect(catalogues.fileCount("greedy too")).toBeGreaterThan(MAX_FILES_PER_AUTHOR * 0.8);
    expect(catalogues.fileCount("modest")).toBe(300);
    expect(fileCountInAll()).toBeLessThanOrEqual(MAX_FILES_IN_ALL);
  });

  it("see at once for each file whether there is room, however many they are", async () => {
    catalogues = new Catalogues(new HandClock(), () => {});
    for (let nth = 0; nth < MAX_AUTHORS_TOLD_OF; nth++) tell("liar", `made up ${nth}`);
    const count = (2 * MAX_FILES_IN_ALL) / MAX_FILES_PER_AUTHOR;
    for (let nth = 0; nth < count; nth++) meet(`greedy ${nth}`, MOST.slice(0, MAX_FILES_PER_AUTHOR / 2));
    const tookMs = await processorMs(() => {
      for (let nth = 0; nth < count; nth++) meet(`greedy ${nth}`, MOST);
    });
    expect(tookMs).toBeLessThan(800);
    expect(fileCountInAll()).toBe(MAX_FILES_IN_ALL);
  });
});
