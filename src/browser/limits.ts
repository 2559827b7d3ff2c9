/** Every limit of the browser's ports: unit, reason and source. */

/** Wait for the locks of a worker or tab that is just ending: Chromium lets a busy worker go on for 2 s. */
export const HANDOVER_MS = 3000;

/** Wait for other tabs to forget an API key that is replaced: those that run take some milliseconds. */
export const FORGET_KEY_MS = 1000;

/** Time between two tries of a file's lock, for whose end there is no event. */
export const LOCK_RETRY_MS = 20;

/** Bytes of one value of the index in IndexedDB: larger ones are slow to read a part of. */
export const MAX_PIECE_BYTES = 1024 * 1024;

/** Bytes of a backup sent between the page and the index's worker at a time. */
export const ARCHIVE_READ_BYTES = 1024 * 1024;

/** Backups that are downloaded or uploaded at once. */
export const MAX_OPEN_ARCHIVES = 16;

/** Bytes of chunks kept unless the settings say otherwise: what a headless node keeps. */
export const DEFAULT_MAX_STORAGE_BYTES = 10 * 1024 ** 3;

/** Wait for /shoal.json: the host has just served the page, or is not there. */
export const HOST_NETWORK_TIMEOUT_MS = 5000;

/**
 * The same once more where it was never told: it has served the page, so it is there, if slow, and nobody else leads to
 * peers.
 */
export const FIRST_HOST_NETWORK_TIMEOUT_MS = 30_000;

/**
 * Pauses before it is asked again where it did not answer then either, doubled from the first to the last: a line that
 * is bad is better in a minute, and a host that is overrun is not asked by every page at once.
 */
export const ASK_HOST_AGAIN_MS = 5_000;
export const MAX_ASK_HOST_AGAIN_MS = 10 * 60_000;

/** Characters of /shoal.json: eight addresses fill two thousand. */
export const MAX_HOST_NETWORK_CHARS = 64 * 1024;

/** Addresses taken from the host of the page; each is kept connected. */
export const MAX_HOST_ADDRESSES = 16;

/** Longest message of a data channel: all browsers take it, and 16 KiB, the default, costs half the speed. */
export const MAX_DATA_CHANNEL_MESSAGE_BYTES = 64 * 1024;

/**
 * Bytes queued in a data channel before its writer waits: less than a longest message, so that these go one by one. What is
 * queued goes out in a burst, and Chromium's sockets hold 64 KiB of what arrives (`kUdpRecvSocketBufferSize` of
 * services/network/p2p/socket_udp.cc). The rest is lost, and so may be what is sent again; then SCTP is silent for 400 ms
 * (`rto_min` of net/dcsctp/public/dcsctp_options.h), and for twice as long each time after.
 */
export const MAX_DATA_CHANNEL_BUFFER_BYTES = 48 * 1024;

/**
 * How long a WebRTC connection has told of no change when it is closed: those of one that is being made come within
 * milliseconds of each other, and on a busy page within a tenth of a second.
 */
export const CLOSING_QUIET_MS = 1_000;

/** Bytes queued in a WebSocket before its writer waits: what a page holds is not yet on its way. */
export const MAX_WEB_SOCKET_BUFFER_BYTES = 1024 * 1024;

/** A message that waits longer than this found the page's event loop at work: undisturbed ones take 0.1 ms. */
export const BUSY_DELAY_MS = 1;

/** Messages in the page's load: the last 5 s. */
export const PULSE_SAMPLES = 50;

/** Pause between two measurements of memory, which make the engine collect garbage. */
export const MEMORY_SAMPLE_MS = 30_000;

/** Requests a minute that one client of the API may make (contract); the page's own are not counted. */
export const REQUESTS_PER_MINUTE = 100;

/** Longest JSON body of the API: what a headless node takes. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Bytes of blocks in one transaction: measured, 8 MiB writes 1.5 to 3 times as fast as one chunk each. */
export const BATCH_BYTES = 8 * 1024 * 1024;

/** Bytes of blocks for which a transaction begins though more are to come: larger ones cost no less for a byte (measured). */
export const WORTHWHILE_BATCH_BYTES = 4 * 1024 * 1024;

