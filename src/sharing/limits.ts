/** Every limit of the sharing node: unit, reason and source. */

// ---- Files and their chunks ----

/** Bytes in a leaf of the profile `unixfs-v1-2025` (IPIP-499). */
export const CHUNK_BYTES = 1024 * 1024;

/** Links in a node of the profile `unixfs-v1-2025` (IPIP-499). */
export const MAX_LINKS = 1024;

/** Longest DAG node taken: 1024 links of about 50 bytes and their sizes fill 60 kB; twice that is room enough. */
export const MAX_NODE_BYTES = 128 * 1024;

/** Levels of links above the leaves: two reach 1 TiB, more than any quota here. */
export const MAX_DAG_DEPTH = 2;

/** Chunks in a file: two full levels of links, 1 TiB. */
export const MAX_CHUNKS = MAX_LINKS ** MAX_DAG_DEPTH;

/** Longest spelling of a file id: base32 CIDv1 of sha2-256 has 59 characters, base16 73, all others fewer. */
export const MAX_FILE_ID_CHARS = 128;

/** Chunks hashed and written at once while importing: measured, 8 to 16 durable writes at a time fill the disk. */
export const IMPORT_CONCURRENCY = 12;

/** Chunks read ahead of a reader of a file that is here: enough to overlap disk, hash and network. */
export const READ_CONCURRENCY = 4;

/** Blocks deleted in one go: a store may gather them in a transaction. */
export const DELETES_AT_ONCE = 256;

// ---- Names and texts ----

/** Longest file name kept, in UTF-8 bytes: what ext4, APFS and NTFS take (255), less room for a suffix. */
export const MAX_NAME_BYTES = 240;

/** Longest path of a file outside the store, in UTF-16 units: PATH_MAX of Linux. */
export const MAX_PATH_CHARS = 4096;

/** Longest name of a node, in UTF-16 units: one line of a list. */
export const MAX_NODE_NAME_CHARS = 64;

/** Longest name of a swarm: it is part of the names of protocols and topics. */
export const MAX_SWARM_NAME_CHARS = 64;

/** Longest word kept of a text: the longest of dictionaries has 45 letters; what is longer is data. */
export const MAX_WORD_CHARS = 64;

// ---- Folders ----

/** Files in a folder that has a link of its own: with the longest names a list of them is still a small file. */
export const MAX_FOLDER_FILES = 5000;

/** Files of a folder shared at a time: small ones wait for the disk, not for the processor, and join in one write to it. */
export const FOLDER_FILES_AT_ONCE = 8;

/** Files of a folder asked for at a time: they are noted by one write to the disk. */
export const FOLDER_STARTS_AT_ONCE = 64;

/** Parts in the path of a folder's file: deeper than people keep folders. */
export const MAX_FOLDER_DEPTH = 32;

/** Files of a folder that are brought at a time, from whomever: each takes some 40 kB of memory and has two files open. */
export const FOLDER_RUNS_AT_ONCE = 128;

/** The same of all files that were asked for by themselves. */
export const LONE_RUNS_AT_ONCE = 2000;

/** Longest list of a folder's files, read whole: some chunks, of which 5000 paths of usual length fill one. */
export const MAX_FOLDER_BYTES = 4 * CHUNK_BYTES;

// ---- What a medium loses ----

/**
 * How long bytes on a medium are believed to be what they were when they were last hashed, before they are hashed again for a
 * peer. Once for each service took a node that gives a large file as fast as it can 31 % more of the processor; like this a
 * store of 10 GiB takes 7 s of it in ten minutes, however much is asked of it.
 */
export const BELIEVED_MS = 10 * 60_000;

/** How often a chunk that a peer misses here is looked for in every file: some ms for a million chunks. */
export const SUSPECT_EVERY_MS = 1000;

/** Such chunks that are remembered until their turn: of those of one file one is enough, and peers could name very many. */
export const MAX_SUSPECTS = 16;

/**
 * Blocks of which the log says in so long a time why they count as lost; of what is lost of a file it has the number in
 * any case.
 */
export const LOSSES_LOGGED = 20;
export const LOSSES_LOGGED_MS = 60_000;

/** Between two warnings of the same: neither a receiver that is away, nor a full disk, nor a flood fills a disk with the log. */
export const REPEATED_WARNINGS_MS = 60_000;

/** Files whose losses are fetched again at start: each looks for providers, and a wiped store may have lost thousands. */
export const MAX_REPAIRS_AT_START = 16;

// ---- Invitations ----

/** Invitations kept until they are answered: more than anybody looks through. */
export const MAX_INVITATIONS = 64;

