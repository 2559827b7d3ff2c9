/** Files of which nobody is told: whoever has the id finds them, and nobody else hears of them. */
import { type Stream, stop } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { describe, expect, it } from "vitest";
import { askExcerpts, EXCERPT_PROTOCOL } from "../../src/network/excerpts/excerpt-protocol.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import type { Network } from "../../src/network/network.ts";
import { NOTE_PROTOCOL } from "../../src/network/notes/note-messages.ts";
import { ANSWER_PATIENCE_MS, QUESTION_BURST } from "../../src/network/providers/limits.ts";
import {
  decodeAnswer,
  decodeQuestion,
  encodeAnswer,
  encodeQuestion,
  markOf,
  proofOf,
  UNLISTED_PROTOCOL,
} from "../../src/network/providers/unlisted-messages.ts";
import { HandClock } from "../unit/hand-clock.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { someFile } from "./some-file.ts";
import { holdersOf, idOf, join, until, untilConnected } from "./swarm-of-nodes.ts";

const forever = new AbortController().signal;
const file = someFile("minutes.md");
const { fileId } = file;

async function pair(options: Parameters<typeof join>[0] = {}) {
  const first = await join();
  const second = await join({ bootstrap: first.swarm.addresses(), ...options });
  await untilConnected(first, second);
  await untilConnected(second, first);
  return { first, second };
}

/** The first that is found. */
async function firstProvider(network: Network): Promise<string | undefined> {
  for await (const peerId of network.swarm.providers(fileId, forever, { isUnlisted: () => true }))
    return peerId;
  return undefined;
}

/** Whatever it is asked, the node answers that. Settles once it has done so. */
function answers(node: Libp2pNode, protocol: string, answer: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    void node.handle(protocol, async (stream) => {
      const frames = lpStream(stream);
      await frames.read();
      await frames.write(answer);
      resolve();
    });
  });
}

/** What a peer that is asked answers, who holds no other file. */
async function answerOf(asker: Network, asked: Network, swarm: string, marks: Uint8Array[]) {
  const stream = await asker.openStream(idOf(asked), UNLISTED_PROTOCOL, forever);
  const frames = lpStream(stream);
  await frames.write(encodeQuestion({ swarm, marks }));
  const answer = (await frames.read()).subarray();
  await stream.close();
  const proof = proofOf(idOf(asked), idOf(asker), fileId);
  return decodeAnswer(
    answer,
    marks.map(() => proof),
  );
}

/** The files of which a peer that is asked tells what they are about. */
async function describedBy(asker: Network, asked: Network): Promise<string[]> {
  const stream = await asker.openStream(idOf(asked), EXCERPT_PROTOCOL, forever);
  const told: string[] = [];
  for await (const page of askExcerpts(stream, "test", forever))
    told.push(...page.map((excerpt) => excerpt.fileId));
  return told;
}

