/** Limits of what nodes tell of what their files are about: unit, reason and source. */

/** Longest excerpt, in bytes of UTF-8: two sentences. */
export const MAX_EXCERPT_BYTES = 320;

/** Excerpts in one message or page, so that it always fits: one is at most 36 + 2 + 320 bytes. */
export const MAX_EXCERPTS_PER_MESSAGE = 80;
export const MAX_EXCERPT_MESSAGE_BYTES = 32 * 1024;

/** Excerpts taken of one author, and of all; about 400 bytes each. */
export const MAX_EXCERPTS_PER_AUTHOR = 10_000;
export const MAX_EXCERPTS_IN_ALL = 50_000;

/** Excerpts wait this long for more of them: documents are read one after the other, and a file's name is there already. */
export const EXCERPT_COALESCE_MS = 1_000;

/**
 * Messages with excerpts that this node sends: slow enough to leave most of the line, and of what receivers take, to
 * announcements.
 */
export const EXCERPT_MESSAGE_BURST = 4;
export const EXCERPT_MESSAGES_PER_SECOND = 1;

/** All excerpts of an author must be here within this. */
export const EXCERPTS_TIMEOUT_MS = 20_000;
