/** Limits of search by meaning: unit, reason and source. Those of reading documents stand in texts/, of models in embedding/. */

// ---- Queries ----

/** Longest query, in characters: some sentences; models read about as much. */
export const MAX_QUERY_CHARS = 1000;

/** Longest filter, in characters, over what the index allows beside it. */
export const MAX_FILTER_CHARS = 10_000;

/** Hits of a search where the caller does not say how many: a screen of them. */
export const DEFAULT_HITS = 20;

/** Hits of a search at most. */
export const MAX_HITS = 1000;

/** Hits of each ranking that are joined: what stands further down in one moves nothing on the first pages. */
export const MAX_RANKED = 500;

/** Files that a query names to ask which of them a filter is true for: of more, all that it is true for are asked. */
export const MAX_NAMED = 500;

/** Passages asked of the index for a hit wanted: several of one file may be near. */
export const PASSAGES_A_HIT = 4;

/** Passages asked of the index at least: a file that two rankings know should not be missed by one of them. */
export const MIN_PASSAGES_ASKED = 128;

// ---- Words ----

/** Words of a name or an excerpt: of 240 characters in a script without spaces, each and each pair is one. And of a query. */
export const MAX_WORDS = 512;
export const MAX_QUERY_WORDS = 24;

/**
 * Words of a text that are remembered, 4 bytes each: all of the 8,000 characters read but in scripts without spaces, a
 * third of which are.
 */
export const MAX_TEXT_WORDS = 4096;

/** Characters from which a word may have one typing mistake, and two; in shorter ones a mistake makes another word. */
export const MIN_TYPO_CHARS = 4;
export const SECOND_TYPO_CHARS = 8;

/**
 * Characters from which a word of a query may be the beginning of one in an excerpt: `pomme` of `pommes`, no `car` of
 * `carpet`.
 */
export const MIN_PREFIX_CHARS = 4;

/** What such a beginning counts beside the word itself. */
export const BEGINNING_WEIGHT = 0.75;

/** What a word with a mistake counts beside the word itself. */
export const TYPO_WEIGHT = 0.3;

/** Share of a query's telling words that a name must have to be a hit by name, and an excerpt to be one by content. */
export const MIN_NAME_COVERAGE = 0.5;
export const MIN_WORD_COVERAGE = 0.5;

// ---- Joining rankings ----

/** Reciprocal rank fusion's constant: the paper's 60 is for thousands of hits; people look at three. */
export const RANK_CONSTANT = 3;

/** Hits by meaning that are joined with those by words: as many as a search finds by meaning however few hits it is to give. */
export const MAX_JOINED = 32;

/**
 * What a place in each ranking counts; by words, where all of the query's were found, and at most where some were: all of
 * them are in a name or a text for a reason, and in other languages than the model's before what is near by chance; some of
 * them by chance.
 */
export const RANKING_WEIGHTS = {
  meaning: { all: 1, some: 1 },
  name: { all: 1.5, some: 0.4 },
  words: { all: 1.2, some: 0.3 },
} as const;

// ---- The map of files ----

/** Files on a map: more points cover each other, and reading and reducing these takes about a second. */
export const MAX_MAP_POINTS = 2_000;

/**
 * Vectors that are asked of the index at once, for a map or for the hits of a query: keeps its thread at work, and
 * others of it between.
 */
export const VECTORS_READ_AT_ONCE = 64;

// ---- Texts and passages ----

/** Characters of a passage: about 100 words; sentence encoders blur longer ones. */
export const PASSAGE_CHARS = 600;

/** Passages of a file that get a vector: more say little that is new, each costs 2 to 6 ms and 2 kB. */
export const MAX_PASSAGES = 6;

/** Vectors of a file that its number leaves room for: a passage's record is number * 16 + passage. A stored format. */
export const RECORDS_A_FILE = 16;

/** Characters of a passage that are kept to be shown. */
export const SNIPPET_CHARS = 240;

/** Characters of a file's text that are told to other nodes. */
export const EXCERPT_CHARS = 240;

// ---- Work in the background ----

/** Files in the index at most, local ones first: with six vectors of 512 numbers each, 1.3 GB. */
export const MAX_INDEXED_FILES = 50_000;

/** Texts embedded and stored in one go: what is lost when the process ends meanwhile, and a step of the progress told. */
export const TEXTS_A_BATCH = 16;

/** Time after which files that came meanwhile are looked at before the rest: a look at a hundred thousand takes some 100 ms. */
export const LOOK_ANEW_MS = 10_000;

/** Characters embedded between two looks at the transfers: one passage, or as many short texts as take no longer. */
export const CHARS_A_CALL = 600;

/**
 * How many times as long as its work reading, embedding and storing rest while chunks move fast: a hundredth of one core is
 * theirs, so that transfers lose far under 5 %, and a node that always serves still finds a hundred files an hour.
 */
export const BUSY_REST_FACTOR = 99;

/** Bytes a second from which a transfer may need the processor whole; a slower one leaves more to the work, in proportion. */
export const FAST_BYTES_PER_SECOND = 20_000_000;

/** Half of the time, beside the slowest transfer. */
export const LEAST_REST_FACTOR = 1;

/** Longest rest after one piece of work: what is due after the longest there is, a document that takes 10 s to read. */
export const MAX_REST_MS = 1_000_000;

/** Rest between two looks at whether a transfer still runs: a fraction of the time that must be quiet. */
export const REST_STEP_MS = 500;

/** Time without a chunk after which no transfer is thought to run: slow peers send one a second. */
export const QUIET_MS = 3_000;

/** How long offers that change are gathered before they are looked through: a hundred thousand take some 100 ms. */
export const OFFERS_SETTLE_MS = 1_000;

/** And how many times longer than it took to look them through: a fiftieth of the time, whatever the swarm does. */
export const OFFERS_REST_FACTOR = 50;

/** Time that an offer must be gone before its vectors go too: peers leave and come back. */
export const GONE_AFTER_MS = 10 * 60_000;

/** Between two looks at counts of holders, and files whose count is brought up to date at one. */
export const HOLDERS_EVERY_MS = 60_000;
export const MAX_RESTATED = 256;

/** Pauses before a model or index that could not be opened is tried again: doubled from the first to the last. */
export const REOPEN_FIRST_MS = 5_000;
export const REOPEN_MAX_MS = 10 * 60_000;
