/** Every limit of the exchange protocol: unit, reason and source. Wire limits are part of the protocol. */
import { CHUNK_BYTES, TRICKLE_BYTES_PER_SECOND } from "../sharing/limits.ts";

/** Longest block asked for, served or taken: a chunk; DAG nodes are shorter. */
export const MAX_BLOCK_BYTES = CHUNK_BYTES;

/** Payload bytes of one DATA frame: what one message carries on the transports with the smallest ones that are fast. */
export const MAX_DATA_BYTES = 64 * 1024;

/** Longest frame after its length: a full DATA frame with type and request id, rounded up. */
export const MAX_FRAME_BYTES = MAX_DATA_BYTES + 16;

/** Longest frame that is collected in memory before it is read: a HAVE_FIELD piece with its numbers. */
export const MAX_CONTROL_BYTES = 8 * 1024 + 32;

/** Bitfield bytes in one HAVE_FIELD: 65,536 chunks, so a file of 64 GiB fits in one frame. */
export const FIELD_PIECE_BYTES = 8 * 1024;

/** Indexes that one HAVE_RUNS may name, four bytes each at worst; more are sent as a field. Keeps a ten-byte frame cheap. */
export const MAX_HAVE_INDEXES = 2048;

/** Requests of one peer that are not yet answered; twice what any asker here sends, and 64 short records of memory. */
export const MAX_REQUESTS_PER_PEER = 32;

/**
 * Bytes that are read a second of what the peers of a host ask: five thousand requests, where the busiest send a
 * thousand. A message of three bytes takes a microsecond or two, and a request that is taken back at once 15.
 */
export const ASKED_BYTES_PER_SECOND = 256 * 1024;

/** Files that one peer may watch at a time: more downloads at once than one peer is useful for. */
export const MAX_WATCHES_PER_PEER = 64;

/** Peers served at a time. Each may hold one block in memory, so this is also MiB in the worst case. */
export const MAX_SERVED_PEERS = 128;

/** Places that the peers of one host keep where all are taken and others come: a household's, or a small office's. */
export const KEPT_PLACES_PER_HOST = 16;

/** Peers asked at a time: a few transfers with their peers. */
export const MAX_ASKED_PEERS = 128;

/**
 * Blocks one served peer may have read and unsent: a disk that takes 12 ms a block, as a busy one does, keeps up with
 * 500 MiB/s.
 */
export const READ_AHEAD_BLOCKS = 6;

/** Blocks in memory beyond the first of each served peer, shared by all of them: 32 MiB. */
export const SHARED_READ_AHEAD_BLOCKS = 32;

/**
 * Blocks that may be read for a peer and not given to it before it has to wait: as many as it may ask for, and take
 * back. Each chunk that it takes is one less, a shorter block as much less as it is long, and each second one.
 */
export const MAX_READ_IN_VAIN = 32;

/** Blocks that a peer asked for last: what it finds wrong it asks for again behind its other requests, of which there are 32. */
export const MAX_REMEMBERED_WANTS = 256;

/** Blocks of which it is known when they were last given: a file of 8 GiB; about 100 bytes each. */
export const MAX_REMEMBERED_BLOCKS = 8192;

/** Younger requests of one peer that may be answered before one whose block was given to others: half of `IN_FLIGHT_BULK`. */
export const MAX_PASSED_BY = 8;

/** Bytes handed to a stream at once over tcp and websocket: one muxer frame for eight pieces. */
export const BULK_SEND_BYTES = 512 * 1024;

/** Pieces of that size whose memory is kept for the next ones: two each for four peers that are served at full speed, 4 MiB. */
export const MAX_KEPT_SENDS = 8;

/** Bytes handed to a stream at once elsewhere: with their headers they fill the largest message of a data channel. */
export const SMALL_SEND_BYTES = 64 * 1024 - 128;

/**
 * What a peer must have taken before twice as much is sent at once: more than lies in a stream's first window and a
 * slow line's buffer.
 */
export const FAST_BYTES = 1024 * 1024;

/** A peer that lets a piece wait for this long is sent the smallest ones again: two ticks, a piece over 256 kbit/s. */
export const SLOW_SEND_MS = 2_000;

/** Smallest turn under a rate limit: below it headers and cipher tags cost more than a few percent. */
export const MIN_TURN_BYTES = 4 * 1024;

/** Turns in a second under a rate limit, so that twenty peers on a slow link are each served every second. */
export const TURNS_PER_SECOND = 32;

/** Seconds of a rate limit that may be saved up and sent at once. */
export const BURST_SECONDS = 0.1;

/**
 * What a peer is moved at least under a rate limit; where that is not enough for all, some wait: a chunk a minute, and four times
 * what counts as getting on.
 */
export const SLOT_BYTES_PER_SECOND = 4 * TRICKLE_BYTES_PER_SECOND;

