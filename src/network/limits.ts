/**
 * Every limit of the network: unit, reason and source. Sizes and counts bound what strangers can make this node
 * hold; times bound how long they can make it wait. "Measured" refers to two cores, Node.js 20, loopback.
 */

// ---- Connections ----

/** Open connections in all. libp2p's default for a server; each costs about 100 kB with its streams. */
export const MAX_CONNECTIONS = 300;

/**
 * Open inbound connections of one address, or of the IPv6 addresses of one subscriber: room for a household or an office behind one
 * router, not for all slots.
 */
export const MAX_CONNECTIONS_PER_HOST = 100;

/** Connections that have not finished their handshake. Each holds a socket and a key exchange for at most INBOUND_UPGRADE_TIMEOUT_MS. */
export const MAX_PENDING_CONNECTIONS = 64;

/** The same of one address, so that one silent host can't take all of them. */
export const MAX_PENDING_PER_HOST = 16;

/**
 * The same by one relay, and of those that it introduces: others behind a relay may all come at once when it is back. Two relays,
 * which is as many as a node uses, leave room for the rest.
 */
export const MAX_PENDING_PER_RELAY = 24;

/** New connections a second of one address; libp2p's 5 refuses a page that opens a few tabs ("Unexpected EOF"). */
export const MAX_NEW_CONNECTIONS_PER_HOST_PER_SECOND = 20;

/** A handshake over a slow mobile link takes two seconds; after this the socket is closed. */
export const INBOUND_UPGRADE_TIMEOUT_MS = 8_000;

// ---- Dials ----

/**
 * One address of a peer, then the next is tried; a dead public address must not use up the whole dial. As patient as the
 * other end is with the handshake: a page that is busy with downloads took more than 4 s for it (measured).
 */
export const ADDRESS_DIAL_TIMEOUT_MS = 8_000;

/** All addresses of one peer together. */
export const DIAL_TIMEOUT_MS = 30_000;

/**
 * Looking up where a peer is that told no address: 23 ms through one bootstrap node (measured). What else that peer says
 * waits meanwhile, and it soon tells its addresses itself.
 */
export const LOOKUP_TIMEOUT_MS = 2_000;

/** One try of a direct way to a peer that is reached through a relay, which waits meanwhile. */
export const DIRECT_TRY_MS = 4_000;

/**
 * What the one of two nodes that started later has for its dial before the other dials too: a page's circuit and WebRTC
 * handshake take 0.3 to 1.2 s on a busy machine (measured).
 */
export const MEETING_PATIENCE_MS = 2_000;

/** Between two tries of a direct way to a peer that is reached through a relay. */
export const DIRECT_RETRY_MS = 60_000;

/** Dials under way at once, and waiting. */
export const MAX_PARALLEL_DIALS = 32;
export const MAX_DIAL_QUEUE = 300;

/** Neighbours being dialled: half of the dials under way, which leaves room for those that somebody waits for. */
export const MAX_NEIGHBOURS_DIALLED = MAX_PARALLEL_DIALS / 2;

/** Addresses of one peer that are tried. */
export const MAX_ADDRESSES_TO_DIAL = 16;

/** Loops and dials that may be under way when the network stops: those of the dial queue, and some twenty loops. */
export const MAX_ENDINGS = MAX_DIAL_QUEUE + 32;

/** Authors and neighbours that are dialled only to be well connected; beyond this, gossip reaches the rest. */
export const WELL_CONNECTED_PEERS = 40;

// ---- Pings ----

/** Round trips are measured this often; the first one right after connecting. */
export const PING_INTERVAL_MS = 10_000;
export const PING_TIMEOUT_MS = 5_000;

/** Whether a connection outlived a sleep shows within this; a page that has just woken has much to do. */
export const CHECK_PING_TIMEOUT_MS = 10_000;

/**
 * Whether a connection outlived the start of its peer's program, which is awake and has just spoken. Those that end with
 * a page say so; those of a page that was killed do not, and count as open for 15 s more (measured).
 */
export const REBORN_PING_TIMEOUT_MS = 4_000;

/** Who opens a stream has an answer within a round trip, two seconds over a slow mobile link; after this the connection is in doubt. */
export const OPENING_DOUBT_MS = 3_000;

/**
 * Whether the connection to a peer that owes an answer is dead. It was silent for ten seconds where blocks are due, so that this is
 * as long as a conversation bears; requests may wait behind uploads for some seconds where a home's line is full.
 */
export const SILENT_PING_TIMEOUT_MS = 20_000;

/** A hidden page may run its timers once a minute, so an unanswered ping alone ends a connection only after this. */
export const PING_PATIENCE_MS = 90_000;

