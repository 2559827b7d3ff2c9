import { beforeEach, describe, expect, it } from "vitest";
import type { AnnounceMessage } from "../../../src/network/announcement.ts";
import { Catalogues } from "../../../src/network/catalogues.ts";
import { AUTHOR_EXPIRY_MS, MAX_AUTHORS, MAX_FILES_PER_AUTHOR } from "../../../src/network/limits.ts";
import { someFile } from "../../network/some-file.ts";
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

  beforeEach(() => {
    clock = new HandClock();
    changes = 0;
    catalogues = new Catalogues(clock, () => {
      changes += 1;
    });
  });

  it("follow an author from its hello on, without asking it", () => {
    expect(catalogues.hear("a", hello())).toBe("applied");
    expect(catalogues.hear("a", add(2, 1, [one, two]))).toBe("applied");
    const remove: AnnounceMessage = { kind: "remove", epoch: 1, seq: 3, revision: 2, fileIds: [one.fileId] };
    expect(catalogues.hear("a", remove)).toBe("applied");
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["two"]);
    expect(changes).toBe(2);
  });

  it("need the whole catalogue of an unknown author, after a gap, and of a new epoch", () => {
    expect(catalogues.hear("a", alive(7, 3))).toBe("behind");
    expect(catalogues.hear("b", hello())).toBe("applied");
    expect(catalogues.hear("b", add(3, 2))).toBe("behind");
    expect(catalogues.hear("b", alive(4, 5))).toBe("behind");
    expect(catalogues.hear("b", alive(1, 9, 2))).toBe("behind");
    expect(catalogues.offers()).toEqual([]);
  });

  it("ignore repeats and older epochs", () => {
    catalogues.hear("a", hello(5));
    catalogues.hear("a", add(2, 1, [one], 5));
    expect(catalogues.hear("a", add(2, 1, [two], 5))).toBe("repeat");
    expect(catalogues.hear("a", hello(4))).toBe("repeat");
    expect(catalogues.hear("a", add(9, 1, [two], 4))).toBe("repeat");
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["one"]);
  });

  it("start over with a new epoch", () => {
    catalogues.hear("a", hello(1));
    catalogues.hear("a", add(2, 1));
    catalogues.hear("a", hello(2));
    expect(catalogues.offers()).toEqual([]);
  });

  it("end with bye, and old messages don't bring them back", () => {
    catalogues.hear("a", hello());
    catalogues.hear("a", add(2, 1));
    expect(catalogues.hear("a", { kind: "bye", epoch: 1, seq: 3, revision: 1 })).toBe("applied");
    expect(catalogues.hear("a", add(2, 1))).toBe("repeat");
    expect(catalogues.hear("a", alive(9, 1))).toBe("repeat");
    catalogues.replace("a", { epoch: 1, seq: 9, revision: 1 }, [one], []);
    expect(catalogues.offers()).toEqual([]);
    expect(catalogues.hear("a", hello(2))).toBe("applied");
  });

  it("end after silence; a repeated alive does not count as a sign of life", async () => {
    catalogues.hear("a", hello());
    catalogues.hear("a", add(2, 1));
    await clock.pass(AUTHOR_EXPIRY_MS - 1);
    expect(catalogues.hear("a", alive(2, 1))).toBe("repeat");
    catalogues.expire();
    expect(catalogues.offers()).toHaveLength(1);
    await clock.pass(2);
    catalogues.expire();
    expect(catalogues.offers()).toEqual([]);
    expect(catalogues.hear("a", alive(3, 1))).toBe("behind");
  });

  it("are replaced by what the author itself gives, unless that is older", () => {
    catalogues.replace("a", { epoch: 1, seq: 4, revision: 3 }, [one], []);
    catalogues.replace("a", { epoch: 1, seq: 3, revision: 2 }, [two], []);
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["one"]);
    expect(catalogues.hear("a", add(5, 4, [two]))).toBe("applied");
    expect(catalogues.fileCount("a")).toBe(2);
  });

  it("are those of a lower epoch when the author itself says so, as after its clock was set back", () => {
    catalogues.hear("a", hello(9));
    catalogues.hear("a", { kind: "bye", epoch: 9, seq: 2, revision: 0 });
    catalogues.replace("a", { epoch: 5, seq: 1, revision: 1 }, [one], []);
    expect(catalogues.offers().map(({ name }) => name)).toEqual(["one"]);
    expect(catalogues.hear("a", add(2, 2, [two], 5))).toBe("applied");
  });

  it("are asked for when an author that was lost or had left speaks from a lower epoch", async () => {
    catalogues.hear("lost", hello(9));
    await clock.pass(AUTHOR_EXPIRY_MS + 1);
    catalogues.expire();
    catalogues.hear("left", hello(9));
    catalogues.hear("left", { kind: "bye", epoch: 9, seq: 2, revision: 0 });
    for (const author of ["lost", "left"]) {
      expect(catalogues.hear(author, alive(2, 1, 5))).toBe("behind");
      expect(catalogues.hear(author, { kind: "bye", epoch: 5, seq: 3, revision: 1 })).toBe("repeat");
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
    for (let i = 0; i < MAX_AUTHORS; i++) catalogues.hear(`author ${i}`, hello());
    expect(catalogues.hear("late", hello())).toBe("repeat");
    expect(catalogues.knows("author 0")).toBe(true);
    catalogues.hear("author 0", { kind: "bye", epoch: 1, seq: 2, revision: 0 });
    expect(catalogues.hear("late", hello())).toBe("applied");
    expect(catalogues.authorCount).toBe(MAX_AUTHORS);
  });
});
