/** A peer that lies about a chunk which another has brought by the time that the lie is found. */
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { Log } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { bytesOf, ended, Hub, randomFile } from "./hub.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("a peer that lies is struck though another has brought the chunk meanwhile", async () => {
  const lied = deferred();
  const wasBrought = deferred();
  const struck = deferred<object | undefined>();
  const zeros = new Uint8Array(CHUNK_BYTES);
  const odd = randomFile(100);
  const isWhole = ({ length }: Uint8Array) => length === CHUNK_BYTES;

  const hub = new Hub();
  const honest = await hub.join("honest", {
    manners: {
      answer: async (cid, block) => {
        if (cid.code === RAW) await (isWhole(block) ? lied.promise : struck.promise);
        return block;
      },
    },
  });
  const liar = await hub.join("liar", {
    manners: {
      answer: (cid, block) => {
        if (cid.code !== RAW) return block;
        if (!isWhole(block)) throw new SharingError("block_not_found", "it says");
        lied.resolve();
        return block.slice().fill(1);
      },
    },
  });
  /** Finds garbage only once a true chunk has been stored, and told of. */
  class SlowBlockStore extends MemoryBlockStore {
    override async putVerified(cid: CID, bytes: Uint8Array): Promise<void> {
      if (isWhole(bytes) && bytes[0] === 1) await wasBrought.promise;
      await super.putVerified(cid, bytes);
      if (isWhole(bytes)) void turn().then(() => wasBrought.resolve());
    }
  }
  const file = Buffer.concat([...Array.from({ length: 8 }, () => zeros), odd]);
  for (const peer of [honest, liar]) await peer.node.share(bytesOf(file), { name: "x" });
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (what, details) => void (what === "peer struck" && struck.resolve(details)),
  };
  const leecher = await hub.join("leecher", { blocks: new SlowBlockStore(), log });
  const fileId = honest.node.files()[0]?.id as string;
  const transfer = await leecher.node.download({ fileId });
  expect(await struck.promise).toMatchObject({ peerId: "liar" });
  expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
});
