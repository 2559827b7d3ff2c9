/**
 * Gets a file's manifest from one peer and records the file as a partial one. Called by transfer-work when
 * the file is not known here; asks the peer for inner nodes, a file of one chunk comes whole.
 */
import type { CID } from "multiformats/cid";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { SharingError, sizeText } from "../errors.ts";
import { type DagNode, type Manifest, readManifest, singleChunkManifest } from "../files/manifest.ts";
import { RAW, verifyBlock } from "../hash.ts";
import { CHUNK_BYTES, MAX_LINKS, MAX_NODE_BYTES } from "../limits.ts";
import type { BlockStore, Clock, Swarm } from "../ports.ts";
import { unlessAborted } from "../unless-aborted.ts";
import type { ActivePeer } from "./active-peer.ts";

interface ManifestPorts {
  blocks: BlockStore;
  catalog: Catalog;
  swarm: Pick<Swarm, "offer" | "askUnlisted">;
  clock: Clock;
}

/** What is not known here yet; its name, and whether others are told of it, are asked for once all is there. */
export interface NewFile {
  root: CID;
  name: () => string;
  isUnlisted: () => boolean;
}

/** @throws SharingError `bad_manifest`, `hash_mismatch`, `storage_full`, and what `session.fetch` throws */
export async function fetchManifest(
  { root, name, isUnlisted }: NewFile,
  peer: Pick<ActivePeer, "session" | "received">,
  { blocks, catalog, swarm, clock }: ManifestPorts,
  signal: AbortSignal,
): Promise<CatalogEntry> {
  const fetch = async (cid: CID, maxBytes: number): Promise<Uint8Array> => {
    const onBytes = ({ length }: Uint8Array) => peer.received(length);
    const bytes = await peer.session.fetch({ cid, maxBytes, priority: 2, onBytes, signal });
    const hash = blocks.startHash?.();
    hash?.update(bytes);
    await verifyBlock(cid, bytes, hash?.digest());
    return bytes;
  };
  // Beside, and waited for before others could be told of the file.
  const asked = isUnlistedAt(peer.session.peerId, root.toString(), swarm);
  const record = async (manifest: Manifest, nodes: readonly DagNode[]): Promise<CatalogEntry> => {
    const isUnlistedThere = await unlessAborted(asked, signal);
    return await catalog.addPartial(manifest, nodes, () => ({
      name: name(),
      isUnlisted: isUnlisted() || isUnlistedThere,
      createdAt: new Date(clock.now()),
    }));
  };

  if (root.code === RAW) {
    const bytes = await fetch(root, CHUNK_BYTES);
    return await record(singleChunkManifest(root, bytes.length), [{ cid: root, bytes }]);
  }
  const expectRoom = async (sizeBytes: number, comparison = "") => {
    if (sizeBytes <= (await blocks.availableBytes()) + blocks.usedBytes) return;
    const size = comparison + sizeText(sizeBytes);
    throw new SharingError("storage_full", `the file's ${size} are more than the storage holds`);
  };
  let nodesBelow = 0;
  const { manifest, nodes } = await readManifest(root, async (cid) => {
    // Each that came before this one stands above as many chunks as a node has links, or no more would be read.
    if (!cid.equals(root)) await expectRoom(nodesBelow++ * MAX_LINKS * CHUNK_BYTES, "more than ");
    return await fetch(cid, MAX_NODE_BYTES);
  });
  await expectRoom(manifest.sizeBytes);
  return await record(manifest, nodes);
}

/** What comes from a peer that tells nobody of it is told to nobody here, unless others tell of it. */
async function isUnlistedAt(peerId: string, fileId: string, swarm: ManifestPorts["swarm"]): Promise<boolean> {
  if (swarm.offer(fileId) !== undefined) return false;
  const held = await swarm.askUnlisted(peerId, fileId);
  return held !== "none" && swarm.offer(fileId) === undefined;
}
