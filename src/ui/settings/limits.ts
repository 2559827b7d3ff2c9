/** Bounds of the settings screen. */

/** Between two looks at how much is stored: a transfer changes it while it is read. */
export const STORAGE_INTERVAL_MS = 3000;

/** Between two questions for what webhooks' receivers took. */
export const WEBHOOKS_INTERVAL_MS = 3_000;

/** An identity file is a few hundred bytes; more is another file. */
export const MAX_IDENTITY_FILE_BYTES = 16 * 1024;
