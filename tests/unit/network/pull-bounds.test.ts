/** How often an author is asked for its catalogue, and what is kept meanwhile: bounds on authors that fail, or say too much. */
import type { Stream } from "@libp2p/interface";
import { streamPair } from "@libp2p/utils";
import { expect, it, onTestFinished } from "vitest";
import "../../../src/headless/node20-shims.ts";
import type { AnnounceMessage } from "../../../src/network/announcing/announcement.ts";
import { serveCatalogue } from "../../../src/network/announcing/catalogue-protocol.ts";
import { CatalogueSync } from "../../../src/network/announcing/catalogue-sync.ts";
import { Catalogues } from "../../../src/network/announcing/catalogues.ts";
import {
  MAX_ENTRIES_PER_MESSAGE,
  MAX_HELD_ENTRIES,
  MAX_HELD_MESSAGES,
  MAX_PULL_RETRIES,
  PULL_JITTER_MS,
} from "../../../src/network/announcing/limits.ts";
import {
  MAX_PARALLEL_PULLS,
  MAX_WAITING_PULLS,
  PULL_PATIENCE_MS,
  PULL_PAUSE_MS,
} from "../../../src/network/limits.ts";
import { deferred } from "../../deferred.ts";
import { eventually } from "../../eventually.ts";
import { someFile } from "../../network/some-file.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";

const silent = (signal: AbortSignal): Promise<Stream> => untilAborted(signal);

function openSync() {
  const clock = new HandClock();
  const catalogues = new Catalogues(clock, () => undefined);
  const opened: string[] = [];
  const connected = new Set<string>();
  const heard: string[] = [];
  const seen = { clock, catalogues, opened, connected, heard, answer: silent };
  const sync = new CatalogueSync({
    swarm: "test",
    catalogues,
    hear: (authorId, message, tellerId) => {
      heard.push(authorId);
      catalogues.hear(authorId, message, tellerId);
    },
    clock,
    isConnected: (authorId) => connected.has(authorId),
    untilMet: async () => undefined,
    openStream: (authorId, _addresses, signal) => {
      opened.push(authorId);
      return seen.answer(signal);
    },
    mayAsk: () => true,
    log: () => undefined,
  });
  onTestFinished(() => sync.stop());
  return Object.assign(seen, { sync });
}

async function served(revision: number): Promise<Stream> {
  const [ours, theirs] = await streamPair();
  const files = [someFile("first")];
  void serveCatalogue(
    theirs,
    "test",
    () => ({ epoch: 1, seq: revision, revision, files, addresses: [] }),
    async () => {},
  );
  return ours;
}

it("keeps so many messages of an author that is being asked, and asks again for what more it said", async () => {
  const pulls = openSync();
  const { clock, catalogues, opened, sync } = pulls;
  const stream = deferred<Stream>();
  pulls.answer = () => stream.promise;
  sync.want("a", "connected");
  for (let revision = 2; revision <= MAX_HELD_MESSAGES + 2; revision++) {
    const files = [someFile(`file ${revision}`)];
    expect(sync.hold("a", { kind: "add", epoch: 1, seq: revision, revision, files }, "a")).toBe(true);
  }
  stream.resolve(await served(1));
  await eventually(() => expect(catalogues.position("a")?.revision).toBe(MAX_HELD_MESSAGES + 1));
  await clock.pass(PULL_PAUSE_MS - 1);
  expect(opened).toEqual(["a"]);
  await clock.pass(PULL_JITTER_MS + 1);
  expect(opened).toEqual(["a", "a"]);
});

