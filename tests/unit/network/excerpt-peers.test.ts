/** What is taken of peers that tell too much of their files, or nothing in its time, and how fast they are told. */
import { TopicValidatorResult } from "@libp2p/gossipsub";
import type { Stream } from "@libp2p/interface";
import { lpStream, streamPair } from "@libp2p/utils";
import { expect, it, onTestFinished } from "vitest";
import "../../../src/headless/node20-shims.ts";
import { AUTHOR_MESSAGE_BURST, MAX_PULL_RETRIES } from "../../../src/network/announcing/limits.ts";
import { encodeExcerpts } from "../../../src/network/excerpts/excerpt-messages.ts";
import { askExcerpts, EXCERPT_PROTOCOL } from "../../../src/network/excerpts/excerpt-protocol.ts";
import { Excerpts } from "../../../src/network/excerpts/excerpts.ts";
import {
  EXCERPT_COALESCE_MS,
  EXCERPT_MESSAGE_BURST,
  MAX_EXCERPTS_PER_AUTHOR,
  MAX_EXCERPTS_PER_MESSAGE,
} from "../../../src/network/excerpts/limits.ts";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import { MAX_PARALLEL_PULLS, PULL_PATIENCE_MS } from "../../../src/network/limits.ts";
import type { Offer } from "../../../src/sharing/ports.ts";
import { eventually } from "../../eventually.ts";
import { someFile } from "../../network/some-file.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";

const forever = new AbortController().signal;
const { fileId } = someFile("recipe");
const peer = (id: string) => ({ toString: () => id });

/** Excerpts of a node that stands for itself; `answer`: how a peer is reached that is asked for its own. */
async function openExcerpts(answer: (peerId: string, signal: AbortSignal) => Promise<Stream>) {
  const clock = new HandClock();
  const opened: string[] = [];
  const published: Uint8Array[] = [];
  const validators = new Map<string, (carrier: object, message: object) => TopicValidatorResult>();
  let meet = (_peerId: object, _connection: object): void => undefined;
  const gossip = {
    topicValidators: validators,
    subscribe: () => undefined,
    publish: async (_topic: string, bytes: Uint8Array) => published.push(bytes),
  };
  const node = {
    peerId: peer("self"),
    services: { gossip },
    getConnections: () => [{}],
    handle: async () => undefined,
    register: async (_protocol: string, { onConnect }: { onConnect: typeof meet }) => {
      meet = onConnect;
    },
  } as unknown as Libp2pNode;
  const excerpts = new Excerpts({
    node,
    swarm: "test",
    clock,
    log: () => undefined,
    isBanned: (peerId) => peerId === "banned",
    standing: () => "met",
    isAnnounced: () => true,
    openStream: (peerId, protocol, signal) => {
      expect(protocol).toBe(EXCERPT_PROTOCOL);
      opened.push(peerId);
      return answer(peerId, signal);
    },
    onChange: () => undefined,
  });
  await excerpts.listen();
  const stop = new AbortController();
  const running = excerpts.run(stop.signal).catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  const [validate] = validators.values();
  return {
    ...{ clock, excerpts, opened, published },
    meet: (peerId: string) => meet(peer(peerId), {}),
    gossip: (authorId: string, data: Uint8Array, type = "signed") =>
      validate?.(peer("carrier"), { type, from: peer(authorId), data }),
    toldBy: (holder: string, id = fileId) =>
      excerpts.withExcerpt({ fileId: id, completeHolders: [holder], partialHolders: [] } as unknown as Offer)
        .excerpt,
  };
}

/** A peer that answers each request for a page with what `page` gives, without end. */
async function telling(page: (nth: number) => Uint8Array | Promise<Uint8Array>): Promise<Stream> {
  const [ours, theirs] = await streamPair();
  const frames = lpStream(theirs);
  const tell = async () => {
    await frames.read();
    for (let nth = 0; ; nth++) {
      await frames.read();
      await frames.write(await page(nth));
    }
  };
  tell().catch((error: Error) => theirs.abort(error));
  return ours;
}

const pageOf = (count: number) =>
  encodeExcerpts(
    Array.from({ length: count }, (_, nth) => ({ fileId: someFile(`${nth}`).fileId, text: "x" })),
  );