/** Time without another block after which no more are waited for: a download that is worth it brings one in 100 ms. */
export const WORTHWHILE_BATCH_PAUSE_MS = 150;

/** Bytes of Blobs that are weighed together: most batches have as many. */
export const BLOBS_WEIGHED_BYTES = 4 * 1024 * 1024;

/** Bytes that stand for one of a Blob. */
export const BLOB_WEIGHT = 8;

/** Time without another weight after which the last is let go, for it is in what the engine reports as the page's memory. */
export const WEIGHT_KEPT_MS = 60_000;

/** Changes in one transaction: deletions have no bytes, and 256 of them take some milliseconds. */
export const BATCH_CHANGES = 256;

/** Transactions of blocks under way: one is prepared while the other is written. */
export const BATCHES_AT_ONCE = 2;

/** Blocks on their way into the storage worker, 1 MiB each: both batches and what fills the next. */
export const BLOCKS_AT_WORKER = 32;

/** Buffers kept for blocks on their way into the storage worker, 1 MiB each: what a fast download has on the way. */
export const MAX_SPARE_COPIES = 12;

/** Blocks up to here go in buffers of their own: of small files many are on the way, each of which took 1 MiB of zeros. */
export const SHORT_BLOCK_BYTES = 64 * 1024;

/** Deletions of a file's blocks made together: one transaction's worth. */
export const DELETES_AT_ONCE = 256;

/** Sizes of blocks in one answer of the worker at open: some 5 ms of the page. */
export const SIZES_PER_PAGE = 2_000;

/** Records read at once: the largest, a transfer's, has some kilobytes. */
export const RECORDS_PER_PAGE = 256;

/** Entries of libp2p's datastore read at once, below a kilobyte each. */
export const ENTRIES_PER_PAGE = 256;

/**
 * Entries kept in memory and on disk, the least used gives way: libp2p has 300 connections, and each remembers some
 * kilobytes at most.
 */
export const MAX_ENTRIES = 1024;

/** Outputs moved to their places at once. */
export const COMMITS_AT_ONCE = 8;

/** From when the node runs until the page's files are kept: who opens a link has the line and the processor to begin with. */
export const KEEP_FILES_AFTER_MS = 5_000;

/** Between some files that are kept and the next, in which it is seen whether files are on their way. */
export const KEEP_PAUSE_MS = 250;

/**
 * From a failure to keep them until the next try, doubled each time: a train is through its tunnel, at last an hour is
 * nothing.
 */
export const KEEP_AGAIN_MS = 10_000;
export const MAX_KEEP_AGAIN_MS = 3_600_000;

/** A service worker that has not answered by then has ended: Chromium ends one whose event takes five minutes. */
export const KEEP_ANSWER_WITHIN_MS = 5 * 60_000;

/** How often a page that is looked at again asks for a new version: an hour costs nobody anything. */
export const UPDATE_CHECK_EVERY_MS = 60 * 60_000;

/**
 * How often a tab of a former version offers the lead: screens of the new one are no trouble to a node of the old for
 * so long.
 */
export const OFFER_LEAD_EVERY_MS = 10_000;

/** How often a tab looks whether its node, which is to start anew, has nothing under way. */
export const START_ANEW_LOOK_MS = 1_000;

/** Blocks listed in one task of the page: some 5 ms with what a reader does with each. */
export const CIDS_A_TASK = 512;

/** Chunks a second that a transfer may move and be called slow: what it holds is collected as it comes. */
export const SLOW_CHUNKS_PER_SECOND = 2;

/** Chunks at once that are no fast transfer yet: a few small files, the start of a slow one. */
export const FIRST_CHUNKS = 4;

/** Time without a chunk after which a fast transfer is thought to have ended. */
export const CHUNKS_REST_MS = 2000;

/** Pause before a Blob that can't be read is tried once more: as long as a disk's on Node.js. */
export const UNREADABLE_PAUSE_MS = 1000;

/** Errors that a line of the log tells of: one and what it came of. */
export const MAX_LOGGED_CAUSES = 8;
