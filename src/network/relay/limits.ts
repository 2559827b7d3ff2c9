/** Limits of reservations, circuits and meetings at relays: unit, reason and source. */
import { MAX_CONNECTIONS } from "../limits.ts";

// ---- Relay ----

/**
 * Peers that may be reached through this node at a time; libp2p's default is 15. A place costs next to nothing beside
 * the connection that it needs, so that hosts which fill their share of connections can't have all places before.
 */
export const MAX_RELAY_RESERVATIONS = MAX_CONNECTIONS;

/** How long a reservation holds unless renewed. */
export const RELAY_RESERVATION_TTL_MS = 60 * 60_000;

/** A relay is not asked for the next one sooner, whatever it tells, nor again where it gave none; libp2p's own bound. */
export const RELAY_RENEWAL_MIN_MS = 30_000;

/** Circuits that one connection may open through this node, and that may lead to one peer. */
export const MAX_RELAY_STREAMS_PER_CONNECTION = 32;

/** Bytes of a circuit, each way, that wait at the relay for the slower end until the other is to wait: a window of yamux's. */
export const MAX_CIRCUIT_BYTES = 256 * 1024;

/** The same where the other can't be told, or does not heed it, until the circuit ends: two streams of the largest windows. */
export const MAX_PAUSED_CIRCUIT_BYTES = 32 * 1024 * 1024;

/** Time to set up one circuit. */
export const RELAY_HOP_TIMEOUT_MS = 10_000;

/** Relays this node keeps reservations on; two, so that one may go. */
export const MAX_RELAYS_USED = 2;

/**
 * Relays that are asked for a place at the same time: for new places and to renew old ones. The library forgets who
 * waits for that, and never answers, once another has its place.
 */
export const MAX_RELAYS_ASKED = 2 * MAX_RELAYS_USED;

/** What the relay's protocol has to say on a stream: the longest answer has ten addresses of 100 bytes, and a signature. */
export const MAX_RELAY_MESSAGE_BYTES = 8 * 1024;

// ---- Rendezvous ----

/** Longest id of a peer that is named, as nodes write it: one with a key of 4096 bits takes 46 characters, ours 52. */
export const MAX_NAMED_ID_CHARS = 64;

/** Peers of a swarm that a relay names at a time, others each time; as many as make a swarm of any size hang together. */
export const MAX_PEERS_NAMED = 16;

/** An answer: that many peers with the most and longest addresses. */
export const MAX_RENDEZVOUS_ANSWER_BYTES = 64 * 1024;

/** The question and its answer. */
export const RENDEZVOUS_QUESTION_BYTES = 33;
export const RENDEZVOUS_TIMEOUT_MS = 20_000;

/** Questions of a peer that are answered with names: a burst, then a rate. */
export const RENDEZVOUS_BURST = 8;
export const RENDEZVOUS_PER_SECOND = 0.2;

/**
 * Pauses between questions to one relay: doubled from the first to the last. The first ones are for those that come when the
 * relay does, all at once, and have no address there yet.
 */
export const RENDEZVOUS_PAUSE_MS = 2_000;
export const RENDEZVOUS_PAUSE_MAX_MS = 120_000;