describe("an unlisted file", () => {
  it("is found by its id, and told of to nobody", async () => {
    const { first, second } = await pair();
    first.swarm.holdUnlisted(file);
    first.swarm.describe(fileId, "What was said about the roof.");
    const listed = someFile("listed.md");
    first.swarm.announce(listed);
    expect(await firstProvider(second)).toBe(idOf(first));
    await until(second.swarm, () => holdersOf(second, listed).length > 0);
    expect(second.swarm.offers().map((offer) => offer.fileId)).toEqual([listed.fileId]);
    expect(second.swarm.peers()[0]?.filesAvailable).toBe(1);
    first.swarm.describe(listed.fileId, "What was said in public.");
    expect(await describedBy(second, first)).toEqual([listed.fileId]);
  });

  it("is found at a peer that connects later", async () => {
    const second = await join();
    const found = firstProvider(second);
    const first = await join({ bootstrap: second.swarm.addresses() });
    first.swarm.holdUnlisted(file);
    expect(await found).toBe(idOf(first));
  });

  it("is found at a peer that comes back with it", async () => {
    const second = await join({ clock: new HandClock() });
    const found = firstProvider(second);
    const first = await startBareNode();
    const asked = answers(first, UNLISTED_PROTOCOL, encodeAnswer([{ held: "none" }]));
    await dial(first, second);
    await asked;
    await Promise.all(first.getConnections().map((connection) => connection.close()));
    await until(second.swarm, () => second.swarm.peers().length === 0);
    await first.unhandle(UNLISTED_PROTOCOL);
    const proof = proofOf(first.peerId.toString(), idOf(second), fileId);
    void answers(first, UNLISTED_PROTOCOL, encodeAnswer([{ held: "all", proof }]));
    await dial(first, second);
    expect(await found).toBe(first.peerId.toString());
  });

  it("is asked for no more once nobody looks for it", async () => {
    const second = await join({ clock: new HandClock() });
    const looking = new AbortController();
    const ended = (async () => {
      for await (const _ of second.swarm.providers(someFile("given-up.md").fileId, looking.signal));
    })();
    looking.abort();
    await ended;
    void firstProvider(second);
    const first = await startBareNode();
    const question = new Promise<Uint8Array>((resolve, reject) => {
      const read = (stream: Stream) => lpStream(stream).read();
      void first.handle(UNLISTED_PROTOCOL, (stream) =>
        read(stream).then((bytes) => resolve(bytes.subarray()), reject),
      );
    });
    await dial(first, second);
    expect(decodeQuestion(await question).marks).toEqual([markOf(first.peerId.toString(), fileId)]);
  });

  it("that was listed before is withdrawn, and one that is listed again is offered", async () => {
    const { first, second } = await pair();
    first.swarm.announce(file);
    first.swarm.describe(fileId, "What was said about the roof.");
    await until(second.swarm, () => holdersOf(second, file).length > 0);
    expect(await describedBy(second, first)).toEqual([fileId]);
    first.swarm.holdUnlisted(file);
    expect(await describedBy(second, first)).toEqual([]);
    await until(second.swarm, () => holdersOf(second, file).length === 0);
    expect(await firstProvider(second)).toBe(idOf(first));
    first.swarm.announce(file);
    await until(second.swarm, () => holdersOf(second, file).length > 0);
    expect(await describedBy(second, first)).toEqual([fileId]);
    expect(await answerOf(second, first, "test", [markOf(idOf(first), fileId)])).toEqual(["none"]);
  });

  it("is not there for who asks with another's mark, of another swarm, or once it is withdrawn", async () => {
    const { first, second } = await pair();
    first.swarm.holdUnlisted(file);
    const mark = markOf(idOf(first), fileId);
    expect(await answerOf(second, first, "test", [mark, markOf(idOf(second), fileId)])).toEqual([
      "all",
      "none",
    ]);
    expect(await answerOf(second, first, "other", [mark])).toEqual(["none"]);
    first.swarm.holdUnlisted({ ...file, complete: false });
    expect(await answerOf(second, first, "test", [mark])).toEqual(["some"]);
    expect(await second.swarm.askUnlisted(idOf(first), fileId)).toBe("some");
    expect(await second.swarm.unlistedHolders(fileId)).toEqual([idOf(first)]);
    first.swarm.withdraw(fileId);
    expect(await second.swarm.askUnlisted(idOf(second), fileId)).toBe("none");
    expect(await answerOf(second, first, "test", [mark])).toEqual(["none"]);
  });

  it("keeps who asks without end waiting, and answers others", async () => {
    const clock = new HandClock();
    const first = await join({ clock });
    const [second, third] = [
      await join({ bootstrap: first.swarm.addresses() }),
      await join({ bootstrap: first.swarm.addresses() }),
    ];
    await untilConnected(first, second);
    await untilConnected(first, third);
    first.swarm.holdUnlisted(file);
    const marks = [markOf(idOf(first), fileId)];
    for (let count = 0; count < QUESTION_BURST; count++)
      expect(await answerOf(second, first, "test", marks)).toEqual(["all"]);
    let isAnswered = false;
    const late = answerOf(second, first, "test", marks).finally(() => {
      isAnswered = true;
    });
    expect(await answerOf(third, first, "test", marks)).toEqual(["all"]);
    expect(isAnswered).toBe(false);
    await expect.poll(() => clock.pass(1_000).then(() => isAnswered)).toBe(true);
    expect(await late).toEqual(["all"]);
  });

  it("is found at those that answer, where another is silent", async () => {
    const clock = new HandClock();
    const second = await join({ clock });
    const looking = firstProvider(second);
    const silent = await startBareNode();
    const asked = new Promise<void>((resolve) => {
      void silent.handle(UNLISTED_PROTOCOL, () => resolve());
    });
    await dial(silent, second);
    await asked;
    const first = await join({ bootstrap: second.swarm.addresses() });
    first.swarm.holdUnlisted(file);
    expect(await looking).toBe(idOf(first));
    const found = second.swarm.unlistedHolders(fileId);
    // Asked together with that.
    expect(await second.swarm.askUnlisted(idOf(first), fileId)).toBe("all");
    await clock.pass(ANSWER_PATIENCE_MS);
    expect(await found).toEqual([idOf(first)]);
  });

  it("is looked for past a peer that answers with garbage, and one that is too old to know", async () => {
    const second = await join();
    const old = await startBareNode();
    await dial(old, second);
    const rude = await startBareNode();
    const asked = answers(rude, UNLISTED_PROTOCOL, Uint8Array.of(7));
    await dial(rude, second);
    const found = firstProvider(second);
    await asked;
    const first = await join({ bootstrap: second.swarm.addresses() });
    first.swarm.holdUnlisted(file);
    expect(await found).toBe(idOf(first));
  });

  it("is asked of nobody who says yes to everything without knowing it", async () => {
    const second = await join();
    const liar = await startBareNode();
    let isAskedForIt = false;
    await liar.handle("/shoal/exchange/1.0.0", () => {
      isAskedForIt = true;
    });
    const asked = answers(liar, UNLISTED_PROTOCOL, Uint8Array.of(2, ...new Uint8Array(32)));
    await dial(liar, second);
    const looking = firstProvider(second);
    await asked;
    const first = await join({ bootstrap: second.swarm.addresses() });
    first.swarm.holdUnlisted(file);
    expect(await looking).toBe(idOf(first));
    expect(await second.swarm.askUnlisted(liar.peerId.toString(), fileId)).toBe("none");
    expect(isAskedForIt).toBe(false);
  });

  it("is asked of a peer that has not told yet what it understands", async () => {
    const second = await join();
    const first = await startBareNode();
    await stop(first.services.identify, first.services.identifyPush);
    await dial(first, second);
    await until(second.swarm, () => second.swarm.peers().length > 0);
    const proof = proofOf(first.peerId.toString(), idOf(second), fileId);
    void answers(first, UNLISTED_PROTOCOL, encodeAnswer([{ held: "all", proof }]));
    expect(await second.swarm.askUnlisted(first.peerId.toString(), fileId)).toBe("all");
    await first.unhandle(UNLISTED_PROTOCOL);
    expect(await second.swarm.askUnlisted(first.peerId.toString(), fileId)).toBe("none");
  });

  it("is what nobody is invited to who could not find it", async () => {
    const { first, second } = await pair();
    first.swarm.holdUnlisted(file);
    await first.swarm.invite(idOf(second), file, forever);
    const old = await startBareNode();
    void answers(old, NOTE_PROTOCOL, Uint8Array.of(1));
    await dial(old, first);
    const oldId = old.peerId.toString();
    await until(first.swarm, () => first.swarm.peers().some(({ peerId }) => peerId === oldId));
    await expect(first.swarm.invite(oldId, file, forever)).rejects.toMatchObject({
      name: "peer_unreachable",
      message: "The peer's version finds no unlisted files",
    });
    first.swarm.announce(file);
    await first.swarm.invite(oldId, file, forever);
  });

  it("ends a search at once, though a peer is silent", async () => {
    const second = await join();
    const silent = await startBareNode();
    const asked = new Promise<void>((resolve) => {
      void silent.handle(UNLISTED_PROTOCOL, () => resolve());
    });
    await dial(silent, second);
    const stop = new AbortController();
    const looking = (async () => {
      for await (const peerId of second.swarm.providers(fileId, stop.signal)) return peerId;
      return "nobody";
    })();
    await asked;
    stop.abort();
    expect(await looking).toBe("nobody");
  });

  it("asked for with garbage ends the stream, and nothing else", async () => {
    const { first, second } = await pair();
    first.swarm.holdUnlisted(file);
    const stream = await second.openStream(idOf(first), UNLISTED_PROTOCOL, forever);
    const frames = lpStream(stream);
    await frames.write(Uint8Array.of(9));
    await expect(frames.read()).rejects.toThrow();
    expect(await firstProvider(second)).toBe(idOf(first));
  });
});