/**
 * Pings of one connection that may be under way, in each direction: one an interval for as long as patience lasts, and a
 * few that are asked for besides. One more than these fails at once, which libp2p takes for no answer and ends the
 * connection; its own limits, 1 out and 2 in, did so to peers that were only busy.
 */
export const MAX_PINGS_PER_CONNECTION = PING_PATIENCE_MS / PING_INTERVAL_MS + 7;

/** What pings on one stream bring, of 32 bytes each: a node sends one, others keep the stream for more, a second apart. */
export const MAX_PING_BYTES = 4 * 1024;

// ---- What is remembered of a peer ----

/** Bans remembered; the one that ends first gives way. */
export const MAX_BANS = 4_096;

/** Addresses remembered of a peer. A node of ours has about ten; a phone that travels is told of again. */
export const MAX_ADDRESSES_PER_PEER = 32;

/** Protocols remembered of a peer; a node of ours speaks about twenty. */
export const MAX_PROTOCOLS_PER_PEER = 128;

/** What a peer tells of itself at a time: its addresses twice, the second time signed, and its protocols. */
export const MAX_IDENTIFY_BYTES = 16 * 1024;

/** How often a peer may tell it unasked: a burst, then a rate. A node gathers changes for a second. */
export const IDENTIFY_PUSH_BURST = 8;
export const IDENTIFY_PUSHES_PER_SECOND = 1;

/** Peers whose new addresses are written at once; more wait with the streams that told them. */
export const MAX_PEERS_TOLD_OF_AT_ONCE = 16;

// ---- Streams ----

/** Streams a remote may hold open on one connection, over all protocols; ours needs about ten. */
export const MAX_INBOUND_STREAMS = 128;

/**
 * Streams a remote may open before this side has finished its handshake, which a busy node finishes late: libp2p's 10
 * are soon used up by a peer that at once identifies itself, pings, gossips, and asks for a catalogue and chunks.
 */
export const MAX_EARLY_STREAMS = 32;

/** Streams a remote may hold open of one of our own protocols on one connection. */
export const MAX_INBOUND_STREAMS_PER_PROTOCOL = 8;

/**
 * What comes on a connection or a stream before it is agreed what is spoken there: a few lines, and what is said already by who
 * does not wait for the answer.
 */
export const MAX_NEGOTIATION_BYTES = 8 * 1024;

/** What comes until a connection is encrypted: two messages of noise, of which none is longer than this. */
export const MAX_HANDSHAKE_BYTES = 64 * 1024;

/**
 * Streams that a remote opens and resets, or has no room for, before it is agreed what they are for: a burst, then a rate. One
 * that it speaks on costs it a round trip, so there is no limit to those: who gives records of thousands of files opens 400 a
 * second (measured).
 */
export const VAIN_STREAM_BURST = 256;
export const VAIN_STREAMS_PER_SECOND = 4;

/** Yamux pings of a remote: a burst, then a rate. The library sends one in half a minute. */
export const YAMUX_PING_BURST = 32;
export const YAMUX_PINGS_PER_SECOND = 1;

/**
 * Frames of a remote with no data, or less than this, beside one for each that was sent to it, which the library answers with as
 * much of the window, thousands of times a second where a line is fast: a burst, then a rate. The busiest bring some thousands
 * a second, answers to messages and requests for small files.
 */
export const SHORT_FRAME_BYTES = 1024;
export const SHORT_FRAME_BURST = 32_768;
export const SHORT_FRAMES_PER_SECOND = 16_384;

/** One frame of a stream that is sent, also where more is to be; half a chunk. */
export const MAX_FRAME_BYTES = 512 * 1024;

/**
 * One that is taken. Nodes and pages built before 2026-11-25 16:00 make one of half a chunk, the heads of its messages (46 bytes,
 * measured) and whatever else of the stream waits, as what they have.
 */
export const MAX_TAKEN_FRAME_BYTES = MAX_FRAME_BYTES + 128 * 1024;

/** A stream that carries nothing for this long is closed; announcements alone come three times a minute. */
export const STREAM_INACTIVITY_MS = 15 * 60_000;

/** Bytes of a stream's window, an eighth of what it has at first, that are given back to the sender in one message. */
export const MIN_WINDOW_UPDATE_BYTES = 32 * 1024;

// ---- WebSockets ----

/** What a WebSocket sends as one message: as much as a page queues. */
export const MAX_WEB_SOCKET_MESSAGE_BYTES = 256 * 1024;

/**
 * What it takes as one, where the library takes 100 MiB. Those built before 2026-11-25 send a frame, encrypted, as one (524,508
 * bytes, measured), and with it what waits of other streams.
 */
