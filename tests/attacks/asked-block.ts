/** A block asked for by hand, to see whether it is given away. Called by the attacks that read what nobody shared. */
import { CID } from "multiformats/cid";
import { CHUNK_BYTES } from "../../src/sharing/limits.ts";
import type { ScriptedPeer } from "../unit/exchange/scripted-peer.ts";

/** Asks for the block; true when its bytes came. */
export async function gets(peer: ScriptedPeer, requestId: number, id: string | CID): Promise<boolean> {
  const { code: codec, multihash } = CID.parse(id.toString());
  const before = peer.dataBytes;
  const missing = () => peer.received.filter(({ type }) => type === "missing").length;
  const missingBefore = missing();
  const want = { requestId, priority: 2, maxBytes: CHUNK_BYTES, codec, digest: multihash.digest } as const;
  peer.send({ type: "want", ...want });
  await peer.until(
    () => peer.dataBytes > before || missing() > missingBefore || peer.stream.status !== "open",
  );
  return peer.dataBytes > before;
}
