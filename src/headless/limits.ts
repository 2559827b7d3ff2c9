/** Every limit of the headless build: unit, reason and source. */

/** Writes of blocks under way at once: the thread pool's size, more only queue and hold memory (1 MiB each). */
export const BLOCK_WRITES_AT_ONCE = 16;

/** Bytes of a segment of blocks: large enough that a file lies in few, small enough to rewrite in half a second. */
export const SEGMENT_BYTES = 64 * 1024 * 1024;

/**
 * Bytes that blocks leave free on the disk: so that records and index can still be written, and segments rewritten,
 * when it is full.
 */
export const DISK_RESERVE_BYTES = 8 * 1024 * 1024;

/** Chunk buffers cut from one piece of memory. */
export const BUFFERS_A_SLAB = 8;

/** Pause before bytes that the disk can't read are tried once more: longer than a line or a disk takes to come to itself. */
export const UNREADABLE_PAUSE_MS = 1000;

/** Segments with open files, two each: 4 GiB of blocks read at random, an eighth of the usual 1024 descriptors. */
export const MAX_OPEN_SEGMENTS = 64;

/** Bytes of blocks after which they are made durable without being asked: what power loss can cost a download. */
export const FLUSH_BYTES = 32 * 1024 * 1024;

/** Bytes of blocks not yet durable at which writers wait: a slow disk must not fill memory with dirty pages. */
export const MAX_UNFLUSHED_BYTES = 128 * 1024 * 1024;

/** Time without a deletion before space is won back: a file's blocks go one by one. */
export const COMPACTION_DELAY_MS = 2000;

/** Longest pause before space is won back that could not be: the disk was full, and some of it may have been freed. */
export const MAX_COMPACTION_PAUSE_MS = 10 * 60_000;

/** Bytes a read of a shared file asks for at once: large enough to run at disk speed, a chunk of memory. */
export const SOURCE_READ_BYTES = 1024 * 1024;

/** Reads of a shared file under way ahead of its receiver: two keep the disk busy while a chunk is hashed. */
export const SOURCE_READS_AHEAD = 2;

/** Longest name of a file or folder, in bytes: NAME_MAX of Linux. */
export const MAX_NAME_BYTES = 255;

/** Time between samples of the processor time used, and samples kept: load over the last 5 s. */
export const CPU_SAMPLE_MS = 1000;
export const CPU_SAMPLES = 5;

/** Time that a node has to stop cleanly (contract); what still runs then is cut off. */
export const STOP_MS = 5000;

/**
 * Part of it that indexes may take, which are closed at the same time: adding a stored batch to the graph can take
 * minutes, and is made up for at the next start.
 */
export const INDEX_STOP_MS = 3000;

/** API keys kept: each request compares with every one of them. */
export const MAX_API_KEYS = 1000;

/** Age from which the file of a key that is being made is one that a killed process left: it takes two syncs of the disk. */
export const UNFINISHED_KEY_MS = 10 * 60_000;

/** Time within which two changes of a folder may bear the same time: 2 s on FAT, 10 ms on others. */
export const FOLDER_TIME_MS = 2500;

/** Characters in the name of an API key. */
export const MAX_KEY_NAME_CHARS = 100;

/** Requests of one connection that wait for their turn: more than any client sends ahead of its answers. */
export const MAX_REQUESTS_AHEAD = 128;

/**
 * Peers of a host that come for a side stream and have not shown their ticket: each a handshake of a few milliseconds, for
 * seconds at most.
 */
export const MAX_WAITING_SIDES = 16;

/**
 * Bytes of a conversation, or of a file that is watched, that are worth the handshake of a connection: a small file is
 * there sooner.
 */
export const SIDE_WORTH_BYTES = 32 * 1024 * 1024;

/** What Node.js decrypts at once at the most: a record of TLS. */
export const TLS_RECORD_BYTES = 16 * 1024;

/** Bytes received by TLS that wait for more: what a full socket buffer holds. */
export const MAX_GATHERED_BYTES = 512 * 1024;

/** Bytes queued in a socket before its sender has to wait: a few messages, so that the line never runs dry. */
export const MAX_QUEUED_BYTES = 512 * 1024;

