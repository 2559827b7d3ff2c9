/** Limits of the search for those who hold a file, in the DHT and among peers that hold it unlisted: unit, reason and source. */

// ---- Unlisted files ----

/** Files asked about in one message, so that the downloads of a folder ask together, and such a message at most. */
export const MAX_MARKS_PER_QUESTION = 64;
export const MAX_QUESTION_BYTES = 32 * MAX_MARKS_PER_QUESTION + 128;
export const MAX_ANSWER_BYTES = 33 * MAX_MARKS_PER_QUESTION;

/** Files that wait to be asked of one peer; more are asked of it later. */
export const MAX_WAITING_QUESTIONS = 4_096;

/** Questions of one peer that are answered at once, and then a second; those above wait. */
export const QUESTION_BURST = 8;
export const QUESTIONS_PER_SECOND = 8;

/** A question must be answered within this, its wait included. */
export const QUESTION_TIMEOUT_MS = 20_000;

/** Who wants to know at once which peers hold a file waits this long for their answers. */
export const ANSWER_PATIENCE_MS = 3_000;

/** Peers are asked again after this while a file is looked for: they may hold it by then. */
export const ASK_AGAIN_MS = 15_000;

// ---- Provider records ----

/** Records this node keeps for others, and for one of them. A record is about 200 bytes. */
export const MAX_PROVIDER_RECORDS = 100_000;
export const MAX_PROVIDER_RECORDS_PER_PEER = 5_000;

/** Those of one file, of which each answer draws some: 25 times as many as it names, in less than a millisecond. */
export const MAX_PROVIDER_RECORDS_PER_FILE = 512;

/** What one stream of the DHT may bring, a request or an answer: 84 peers with all their addresses have a third of it. */
export const MAX_DHT_STREAM_BYTES = 512 * 1024;

/**
 * Requests of a peer that the DHT answers: a burst, then a rate, at which those beyond wait. Each takes some
 * milliseconds; a node asks another twelve times a second at most, when it puts the records of many files.
 */
export const DHT_REQUEST_BURST = 64;
export const DHT_REQUESTS_PER_SECOND = 24;

/**
 * Those of all peers together, of whom those from one host may have a hundred ids, and ever new ones: a tenth of the
 * processor to a half. Each host's turn comes as often as another's.
 */
export const DHT_ANSWER_BURST = 512;
export const DHT_ANSWERS_PER_SECOND = 256;

/** Those of a peer that wait: twice the streams of it that libp2p's DHT keeps open. Beyond, all but a few were reset. */
export const MAX_DHT_REQUESTS_WAITING = 64;

/** Peers taken of an answer of the DHT that leads on to closer ones: Kademlia's k, which is what libp2p gives. */
export const MAX_CLOSER_PEERS = 20;

/** Peers taken of an answer that names who holds a file; the next node that is asked names others. */
export const MAX_PROVIDERS_PER_ANSWER = 64;

/**
 * Those that an answer of ours names, others each time: as many as it names closer ones. Each costs 0.1 to 0.4 ms of
 * the processor, by its addresses (measured), and any peer may ask at the rate above.
 */
export const MAX_PROVIDERS_TOLD = 20;

/** Peers taken of a request that tells who holds a file: whoever sends it, which alone is believed. */
export const MAX_PROVIDERS_PER_REQUEST = 1;

/** The time for a lookup, and for a file that is put by itself. */
export const PROVIDE_TIMEOUT_MS = 30_000;

/**
 * Records that are put together, on a stream for each peer, and the rest after them: a burst of that peer's, the lookup
 * included, and twelve a second, of which 80,000 are done by the time the first are due again.
 */
export const MAX_RECORDS_TOGETHER = 48;
export const PROVIDE_TOGETHER_REST_MS = 4_000;

/** For one of those streams: one peer that never answers holds up the next. */
export const TAKE_TIMEOUT_MS = 10_000;

/** What a peer may answer to them: less than one closer peer. */
export const MAX_TAKEN_BYTES = 1_024;

/** Where a peer is that sends records is noted again after this: libp2p keeps it for an hour. */
export const ADDRESSES_NOTED_MS = 60_000;

/**
 * Characters of a peer's addresses that are remembered for it: a dozen of the longest kind. One that names more is
 * noted each time.
 */
export const MAX_NOTED_CHARS = 4_096;

/** Files provided at once where each has 20 nearest of its own, to which a message goes. */
export const MAX_PARALLEL_PROVIDES = 3;

/** After each of those, three times over: six files a second, of which 40,000 are done by the time the first are due again. */
export const PROVIDE_REST_MS = 500;

/**
 * Before the records of new files are put: those shared in a row go together, and a download has begun that they would
 * hold up.
 */
export const PROVIDE_PAUSE_MS = 2_000;

/** Before a file that nobody took a record of is provided again. */
export const PROVIDE_RETRY_MS = 15_000;

/**
 * Before a file is looked up that somebody offers: most are there by then, or well under way. And before the DHT learns of an id
 * that nobody offers, as long as peers have not said whether they hold it unlisted.
 */
export const OFFERED_LOOKUP_PAUSE_MS = 2_000;

/** One lookup, and the pause before the next while somebody still waits for providers. */
export const FIND_PROVIDERS_TIMEOUT_MS = 20_000;
export const FIND_PROVIDERS_PAUSE_MS = 15_000;

/** Providers taken from one lookup; a download uses a handful. */
export const MAX_FOUND_PROVIDERS = 64;