/** Of the slots what peers of one host keep while others wait: enough for a household, and not all for two hosts. */
export const HOST_SHARE_OF_SLOTS = 1 / 4;

/** What a peer is moved in a row while others wait: a block, since half of one is of use to nobody. */
export const QUANTUM_BYTES = MAX_BLOCK_BYTES;

/**
 * Who had nothing to move for so long joins the line anew: a slow line may let a piece wait for as long, see
 * `SLOW_READER_MS`.
 */
export const KEPT_SLOT_MS = 30_000;

/** A block that is as short waits for no longer ones: the manifest of a file of 300 chunks, or a small file. */
export const SHORT_BYTES = 16 * 1024;

/** Requests in flight where the transport pushes back on its own: 16 MiB fill 1 Gbit/s over 130 ms. */
export const IN_FLIGHT_BULK = 16;

/** Requests that are sent together, while enough answers are under way: one message in place of four. */
export const WANTS_AT_ONCE = 4;

/** Answers under way with which a peer has enough to do: half of `IN_FLIGHT_BULK`, and more than it reads ahead. */
export const ANSWERS_UNDER_WAY = 8;

/** Requests in flight over data channels (no read back-pressure: 4 MiB unread kills one) and relays (others' bandwidth). */
export const IN_FLIGHT_SMALL = 3;

/**
 * Requests worth having under way where few may be in flight: the others wait here for their turn or, answered, to be
 * stored, for which a page takes as long as for the bytes' way.
 */
export const UNDER_WAY_SMALL = 10;

/** No byte of an answer for this long while requests are out: the peer is as good as gone. */
export const STALL_MS = 30_000;

/**
 * The same, until somebody looks whether the connection is dead, which takes the rest of `STALL_MS`: who is only slow gives two
 * signs of life in this time.
 */
export const DOUBT_MS = 10_000;

/** A peer that lets our bytes wait for this long reads nothing; its memory is better spent on others. */
export const SLOW_READER_MS = 30_000;

/** Who lets pieces wait and takes less gives its place to others once it has a block: the smallest piece in `SLOW_SEND_MS`. */
export const SLOW_READER_BYTES_PER_SECOND = (MAX_DATA_BYTES * 1000) / SLOW_SEND_MS;

/**
 * How long a peer's bytes are left unread at a time under a download limit: many that were under way when it was set
 * share it, and each would be silent for longer than either end bears.
 */
export const LONGEST_PAUSE_MS = DOUBT_MS / 2;

/** How long a conversation that nobody holds stays open, so that the next transfer need not open one. */
export const IDLE_SESSION_MS = 30_000;

/** Time to open a stream: a dial takes up to 8 s an address (`network`), and a relayed peer may need two. */
export const OPEN_TIMEOUT_MS = 20_000;

/** Time for a graceful close to reach the peer before the stream is reset. */
export const CLOSE_TIMEOUT_MS = 5_000;

/** Between looks at stalls and slow readers: a thirtieth of the time-outs. */
export const TICK_MS = 1_000;

/** Peers whose traffic is remembered; the one met longest ago is forgotten first. */
export const MAX_REMEMBERED_PEERS = 1024;

/** Bytes of a ticket, which nobody can guess: 128 bits. */
export const TICKET_BYTES = 16;

/** Tickets in a row with which a peer begins no side stream: one fails, and each is asked for in two bytes. */
export const MAX_UNUSED_TICKETS = 8;

/** How long a ticket may be used: a request takes a round trip, and a busy page a second. */
export const TICKET_MS = 10_000;

/** Time in which the first frame of a side stream must come: a proxy that holds it back may hold back anything. */
export const SIDE_OPEN_MS = 5_000;

/** Blocks posted to one peer at once: one is read and answered while the other is on its way. */
export const POSTS_AT_ONCE = 2;

/** Posts that a peer may call lost before a block comes whole: whoever posts gives up sooner. */
export const MAX_UNPOSTED = 8;

/** Time for a posted block to arrive: where it takes longer, the stream shares the way better. Less than `STALL_MS`. */
export const POST_MS = 20_000;

/**
 * The same before one has arrived: a proxy may swallow them all, and answers wait behind. Enough for two blocks over 6 Mbit/s;
 * on slower ways the stream is as good.
 */
export const FIRST_POST_MS = 3_000;

/** No byte of an answer on a side stream for this long: the requests go to the stream. Less than `STALL_MS`, which ends both. */
export const SIDE_STALL_MS = 10_000;

/** A peer that waits for its turn is sent a sign of life so often: half of what it bears on a side stream. */
export const SIGN_EVERY_MS = SIDE_STALL_MS / 2;

/** Bytes of its block that are one: 128 peers that wait cost 400 bytes a second. */
export const SIGN_BYTES = 16;
