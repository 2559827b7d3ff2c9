/** Peers that ask again and again what a node tells of its files. */
import { lpStream } from "@libp2p/utils";
import { expect, it, onTestFinished } from "vitest";
import { CATALOGUE_PROTOCOL } from "../../src/network/announcing/catalogue-protocol.ts";
import { ByteWriter } from "../../src/network/byte-fields.ts";
import { EXCERPT_PROTOCOL } from "../../src/network/excerpts/excerpt-protocol.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { PAGE_BURST } from "../../src/network/limits.ts";
import type { Network } from "../../src/network/network.ts";
import { HandClock } from "../unit/hand-clock.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { openNode } from "./open-node.ts";

const { signal } = new AbortController();
const QUESTION = new ByteWriter().byte(1).text("test").finish();
const NEXT = new Uint8Array();

/** How a node that tells nothing is asked by each protocol, and what that counts for. */
const ASKED = {
  catalogue: { protocol: CATALOGUE_PROTOCOL, frames: [QUESTION], pages: 1 },
  excerpts: { protocol: EXCERPT_PROTOCOL, frames: [QUESTION, NEXT], pages: 2 },
};

async function meet(victim: Network): Promise<Libp2pNode> {
  const node = await startBareNode();
  await dial(node, victim);
  return node;
}

/** Settles with the answer, once it comes. */
async function ask(node: Libp2pNode, what: keyof typeof ASKED): Promise<{ answered: Promise<void> }> {
  const { protocol, frames } = ASKED[what];
  const [connection] = node.getConnections();
  if (connection === undefined) throw new Error("there is no connection");
  const stream = await connection.newStream(protocol);
  const asking = lpStream(stream);
  await asking.writeV(frames, { signal });
  const answered = asking.read({ signal }).then(() => stream.abort(new Error("that is enough")));
  return { answered };
}

it.each([
  ["catalogue", "excerpts"],
  ["excerpts", "catalogue"],
] as const)(
  "who asks for a node's %s again and again waits for its turn, and holds up nobody else",
  async (what, other) => {
    const clock = new HandClock();
    const victim = await openNode({ clock });
    onTestFinished(() => victim.stop());
    const greedy = await meet(victim);
    for (let pages = 0; pages < PAGE_BURST; pages += ASKED[what].pages)
      await (await ask(greedy, what)).answered;

    let isAnswered = false;
    const { answered } = await ask(greedy, what);
    void answered.then(() => {
      isAnswered = true;
    });
    // What is asked later, and told at once.
    await (await ask(greedy, other)).answered;
    await (await ask(await meet(victim), what)).answered;
    expect(isAnswered).toBe(false);
    await clock.pass(1_000);
    await answered;
  },
);
