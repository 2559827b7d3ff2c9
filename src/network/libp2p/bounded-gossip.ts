/**
 * Bounds what a peer makes this node spend on messages of gossip. Who passes messages on can make up as many authors as
 * it likes, each with a rate of its own, and libp2p checks a signature before anybody asks what is signed. Of keys that
 * are not Ed25519 it does so in JavaScript: 90 kB a second took all of the processor, and as they were passed on, that
 * of every node in the swarm. What a peer says itself counts first as its own, so that strangers who talk through a
 * relay leave the relay a say. Those of one host carry together, since ids are made up as easily as authors. Put between
 * gossipsub and its streams by libp2p-node.
 */
import type { GossipSub } from "@libp2p/gossipsub";
import type { PeerId } from "@libp2p/interface";
import { equals } from "multiformats/bytes";
import type { Clock } from "../../sharing/ports.ts";
import { systemClock } from "../../sharing/system-clock.ts";
import { AUTHOR_MESSAGE_BURST, AUTHOR_MESSAGES_PER_SECOND } from "../announcing/limits.ts";
import { MAX_CONNECTIONS } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import {
  CARRIED_MESSAGE_BURST,
  CARRIED_MESSAGES_PER_SECOND,
  SLOW_SIGNATURE_BURST,
  SLOW_SIGNATURES_PER_SECOND,
} from "./limits.ts";

interface SignedMessage {
  from?: Uint8Array;
  signature?: Uint8Array;
  key?: Uint8Array;
}

/** What gossipsub's types don't show. */
export interface MessageTaker {
  handleReceivedMessage(from: PeerId, message: SignedMessage): Promise<void>;
  fastMsgIdFn?(message: SignedMessage): string;
  /** Of messages that came before. */
  fastMsgIdCache?: { get(id: string): string | undefined };
}

/** Of an Ed25519 key: its type, and that 32 bytes follow. */
const ED25519_HEAD = [0x08, 0x01, 0x12, 0x20];
const ED25519_BYTES = 36;

/** An identity multihash: the key is in the peer id. */
const IDENTITY_HEAD = [0x00, ED25519_BYTES];

/** `originOf`: from where a peer comes that is connected. */
export function boundGossip(
  gossip: GossipSub | MessageTaker,
  originOf: (peerId: string) => string | undefined,
  clock: Pick<Clock, "monotonic"> = systemClock,
): void {
  const taker = gossip as MessageTaker;
  const rate = (burst: number, perSecond: number) =>
    new MessageRate(clock, { burst, perSecond, maxKeys: MAX_CONNECTIONS });
  const ownMessages = rate(AUTHOR_MESSAGE_BURST, AUTHOR_MESSAGES_PER_SECOND);
  const messages = rate(CARRIED_MESSAGE_BURST, CARRIED_MESSAGES_PER_SECOND);
  const slowOnes = rate(SLOW_SIGNATURE_BURST, SLOW_SIGNATURES_PER_SECOND);
  const isRepeated = (message: SignedMessage) => {
    const id = taker.fastMsgIdFn?.(message);
    return id !== undefined && taker.fastMsgIdCache?.get(id) !== undefined;
  };
  const take = taker.handleReceivedMessage.bind(taker);
  taker.handleReceivedMessage = async (from, message) => {
    const carrier = from.toString();
    const isOwn = () => equals(from.toMultihash().bytes, message.from ?? new Uint8Array());
    const mayBeCarried = (origin = originOf(carrier) ?? carrier) =>
      (isFast(message) || slowOnes.take(origin)) && messages.take(origin);
    const mayCost = () => (isOwn() && ownMessages.take(carrier)) || mayBeCarried();
    if (isRepeated(message) || mayCost()) await take(from, message);
  };
}

/** Whether the signature is one of Ed25519, which the platform checks. */
function isFast({ from = new Uint8Array(), key }: SignedMessage): boolean {
  return key === undefined ? isKey(from, [...IDENTITY_HEAD, ...ED25519_HEAD]) : isKey(key, ED25519_HEAD);
}

/** To the byte: of a field that comes twice, the last counts. */
function isKey(bytes: Uint8Array, head: number[]): boolean {
  return (
    bytes.length === ED25519_BYTES + head.length - ED25519_HEAD.length &&
    head.every((byte, at) => bytes[at] === byte)
  );
}
