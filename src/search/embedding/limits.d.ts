/** Every limit of embedding: unit, reason and source. */
/** Characters of a text that are looked at: four windows of 128 pieces, with room for short pieces. The rest is never read. */
export declare const MAX_TEXT_CHARS = 4096;
/** Windows of a text whose mean is its embedding: the first pages tell what a file is about, each window costs as much again. */
export declare const MAX_WINDOWS = 4;
/** Texts of one run of the model, and of one message to its thread. */
export declare const MAX_BATCH_TEXTS = 32;
/** Places (rows times longest row) of one run: holds its memory under 100 MB also for models of 512 places and 12 heads. */
export declare const MAX_RUN_PLACES = 4096;
/** Places of one row: attention takes memory by their square; longer texts are read by windows. */
export declare const MAX_ROW_PLACES = 512;
/** Bytes of a model of one's own: ONNX Runtime holds it twice while it loads, in at most 4 GiB. */
export declare const MAX_MODEL_BYTES: number;
/** Bytes of the files beside it: the largest tokenizer.json in use has 17 MB. */
export declare const MAX_MODEL_TEXT_BYTES: number;
/** Numbers in an embedding of a model of one's own: the largest in use has 4096. */
export declare const MAX_DIMENSION = 8192;
/** Time that a background batch should take at most, since a query may have to wait for it. */
export declare const BACKGROUND_BATCH_MS = 30;
/** Pause after a background batch, in parts of the time it took: at most half of a core goes to the background. */
export declare const BACKGROUND_PAUSE_SHARE = 1;
/** Longest such pause. */
export declare const MAX_BACKGROUND_PAUSE_MS = 500;
/** Calls that wait for their turn: more than any caller keeps open. */
export declare const MAX_WAITING_CALLS = 1000;
/** Time without a call after which the model's thread is ended: it holds about 150 MB, and starts anew in half a second. */
export declare const IDLE_MS: number;
/** Time for which a failed start answers all calls, so that a caller that tries again at once starts no thread each time. */
export declare const START_RETRY_MS = 10000;
