/** A libp2p node of the same swarm that sends what it likes on the announcement topic and serves nothing. */
import { publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { PeerId, PrivateKey } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { type AnnounceMessage, encodeAnnouncement } from "../../src/network/announcing/announcement.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import type { Network } from "../../src/network/network.ts";
import { announceTopic } from "../../src/network/swarm-name.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { untilFollowed } from "./gossip-follower.ts";

const TOPIC = announceTopic("test");
export class HostilePeer {
  readonly node: Libp2pNode;
  readonly id: string;

  constructor(node: Libp2pNode) {
    this.node = node;
    this.id = node.peerId.toString();
  }

  /** Connected to the victim, which follows the topic and hears what is published. */
  static async join(victim: Network): Promise<HostilePeer> {
    const node = await startBareNode();
    const followed = untilFollowed(node, TOPIC);
    await dial(node, victim);
    await followed;
    return new HostilePeer(node);
  }

  async publish(bytes: Uint8Array): Promise<void> {
    await this.node.services.gossip.publish(TOPIC, bytes);
  }

  async say(message: AnnounceMessage): Promise<void> {
    await this.publish(encodeAnnouncement(message));
  }

  /** From now on messages carry another's name, with that one's public key or the own, and the own signature. */
  pretendToBe(author: PeerId, options: { showTheirKey: boolean }): void {
    const { gossip } = this.node.services as unknown as {
      gossip: { publishConfig: { author: PeerId; key: Uint8Array } };
    };
    if (author.publicKey === undefined) throw new Error("no public key in the peer id");
    const key = options.showTheirKey ? publicKeyToProtobuf(author.publicKey) : gossip.publishConfig.key;
    gossip.publishConfig = { ...gossip.publishConfig, author, key };
  }

  /** From now on messages are those of the author with that key, as of somebody that only this peer has met. */
  speakFor(privateKey: PrivateKey): void {
    const { gossip } = this.node.services as unknown as { gossip: { publishConfig: object } };
    const key = publicKeyToProtobuf(privateKey.publicKey);
    gossip.publishConfig = {
      ...gossip.publishConfig,
      author: peerIdFromPrivateKey(privateKey),
      key,
      privateKey,
    };
  }

  /** From now on messages carry the own name and signature again. */
  beOneself(): void {
    this.pretendToBe(this.node.peerId, { showTheirKey: true });
  }
}
