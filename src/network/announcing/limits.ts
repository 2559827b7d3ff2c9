/** Limits of what authors tell of their files, and of what is heard: unit, reason and source. */
import { MAX_AUTHORS } from "../limits.ts";

// ---- Announcements ----

/** A gossip message's data. 100 entries with names of ordinary length fill a tenth of it. */
export const MAX_ANNOUNCEMENT_BYTES = 32 * 1024;

/** Entries in one message. */
export const MAX_ENTRIES_PER_MESSAGE = 100;

/** Addresses an author tells of itself, and the bytes of one in binary form; a webrtc-direct one through a relay takes 180. */
export const MAX_AUTHOR_ADDRESSES = 12;
export const MAX_ADDRESS_BYTES = 256;

/** Files taken of one author: no peer can fill the list alone. More are found by provider records. */
export const MAX_FILES_PER_AUTHOR = 10_000;

/** Files taken of all authors; about 300 bytes each. */
export const MAX_FILES_IN_ALL = 100_000;

/**
 * Of these, those that one peer passes word of, as long as they were not met: half of the room, so that no peer alone
 * has all of it, and who is connected to the host of a swarm alone still hears of a thousand others.
 */
export const MAX_AUTHORS_TOLD_OF = MAX_AUTHORS / 2;
export const MAX_FILES_TOLD_OF = MAX_FILES_IN_ALL / 2;

/** Changes wait this long for more of them; with gossip and a pull still far below the 2 s in which a share must show. */
export const COALESCE_MS = 60;

/** Messages made of one batch of changes; a larger batch tells only that there is a new catalogue. */
export const MAX_MESSAGES_PER_BATCH = 4;

/** "I am here" is said this often. */
export const ALIVE_INTERVAL_MS = 20_000;

/** An author not heard of for this long is gone: four misses, and more than the minute at which hidden pages run timers. */
export const AUTHOR_EXPIRY_MS = 90_000;

/**
 * What counts as silence, at most, of the time from one look at who is silent to the next: in a longer one this process was
 * suspended, and what was said meanwhile is still to be heard, or to be said anew.
 */
export const LONGEST_HEARING_PAUSE_MS = 20_000;

/** Answers to a newcomer are spread over this time for each author known, so that a thousand don't come at once. */
export const ANSWER_JITTER_PER_AUTHOR_MS = 10;
export const ANSWER_JITTER_MAX_MS = 5_000;

/** Between two alive messages. */
export const ALIVE_MIN_INTERVAL_MS = 1_000;

/** Messages this node sends: a burst, then a rate. Stays below what receivers take. */
export const OWN_MESSAGE_BURST = 20;
export const OWN_MESSAGES_PER_SECOND = 3;

/** Messages taken of one author: a burst, then a rate; more are dropped and not passed on. */
export const AUTHOR_MESSAGE_BURST = 60;
export const AUTHOR_MESSAGES_PER_SECOND = 6;

// ---- Catalogues ----

/** One frame of the catalogue protocol. */
export const MAX_CATALOGUE_FRAME_BYTES = 64 * 1024;

/** Entries in one page, so that a page always fits its frame: an entry is at most 36 + 2 + 240 + 8 + 8 + 1 bytes. */
export const MAX_ENTRIES_PER_PAGE = 200;

/** A whole catalogue must be here within this. */
export const CATALOGUE_TIMEOUT_MS = 20_000;

/** Is a peer that disconnected still there? Answered or not within this. */
export const VERIFY_TIMEOUT_MS = 5_000;

/**
 * How often a catalogue is asked for again that failed to come from one just connected, each after twice the pause, or that gave
 * its turn to another.
 */
export const MAX_PULL_RETRIES = 3;

/** Pulls that gossip caused are spread over this time: the author hears from everyone at once otherwise. */
export const PULL_JITTER_MS = 200;

/** Messages of an author kept while its catalogue is being pulled. */
export const MAX_HELD_MESSAGES = 64;

/**
 * Files and addresses in the messages that are kept of all authors, 400 bytes each (measured). Five hundred that wait
 * four minutes for their turn, and say each time where they are, fill half of it.
 */
export const MAX_HELD_ENTRIES = 50_000;
