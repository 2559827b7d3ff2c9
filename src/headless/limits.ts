/** Every limit of the headless build: unit, reason and source. */

/**
 * Durable writes of blocks under way at once. Measured on ext4: one at a time 550 MB/s, 8 to 16 together
 * 1 GB/s, more gain nothing and hold memory (1 MiB each).
 */
export const BLOCK_WRITES_AT_ONCE = 16;

/** Shard folders read at once when a block store opens: the thread pool's size, more only queue. */
export const SHARD_READS_AT_ONCE = 16;

/** Bytes a read of a shared file asks for at once: large enough to run at disk speed, 4 chunks of memory. */
export const SOURCE_READ_BYTES = 1024 * 1024;

/** Reads of a shared file under way ahead of its receiver: two keep the disk busy while a chunk is hashed. */
export const SOURCE_READS_AHEAD = 2;

/** Longest path taken, in characters: PATH_MAX of Linux. */
export const MAX_PATH_CHARS = 4096;