export const MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES = MAX_TAKEN_FRAME_BYTES + 128 * 1024;

/** How often a full WebSocket is looked at for room, where the peer's messages don't tell. */
export const WEB_SOCKET_LOOK_MS = 10;

// ---- WebRTC ----

/** All that a peer says to be connected by WebRTC: an offer of about 1 kB, and some twenty candidates of 200 bytes. */
export const MAX_SIGNALLING_BYTES = 16 * 1024;

/**
 * Who is sent the first datagrams of a WebRTC connection and does not answer in this time, a round trip over a slow mobile link, gives
 * its place to another: whose address is forged never does.
 */
export const ICE_ANSWER_MS = 1_000;

// ---- Relay ----

/** Peers that may be reached through this node at a time; libp2p's default is 15. A reservation costs one connection. */
export const MAX_RELAY_RESERVATIONS = 128;

/** How long a reservation holds unless renewed. */
export const RELAY_RESERVATION_TTL_MS = 60 * 60_000;

/** A relay is not asked for the next one sooner, whatever it tells, nor again where it gave none; libp2p's own bound. */
export const RELAY_RENEWAL_MIN_MS = 30_000;

/** Circuits that one connection may open through this node, and that may lead to one peer. */
export const MAX_RELAY_STREAMS_PER_CONNECTION = 32;

/** Time to set up one circuit. */
export const RELAY_HOP_TIMEOUT_MS = 10_000;

/** Relays this node keeps reservations on; two, so that one may go. */
export const MAX_RELAYS_USED = 2;

/**
 * Relays that are asked for a place at the same time: for new places and to renew old ones. The library forgets who waits for that,
 * and never answers, once another has its place.
 */
export const MAX_RELAYS_ASKED = 2 * MAX_RELAYS_USED;

/** What the relay's protocol has to say on a stream: the longest answer has ten addresses of 100 bytes, and a signature. */
export const MAX_RELAY_MESSAGE_BYTES = 8 * 1024;

// ---- Rendezvous ----

/** Longest peer id, as text: one with a key of 4096 bits takes 46 characters, ours 52. */
export const MAX_PEER_ID_CHARS = 64;

/** Peers of a swarm that a relay names at a time, others each time; as many as make a swarm of any size hang together. */
export const MAX_PEERS_NAMED = 16;

/** An answer: that many peers with the most and longest addresses. */
export const MAX_RENDEZVOUS_ANSWER_BYTES = 64 * 1024;

/** The question and its answer. */
export const RENDEZVOUS_QUESTION_BYTES = 33;
export const RENDEZVOUS_TIMEOUT_MS = 20_000;

/** Questions of a peer that are answered with names: a burst, then a rate. */
export const RENDEZVOUS_BURST = 8;
export const RENDEZVOUS_PER_SECOND = 0.2;

/**
 * Pauses between questions to one relay: doubled from the first to the last. The first ones are for those that come when the
 * relay does, all at once, and have no address there yet.
 */
export const RENDEZVOUS_PAUSE_MS = 2_000;
export const RENDEZVOUS_PAUSE_MAX_MS = 120_000;

// ---- Bootstrap ----

/** Pauses between dials of a bootstrap address: doubled from the first to the last. */
export const REDIAL_FIRST_MS = 1_000;
export const REDIAL_MAX_MS = 60_000;

/** Bootstrap addresses that are kept connected. */
export const MAX_BOOTSTRAP = 64;

// ---- Announcements ----

/** A swarm name is part of protocol and topic names. */
export const MAX_SWARM_NAME_CHARS = 64;

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

/** Authors remembered, those that left (against replays) included. */
export const MAX_AUTHORS = 2_000;

/**
 * Of these, those that one peer passes word of, as long as they were not met: half of the room, so that no peer alone has all of it, and
 * who is connected to the host of a swarm alone still hears of a thousand others.
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

/** Expiry is looked at this often. */
export const EXPIRY_CHECK_MS = 5_000;

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

/** Gossipsub RPC: messages, topics and ids in one; its defaults of 5,000 let one frame cost seconds. */
export const MAX_RPC_MESSAGES = 64;
export const MAX_RPC_SUBSCRIPTIONS = 16;
export const MAX_RPC_CONTROL = 64;
export const MAX_RPC_MESSAGE_IDS = 1_000;

/** One gossipsub frame: a few messages and their control data. */
export const MAX_RPC_BYTES = 256 * 1024;

/** Gossip waiting for a peer that does not read; then its stream is reset. */
export const MAX_GOSSIP_BUFFER_BYTES = 4 * 1024 * 1024;

/**
 * How long gossipsub remembers what it thought of a peer that left, 800 bytes each (measured). Its default, an hour, is memory
 * for whoever comes under ever new ids; in a minute those few thousand that may come make a few MiB.
 */
