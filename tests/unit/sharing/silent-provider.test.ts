/**
 * A download of which somebody says to have all, takes every request, and answers none: its session gives it up again
 * and again.
 */
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import {
  CHUNK_BYTES,
  FIRST_PROVIDER_MS,
  MAX_SILENCE_MS,
  SHORT_FILES_AT_ONCE,
  STALL_MS,
} from "../../../src/sharing/limits.ts";
import { untilTrue } from "../../eventually.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, Hub, randomFile } from "./hub.ts";

const bytes = randomFile(2 * CHUNK_BYTES);

/** `isSilent`: what it does not answer. */
async function joinSilent(isSilent: (cid: CID) => boolean) {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
    if (!isSilent(cid)) return block;
    await clock.sleep(MAX_SILENCE_MS, signal);
    throw new SharingError("peer_lost", "the peer sent nothing for too long");
  };
  return { clock, hub, silent: await hub.join("silent", { manners: { answer } }) };
}

async function askingSilent(isSilent: (cid: CID) => boolean) {
  const { clock, hub, silent } = await joinSilent(isSilent);
  const { file } = await silent.node.share(bytesOf(bytes), { name: "x" });
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  const statuses: string[] = [];
  node.events.subscribe(() => {
    const { status } = node.transfer(id);
    if (statuses.at(-1) !== status) statuses.push(status);
  });
  return { clock, hub, node, transferId: id, file, statuses };
}

it("waits for a provider, tells readers so, and goes on with one that comes", async () => {
  const { clock, hub, node, transferId, file, statuses } = await askingSilent(({ code }) => code === RAW);
  const status = () => node.transfer(transferId).status;
  // What the file is made of is hashed, which takes other time than the clock's.
  await untilTrue(() => node.transfer(transferId).sizeBytes !== undefined);
  const tookMs = await clock.passUntil(() => status() === "interrupted");
  expect(tookMs).toBeGreaterThan(STALL_MS);
  const reading = node.expectByte(file.id, 0, new AbortController().signal);
  await expect(reading).rejects.toMatchObject({ name: "stopped" });
  await clock.pass(5 * STALL_MS);
  expect(status()).toBe("interrupted");
  statuses.length = 0;

  await (await hub.join("honest")).node.share(bytesOf(bytes), { name: "x" });
  await clock.passUntil(() => status() === "completed");
  expect(statuses.at(-1)).toBe("completed");
  // Which of them events find on the way is chance.
  expect(["interrupted", "resumed", "in_progress", "completed"]).toEqual(expect.arrayContaining(statuses));
});

it("fails where not even what the file is made of has come", async () => {
  const { clock, node, transferId } = await askingSilent(() => true);
  const tookMs = await clock.passUntil(() => node.transfer(transferId).status === "failed");
  expect(tookMs).toBeLessThan(2 * MAX_SILENCE_MS + FIRST_PROVIDER_MS);
  expect(node.transfer(transferId).error).toBe("the peer sent nothing for too long");
});

it("fails, too, where it has waited for its turn among very many", async () => {
  const { clock, hub, silent } = await joinSilent(() => true);
  const { node } = await hub.join("leecher");
  for (let nth = 0; nth <= SHORT_FILES_AT_ONCE; nth++) {
    const { file } = await silent.node.share(bytesOf(randomFile(100)), { name: "x" });
    await node.download({ fileId: file.id });
  }
  await clock.pass(1);
  expect(node.transfers().filter(({ isWaiting }) => isWaiting)).toHaveLength(1);
  await clock.pass(3 * MAX_SILENCE_MS + FIRST_PROVIDER_MS);
  expect(new Set(node.transfers().map(({ status }) => status))).toEqual(new Set(["failed"]));
});

it("goes on once the provider answers after all", async () => {
  let isSilent = true;
  const { clock, node, transferId } = await askingSilent(({ code }) => isSilent && code === RAW);
  await clock.passUntil(() => node.transfer(transferId).status === "interrupted");
  isSilent = false;
  await clock.passUntil(() => node.transfer(transferId).status === "completed");
});
