/** Limits of dials, of pings and of the peers that are kept connected: unit, reason and source. */
import { MAX_PARALLEL_DIALS } from "../limits.ts";

// ---- Connections ----

/**
 * Open inbound connections of one address, or of the IPv6 addresses of one subscriber: room for a household or an
 * office behind one router, not for all slots.
 */
export const MAX_CONNECTIONS_PER_HOST = 100;

// ---- Dials ----

/**
 * Looking up where a peer is that told no address: 23 ms through one bootstrap node (measured). What else that peer says
 * waits meanwhile, and it soon tells its addresses itself.
 */
export const LOOKUP_TIMEOUT_MS = 2_000;

/** One try of a direct way to a peer that is reached through a relay, which waits meanwhile. */
export const DIRECT_TRY_MS = 4_000;

/**
 * What the one of two nodes that started later has for its dial before the other dials too: a page's circuit and WebRTC
 * handshake take 0.3 to 1.2 s on a busy machine (measured).
 */
export const MEETING_PATIENCE_MS = 2_000;

/** Between two tries of a direct way to a peer that is reached through a relay. */
export const DIRECT_RETRY_MS = 60_000;

/** Neighbours being dialled: half of the dials under way, which leaves room for those that somebody waits for. */
export const MAX_NEIGHBOURS_DIALLED = MAX_PARALLEL_DIALS / 2;

// ---- Pings ----

/**
 * Between looks at the clocks, and the jump of one of them after which the device is thought to have slept: throttled timers of
 * pages make a minute.
 */
export const SLEEP_LOOK_MS = 10_000;
export const SLEEP_SUSPECTED_MS = 90_000;

/** Whether a connection outlived a sleep shows within this; a page that has just woken has much to do. */
export const CHECK_PING_TIMEOUT_MS = 10_000;

/**
 * Whether a connection outlived the start of its peer's program, which is awake and has just spoken. Those that end with
 * a page say so; those of a page that was killed do not, and count as open for 15 s more (measured).
 */
export const REBORN_PING_TIMEOUT_MS = 4_000;

/**
 * Who opens a stream has an answer within a round trip, two seconds over a slow mobile link; after this the connection
 * is in doubt.
 */
export const OPENING_DOUBT_MS = 3_000;

/**
 * Whether the connection to a peer that owes an answer is dead. It was silent for ten seconds where blocks are due, so
 * that this is as long as a conversation bears; requests may wait behind uploads for some seconds where a home's line
 * is full.
 */
export const SILENT_PING_TIMEOUT_MS = 20_000;

/** What pings on one stream bring, of 32 bytes each: a node sends one, others keep the stream for more, a second apart. */
export const MAX_PING_BYTES = 4 * 1024;

// ---- What is remembered of a peer ----

/** Bans remembered; the one that ends first gives way. */
export const MAX_BANS = 4_096;

// ---- Bootstrap ----

/** Pauses between dials of a bootstrap address: doubled from the first to the last. */
export const REDIAL_FIRST_MS = 1_000;
export const REDIAL_MAX_MS = 60_000;

/** Bootstrap addresses that are kept connected. */
export const MAX_BOOTSTRAP = 64;