export const SCORE_KEPT_MS = 60_000;

/** Memory for the topics a peer says it follows; ours are two. */
export const MAX_TOPIC_BYTES_PER_PEER = 8 * 1024;

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
 * Catalogues pulled at once, authors waiting for it, and the pause before the same author is asked again. As many of authors that
 * are connected and of others, and as many excerpts.
 */
export const MAX_PARALLEL_PULLS = 8;
export const MAX_WAITING_PULLS = 512;
export const PULL_PAUSE_MS = 1_000;

/** One that brings nothing for this long gives its turn to one that waits: a dial and a few round trips over a slow mobile link. */
export const PULL_PATIENCE_MS = 4_000;

/**
 * How often a catalogue is asked for again that failed to come from one just connected, each after twice the pause, or that gave
 * its turn to another.
 */
export const MAX_PULL_RETRIES = 3;

/** Pulls that gossip caused are spread over this time: the author hears from everyone at once otherwise. */
export const PULL_JITTER_MS = 200;

/** Changes of an author kept while its catalogue is being pulled. */
export const MAX_HELD_MESSAGES = 64;

// ---- Excerpts ----

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

/** Messages with excerpts that this node sends: slow enough to leave most of the line, and of what receivers take, to announcements. */
export const EXCERPT_MESSAGE_BURST = 4;
export const EXCERPT_MESSAGES_PER_SECOND = 1;

/** All excerpts of an author must be here within this. */
export const EXCERPTS_TIMEOUT_MS = 20_000;

// ---- Notes to one peer ----

/** A name of a node, of 64 UTF-16 units, three bytes each at most. */
export const MAX_NODE_NAME_BYTES = 192;

/** An entry with the longest name of a file, its id and numbers, behind the longest name of a swarm. */
export const MAX_NOTE_BYTES = 512;

/** Notes that are taken of one peer at once, and then a second: people invite to a few files at a time. */
export const NOTE_BURST = 8;
export const NOTES_PER_SECOND = 0.2;

/** A note must be sent and answered within this, a dial to the peer included. */
export const NOTE_TIMEOUT_MS = 20_000;

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

// ---- What is kept between runs ----

/** Changes of libp2p's entries that wait for the write before them; more wait in libp2p. */
export const MAX_UNWRITTEN_ENTRIES = 256;

// ---- Provider records ----

/** Records this node keeps for others, and for one of them. A record is about 200 bytes. */
export const MAX_PROVIDER_RECORDS = 100_000;
export const MAX_PROVIDER_RECORDS_PER_PEER = 5_000;

/** What one stream of the DHT may bring, a request or an answer: 84 peers with all their addresses have a third of it. */
export const MAX_DHT_STREAM_BYTES = 512 * 1024;

/**
 * Requests of a peer that the DHT answers: a burst, then a rate, at which those beyond wait. Each takes some milliseconds; a node asks
 * another twelve times a second at most, when it puts the records of many files.
 */
export const DHT_REQUEST_BURST = 64;
export const DHT_REQUESTS_PER_SECOND = 24;

/** Peers taken of an answer of the DHT that leads on to closer ones: Kademlia's k, which is what libp2p gives. */
export const MAX_CLOSER_PEERS = 20;

/** Peers taken of an answer that names who holds a file; the next node that is asked names others. */
export const MAX_PROVIDERS_PER_ANSWER = 64;

/**
 * Those that an answer of ours names, others each time: as many as it names closer ones. Each costs 0.1 to 0.4 ms of the processor, by
 * its addresses (measured), and any peer may ask at the rate above.
 */
export const MAX_PROVIDERS_TOLD = 20;

/** Peers taken of a request that tells who holds a file: whoever sends it, which alone is believed. */
export const MAX_PROVIDERS_PER_REQUEST = 1;

/** A record not renewed for this long is dropped. */
export const PROVIDER_RECORD_TTL_MS = 4 * 60 * 60_000;

/** Own records are looked at this often and renewed when half of their time is over. */
export const REPROVIDE_INTERVAL_MS = 30 * 60_000;
export const REPROVIDE_AFTER_MS = PROVIDER_RECORD_TTL_MS / 2;

/** Files provided at once, and the time for one: a lookup and a message to the 20 nearest. */
export const MAX_PARALLEL_PROVIDES = 3;
export const PROVIDE_TIMEOUT_MS = 30_000;

/** After each, three times over: six files a second, of which 40,000 are done by the time the first are due again. */
export const PROVIDE_REST_MS = 500;

/** Before the records of new files are put: those shared in a row go together, and a download has begun that they would hold up. */
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
