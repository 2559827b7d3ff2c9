/**
 * Gets a file's manifest from one peer and records the file as a partial one. Called by transfer-work when
 * the file is not known here; asks the peer for inner nodes, a file of one chunk comes whole.
 */
import type { CID } from "multiformats/cid";
import type { ActivePeer } from "./active-peer.ts";
import type { Catalog } from "./catalog.ts";
import type { CatalogEntry, LocalFile } from "./catalog-entry.ts";
import { SharingError } from "./errors.ts";
import { RAW, verifyBlock } from "./hash.ts";
import { CHUNK_BYTES, MAX_NODE_BYTES } from "./limits.ts";
import { readManifest, singleChunkManifest } from "./manifest.ts";
import type { BlockStore, Clock } from "./ports.ts";

interface ManifestPorts {
  blocks: BlockStore;
  catalog: Catalog;
  clock: Clock;
}

/** What a file is called here, and whether others are told of it. */
export type NewFile = Pick<LocalFile, "name" | "isUnlisted">;

/**
 * `facts`: asked for once all is there.
 * @throws SharingError `bad_manifest`, `hash_mismatch`, `storage_full`, and what `session.fetch` throws
 */
export async function fetchManifest(
  root: CID,
  facts: () => NewFile,
  peer: Pick<ActivePeer, "session" | "received">,
  { blocks, catalog, clock }: ManifestPorts,
  signal: AbortSignal,
): Promise<CatalogEntry> {
  const fetch = async (cid: CID, maxBytes: number): Promise<Uint8Array> => {
    const onBytes = ({ length }: Uint8Array) => peer.received(length);
    const bytes = await peer.session.fetch({ cid, maxBytes, priority: 2, onBytes, signal });
    await verifyBlock(cid, bytes);
    return bytes;
  };

  const factsNow = () => ({ ...facts(), createdAt: new Date(clock.now()) });
  if (root.code === RAW) {
    const bytes = await fetch(root, CHUNK_BYTES);
    return catalog.addPartial(singleChunkManifest(root, bytes.length), [{ cid: root, bytes }], factsNow);
  }
  const { manifest, nodes } = await readManifest(root, (cid) => fetch(cid, MAX_NODE_BYTES));
  if (manifest.sizeBytes > (await blocks.availableBytes()) + blocks.usedBytes) {
    throw new SharingError(
      "storage_full",
      `the file's ${manifest.sizeBytes} bytes are more than the storage holds`,
    );
  }
  return catalog.addPartial(manifest, nodes, factsNow);
}