it("takes gossip of who signs it, is not banned and says not too much, and passes no garbage on", async () => {
  const { gossip, toldBy } = await openExcerpts((_, signal) => untilAborted(signal));
  const told = (text: string) => encodeExcerpts([{ fileId, text }]);
  expect(gossip("author", told("Flour."), "unsigned")).toBe(TopicValidatorResult.Reject);
  expect(gossip("banned", told("Flour."))).toBe(TopicValidatorResult.Ignore);
  expect(gossip("self", told("Flour."))).toBe(TopicValidatorResult.Ignore);
  expect(gossip("author", Uint8Array.of(9))).toBe(TopicValidatorResult.Reject);
  expect(["author", "banned", "self"].map((author) => toldBy(author))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  for (let count = 1; count < AUTHOR_MESSAGE_BURST; count++)
    expect(gossip("author", told(`Flour ${count}.`))).toBe(TopicValidatorResult.Accept);
  expect(gossip("author", told("Too much."))).toBe(TopicValidatorResult.Ignore);
  expect(toldBy("author")).toBe(`Flour ${AUTHOR_MESSAGE_BURST - 1}.`);
  expect(gossip("another", told("Water."))).toBe(TopicValidatorResult.Accept);
});

it("asks who connects, and nobody who is banned", async () => {
  const { meet, opened, toldBy } = await openExcerpts(() =>
    telling((nth) => (nth === 0 ? encodeExcerpts([{ fileId, text: "Flour." }]) : new Uint8Array(0))),
  );
  meet("banned");
  meet("author");
  await eventually(() => expect(toldBy("author")).toBe("Flour."));
  expect(opened).toEqual(["author"]);
});

it("hears no further a peer that tells of more files than anyone may have", async () => {
  const page = pageOf(MAX_EXCERPTS_PER_MESSAGE);
  let pages = 0;
  const stream = await telling(() => {
    pages += 1;
    return page;
  });
  let heard = 0;
  const hear = async () => {
    for await (const excerpts of askExcerpts(stream, "test", forever)) heard += excerpts.length;
  };
  await expect(hear()).rejects.toMatchObject({ name: "protocol_error" });
  expect([heard, pages]).toEqual([
    MAX_EXCERPTS_PER_AUTHOR,
    MAX_EXCERPTS_PER_AUTHOR / MAX_EXCERPTS_PER_MESSAGE + 1,
  ]);
  expect(stream.status).toBe("aborted");
});

it.each([
  ["keeps its turn with a peer that brings full pages", MAX_EXCERPTS_PER_MESSAGE, false],
  ["takes it from one that brings an excerpt at a time", 1, true],
])("%s, while others wait", async (_what, count, goesOn) => {
  const page = pageOf(count);
  let asked = 0;
  const { clock, meet, opened } = await openExcerpts((peerId, signal) =>
    peerId === "waiting"
      ? untilAborted(signal)
      : telling(async () => {
          asked += 1;
          await clock.sleep(PULL_PATIENCE_MS / 2, signal);
          return page;
        }),
  );
  for (let nth = 0; nth < MAX_PARALLEL_PULLS; nth++) meet(`slow ${nth}`);
  meet("waiting");
  for (let times = 1; times <= 6; times++) {
    // Who asks for the next page has taken the one before.
    await eventually(() =>
      expect(opened.includes("waiting") || asked >= times * MAX_PARALLEL_PULLS).toBe(true),
    );
    await clock.pass(PULL_PATIENCE_MS / 2);
  }
  expect(opened.includes("waiting")).toBe(goesOn);
});

it("gives peers that say nothing a few turns each, and then no more", async () => {
  const { clock, meet, opened } = await openExcerpts((_, signal) => untilAborted(signal));
  const silent = Array.from({ length: 2 * MAX_PARALLEL_PULLS }, (_, nth) => `silent ${nth}`);
  for (const peerId of silent) meet(peerId);
  await clock.pass(100 * PULL_PATIENCE_MS);
  const turns = silent.map((peerId) => opened.filter((id) => id === peerId).length);
  expect(Math.max(...turns)).toBe(1 + MAX_PULL_RETRIES);
});

it("tells of so many files at once, and then of some more a second", async () => {
  const { clock, excerpts, published } = await openExcerpts((_, signal) => untilAborted(signal));
  for (let nth = 0; nth < 2 * EXCERPT_MESSAGE_BURST * MAX_EXCERPTS_PER_MESSAGE; nth++)
    excerpts.describe(someFile(`${nth}`).fileId, "Flour.");
  await clock.pass(EXCERPT_COALESCE_MS - 1);
  expect(published).toHaveLength(0);
  await clock.pass(1);
  expect(published).toHaveLength(EXCERPT_MESSAGE_BURST);
  await clock.pass(2_000);
  expect(published).toHaveLength(EXCERPT_MESSAGE_BURST + 2);
  await clock.pass(60_000);
  expect(published).toHaveLength(2 * EXCERPT_MESSAGE_BURST);
});
