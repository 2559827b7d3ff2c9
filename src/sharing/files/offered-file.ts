/**
 * A small file that others hold, read from one of them and not kept: no transfer, nothing stored, nothing announced.
 * Called by the node, for lists of folders, which a person looks into before they want any of it.
 */
import { CID } from "multiformats/cid";
import { type Bans, BREACHES } from "../bans.ts";
import { isSharingError, SharingError } from "../errors.ts";
import { RAW, verifyBlock } from "../hash.ts";
import { CHUNK_BYTES, MAX_HOLDERS_A_READ, MAX_LINKS, MAX_NODE_BYTES, OFFERED_READ_MS } from "../limits.ts";
import type { Clock, Exchange, Log, Offer, PeerSession, Swarm } from "../ports.ts";
import { shuffled } from "../shuffled.ts";
import { expectLength, readManifest } from "./manifest.ts";

interface OfferedFilePorts {
  swarm: Pick<Swarm, "isMet">;
  exchange: Exchange;
  bans: Bans;
  clock: Clock;
  log: Log;
}

/**
 * Its bytes, verified. A holder that breaks the rules is struck, as by a transfer.
 * @throws SharingError `bad_request` for more than `maxBytes`, `no_provider` where no holder gives it now
 */
export async function readOfferedFile(
  { fileId, completeHolders, partialHolders }: Pick<Offer, "fileId" | "completeHolders" | "partialHolders">,
  maxBytes: number,
  ports: OfferedFilePorts,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const root = CID.parse(fileId);
  const holders = [...completeHolders, ...partialHolders].filter((peerId) => !ports.bans.isBanned(peerId));
  let cause: unknown;
  // One of them for each reader, so that it is not the same for all; those that nobody met may be made up.
  const byLot = shuffled(holders, Math.random).sort(
    (a, b) => Number(ports.swarm.isMet(b)) - Number(ports.swarm.isMet(a)),
  );
  for (const peerId of byLot.slice(0, MAX_HOLDERS_A_READ)) {
    try {
      return await readFrom(peerId, root, maxBytes, ports, signal);
    } catch (error) {
      if (signal.aborted || isSharingError(error, "bad_request")) throw error;
      cause = error;
      ports.log.debug("a holder did not give its file", { fileId, peerId, error });
      if (isSharingError(error, ...BREACHES)) {
        await ports.bans.strike(peerId, error);
      }
    }
  }
  throw new SharingError("no_provider", "nobody who offers the file gives it now", { cause });
}

async function readFrom(
  peerId: string,
  root: CID,
  maxBytes: number,
  { exchange, clock }: OfferedFilePorts,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const over = new AbortController();
  const late = () => over.abort(new SharingError("peer_lost", "the peer takes too long"));
  clock.sleep(OFFERED_READ_MS, over.signal).then(late, late);
  const either = AbortSignal.any([signal, over.signal]);
  let session: PeerSession | undefined;
  try {
    session = await exchange.openSession(peerId, either);
    return await bytesFrom(session, root, maxBytes, either);
  } finally {
    session?.close();
    over.abort();
  }
}

async function bytesFrom(
  session: PeerSession,
  root: CID,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const fetch = async (cid: CID, most: number): Promise<Uint8Array> => {
    const bytes = await session.fetch({ cid, maxBytes: most, priority: 1, signal });
    await verifyBlock(cid, bytes);
    return bytes;
  };
  if (root.code === RAW) {
    const bytes = await fetch(root, CHUNK_BYTES);
    checkSize(bytes.length, maxBytes);
    return bytes;
  }
  const { manifest } = await readManifest(root, async (cid) => {
    // A node beneath the root stands above as many chunks as a node has links.
    if (!cid.equals(root)) checkSize(MAX_LINKS * CHUNK_BYTES, maxBytes);
    return await fetch(cid, MAX_NODE_BYTES);
  });
  checkSize(manifest.sizeBytes, maxBytes);
  const whole = new Uint8Array(manifest.sizeBytes);
  for (let index = 0; index < manifest.chunkCount; index++) {
    const chunk = await fetch(manifest.chunkCid(index), manifest.chunkBytes(index));
    expectLength(manifest, index, chunk);
    whole.set(chunk, index * CHUNK_BYTES);
  }
  return whole;
}

function checkSize(sizeBytes: number, maxBytes: number): void {
  if (sizeBytes > maxBytes) throw new SharingError("bad_request", `the file has more than ${maxBytes} bytes`);
}