it("keeps so much of all authors that wait to be asked, and asks those again of which it kept nothing", async () => {
  const pulls = openSync();
  const { clock, opened, heard, sync } = pulls;
  pulls.answer = () => Promise.reject(new Error("nobody is there"));
  const files = Array.from({ length: MAX_ENTRIES_PER_MESSAGE }, (_, nth) => someFile(`file ${nth}`));
  const news: AnnounceMessage = { kind: "add", epoch: 1, seq: 2, revision: 2, files };
  const room = MAX_HELD_ENTRIES / MAX_ENTRIES_PER_MESSAGE;
  const authors = Array.from({ length: room + 2 }, (_, nth) => `stranger ${nth}`);
  for (const authorId of authors) {
    sync.want(authorId, "gap");
    expect(sync.hold(authorId, news, "teller")).toBe(true);
  }
  const untilAllWereAskedMs = PULL_PAUSE_MS + authors.length * PULL_JITTER_MS;
  await clock.pass(untilAllWereAskedMs);
  expect(new Set(heard)).toEqual(new Set(authors.slice(0, room)));
  expect(new Set(opened.slice(authors.length))).toEqual(new Set(authors.slice(room)));
  // What was told makes room.
  sync.want("newcomer", "gap");
  sync.hold("newcomer", news, "teller");
  await clock.pass(untilAllWereAskedMs);
  expect(heard.at(-1)).toBe("newcomer");
});

it("asks an author again once of which something was missed while it was asked", async () => {
  const pulls = openSync();
  const { clock, catalogues, opened, sync } = pulls;
  pulls.answer = () => served(1);
  sync.want("a", "connected");
  for (let times = 0; times < 3; times++) sync.want("a", "gap");
  await eventually(() => expect(catalogues.knows("a")).toBe(true));
  await clock.pass(10 * PULL_PAUSE_MS);
  expect(opened).toEqual(["a", "a"]);
});

it("asks one just connected a few times more when its answer breaks off each time, with longer pauses", async () => {
  const pulls = openSync();
  const { clock, opened, sync } = pulls;
  pulls.answer = () => Promise.reject(new Error("broken off"));
  sync.want("a", "connected");
  for (let times = 1; times <= MAX_PULL_RETRIES; times++) {
    await clock.pass(PULL_PAUSE_MS * 2 ** (times - 1) - 1);
    expect(opened).toHaveLength(times);
    await clock.pass(1);
  }
  await clock.pass(100 * PULL_PAUSE_MS);
  expect(opened).toHaveLength(1 + MAX_PULL_RETRIES);
});

it.each(["connected", "gap"] as const)(
  "gives those that say nothing a few turns each, and then no more: %s",
  async (reason) => {
    const { clock, opened, connected, sync } = openSync();
    const authors = Array.from({ length: 2 * MAX_PARALLEL_PULLS }, (_, nth) => `silent ${nth}`);
    for (const authorId of authors) connected.add(authorId);
    for (const authorId of authors) sync.want(authorId, reason);
    await clock.pass(100 * PULL_PATIENCE_MS);
    const turns = authors.map((authorId) => opened.filter((id) => id === authorId).length);
    expect(Math.max(...turns)).toBe(1 + MAX_PULL_RETRIES);
  },
);

it("asks one that came when too many waited, once they don't any more", async () => {
  const pulls = openSync();
  const { clock, opened, connected, sync } = pulls;
  const many = MAX_PARALLEL_PULLS + MAX_WAITING_PULLS;
  for (let nth = 0; nth < MAX_PARALLEL_PULLS; nth++) sync.want(`stranger ${nth}`, "lost");
  sync.want("newcomer", "lost");
  for (let nth = 1; nth < MAX_WAITING_PULLS; nth++) sync.want(`stranger of many ${nth}`, "lost");
  sync.want("late", "lost");
  for (let nth = 0; nth < many; nth++) {
    connected.add(`friend ${nth}`);
    sync.want(`friend ${nth}`, "lost");
  }
  connected.add("newcomer");
  sync.want("newcomer", "connected");
  pulls.answer = () => Promise.reject(new Error("gone"));
  await clock.pass(PULL_PATIENCE_MS);
  await eventually(() => expect(opened.filter((id) => /^friend/.test(id)).length).toBe(many));
  pulls.answer = silent;
  for (const authorId of ["newcomer", "late"]) {
    connected.add(authorId);
    expect(opened).not.toContain(authorId);
    sync.want(authorId, "connected");
    await clock.pass(0);
    expect(opened).toContain(authorId);
  }
});
