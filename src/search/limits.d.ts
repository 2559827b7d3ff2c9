/** Limits of search by meaning: unit, reason and source. Those of reading documents stand in texts/, of models in embedding/. */
/** Longest query, in characters: some sentences; models read about as much. */
export declare const MAX_QUERY_CHARS = 1000;
/** Longest filter, in characters, over what the index allows beside it. */
export declare const MAX_FILTER_CHARS = 10000;
/** Hits of a search where the caller does not say how many: a screen of them. */
export declare const DEFAULT_HITS = 20;
/** Hits of a search at most. */
export declare const MAX_HITS = 1000;
/** Hits of each ranking that are joined: what stands further down in one moves nothing on the first pages. */
export declare const MAX_RANKED = 500;
/** Passages asked of the index for a hit wanted: several of one file may be near. */
export declare const PASSAGES_A_HIT = 4;
/** Passages asked of the index at least: a file that two rankings know should not be missed by one of them. */
export declare const MIN_PASSAGES_ASKED = 128;
/** Words of a name or an excerpt, and of a query. */
export declare const MAX_WORDS = 96;
export declare const MAX_QUERY_WORDS = 24;
/** Characters from which a word may have one typing mistake, and two; in shorter ones a mistake makes another word. */
export declare const MIN_TYPO_CHARS = 4;
export declare const SECOND_TYPO_CHARS = 8;
/** What a word with a mistake counts beside the word itself. */
export declare const TYPO_WEIGHT = 0.3;
/** Share of a query's telling words that a name must have to be a hit by name, and an excerpt to be one by content. */
export declare const MIN_NAME_COVERAGE = 0.5;
export declare const MIN_WORD_COVERAGE = 0.5;
/** Reciprocal rank fusion's constant: the paper's 60 is for thousands of hits; people look at three. */
export declare const RANK_CONSTANT = 3;
/**
 * What a place in each ranking counts; by words, where all of the query's were found, and at most where some were: all of
 * them are in a name for a reason, some of them by chance.
 */
export declare const RANKING_WEIGHTS: {
    readonly meaning: {
        readonly all: 1;
        readonly some: 1;
    };
    readonly name: {
        readonly all: 1.5;
        readonly some: 0.4;
    };
    readonly words: {
        readonly all: 0.8;
        readonly some: 0.3;
    };
};
/** Characters of a passage: about 100 words; sentence encoders blur longer ones. */
export declare const PASSAGE_CHARS = 600;
/** Passages of a file that get a vector: more say little that is new, each costs 2 to 6 ms and 2 kB. */
export declare const MAX_PASSAGES = 6;
/** Vectors of a file that its number leaves room for: a passage's record is number * 16 + passage. A stored format. */
export declare const RECORDS_A_FILE = 16;
/** Characters of a passage that are kept to be shown. */
export declare const SNIPPET_CHARS = 240;
/** Characters of a file's text that are told to other nodes. */
export declare const EXCERPT_CHARS = 240;
/** Files in the index at most, local ones first: with six vectors of 512 numbers each, 1.3 GB. */
export declare const MAX_INDEXED_FILES = 50000;
/** Texts embedded and stored in one go: what is lost when the process ends meanwhile. */
export declare const TEXTS_A_BATCH = 48;
/** What a document's reading takes of the time while files go to or come from peers: a 25th, so that they lose under 5 %. */
export declare const BUSY_REST_FACTOR = 24;
/** Longest rest after one document. */
export declare const MAX_REST_MS = 10000;
/** Payload bytes a second above which peers are being served or asked. */
export declare const BUSY_BYTES_PER_SECOND: number;
/** How long offers that change are gathered before they are looked through: a hundred thousand take some 100 ms. */
export declare const OFFERS_SETTLE_MS = 1000;
/** Time that an offer must be gone before its vectors go too: peers leave and come back. */
export declare const GONE_AFTER_MS: number;
/** Between two looks at counts of holders, and files whose count is brought up to date at one. */
export declare const HOLDERS_EVERY_MS = 60000;
export declare const MAX_RESTATED = 256;
/** Pauses before a model or index that could not be opened is tried again: doubled from the first to the last. */
export declare const REOPEN_FIRST_MS = 5000;
export declare const REOPEN_MAX_MS: number;
