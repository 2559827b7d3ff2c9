/** Every limit of the bridge: unit, reason and source. */

/**
 * Bytes of one body that may be under way unread, in each direction, and what a body starts with: part of the format.
 * 1 MiB covers a round trip of some milliseconds at hundreds of MB/s; side by side, 4 MiB showed no gain.
 */
export const WINDOW_BYTES = 1024 * 1024;

/** Longest chunk frame: large enough that a frame's cost does not show, a quarter of the window so that it flows. */
export const MAX_CHUNK_BYTES = 256 * 1024;

/** Requests in flight on one port; with a window each at most 256 MiB. Browsers keep far fewer open to one host. */
export const MAX_REQUESTS_IN_FLIGHT = 256;

/** Longest URL of a request, in characters: a search's longest filter of ASCII, percent-encoded, with room to spare. */
export const MAX_REQUEST_URL_CHARS = 64 * 1024;

/** Header fields of one message, and characters in all of them: twice what Node.js takes by default (16 KiB). */
export const MAX_HEADER_FIELDS = 256;
export const MAX_HEADERS_CHARS = 32 * 1024;

/** Longest other text of a frame: names, messages, client ids. Longer texts are cut by the sender. */
export const MAX_TEXT_CHARS = 4096;

/** Time the other end has to say hello: a tab whose page is still loading needs some. */
export const HELLO_WITHIN_MS = 10_000;

/** How often an end with requests in flight looks whether the other was heard of, and asks if not. */
export const PING_EVERY_MS = 5_000;

/** Questions in a row left without any answer after which the other end counts as silent. Ticks, since both timers and
 * answers wait while a machine sleeps. */
export const UNANSWERED_PINGS = 3;

/** How long a request waits for some tab to lead: a tab that takes over needs a second, one that loads a few. */
export const LEADER_WITHIN_MS = 10_000;

/** How often a request that changes nothing is sent: a leader that goes away is rare, three in a row mean no good. */
export const MAX_SENDS = 3;

/** How often the worker is kept awake while bodies are under way: Firefox ends one after 30 s without an event. */
export const STAY_AWAKE_EVERY_MS = 20_000;

/** Ports that the leader serves at once: one a tab and one a worker. The oldest that carries nothing gives way. */
export const MAX_SERVED_PORTS = 64;

/** Shares that the system handed over and no page took yet, and files in one; the oldest share gives way. */
export const MAX_KEPT_SHARES = 4;
export const MAX_SHARED_FILES = 256;
/** Links of one text that the system handed over, which come to the page in its address: Chromium takes one of 2 MiB. */
export const MAX_SHARED_LINKS = 256;

/** Files of the page that are kept at one request: putting one into a cache takes some 25 ms on a slow machine. */
export const FILES_KEPT_AT_ONCE = 4;
