/** What a node says of its own files, and when: src/network/announcing/announcer. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AnnounceMessage, decodeAnnouncement } from "../../../src/network/announcing/announcement.ts";
import { Announcer } from "../../../src/network/announcing/announcer.ts";
import type { Reach } from "../../../src/network/announcing/gossip.ts";
import {
  ALIVE_INTERVAL_MS,
  ALIVE_MIN_INTERVAL_MS,
  COALESCE_MS,
  OWN_MESSAGE_BURST,
} from "../../../src/network/announcing/limits.ts";
import { OwnCatalogue } from "../../../src/network/announcing/own-catalogue.ts";
import { someFile } from "../../network/some-file.ts";
import { HandClock } from "../hand-clock.ts";

describe("the announcer", () => {
  let clock: HandClock;
  let own: OwnCatalogue;
  let sent: AnnounceMessage[];
  let announcer: Announcer;
  let reach: Reach;

  beforeEach(async () => {
    reach = { reached: 1, missed: 0 };
    clock = new HandClock();
    own = new OwnCatalogue();
    sent = [];
    announcer = new Announcer({
      own,
      clock,
      publish: async (bytes) => {
        sent.push(decodeAnnouncement(bytes));
        return reach;
      },
      addresses: () => [],
      swarmSize: () => 0,
      log: () => undefined,
    });
    announcer.start();
    await clock.pass(0);
  });

  afterEach(() => announcer.stop());

  function announce(...names: string[]): void {
    for (const name of names) own.announce(someFile(name));
    announcer.changed();
  }

  it("says hello first, bye last and alive in between, each with the next seq", async () => {
    await clock.pass(ALIVE_INTERVAL_MS);
    await announcer.stop();
    expect(sent.map(({ kind, seq }) => [kind, seq])).toEqual([
      ["hello", 1],
      ["alive", 2],
      ["bye", 3],
    ]);
  });

  it("says hello until it is heard, then alive, and hello again once it was alone", async () => {
    const told = () => sent.splice(0).map(({ kind }) => kind);
    const introduce = async (waitMs = 0) => {
      announcer.introduce();
      await clock.pass(waitMs);
    };
    expect(told()).toEqual(["hello"]);
    reach = { reached: 0, missed: 0 };
    await clock.pass(ALIVE_INTERVAL_MS);
    expect(told()).toEqual(["alive"]);
    await introduce();
    expect(told()).toEqual(["hello"]);
    reach = { reached: 1, missed: 0 };
    await introduce();
    expect(told()).toEqual(["hello"]);
    await introduce(ALIVE_MIN_INTERVAL_MS);
    expect(told()).toEqual(["alive"]);
  });

  it("tells a batch of many shares in few messages", async () => {
    announce(...Array.from({ length: 250 }, (_, i) => `file ${i}`));
    await clock.pass(COALESCE_MS);
    const adds = sent.filter((message) => message.kind === "add");
    expect(adds.map(({ files, revision }) => [files.length, revision])).toEqual([
      [100, 1],
      [100, 2],
      [50, 3],
    ]);
  });

  it("speaks again soon after a change that could not be sent to every follower", async () => {
    reach = { reached: 1, missed: 1 };
    announce("missed");
    await clock.pass(COALESCE_MS);
    expect(sent.map(({ kind }) => kind)).toEqual(["hello", "add", "alive"]);
    await clock.pass(ALIVE_INTERVAL_MS - 1);
    expect(sent).toHaveLength(3);
  });

  it("tells of too many changes for messages by an alive that leaves a gap", async () => {
    announce(...Array.from({ length: 1000 }, (_, i) => `file ${i}`));
    await clock.pass(COALESCE_MS);
    expect(sent.map(({ kind, revision }) => [kind, revision])).toEqual([
      ["hello", 0],
      ["alive", 1],
    ]);
    expect(own.snapshot()).toHaveLength(1000);
  });

  it("never tells of a file that was withdrawn before it could be told", async () => {
    announce("brief");
    own.withdraw(someFile("brief").fileId);
    await clock.pass(COALESCE_MS);
    expect(sent.some(({ kind }) => kind === "add" || kind === "remove")).toBe(false);
  });

  it("tells of a withdrawal when only a snapshot had shown the file", async () => {
    announce("seen");
    expect(own.snapshot()).toHaveLength(1);
    own.withdraw(someFile("seen").fileId);
    await clock.pass(COALESCE_MS);
    expect(sent.at(-1)).toMatchObject({ kind: "remove", fileIds: [someFile("seen").fileId], revision: 1 });
  });

  it("sends no more than its burst at once, and loses nothing", async () => {
    for (let i = 0; i < 60; i++) {
      announce(`file ${i}`);
      await clock.pass(COALESCE_MS);
    }
    expect(sent.length).toBeLessThanOrEqual(OWN_MESSAGE_BURST + 12);
    await clock.pass(10_000);
    const told = sent.flatMap((message) => (message.kind === "add" ? message.files : []));
    expect(told).toHaveLength(60);
  });

  it("introduces itself to newcomers no more than once a second", async () => {
    for (let i = 0; i < 30; i++) {
      announcer.introduce();
      await clock.pass(100);
    }
    expect(sent.filter(({ kind }) => kind === "alive").length).toBeLessThanOrEqual(4);
    expect(sent.filter(({ kind }) => kind === "alive").length).toBeGreaterThan(0);
  });
});
