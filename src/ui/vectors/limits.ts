/** Bounds of the screen of vectors, each with its reason. */

/** Vectors drawn: more would be one cloud, and each is a row to be fetched. */
export const MAX_PICTURE_VECTORS = 2000;

/** Vectors fetched at once where each is a request of its own. */
export const FETCHES_AT_ONCE = 8;

/** Places of the index that the sample is taken from, evenly spread. */
export const SAMPLE_PAGES = 40;

/** Iterations for one axis: clusters settle in ten, a round cloud has no axis worth more. */
export const MAX_AXIS_ITERATIONS = 40;

/** An axis that turns less than this in an iteration has settled (1 - cosine). */
export const AXIS_TOLERANCE = 1e-7;

/** Time one slice of work may take, so that a frame of 16 ms keeps room for drawing. */
export const SLICE_MS = 8;

/** Between two looks at the index's metrics. */
export const METRICS_INTERVAL_MS = 2000;

/** Hits of a search by hand: what a person reads through. */
export const DEFAULT_HITS = 10;
export const MAX_HITS = 200;

/** Numbers of a picked vector that are written out: what a few lines hold. */
export const MAX_SHOWN_NUMBERS = 24;

/** Rows of an SQL answer that are drawn; the others are counted. */
export const MAX_TABLE_ROWS = 200;

/** Characters of a cell that are drawn; the rest is in its title. */
export const MAX_CELL_CHARS = 200;

/** A JSON file is one request; the node takes 64 MiB of JSON. */
export const MAX_JSON_FILE_BYTES = 64 * 1024 * 1024;

/** Vectors in the made-up sample: enough for a picture, added in a second or two. */
export const MADE_UP_VECTORS = 600;

/** Records whose keys are told as those of all. */
export const MAX_KEY_RECORDS = 100;

/** Characters of a text that is worth an example of a filter. */
export const MAX_EXAMPLE_TEXT_CHARS = 24;

/** Searches whose times are drawn: as many as a line of text has room for. */
export const MAX_KEPT_SEARCHES = 40;
