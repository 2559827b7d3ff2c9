/** Limits of the library's face, and of turns: unit, reason and source. Those of its parts stand in their own folders. */

/** Time of one turn of a long task, after which searches get theirs: well below the 50 ms they may wait. */
export const TURN_MS = 10;

/** Nearest neighbours that a search finds in all, at most (contract). */
export const MAX_K = 10_000;

/** How many it finds where the caller does not say (contract). */
export const DEFAULT_K = 10;

/** Results of one search with several queries, over all of them: 100 of the largest k. */
export const MAX_MULTI_RESULTS = 1_000_000;

/** Records on one page of a listing: what a screen shows, many times over. */
export const MAX_LIST_RECORDS = 1000;

/** Largest id that the JSON of the HTTP surface holds exactly; larger ones are bigint (contract). */
export const MAX_NUMBER_ID = BigInt(Number.MAX_SAFE_INTEGER);

/** Longest interval of a schedule: what a timer of the platform takes, 24.8 days. */
export const MAX_INTERVAL_MS = 2 ** 31 - 1;

/** Time between two looks at what an index failed to do by itself; its schedules are of minutes and hours. */
export const FAILURE_LOOK_MS = 60_000;

/**
 * Between two times that an index whose thread was lost is opened again: what loads for seconds and is lost then takes
 * little of it.
 */
export const REOPEN_EVERY_MS = 60_000;