/** The same of one peer, so that one that invites to all it has leaves room for others. */
export const MAX_INVITATIONS_PER_PEER = 8;

/** Peers that were asked to download a file and of which it is told what came of it: a small group, and some files for each. */
export const MAX_SENT_INVITATIONS = 64;

/**
 * Between two questions to a peer that was invited to an unlisted file: at first, and at most, where it leaves the
 * invitation alone.
 */
export const ASK_INVITED_MIN_MS = 1_000;
export const ASK_INVITED_MAX_MS = 16_000;

// ---- Transfers and their events ----

/** Transfers kept, of which those that ended longest ago give way: two folders of the greatest length. */
export const MAX_TRANSFERS = 2 * MAX_FOLDER_FILES;

/** How long an ended transfer can still be read (contract). */
export const ENDED_TRANSFER_MS = 24 * 60 * 60_000;

/** How often those that can't be read any more are looked for, to be removed from the disk. */
export const FORGET_ENDED_EVERY_MS = 10 * 60_000;

/** Files without a name whose name is looked out for; of more the longest waited for are given up. */
export const MAX_UNNAMED_FILES = 2000;

/** Chunks whose bringer is remembered after their transfer's run, a byte each: two files of the greatest length. */
export const MAX_CHUNK_SOURCES = 2 * MAX_CHUNKS;

/**
 * Events kept for readers that come back, and beside them as many that strangers cause, and the progress of as many
 * transfers.
 */
export const EVENT_HISTORY = 512;

/** Time between progress events of one transfer: four a second (contract). */
export const PROGRESS_EVENT_MS = 250;

// ---- Time of a download ----

/** The transfer's tick: stall and idle checks need no finer one. */
export const TICK_MS = 1000;

/**
 * Most time between two ticks in which a transfer may have been in vain: longer, and the process was suspended. Half of the time
 * to find a provider, and no less, since a hidden page ticks once a minute.
 */
export const LONGEST_TICK_MS = 15_000;

/** How long a download looks for its first provider before it fails (contract). */
export const FIRST_PROVIDER_MS = 30_000;

/** How long a download without any provider stays in progress before it reads as interrupted (contract). */
export const STALL_MS = 60_000;

// ---- Peers of a download ----

/** Peers in use at once where the request does not say (contract). */
export const DEFAULT_MAX_PEERS = 5;

/**
 * Providers remembered for one download, in use and in reserve; a swarm larger than this needs no more of those that
 * can be reached.
 */
export const MAX_KNOWN_PROVIDERS = 256;

/** How often a running download looks for provider records anew. */
export const PROVIDER_SEARCH_EVERY_MS = 60_000;

/**
 * How long a folder's file of which no provider was found looks on once others of the folder come: a search begins meanwhile, and
 * has as long as the first. Their peer is back, and is not found for all of them in the same second.
 */
export const LAST_LOOK_MS = PROVIDER_SEARCH_EVERY_MS + FIRST_PROVIDER_MS;

/** Wait after a peer's first failure, doubled with each further one. */
export const REDIAL_MIN_MS = 500;

/** Longest wait before a failed peer is tried again. */
export const REDIAL_MAX_MS = 60_000;

/** A peer with nothing to give for this long makes room for one in reserve. */
export const IDLE_PEER_MS = 5_000;

/**
 * How long a peer is tried before it may make room for another because it is slow, or sends not a byte: who serves us slowly says
 * so twice in this time (`exchange`).
 */
export const TRIAL_MS = 10_000;

/**
 * How long nobody who waits for a turn elsewhere comes back to a peer that has just been given up, or could not be
 * reached: it may be free since it has nothing to give.
 */
export const FREE_AGAIN_MS = 60_000;

/** Below this share of the mean speed of those in use, a peer makes room for one in reserve. */
export const LAGGARD_SHARE = 0.5;

/**
 * Long files of which chunks are asked of one peer at the same time, readers' apart; others wait for their turn. Enough that one
 * which stalls holds nobody up.
 */
export const LONG_FILES_AT_ONCE = 4;

/** A file of no more chunks is short. A long one that misses no more waits for no turn: soon over, whoever is before it. */
export const SHORT_CHUNKS = 4;

/**
 * Short files, and as many manifests, that are asked of one peer at the same time: twice what a connection has in
 * flight, so that it never waits for the disk. Of a thousand at once the last would wait longer than a peer is waited
 * for.
 */
export const SHORT_FILES_AT_ONCE = 32;

/**
 * Chunks of the shortest download that its store keeps as a file of its own: to make that, and give it its name, takes
 * longer than to write a single one twice.
 */
