/** Every limit of embedding: unit, reason and source. */

/** Characters of a text that are looked at: four windows of 128 pieces, with room for short pieces. The rest is never read. */
export const MAX_TEXT_CHARS = 4096;

/** Windows of a text whose mean is its embedding: the first pages tell what a file is about, each window costs as much again. */
export const MAX_WINDOWS = 4;

/** Texts of one run of the model, and of one message to its thread. */
export const MAX_BATCH_TEXTS = 32;

/** Places (rows times longest row) of one run: more gains no time, and its memory is never given back before the thread ends. */
export const MAX_RUN_PLACES = 1024;

/** Places of one row: attention takes memory by their square; longer texts are read by windows. */
export const MAX_ROW_PLACES = 512;

/** Bytes of a model of one's own: ONNX Runtime holds it twice while it loads, in at most 4 GiB. */
export const MAX_MODEL_BYTES = 1024 * 1024 * 1024;

/** Bytes of the files beside it: the largest tokenizer.json in use has 17 MB. */
export const MAX_MODEL_TEXT_BYTES = 64 * 1024 * 1024;

/** Numbers in an embedding of a model of one's own: the largest in use has 4096. */
export const MAX_DIMENSION = 8192;

/** Time that a background batch should take at most, since a query may have to wait for it. */
export const BACKGROUND_BATCH_MS = 30;

/** Pause after a background batch, in parts of the time it took: at most half of a core goes to the background. */
export const BACKGROUND_PAUSE_SHARE = 1;

/** Longest such pause. */
export const MAX_BACKGROUND_PAUSE_MS = 500;

/** Calls that wait for their turn: more than any caller keeps open. */
export const MAX_WAITING_CALLS = 1000;

/** Time without a call after which the model's thread is ended: it holds some 250 MB, and starts anew in about a second. */
export const IDLE_MS = 5 * 60_000;

/** Between looks at whether the thread idles, is in the way, or may go on in the background. */
export const LOOK_MS = 1000;

/**
 * Between looks at whether the thread is in the way, where the host is short of memory: what a share or a download takes comes
 * within a second, on top of what the thread holds.
 */
export const CROWD_LOOK_MS = 100;

/** IDLE_MS where the host is short of memory and nobody has asked anything lately: the background can wait for a start. */
export const BACKGROUND_IDLE_MS = 5_000;

/** Time after a query for which the thread stays although its memory is needed: a person types on. */
export const TYPING_MS = 10_000;

/** Time for which a failed start answers all calls, so that a caller that tries again at once starts no thread each time. */
export const START_RETRY_MS = 10_000;
