/** Every limit of the browser's ports: unit, reason and source. */

/** Wait for the locks of a worker or tab that is just ending; longer means that it is alive. */
export const HANDOVER_MS = 2000;

/** Time between two tries of a file's lock, for whose end there is no event. */
export const LOCK_RETRY_MS = 20;

/** Bytes of one value of the index in IndexedDB: larger ones are slow to read a part of. */
export const MAX_PIECE_BYTES = 1024 * 1024;

/** Bytes of a backup sent between the page and the index's worker at a time. */
export const ARCHIVE_READ_BYTES = 1024 * 1024;

/** Backups that are downloaded or uploaded at once. */
export const MAX_OPEN_ARCHIVES = 16;

/** Backups in one listing: 5 are kept, uploads come on top. */
export const MAX_LISTED_BACKUPS = 10_000;