export const MIN_WHOLE_CHUNKS = 2;

// ---- How fast, how silent a peer is ----

/** Width of a speed meter's tick. */
export const METER_TICK_MS = 250;

/** Ticks in a speed meter: 4 s, short enough to show a change and long enough for whole chunks on slow links. */
export const METER_TICKS = 16;

/** Chunks that come further apart than this have no speed: a chunk in this time is a rate of 17 kB/s. */
export const LONGEST_RHYTHM_MS = 60_000;

/** Silence that says nothing of a peer's speed: a round trip, a durable write, a busy moment of either side. */
export const UNSUSPICIOUS_SILENCE_MS = 1000;

/**
 * Silence after which others are asked for the same as well: a chunk over 2 Mbit/s, a node of a manifest over far less. A session
 * bears six times as much, and who sends a byte now and then for ever.
 */
export const SILENT_PEER_MS = 5_000;

/** The same where a peer has been that slow before: what a session bears without a byte. */
export const MAX_SILENCE_MS = 30_000;

/** What a line that gets on brings at least: a chunk in four minutes. */
export const TRICKLE_BYTES_PER_SECOND = 4 * 1024;

// ---- Requests under way ----

/** Chunks under way in all downloads, a buffer each: six peers on fast lines, and memory below 300 MB. */
export const MAX_CHUNKS_UNDER_WAY = 96;

/** Chunk buffers kept for later: the requests of four fast peers. */
export const MAX_SPARE_BUFFERS = 64;

/**
 * Requests to start a peer with, and to keep at least: one on the wire and some behind it, of which the peer gives first what
 * it gave nobody yet.
 */
export const MIN_REQUESTS = 4;

/** Least work kept queued at a peer, in its own time: more than most round trips and a durable write. */
export const MIN_QUEUE_MS = 500;

/** Most work kept queued at a peer: libtorrent's request queue time. */
export const MAX_QUEUE_MS = 3000;

// ---- Which chunk of whom ----

/** Partial holders counted for rarity; beyond it a chunk is common enough. */
export const MAX_COUNTED_HOLDERS = 32;

/** Parts of a file whose order is another in each download, where its chunks are alike rare. */
export const RUNS = 32;

/** Most chunks of one: disks read and write 16 MiB in a row as fast as a whole file, and 4 at 96 % of that speed. */
export const MAX_RUN_CHUNKS = 16;

/** Chunks by which round robin lets one peer get ahead of another, so that none waits a round trip for its turn. */
export const ROUND_ROBIN_SLACK = 4;

/** Chunks ahead of a reader that are fetched before others: 16 MiB, some seconds of video. */
export const READ_AHEAD_CHUNKS = 16;

/**
 * Of these, those for which the reader waits now, or in a moment: they overtake all others at the peers that are asked for them,
 * and go beyond a peer's window.
 */
export const URGENT_CHUNKS = 2;

/** Peers asked for one chunk at the same time in the end game: more would only waste their upload. */
export const MAX_ASKED_OF = 2;

/**
 * Chunks asked for later that a peer may bring before one, until others are asked for that one as well: three times as
 * many as the exchange lets pass by a request.
 */
export const MAX_OVERTAKEN = 24;

/** How many times sooner a second peer must promise a chunk before it is asked as well. */
export const END_GAME_ADVANTAGE = 1.5;

// ---- What peers are told ----

/** How long newly stored chunks are gathered before watchers are told. */
export const HAVE_BATCH_MS = 100;

/** Chunks told one by one; beyond it the whole bitfield is shorter. */
export const MAX_HAVE_BATCH = 256;

/**
 * Chunks in a millisecond of which a peer is heard whether it holds them, where it tells anew of all: each takes 0.1 µs, so one
 * that does nothing else takes a twentieth of the processor.
 */
export const CHUNKS_TOLD_PER_MS = 500;

// ---- Offered files that are only read ----

/** Holders asked, one after the other, for an offered file that is only read: whoever looks for more of them downloads it. */
export const MAX_HOLDERS_A_READ = 3;

/** Time for one of them, so that a byte now and then keeps no reader: two chunks over a line of 2 Mbit/s. */
export const OFFERED_READ_MS = 10_000;

// ---- Bans ----

/** Breaches of the rules before a peer is banned. */
export const STRIKES_TO_BAN = 3;

/** How long a ban lasts: long enough to finish a transfer without the peer, short enough to forgive a bad disk. */
export const BAN_MS = 10 * 60_000;

/** Peers whose strikes are remembered; ids are free to make, so the oldest are forgotten. */
export const MAX_STRIKING_PEERS = 10_000;
