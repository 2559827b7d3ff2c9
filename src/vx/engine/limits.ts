/** Limits of the engine: unit, reason and source. */

/** Rows of metadata written between two looks at the clock: 0.3 ms, but the first 1,000 of a new thread take 45. */
export const ROWS_A_LOOK = 100;

/** What an insertion is taken to cost before the first was measured. */
export const FIRST_INSERT_MS = 0.5;

/** Calls whose median the metrics give. */
export const LATENCY_WINDOW = 256;

/** What the last one weighs in an average of times: sixteen or so are remembered. */
export const AVERAGE_WEIGHT = 1 / 16;

/** Bytes of vectors and metadata of additions under way, from the call to its end; more are refused. */
export const MAX_WAITING_BYTES = 1024 * 1024 * 1024;

/** Bytes that an addition takes besides its vector and text, in all the places it goes through. */
export const OPERATION_BYTES = 256;

/**
 * Bytes of journal after which a snapshot is written before its time: 20 s of replay at 128 numbers a vector. A large
 * index waits until the journal is half its size, so that writing a whole snapshot stays in proportion.
 */
export const SNAPSHOT_JOURNAL_BYTES = 64 * 1024 * 1024;
export const JOURNAL_SHARE = 1 / 2;

/**
 * Segments of the journal after which one is written as well: every opening opens each, and short sessions leave one
 * each. As many as half of the largest graph fills.
 */
export const MAX_REPLAY_SEGMENTS = 32;

/**
 * Wait after a snapshot that failed before the next one that is due, where none is on a schedule before: as long as the
 * schedule's default, for whole snapshots that fail again and again, on a full disk, keep it busy.
 */
export const SNAPSHOT_RETRY_MS = 300_000;

/** Bytes of journal below which closing writes no snapshot: a third of a second of replay. */
export const MIN_CLOSING_JOURNAL_BYTES = 1024 * 1024;

/** Rows of metadata that a snapshot is given at a time, and bytes of text in them: about 1 ms. */
export const SNAPSHOT_ROWS = 500;
export const SNAPSHOT_ROW_BYTES = 1024 * 1024;

/** Characters of metadata in one answer: as many bytes as the Python client takes of one, half of what one string may have. */
export const MAX_ANSWER_CHARS = 256 * 1024 * 1024;

/** Failures of schedules are told by task, and a reason is cut to this many characters. */
export const MAX_REASON_CHARS = 500;

/** Wait before an index on metadata that filters want is made: the search that showed it is answered first. */
export const TEND_DELAY_MS = 100;

/** Wait between two steps of such work, of some 5 ms each: searches take no longer than they do beside a batch. */
export const NEXT_TEND_DELAY_MS = 10;

/** Numbers in a vector of a new index whose maker does not say (contract, `--vx-dimension`). */
export const DEFAULT_DIMENSION = 384;

/** Operations from which a batch is linked by all threads there are: to begin a round costs what one insertion does. */
export const MIN_SHARED_OPERATIONS = 128;

/**
 * Slots that may leave the graph before what is staged is linked, of one that stays: with more, walks meet too few that live,
 * and what is linked to those alone is hardly found.
 */
export const MOST_LEFT_SHARE = 1 / 8;

/** Operations of the journal applied together where threads help: one round of some 100 ms. */
export const REPLAYED_TOGETHER = 2048;

/** Operations of the journal applied between two looks at the clock: about 10 ms. */
export const REPLAYED_OPERATIONS = 64;

/** Bytes of an array from which handing it over to another thread is quicker than copying it. */
export const MIN_TRANSFERRED_BYTES = 64 * 1024;

/** Results of several queries that one message brings, but for those of a single one: about a millisecond to read. */
export const RESULTS_A_MESSAGE = 2000;

/** What searches in the caller's thread may take, on average: about twice what a call to the engine's thread costs it. */
export const LONG_LOCAL_SEARCH_MS = 1;

/** Filters whose matches are kept in the caller's thread: 125 kB each at 1M records. */
export const MAX_LOCAL_FILTERS = 8;

/** Time of searches in the caller's thread after which its other events get their turn. */
export const LOCAL_TURN_MS = 5;

/** For so long the engine's thread searches when they take longer. Some 16 such are needed to show it: 2 % of the time. */
export const LOCAL_SEARCH_REST_MS = 1000;

/** Bytes of originals kept in one array: few arrays, and little that is not used. */
export const ORIGINALS_PAGE_BYTES = 1024 * 1024;

/** Vectors that a model waits for before it is fitted. */
export const DEFAULT_FIT_AFTER = 256;

/** Most that it may be told to wait for: until then every search measures all vectors, 40 ms for these of 384 numbers. */
export const MAX_FIT_AFTER = 100_000;

/** Bytes of vectors that a model is fitted to, evenly chosen where there are more: 43,000 of 768 numbers. */
export const MAX_FIT_BYTES = 128 * 1024 * 1024;

/** Numbers that the variance leaves at least where distance is cosine: of vectors of one it is 0 or 2, by their signs alone. */
export const MIN_COSINE_TARGET = 2;

/** Share of a fit that is the model's; the rest is putting all records into the new graph. */
export const FIT_MODEL_SHARE = 0.6;

/** Records put into a new graph in one change. */
export const REBUILT_TOGETHER = 1024;

/** Records that changed since, few enough to hold others back while they are brought over: about 50 ms. */
export const CAUGHT_UP_AT_ONCE = 128;

/** Rounds of bringing changes over before others are held back for the rest. */
export const MAX_CATCH_UPS = 8;
