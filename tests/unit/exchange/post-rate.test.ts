/** Posts and the download rate: src/exchange/asking/expected-posts. */
import { expect, it, onTestFinished } from "vitest";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";
import { deferred } from "../../deferred.ts";
import { HandClock } from "../hand-clock.ts";
import { type Block, connect, MIB, makeBlocks, wanted } from "./loopback.ts";
import { type ScriptedPeer, startScriptedServer } from "./scripted-peer.ts";
import { testNode } from "./test-node.ts";

const never = new AbortController().signal;

it("a post that is lost is charged to the download rate for what came of it", async () => {
  const [block] = (await makeBlocks(1, MIB)) as [Block];
  const clock = new HandClock();
  const posts = new ExpectedPosts();
  const met = deferred<ScriptedPeer>();
  const server = await startScriptedServer((peer) => met.resolve(peer));
  onTestFinished(() => server.stop());
  const asker = await testNode({ posts, clock, maxDownloadBytesPerSecond: MIB });
  await connect(asker, { libp2p: server });
  const session = await asker.exchange.openSession(server.peerId.toString(), never);
  const fetched = session.fetch(wanted(block));
  const peer = await met.promise;
  await peer.untilReceived("want");
  peer.send({ type: "post_ask" });
  await peer.untilReceived("post_ticket");
  const given = peer.received.find(({ type }) => type === "post_ticket");
  const ticket = given?.type === "post_ticket" ? ticketText(given.ticket) : "";
  const half = async function* () {
    yield block.bytes.subarray(0, MIB / 2);
  };
  await expect(posts.take(ticket, 0, MIB, half())).rejects.toMatchObject({ name: "peer_lost" });
  peer.send({ type: "unposted", requestId: 0 });
  await asksForAgain(0);
  // Half a second's worth came, of which a tenth had been saved up.
  await clock.pass(300);
  await asksForAgain(0);
  await clock.pass(200);
  await asksForAgain(1);
  const whole = async function* () {
    yield block.bytes;
  };
  expect(await posts.take(ticket, 1, MIB, whole())).toBe(true);
  expect(Buffer.compare(await fetched, block.bytes)).toBe(0);

  /** Looks at what the asker has sent once it has heard all that was said so far. */
  async function asksForAgain(count: number): Promise<void> {
    const watched = peer.received.filter(({ type }) => type === "watch").length;
    const haves = session.haves(block.cid.toString(), 1, never)[Symbol.asyncIterator]();
    const news = haves.next();
    await peer.untilReceived("watch", watched + 1);
    peer.send({ type: "have_all", watchId: watched });
    await news;
    await haves.return?.();
    await peer.untilReceived("unwatch", watched + 1);
    expect(peer.received.filter(({ type }) => type === "want")).toHaveLength(1 + count);
  }
});
