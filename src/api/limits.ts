/** Every limit of the REST API: unit, reason and source. */
import { EVENT_HISTORY } from "../sharing/limits.ts";

/** Span of the sliding window of the rate limit: the seed counts requests a minute. */
export const RATE_WINDOW_MS = 60_000;

/** Clients the rate limit remembers: with 100 requests a minute each, 8 MB. */
export const MAX_RATE_CLIENTS = 10_000;

/** Timestamps the rate limit keeps over all clients, 8 bytes each: 32 MB however high the limit is set. */
export const MAX_RATE_TIMESTAMPS = 4_000_000;

/** Longest client address kept as a key: an IPv6 address with a zone takes 60, a page's client id 36. */
export const MAX_CLIENT_ADDRESS_CHARS = 64;

/** Longest JSON body of a node route: the longest field is a path of 4 KiB, so 1 MiB is room to spare. */
export const MAX_NODE_JSON_BYTES = 1024 * 1024;

/** Nesting of a JSON body: the deepest schema has 4 levels, metadata a few more. */
export const MAX_JSON_DEPTH = 64;

/**
 * Members of an object in a body, but for metadata: a search takes a hundred facets, and other fields are few. JSON.parse takes
 * twenty times as long for short members as for texts.
 */
export const MAX_JSON_MEMBERS = 1000;

/** Characters of a JSON value that JSON.parse reads in one go, within about 30 ms: filters and queries are the longest. */
export const MAX_PLAIN_CHARS = 4 * 1024 * 1024;

/** Longest file name in a request, in characters; the node shortens to what file systems take. */
export const MAX_NAME_CHARS = 1024;

/** Characters of what somebody wrote that a refusal says again: enough to know it by. */
export const MAX_QUOTED_CHARS = 64;

/** Characters of a refusal's message, whatever it says again: room for the longest of our own, and a name in it. */
export const MAX_MESSAGE_CHARS = 500;

/** Of a longer one, those at its end that are kept: what is wrong with a name may stand behind it. */
export const MESSAGE_END_CHARS = 100;

/** Longest CID spelling taken: 36 bytes in base2 would be 289, in any base in use under 128. */
export const MAX_CID_CHARS = 128;

/** Longest spelling of a peer id taken: as nodes write it 46 to 53 characters, as a CID in base32 at most 67. */
export const MAX_PEER_ID_CHARS = 128;

/** Longest multiaddr taken: a webrtc-direct address through a relay has about 400. */
export const MAX_MULTIADDR_CHARS = 1024;

/** Peers to stay connected to: more connections than a node seeks by itself. */
export const MAX_BOOTSTRAP_PEERS = 32;

/** STUN and TURN servers: ICE asks all of them for every connection, and browsers warn at five. */
export const MAX_ICE_SERVERS = 16;

/** Longest private key taken, as base64: RSA with 8192 bits has 6.2 kB, Ed25519 has 92 characters. */
export const MAX_PRIVATE_KEY_CHARS = 8192;

/** Longest address of a server taken, a webhook's receiver or an ICE server: what common servers and proxies pass. */
export const MAX_SERVER_URL_CHARS = 2048;

/** Peers that a download may have in use at once: fewer than the exchange asks at a time, over all downloads. */
export const MAX_PEERS_A_DOWNLOAD = 100;

/** Entries of one page of a list. */
export const MAX_LIST_LIMIT = 10_000;

/** Entries of a sample of a file's chunks: several for each pixel of a wide screen. */
export const MAX_CHUNK_SAMPLE = 16_384;

/** Headers of one part of a multipart body: browsers send two lines, under 1 KiB with a long name. */
export const MAX_PART_HEADER_BYTES = 16 * 1024;

/** Fields beside the file in a multipart body, and bytes in one of them. */
export const MAX_PART_FIELDS = 16;
export const MAX_PART_FIELD_BYTES = 16 * 1024;

/** Boundary of a multipart body, in characters (RFC 2046, 5.1.1). */
export const MAX_BOUNDARY_CHARS = 70;

/** Ticket: 128 random bits, for 12 h (contract). */
export const TICKET_BYTES = 16;
export const TICKET_LIFETIME_MS = 12 * 60 * 60 * 1000;

/** Tickets alive at once: a page takes one for each file it plays or saves. The oldest gives way. */
export const MAX_TICKETS = 4096;

/** Event streams open at once: a few pages and tools; each costs a listener and a buffer. */
export const MAX_EVENT_STREAMS = 64;

/**
 * Events that wait for one reader: twice the history that a returning one is sent, which has as many of strangers beside the
 * others. A slower one is ended.
 */
export const MAX_PENDING_EVENTS = 4 * EVENT_HISTORY;

/** Silence after which a comment keeps proxies from closing an event stream; most allow 30 s or 60 s. */
export const EVENT_HEARTBEAT_MS = 15_000;

/** Progress of one transfer in one event stream: 4 a second (contract). */
export const PROGRESS_INTERVAL_MS = 250;

/** Transfers whose progress waits in one event stream; the newest of others is dropped, more will follow. */
export const MAX_PENDING_PROGRESS = 256;

/** Time a browser may keep the answer to a preflight: ten minutes, so that a change of flags shows soon. */
export const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** Webhooks set over the API at once. */
export const MAX_WEBHOOKS = 16;

/**
 * Deliveries that wait, over all webhooks: about 1 kB each, and two for each file of a folder. The oldest is dropped,
 * with a warning.
 */
export const MAX_WEBHOOK_QUEUE = 12_000;

/** Deliveries under way at once. */
export const MAX_WEBHOOK_SENDS = 4;

/** Time a receiver has to answer: the 15 to 30 s that the Standard Webhooks document advises. */
export const WEBHOOK_TIMEOUT_MS = 15_000;

/** First delay before a retry; it doubles, so that 15 attempts span about 23 h. */
export const WEBHOOK_FIRST_RETRY_MS = 5_000;
export const MAX_WEBHOOK_ATTEMPTS = 15;

/** Random bytes of a webhook secret: 24 to 64 by the Standard Webhooks document. */
export const WEBHOOK_SECRET_BYTES = 32;

/** Bytes of an identity CID that the gateway answers: the probe `bafkqaaa` has none. */
export const MAX_IDENTITY_BYTES = 128;

/** Bytes that the gateway sends at once: under a low upload rate a reader is to see that something comes. */
export const GATEWAY_PIECE_BYTES = 64 * 1024;
