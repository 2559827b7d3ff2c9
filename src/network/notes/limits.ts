/** Limits of notes to one peer: unit, reason and source. */

/** A name of a node, of 64 UTF-16 units, three bytes each at most. */
export const MAX_NODE_NAME_BYTES = 192;

/** An entry with the longest name of a file, its id and numbers, behind the longest name of a swarm. */
export const MAX_NOTE_BYTES = 512;

/** Notes that are taken of one peer at once, and then a second: people invite to a few files at a time. */
export const NOTE_BURST = 8;
export const NOTES_PER_SECOND = 0.2;

/** A note must be sent and answered within this, a dial to the peer included. */
export const NOTE_TIMEOUT_MS = 20_000;
