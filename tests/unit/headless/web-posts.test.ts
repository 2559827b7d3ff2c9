/** Blocks posted over HTTP, as the web port takes them: a real server, and a peer that posts to it. */
import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { TICKET_BYTES } from "../../../src/exchange/limits.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { type Block, connect, MIB, makeBlocks, sourceOf, wanted } from "../exchange/loopback.ts";
import { expectEqual } from "../exchange/side-path.ts";
import { testNode } from "../exchange/test-node.ts";
import { TestPostPath, untilPosted } from "../exchange/test-posts.ts";
import { webHost } from "./web-host.ts";

const never = new AbortController().signal;

interface Posting {
  session: PeerSession;
  path: TestPostPath;
  lost: unknown[];
  /** Beneath which everything is posted. */
  url: string;
}

/** A host that asks a peer, which posts to it by now. */
async function posting(blocks: Block[]): Promise<Posting> {
  const { node, web } = await webHost([]);
  const url = `${web.url}/exchange`;
  const path = new TestPostPath(blocks, async ({ ticket, requestId }, { pieces }, signal) => {
    const body = new Blob(pieces as Uint8Array<ArrayBuffer>[]);
    return (await fetch(`${url}/${ticket}/${requestId}`, { method: "POST", body, signal })).status === 204;
  });
  const lost: unknown[] = [];
  const peer = await testNode({ postPath: path, onPostLost: (_, reason) => lost.push(reason) });
  peer.exchange.serve(sourceOf(blocks));
  await connect(node, peer);
  const session = await node.exchange.openSession(peer.peerId, never);
  await untilPosted({ session, path }, blocks[0] as Block);
  return { session, path, lost, url };
}

describe("blocks posted over HTTP", () => {
  it("are whole", async () => {
    const blocks = await makeBlocks(32, MIB);
    const { session, path, lost } = await posting(blocks);
    const before = path.posted.length;
    expectEqual(await Promise.all(blocks.map((block) => session.fetch(wanted(block)))), blocks);
    expect(path.posted.length - before).toBe(32);
    expect(lost).toEqual([]);
  });

  it("are asked for anew, when a connection is cut half way", async () => {
    const blocks = await makeBlocks(16, MIB);
    const { session, path, url, lost } = await posting(blocks);
    await expect.poll(() => path.arrived).toBeGreaterThan(0);
    let cuts = 0;
    path.bend((straight) => async (answer, body, signal) => {
      if (cuts++ > 0) return await straight(answer, body, signal);
      await cutPost(`${url}/${answer.ticket}/${answer.requestId}`, body.sizeBytes, 300_000);
      throw new Error("cut");
    });
    expectEqual(await Promise.all(blocks.map((block) => session.fetch(wanted(block)))), blocks);
    expect(lost).toMatchObject([{ message: "cut" }]);
  });
});

describe("the path of posts", () => {
  it("refuses what is not expected, whatever ticket it brings", async () => {
    const blocks = await makeBlocks(1, MIB);
    const { path, url } = await posting(blocks);
    const { ticket } = path.posted[0] as { ticket: string };
    const guess = ticketText(crypto.getRandomValues(new Uint8Array(TICKET_BYTES)));
    for (const where of [
      `${guess}/0`,
      `${ticket}/4294967295`,
      `${ticket}/0/0`,
      `${ticket}/x`,
      `${ticket}/-1`,
    ]) {
      const { status, headers } = await fetch(`${url}/${where}`, {
        method: "POST",
        body: new Uint8Array(MIB),
      });
      expect([404, 405], where).toContain(status);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
    expect((await fetch(`${url}/${ticket}/0`)).status).toBe(404);
    const unmeasured = new ReadableStream({ start: (controller) => controller.close() });
    const init = { method: "POST", body: unmeasured, duplex: "half" } as RequestInit;
    expect((await fetch(`${url}/${ticket}/0`, init)).status).toBe(400);
  });
});

/** Begins to post, and settles when the connection is gone. */
function cutPost(url: string, lengthBytes: number, sentBytes: number): Promise<void> {
  return new Promise((resolve) => {
    const sending = request(url, { method: "POST", headers: { "content-length": lengthBytes } });
    sending.on("error", () => {});
    sending.on("close", () => resolve());
    sending.write(new Uint8Array(sentBytes), () => sending.destroy());
  });
}
