/**
 * Limits of the network as a whole, and those that several of its folders keep: unit, reason and source; all others stand in
 * the `limits.ts` of their folder. Sizes and counts bound what strangers can make this node hold; times bound how long they can
 * make it wait. "Measured" refers to two cores, Node.js 20, loopback.
 */

// ---- Connections ----

/** Open connections in all. libp2p's default for a server; each costs about 100 kB with its streams. */
export const MAX_CONNECTIONS = 300;

/**
 * Connections that have not finished their handshake. Each holds a socket and a key exchange for at most
 * INBOUND_UPGRADE_TIMEOUT_MS.
 */
export const MAX_PENDING_CONNECTIONS = 64;

/** The same of one address, so that one silent host can't take all of them. */
export const MAX_PENDING_PER_HOST = 16;

/**
 * The same by one relay, and of those that it introduces: others behind a relay may all come at once when it is back. Two relays,
 * which is as many as a node uses, leave room for the rest.
 */
export const MAX_PENDING_PER_RELAY = 24;

/** New connections a second of one address; libp2p's 5 refuses a page that opens a few tabs ("Unexpected EOF"). */
export const MAX_NEW_CONNECTIONS_PER_HOST_PER_SECOND = 20;

/** A handshake over a slow mobile link takes two seconds; after this the socket is closed. */
export const INBOUND_UPGRADE_TIMEOUT_MS = 8_000;

// ---- Dials ----

/**
 * One address of a peer, then the next is tried; a dead public address must not use up the whole dial. As patient as the
 * other end is with the handshake: a page that is busy with downloads took more than 4 s for it (measured).
 */
export const ADDRESS_DIAL_TIMEOUT_MS = 8_000;

/** All addresses of one peer together. */
export const DIAL_TIMEOUT_MS = 30_000;

/** Dials under way at once, and waiting. */
export const MAX_PARALLEL_DIALS = 32;
export const MAX_DIAL_QUEUE = 300;

/** Addresses of one peer that are tried. */
export const MAX_ADDRESSES_TO_DIAL = 16;

/** Loops and dials that may be under way when the network stops: those of the dial queue, and some twenty loops. */
export const MAX_ENDINGS = MAX_DIAL_QUEUE + 32;

/** Authors and neighbours that are dialled only to be well connected; beyond this, gossip reaches the rest. */
export const WELL_CONNECTED_PEERS = 40;

// ---- Pings ----

/** Round trips are measured this often; the first one right after connecting. */
export const PING_INTERVAL_MS = 10_000;
export const PING_TIMEOUT_MS = 5_000;

/**
 * A hidden page may run its timers once a minute, so an unanswered ping alone ends a connection only after this. As long has any
 * stream until its ends agree what is spoken: where the line is full of blocks, libp2p's 10 s broke the ping off, and so ended
 * connections of slow lines while they carried.
 */
export const PING_PATIENCE_MS = 90_000;

/**
 * Pings of one connection that may be under way, in each direction: one an interval for as long as patience lasts, and a
 * few that are asked for besides. One more than these fails at once, which libp2p takes for no answer and ends the
 * connection; its own limits, 1 out and 2 in, did so to peers that were only busy.
 */
export const MAX_PINGS_PER_CONNECTION = PING_PATIENCE_MS / PING_INTERVAL_MS + 7;

// ---- What is remembered of a peer ----

/** Addresses remembered of a peer. A node of ours has about ten; a phone that travels is told of again. */
export const MAX_ADDRESSES_PER_PEER = 32;

// ---- Streams ----

/** Streams a remote may hold open on one connection, over all protocols; ours needs about ten. */
export const MAX_INBOUND_STREAMS = 128;

/**
 * Streams a remote may open before this side has finished its handshake, which a busy node finishes late: libp2p's 10
 * are soon used up by a peer that at once identifies itself, pings, gossips, and asks for a catalogue and chunks.
 */
export const MAX_EARLY_STREAMS = 32;

/** Streams a remote may hold open of one of our own protocols on one connection. */
export const MAX_INBOUND_STREAMS_PER_PROTOCOL = 8;

