/** Attack 16 by what a peer tells of itself, unasked and without end. */
import type { Connection, Stream } from "@libp2p/interface";
import { expect, it } from "vitest";
import { IDENTIFY_PUSH_BURST, MAX_IDENTIFY_BYTES } from "../../src/network/libp2p/limits.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { field, varint } from "./protocol-buffers.ts";
import { join } from "./swarm-of-nodes.ts";

const ASKED = "/ipfs/id/1.0.0";
const PUSH = "/ipfs/id/push/1.0.0";

/** One message of identify, which says that it speaks a protocol with so long a name. */
function telling(nameBytes: number): Uint8Array {
  const message = field(3, new Uint8Array(nameBytes).fill(0x61));
  return Buffer.concat([Uint8Array.from(varint(message.length)), message]);
}

/** More than a peer has to tell, in messages that are no longer than libp2p takes. */
const tooMuch = Buffer.concat(Array.from({ length: 4 }, () => telling(MAX_IDENTIFY_BYTES / 3)));

async function connectionToVictim(): Promise<Connection> {
  const victim = await join();
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const [connection] = hostile.getConnections() as [Connection];
  await hostile.services.ping.ping(connection.remotePeer);
  return connection;
}

/** How the stream ends after that was said: `closed` where it was heard. */
async function endOf(stream: Stream, said: Uint8Array): Promise<string> {
  const ended = new Promise((resolve) => stream.addEventListener("close", resolve, { once: true }));
  if (stream.status === "open") {
    stream.send(said);
    await Promise.allSettled([stream.close(), ended]);
  }
  return stream.status;
}

it("is heard no further than a peer has to tell", async () => {
  const connection = await connectionToVictim();
  expect(await endOf(await connection.newStream(PUSH), telling(1000))).toBe("closed");
  expect(await endOf(await connection.newStream(PUSH), tooMuch)).toBe("reset");
});

it("is heard no further where the node asks for it", async () => {
  const victim = await join();
  const hostile = await startBareNode();
  await hostile.unhandle(ASKED);
  const end = new Promise((resolve) => {
    void hostile.handle(ASKED, (stream) => resolve(endOf(stream, tooMuch)));
  });
  await dial(hostile, victim);
  expect(await end).toBe("reset");
});

it("is heard no more often than it changes", async () => {
  const connection = await connectionToVictim();
  const ends: string[] = [];
  for (let count = 0; count < IDENTIFY_PUSH_BURST + 4; count++)
    ends.push(await endOf(await connection.newStream(PUSH), telling(1)));
  expect(ends.slice(0, IDENTIFY_PUSH_BURST - 2)).not.toContain("reset");
  expect(ends).toContain("reset");
});
