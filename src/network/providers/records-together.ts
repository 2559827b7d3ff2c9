/**
 * Provider records of many files put at once, for a DHT of few peers: each of them keeps every record there, so one lookup does
 * for all files, and one stream for all that a peer is to keep. kad-dht has a lookup for each file, and a stream for each
 * record. Called by provider-announcer. Messages are those of libp2p's kad-dht (its spec, "RPC messages"), in Protocol Buffers:
 *
 * | message      | fields                                                                                      |
 * |--------------|---------------------------------------------------------------------------------------------|
 * | ADD_PROVIDER | 1 varint 2; 2 block multihash of the file; 9 block peer: 1 block peer id, 2 block address … |
 * | PING         | 1 varint 5; answered with the same                                                          |
 */
import type { PeerId, Stream } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";
import { lpStream } from "@libp2p/utils";
import { CID } from "multiformats/cid";
import { writeAuthorAddresses } from "../announcing/author-addresses.ts";
import { ByteWriter } from "../byte-fields.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { orAborted } from "../or-aborted.ts";
import { MAX_CLOSER_PEERS, MAX_TAKEN_BYTES } from "./limits.ts";

/** What the library's types don't show of its DHT. */
interface Parts {
  providers: { addProvider(file: CID, provider: PeerId): Promise<void> };
}

const PING = Uint8Array.of(8, 5);

/**
 * The peers of the DHT that answer, by a lookup of the file; undefined where so many are named that others of them may keep
 * another file's records.
 */
export async function allPeers(
  { services, peerId }: Libp2pNode,
  fileId: string,
  signal: AbortSignal,
): Promise<PeerId[] | undefined> {
  const named = new Set<string>();
  const answering: PeerId[] = [];
  for await (const event of services.dht.getClosestPeers(multihashOf(fileId), { signal })) {
    if (event.name === "PEER_RESPONSE") for (const { id } of event.closer) named.add(id.toString());
    if (event.name === "FINAL_PEER") answering.push(event.peer.id);
  }
  for (const id of answering) named.add(id.toString());
  named.delete(peerId.toString());
  return named.size < MAX_CLOSER_PEERS ? answering : undefined;
}

/** So that this node tells who asks it that it holds the file. */
export async function noteOwn({ services, peerId }: Libp2pNode, fileId: string): Promise<void> {
  const { providers } = services.dht as KadDHT & Parts;
  await providers.addProvider(CID.parse(fileId), peerId);
}

/**
 * Settles when the peer has taken all of them: it answers what comes on a stream in turn.
 * @throws when the stream breaks or the signal aborts
 */
export async function putTogether(
  stream: Stream,
  node: Libp2pNode,
  fileIds: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  await orAborted(stream, async () => {
    const messages = lpStream(stream, { maxDataLength: MAX_TAKEN_BYTES });
    await messages.writeV([...recordsOf(node, fileIds), PING], { signal });
    await messages.read({ signal });
    await stream.close({ signal });
  });
}

/** The peer learns all addresses by the first; a record without any would not be kept. */
function* recordsOf(node: Libp2pNode, fileIds: Iterable<string>): Generator<Uint8Array> {
  let addresses = writeAuthorAddresses(node.getMultiaddrs());
  for (const fileId of fileIds) {
    const peer = new ByteWriter().byte(0x0a).block(node.peerId.toMultihash().bytes);
    for (const address of addresses) peer.byte(0x12).block(address);
    yield new ByteWriter()
      .byte(0x08)
      .byte(2)
      .byte(0x12)
      .block(multihashOf(fileId))
      .byte(0x4a)
      .block(peer.finish())
      .finish();
    addresses = addresses.slice(0, 1);
  }
}

function multihashOf(fileId: string): Uint8Array {
  return CID.parse(fileId).multihash.bytes;
}
