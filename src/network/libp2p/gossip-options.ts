/** How gossipsub works in a swarm of this kind, and by which scores it bears with a peer. Used by libp2p-node. */
import { type gossipsub, StrictSign } from "@libp2p/gossipsub";
import { base64 } from "multiformats/bases/base64";
import * as limits from "../limits.ts";

/** For a swarm whose messages are on these topics alone. */
export function gossipOptions(topics: string[]): NonNullable<Parameters<typeof gossipsub>[0]> {
  return {
    globalSignaturePolicy: StrictSign,
    fallbackToFloodsub: false,
    // To every connected follower, not the mesh alone: a fresh connection is heard before the mesh has formed.
    floodPublish: true,
    emitSelf: false,
    allowPublishToZeroTopicPeers: true,
    allowedTopics: topics,
    maxInboundStreams: 2,
    maxOutboundStreams: 2,
    runOnLimitedConnection: true,
    maxInboundDataLength: limits.MAX_RPC_BYTES,
    maxOutboundBufferSize: limits.MAX_GOSSIP_BUFFER_BYTES,
    maxTopicBytesPerPeer: limits.MAX_TOPIC_BYTES_PER_PEER,
    // A dozen peers bring each message, and the library checks the signature of every copy that it does not know by
    // this. With its author, since other kinds of keys than ours can be made to fit a signature that is known.
    fastMsgIdFn: ({ from, signature }) => `${textOf(from)} ${textOf(signature)}`,
    decodeRpcLimits: {
      maxSubscriptions: limits.MAX_RPC_SUBSCRIPTIONS,
      maxMessages: limits.MAX_RPC_MESSAGES,
      maxIhaveMessageIDs: limits.MAX_RPC_MESSAGE_IDS,
      maxIwantMessageIDs: limits.MAX_RPC_MESSAGE_IDS,
      maxIdontwantMessageIDs: limits.MAX_RPC_MESSAGE_IDS,
      maxControlMessages: limits.MAX_RPC_CONTROL,
      maxPeerInfos: 0,
    },
    scoreParams: {
      // Many nodes of one household share an address; the gater limits hosts.
      IPColocationFactorWeight: 0,
      retainScore: limits.SCORE_KEPT_MS,
      topics: Object.fromEntries(topics.map((topic) => [topic, topicScore])),
    },
  };
}

function textOf(bytes: Uint8Array = new Uint8Array()): string {
  return base64.encode(bytes);
}

const topicScore = {
  topicWeight: 1,
  timeInMeshWeight: 0.01,
  timeInMeshQuantum: 1000,
  timeInMeshCap: 100,
  firstMessageDeliveriesWeight: 0,
  firstMessageDeliveriesDecay: 0.5,
  firstMessageDeliveriesCap: 1,
  // A quiet swarm is no fault of the mesh.
  meshMessageDeliveriesWeight: 0,
  meshMessageDeliveriesDecay: 0.5,
  meshMessageDeliveriesCap: 1,
  meshMessageDeliveriesThreshold: 1,
  meshMessageDeliveriesWindow: 10,
  meshMessageDeliveriesActivation: 5000,
  meshFailurePenaltyWeight: 0,
  meshFailurePenaltyDecay: 0.5,
  // Squared: ten malformed or forged messages within a minute, and its gossip is no longer listened to.
  invalidMessageDeliveriesWeight: -1,
  invalidMessageDeliveriesDecay: 0.98,
};