/** One frame of a stream that is sent, also where more is to be; half a chunk. */
export const MAX_FRAME_BYTES = 512 * 1024;

/**
 * One that is taken. Nodes and pages built before 2026-11-25 16:00 make one of half a chunk, the heads of its messages (46 bytes,
 * measured) and whatever else of the stream waits, as what they have.
 */
export const MAX_TAKEN_FRAME_BYTES = MAX_FRAME_BYTES + 128 * 1024;

/** A stream that carries nothing for this long is closed; announcements alone come three times a minute. */
export const STREAM_INACTIVITY_MS = 15 * 60_000;

// ---- WebSockets ----

/**
 * What it takes as one, where the library takes 100 MiB. Those built before 2026-11-25 send a frame, encrypted, as one (524,508
 * bytes, measured), and with it what waits of other streams.
 */
export const MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES = MAX_TAKEN_FRAME_BYTES + 128 * 1024;

// ---- WebRTC ----

/**
 * Who is sent the first datagrams of a WebRTC connection and does not answer in this time, a round trip over a slow
 * mobile link, gives its place to another: whose address is forged never does.
 */
export const ICE_ANSWER_MS = 1_000;

// ---- Announcements ----

/** Authors remembered, those that left (against replays) included. */
export const MAX_AUTHORS = 2_000;

/** Expiry is looked at this often. */
export const EXPIRY_CHECK_MS = 5_000;

/** Gossipsub RPC: messages, topics and ids in one; its defaults of 5,000 let one frame cost seconds. */
export const MAX_RPC_MESSAGES = 64;
export const MAX_RPC_SUBSCRIPTIONS = 16;
export const MAX_RPC_CONTROL = 64;
export const MAX_RPC_MESSAGE_IDS = 1_000;

/** One gossipsub frame: a few messages and their control data. */
export const MAX_RPC_BYTES = 256 * 1024;

/** Gossip waiting for a peer that does not read; then its stream is reset. */
export const MAX_GOSSIP_BUFFER_BYTES = 4 * 1024 * 1024;

/**
 * How long gossipsub remembers what it thought of a peer that left, 800 bytes each (measured). Its default, an hour, is memory
 * for whoever comes under ever new ids; in a minute those few thousand that may come make a few MiB.
 */
export const SCORE_KEPT_MS = 60_000;

/** Memory for the topics a peer says it follows; ours are two. */
export const MAX_TOPIC_BYTES_PER_PEER = 8 * 1024;

// ---- Catalogues ----

/**
 * Catalogues pulled at once, authors waiting for it, and the pause before the same author is asked again. As many of authors that
 * are connected and of others, and as many excerpts.
 */
export const MAX_PARALLEL_PULLS = 8;
export const MAX_WAITING_PULLS = 512;
export const PULL_PAUSE_MS = 1_000;

/**
 * Pages of a catalogue, and as many of excerpts, that a peer is given: a burst, then a rate; those above it wait. Two
 * whole catalogues, of which it may miss something as the first is there, and one in three seconds.
 */
export const PAGE_BURST = 128;
export const PAGES_PER_SECOND = 16;

/**
 * The same of all peers together, of whom those from one host may have a hundred ids, and ever new ones; and as many
 * questions for unlisted files: a hundred peers that begin at once have each the longest catalogue in the time that it
 * may take. Each host's turn comes as often as another's, and within it each peer's.
 */
export const ANSWER_BURST = 512;
export const ANSWERS_PER_SECOND = 256;

/** What waits for its turn, of one host: eight streams for each of its connections, and some of the DHT's requests. */
export const MAX_WAITING_PER_HOST = 1_024;

/**
 * One that brings nothing for this long gives its turn to one that waits: a dial and a few round trips over a slow
 * mobile link.
 */
export const PULL_PATIENCE_MS = 4_000;

// ---- Provider records ----

/** A record not renewed for this long is dropped. */
export const PROVIDER_RECORD_TTL_MS = 4 * 60 * 60_000;

/** Own records are looked at this often and renewed when half of their time is over. */
export const REPROVIDE_INTERVAL_MS = 30 * 60_000;
export const REPROVIDE_AFTER_MS = PROVIDER_RECORD_TTL_MS / 2;
