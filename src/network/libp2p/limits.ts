/** Limits of what peers make libp2p's own parts do and remember: unit, reason and source. */

// ---- What is remembered of a peer ----

/** Protocols remembered of a peer; a node of ours speaks about twenty. */
export const MAX_PROTOCOLS_PER_PEER = 128;

/** What a peer tells of itself at a time: its addresses twice, the second time signed, and its protocols. */
export const MAX_IDENTIFY_BYTES = 16 * 1024;

/** How often a peer may tell it unasked: a burst, then a rate. A node gathers changes for a second. */
export const IDENTIFY_PUSH_BURST = 8;
export const IDENTIFY_PUSHES_PER_SECOND = 1;

/** Peers whose new addresses are written at once; more wait with the streams that told them. */
export const MAX_PEERS_TOLD_OF_AT_ONCE = 16;

// ---- Streams ----

/**
 * What comes on a connection or a stream before it is agreed what is spoken there: a few lines, and what is said already by who
 * does not wait for the answer.
 */
export const MAX_NEGOTIATION_BYTES = 8 * 1024;

/** What comes until a connection is encrypted: two messages of noise, of which none is longer than this. */
export const MAX_HANDSHAKE_BYTES = 64 * 1024;

/**
 * Streams that a remote opens and resets, or has no room for, before it is agreed what they are for: a burst, then a rate. One
 * that it speaks on costs it a round trip, so there is no limit to those: who gives records of thousands of files opens 400 a
 * second (measured).
 */
export const VAIN_STREAM_BURST = 256;
export const VAIN_STREAMS_PER_SECOND = 4;

/** Yamux pings of a remote: a burst, then a rate. The library sends one in half a minute. */
export const YAMUX_PING_BURST = 32;
export const YAMUX_PINGS_PER_SECOND = 1;

/**
 * Frames of a remote with no data, or less than this, beside one for each that was sent to it, which the library answers with as
 * much of the window, thousands of times a second where a line is fast: a burst, then a rate. The busiest bring some thousands
 * a second, answers to messages and requests for small files.
 */
export const SHORT_FRAME_BYTES = 1024;
export const SHORT_FRAME_BURST = 32_768;
export const SHORT_FRAMES_PER_SECOND = 16_384;

/** Bytes of a stream's window, an eighth of what it has at first, that are given back to the sender in one message. */
export const MIN_WINDOW_UPDATE_BYTES = 32 * 1024;

// ---- Gossip ----

/**
 * Messages of gossip that the peers of a host bring first, whoever made them: a burst, then a rate. Two thousand authors say a
 * hundred times a second that they are there, and whoever knows one peer alone hears all of them from it. Each costs
 * 0.3 ms (measured).
 */
export const CARRIED_MESSAGE_BURST = 512;
export const CARRIED_MESSAGES_PER_SECOND = 256;

/** Of these, those whose author has another key than nodes make, which cost 2.3 ms each (measured). */
export const SLOW_SIGNATURE_BURST = 64;
export const SLOW_SIGNATURES_PER_SECOND = 16;

// ---- WebSockets ----

/** What a WebSocket sends as one message: as much as a page queues. */
export const MAX_WEB_SOCKET_MESSAGE_BYTES = 256 * 1024;

/** How often a full WebSocket is looked at for room, where the peer's messages don't tell. */
export const WEB_SOCKET_LOOK_MS = 10;

// ---- WebRTC ----

/** All that a peer says to be connected by WebRTC: an offer of about 1 kB, and some twenty candidates of 200 bytes. */
export const MAX_SIGNALLING_BYTES = 16 * 1024;

// ---- What is kept between runs ----

/**
 * Before changes of libp2p's entries are written, so that those of a second go together: each stream that opens is one, of which
 * there are fourteen a second while the provider records of a folder are put (measured).
 */
export const KEPT_WRITE_DELAY_MS = 1_000;

/** Changes that wait for that; with more they are written at once, and further ones wait in libp2p. */
export const MAX_UNWRITTEN_ENTRIES = 256;
