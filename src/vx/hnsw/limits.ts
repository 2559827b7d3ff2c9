/** Limits of the vector graph: unit, reason and source. */

/** Numbers in a vector: more than any embedding model gives, and 16-bit queries keep 10 bits of precision. */
export const MAX_DIMENSION = 16_384;

/** Links a slot on upper levels. Below 2 the levels would not thin out (paper: 5 to 48 is sensible). */
export const MIN_M = 2;

/** Four lists of 2M links, as many as a walk expands together, must fit a batch of the kernel (1024 rows). */
export const MAX_M = 128;

/** Candidates of one search or insertion: 16 times the largest k of the contract; pools stay below 11 MB. */
export const MAX_EF = 160_000;

/** Candidates of one search by a reader, whose thread waits for it: a millisecond or two. */
export const MAX_READER_EF = 1024;

/** Negatives of one search under L2, where each costs a distance a slot met. */
export const MAX_NEGATIVES = 1024;

/** Bytes of a graph's memory in which whoever reads a state checks it: they stay in the processor's second cache. */
export const READING_ROOM_BYTES = 128 * 1024;

/** Bytes that wasm32 can address. */
export const MAX_MEMORY_BYTES = 2 ** 32;

/** Squared length of a vector: the largest that f32 holds. */
export const MAX_SQUARE = 3.4028234663852886e38;

/** Squared length under cosine: the smallest whose inverse root f32 holds. The kernel (assembly/rows) knows it, too. */
export const MIN_SQUARE = 1e-76;

/** Ids end here: they are unsigned 64-bit numbers. */
export const MAX_ID = 2n ** 64n - 1n;
