/** Side streams of the exchange over HTTP, as the web port serves them: a real server, an asker that fetches from it. */
import { describe, expect, it } from "vitest";
import { TICKET_BYTES } from "../../../src/exchange/limits.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { type Block, connect, MIB, makeBlocks, wanted } from "../exchange/loopback.ts";
import { askByHand, type ScriptedPeer } from "../exchange/scripted-peer.ts";
import { expectEqual, TestPath, untilAside } from "../exchange/side-path.ts";
import { testNode } from "../exchange/test-node.ts";
import { webHost } from "./web-host.ts";

const never = new AbortController().signal;

/** An asker whose answers come over HTTP by now. */
async function askerOf(blocks: Block[]): Promise<{ session: PeerSession; path: TestPath }> {
  const { node, web } = await webHost(blocks);
  const path = new TestPath(async (ticket, signal) => {
    return (await fetch(`${web.url}/exchange/${ticket}`, { signal })).body;
  });
  const asker = await testNode({ sidePath: path });
  await connect(asker, node);
  const session = await asker.exchange.openSession(node.peerId, never);
  await untilAside({ session, path }, blocks[0] as Block);
  return { session, path };
}

async function ticketOf(peer: ScriptedPeer): Promise<string> {
  peer.send({ type: "ticket_ask" });
  await peer.untilReceived("ticket");
  const ticket = peer.received.find((message) => message.type === "ticket");
  if (ticket === undefined) throw new Error("no ticket");
  return ticketText(ticket.ticket);
}

describe("answers over HTTP", () => {
  it("are whole", async () => {
    const blocks = await makeBlocks(32, MIB);
    const { session, path } = await askerOf(blocks);
    const before = path.bytes;
    expectEqual(await Promise.all(blocks.map((block) => session.fetch(wanted(block)))), blocks);
    expect(path.bytes - before).toBeGreaterThan(32 * MIB);
  });

  it("are asked for on the stream, when the connection is cut half way", async () => {
    const blocks = await makeBlocks(32, MIB);
    const { session, path } = await askerOf(blocks);
    const fetches = blocks.map((block) => session.fetch(wanted(block)));
    await fetches[3];
    path.cut(new Error("cut"));
    expectEqual(await Promise.all(fetches), blocks);
  });

  it("end with the conversation", async () => {
    const { node, web } = await webHost([]);
    const asker = await testNode({});
    const peer = await askByHand(asker.libp2p, node.libp2p);
    const response = await fetch(`${web.url}/exchange/${await ticketOf(peer)}`);
    peer.stream.abort(new Error("gone"));
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0x01, 0x92]);
  });
});

describe("the path of side streams", () => {
  it("takes a ticket once, and by GET alone", async () => {
    const { node, web } = await webHost([]);
    const asker = await testNode({});
    const url = `${web.url}/exchange/${await ticketOf(await askByHand(asker.libp2p, node.libp2p))}`;
    expect((await fetch(url, { method: "POST" })).status).toBe(405);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(404);
    const first = await fetch(url);
    expect(first.status).toBe(200);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "cache-control": "no-store, no-transform",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
    expect(first.headers.get("access-control-allow-origin")).toBeNull();
    expect((await fetch(url)).status).toBe(404);
    await first.body?.cancel();
    expect((await fetch(url)).status).toBe(404);
  });

  it("answers what is no ticket with 404", async () => {
    const { web } = await webHost([]);
    const guess = ticketText(crypto.getRandomValues(new Uint8Array(TICKET_BYTES)));
    for (const path of [
      `/exchange/${guess}`,
      "/exchange/",
      "/exchange",
      `/exchange/${guess}/x`,
      "/exchange/%2e",
    ])
      expect((await fetch(web.url + path)).status, path).toBe(404);
    expect((await fetch(`${web.url}/exchange/${guess}`)).headers.get("cache-control")).toBe("no-store");
  });
});