/** Bytes queued in a data channel of WebRTC: with more a fresh connection crawls for seconds (measured). */
export const MAX_CHANNEL_QUEUED_BYTES = 256 * 1024;

/** Bytes of one of its messages, as browsers and node-datachannel take them; 16 KiB, the default, costs half the speed. */
export const MAX_CHANNEL_MESSAGE_BYTES = 64 * 1024;

/** Sockets that do nothing for this long are closed; libp2p pings every ten seconds. */
export const SOCKET_INACTIVITY_MS = 5 * 60_000;

/** Bytes of a STUN request, which stays below the path MTU (RFC 8489 section 6.1); what browsers send is 20 to 120. */
export const MAX_STUN_REQUEST_BYTES = 548;

/** STUN answers to one address: a browser asks about three times for each of its interfaces; then two a second. */
export const STUN_ANSWERS_PER_HOST = { burst: 20, perSecond: 2, maxKeys: 10_000 };

/** STUN answers in all: 1,000 a second are 44 kB/s, the most that anybody could make this node send. */
export const STUN_ANSWERS_IN_ALL = { burst: 1_000, perSecond: 1_000, maxKeys: 1 };

/** Bytes of a settings file: a few hundred lines with long lists. */
export const MAX_SETTINGS_FILE_BYTES = 1024 * 1024;

/** Requests a minute that a rate limit may allow: beyond that it limits nothing, and 0 says so. */
export const MAX_REQUESTS_PER_MINUTE = 1_000_000;

/** Connections to the API at once: file descriptors are often limited to 1024, and peers need theirs. */
export const MAX_API_CONNECTIONS = 256;

/** Connections to the web port at once: the swarm's WebSockets, which stay, and browsers that load the page. */
export const MAX_WEB_CONNECTIONS = 512;

/** Time a client has to send a request's headers. */
export const HEADERS_TIMEOUT_MS = 15_000;

/** Time between two looks at how a client gets on with its request and our answer. */
export const SLOW_CHECK_MS = 15_000;

/** Bytes a client must move between two looks, when it is the one who is waited for: 68 bytes a second. */
export const SLOW_CHECK_BYTES = 1024;

/** Looks in a row that find a client too slow before it is cut off: 30 s, a pause on a phone. */
export const SLOW_CHECKS = 2;

/** JSON of an answer that is collected, so that its length can be told: with one that is longer its client begins at once. */
export const SHORT_ANSWER_BYTES = 64 * 1024;

/** Time that the rest of a body that nobody wants may still arrive, so that the client reads our refusal. */
export const LINGER_MS = 1000;

/** Idle time of a kept connection: longer would cost descriptors and gain little on loopback. */
export const KEEP_ALIVE_MS = 15_000;

/** Bytes of a request's headers: Node.js's own default, stated. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Time that answers under way have to end when the node stops. */
export const DRAIN_MS = 500;

/** Time that they have from then on to undo what they have done so far, and to tell their clients. */
export const UNDO_MS = 1000;

/** Entries of X-Forwarded-For that are looked at, from the right: no chain of proxies is longer. */
export const MAX_FORWARDED_HOPS = 16;

/**
 * Time since its last byte after which a backup or upload that is not whole is taken for left behind by a process that
 * has ended.
 */
export const ABANDONED_BACKUP_MS = 60 * 60_000;

/** Addresses told to a page: every transport on a few networks; it dials them one after another. */
export const MAX_PAGE_ADDRESSES = 8;

/** Bytes of a certificate chain or key: a chain of ten is 20 kB. */
export const MAX_PEM_BYTES = 1024 * 1024;

/** When a caller without a service worker may ask again: a page is open within this. */
export const SERVICE_WORKER_RETRY_SECONDS = 5;

/** Entries of libp2p's datastore read at once at the start, below a kilobyte each. */
export const ENTRIES_PER_PAGE = 1024;

/**
 * Entries kept in memory and on disk, the least used gives way: of the peers that a server meets in some days, some
 * megabytes.
 */
export const MAX_ENTRIES = 8192;

/**
 * Threads that help to add vectors to a graph: more wait for each other's slots, and each takes a byte a vector for its
 * marks.
 */
export const MAX_LINK_THREADS = 3;
