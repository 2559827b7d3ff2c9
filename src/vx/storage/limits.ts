/** Limits of what is stored: unit, reason and source. */

const MIB = 1024 * 1024;

/** Bytes of a snapshot that one checksum or tag covers: long enough for full speed, short enough to hold several. */
export const CHUNK_BYTES = MIB;

/** Chunks under way at once while a part of a snapshot is read or written: keeps WebCrypto's threads and the disk busy. */
export const CHUNKS_AT_ONCE = 8;

/** Chunks of a snapshot that are checked and taken before others get a turn: about 10 ms. */
export const CHUNKS_A_TURN = 16;

/** Pieces of a chunk that are read each by itself to where it belongs: of more, the calls would cost what the copy saves. */
export const MOST_PIECES = 4;

/** Bytes of a snapshot's table of contents: 1 TiB of chunks take 4 MiB. */
export const MAX_CONTENTS_BYTES = 4 * MIB;

/** Bytes read of a snapshot's end at first: footer and contents of up to 1 GiB, in one go. */
export const TAIL_BYTES = 4096 + 32;

/** Sections of a snapshot: a graph's header, its parts, a model, the originals and the metadata are nine. */
export const MAX_SECTIONS = 64;

/** Bytes of a graph's header, which is held in memory: 64 (hnsw/state), and room for what a later version adds. */
export const MAX_GRAPH_HEADER_BYTES = 4096;

/** Bytes of a model of reduction, which is held in memory: a PCA of the largest dimension to half of it. */
export const MAX_MODEL_BYTES = 768 * MIB;

/** Bytes that name a model. */
export const MODEL_ID_BYTES = 16;

/** Bytes of the operations in one frame of the journal, which is held in memory: 500,000 vectors of 128 numbers. */
export const MAX_FRAME_BYTES = 512 * MIB;

/** Bytes that waiting appends may share one frame for: more gains nothing over a sync of 0.1 ms. */
export const GROUP_BYTES = 4 * MIB;

/** Bytes of operations encoded or checked before others get a turn: about 5 ms. */
export const TURN_BYTES = 4 * MIB;

/** Bytes of one segment of the journal, after which a new one begins: what is covered can be deleted. */
export const SEGMENT_BYTES = 64 * MIB;

/** Bytes read ahead when the journal is replayed or searched for frames. */
export const REPLAY_READ_BYTES = 4 * MIB;

/** Appends waiting for the disk, in bytes of vectors and metadata; more are refused until some are stored. */
export const MAX_WAITING_BYTES = 2 * MAX_FRAME_BYTES;

/**
 * Bytes of journal kept for the next incremental backup after a snapshot covers them. Past this, and past the
 * snapshot's own size, a full backup is no larger than the incremental one.
 */
export const MIN_KEPT_JOURNAL_BYTES = 64 * MIB;

/** Bytes of one record's metadata: the largest request body of the API. */
export const MAX_METADATA_BYTES = 64 * MIB;

/** Bytes of an encryption key, at least (seed). */
export const MIN_KEY_BYTES = 32;

/** Rounds of PBKDF2-SHA-256: OWASP Password Storage Cheat Sheet, 2023. About 0.2 s, once an opening. */
export const KDF_ROUNDS = 600_000;

/** Rounds that a file may ask for: it would take seconds, and a forged file could ask for hours. */
export const MAX_KDF_ROUNDS = 10_000_000;

/** Bytes of one entry of an archive before compression; held in memory twice. */
export const ENTRY_BYTES = 8 * MIB;

/** Bytes that deflate may take beyond the plain ones (RFC 1951: 5 a stored block of at least 16 KiB), and some. */
export const DEFLATE_SLACK_BYTES = 64 * 1024;

/**
 * Entries of an archive: 512 GiB, far beyond what memory lets an index hold. A backup of more is refused before it is
 * written.
 */
export const MAX_ENTRIES = 65_536;

/** Bytes of an archive's central directory: 128 an entry. */
export const MAX_DIRECTORY_BYTES = 128 * MAX_ENTRIES;

/** Bytes of an archive's manifest: 200 an entry. */
export const MAX_MANIFEST_BYTES = 16 * MIB;

/** Archives in a chain of incremental backups; the next one is then full, so that a restore stays short. */
export const MAX_CHAIN = 64;

/**
 * Time after which a mark of a deletion is one that a process left when it ended: to look through a folder takes
 * minutes at most.
 */
export const MAX_DELETION_MS = 24 * 3_600_000;

/** Time by which clocks and file systems are wrong: those of FAT tell the time of a place, and not of which. */
export const MAX_CLOCK_ERROR_MS = 24 * 3_600_000;

/**
 * Backups in one listing, each of some 200 bytes: `maxBackups` keeps 5, and who makes one an hour has as many after
 * eleven years.
 */
export const MAX_LISTED_BACKUPS = 100_000;

/** Backups that an index knows to be its own: as many as a folder of them shows. */
export const MAX_KNOWN_BACKUPS = 100_000;

/** Bytes of the file that they stand in: 35 for each. */
export const MAX_LAST_BACKUP_BYTES = 4 * MIB;
