/** Limits of the index's routes: unit, reason and source. */

const MIB = 1024 * 1024;

/** Bytes of a body that is read whatever else is under way: 256 connections hold as much as one long body does. */
export const SHORT_BODY_BYTES = MIB;

/** Long bodies held at once, in bodies of the greatest length: with vectors read from them about 400 MiB. */
export const LONG_BODIES_AT_ONCE = 4;

/** Bytes of one message of an Arrow stream: the writer chooses its batches, and each is held whole. */
export const MAX_ARROW_MESSAGE_BYTES = 64 * MIB;

/** Vectors of a listing read at once: with 4,096 numbers each, a piece of its body has 640 kB. */
export const LISTED_VECTORS_AT_ONCE = 16;

/** Arrow streams read at once: each holds a message, and the batch that is being added. */
export const ARROW_STREAMS_AT_ONCE = 4;

/** Bytes of dictionaries in an Arrow stream, which are held to its end. */
export const MAX_ARROW_DICTIONARY_BYTES = 64 * MIB;

/** Query vectors and negatives of one request: each costs a search or a distance a slot. */
export const MAX_QUERY_VECTORS = 10_000;

/** Characters of a long JSON answer that are encoded and sent at once: well below a millisecond of work. */
export const JSON_PIECE_CHARS = 256 * 1024;

/** Numbers in an answer of reduced vectors: 24 characters each at most, three quarters of what one string may have. */
export const MAX_REDUCED_NUMBERS = 2 ** 24;

/** Characters of a backup's name: what file systems take, less an ending while it is written. */
export const MAX_BACKUP_NAME_CHARS = 200;

/** Bytes of an uploaded backup: as many as the parts of an archive may have. */
export const MAX_BACKUP_BYTES = 512 * 1024 * MIB;

/** Time after which a client may ask again for an index that is loading: 100,000 vectors take about 0.2 s. */
export const LOADING_RETRY_SECONDS = 1;
