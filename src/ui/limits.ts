/** Every limit of the screens: unit and reason. */

/** Toasts on the page at once: more would cover it; the oldest gives way. One of news comes beside so many that can be undone. */
export const MAX_TOASTS = 3;
/** How long a toast stays: long enough to read two lines and reach for Undo (WCAG 2.2.1 lets it be extended by hovering). */
export const TOAST_LIFETIME_MS = 8_000;

/** Invitations drawn at once: they cover what stands below. */
export const MAX_INVITATION_CARDS = 2;

/** Addresses in a link: a handful reaches the sharer over any transport; a link must stay pasteable. */
export const MAX_LINK_ADDRESSES = 8;
/** Addresses of its own that a node puts into a link: three through a relay still fit a QR code that phones read. */
export const MAX_OWN_ADDRESSES = 3;
/** Characters of one address in a link: a WebRTC-direct multiaddr through a relay takes about 300. */
export const MAX_LINK_ADDRESS_CHARS = 512;
/** Characters of a name in a link: as long as file systems take. */
export const MAX_LINK_NAME_CHARS = 255;
/**
 * Bytes of a link that is a QR code with its file's name: what fits 77 modules a side (version 15 at medium correction, ISO/IEC
 * 18004), each 3 pixels on a phone. Finer ones are read with patience.
 */
export const MAX_NAMED_CODE_BYTES = 412;
/** Files in one folder, or got by one button: as many as a node takes in a folder. */
export const MAX_FILES_TOGETHER = 5_000;
/** Links taken of one text that is pasted: more than anybody looks through. */
export const MAX_PASTED_LINKS = 1_000;
/** UTF-8 of the name of a folder that has parts: with the number of the part and its ending, the node takes 240 bytes. */
export const MAX_PARTED_NAME_BYTES = 200;
/** Requests under way for files that are got, or deleted, together: each waits for the disk, and browsers have six to a host. */
export const ASKED_AT_ONCE = 4;
/** Addresses dialled of several links: most come from one page, and name the same. */
export const MAX_DIALLED_ADDRESSES = 32;

/** Wait before reading events again after a failure: first, and at most. */
export const MIN_RECONNECT_MS = 500;
export const MAX_RECONNECT_MS = 5_000;
/** A node that is silent for less is not worth a notice: another tab takes over within a second. */
export const NOTICE_AFTER_MS = 1_500;
/** A new version that was agreed to takes over within a second, unless it has to wait. */
export const UPDATE_WAITS_AFTER_MS = 2_000;
/** Traffic is sampled as often as a person sees a number change. */
export const TRAFFIC_INTERVAL_MS = 1_000;
/** Between two answers of a list that events ask for, at least: as often as a person can see it change. */
export const LISTS_REST_MS = 250;
/** How much longer than it took to load a list rests: one of thousands would take all of the page's time. At most so long. */
export const RESTS_A_LOAD = 4;
export const MAX_LISTS_REST_MS = 2_000;
/** Peers and the swarm's files have no event for each change: asked for this often. */
export const PEERS_INTERVAL_MS = 2_000;
export const NETWORK_INTERVAL_MS = 3_000;
/** A relay that is met says that it is one, and gives its place, within seconds; what a page without one lacks is told of later. */
export const INTRODUCED_AFTER_MS = 5_000;
/** From a peer's coming until what it offers is known, most of the time. */
export const OFFERS_AFTER_MS = 1_000;
/** A transfer's chunk map and peers, while its card is drawn and it does not wait for its turn. */
export const TRANSFER_INTERVAL_MS = 700;
/** What a folder's speed is looked back on for, and for how long at least: a chunk on a slow line is in it. */
export const JOINT_SPEED_SPAN_MS = 8_000;
export const MIN_JOINT_SPEED_MS = 2_000;
/** Pieces of a transfer that are asked for and drawn: more than a screen has columns of pixels. */
export const MAX_DRAWN_PIECES = 4096;
/** Time that the chart of speeds shows, with a sample for each turn that was asked. */
export const TRAFFIC_SPAN_SECONDS = 120;
export const MAX_TRAFFIC_SAMPLES = (TRAFFIC_SPAN_SECONDS * 1_000) / TRAFFIC_INTERVAL_MS;

/** Files that are imported at once: hashing takes a whole core, more would only share it. */
export const IMPORTS_AT_ONCE = 1;
/** Nodes that a file is given to until one has it: two tabs that host it are closed in the middle. */
export const IMPORT_TRIES = 3;
/** Imports of which each word is drawn at once; 500 small files took four times as long where it was drawn of all. */
export const FEW_IMPORTS = 8;
/** Files whose size is asked for in one task of the page: in Chromium each takes up to 0.6 ms. */
export const SIZES_A_TASK = 32;
/** Between two words of how much of an import is read: numbers that change faster can't be read. */
export const SENT_INTERVAL_MS = 100;
/** Files in one drop: a folder may hold more than a page can list. */
export const MAX_FILES_A_DROP = 5_000;
/** Names of a file's holders in the line of its row: more would take that to a third line on a phone. */
export const MAX_NAMED_HOLDERS = 2;
/** Names of peers that have gone, the last of them: more than anybody downloads from at a time. */
export const MAX_GONE_NAMES = 100;
/** Holders that are listed one by one: more than fit what shows up beside the pointer, anybody can make. */
export const MAX_LISTED_HOLDERS = 20;
/** Rows drawn of a long list, and how many more each time they are asked for or scrolled to. */
export const ROWS_A_PAGE = 100;
/** Rows from which an order can be chosen: fewer are taken in at a glance. */
export const ROWS_WORTH_AN_ORDER = 6;
/**
 * Folders whose files stand in them in the list of files, the newest, or in that of the network, those that most peers
 * hold: the list of each is kept, with up to five thousand files.
 */
export const MAX_GROUPED_FOLDERS = 100;
/**
 * Lists of folders that are fetched for rows of the network, all together: five thousand paths of usual length take
 * one, and somebody may offer some who only wants to be a burden.
 */
export const MAX_OFFERED_LISTS_BYTES = 24 * 1024 * 1024;
/** What an entry in the list of a folder takes beside its path, at least: its file's id and size. */
export const MIN_LISTED_BYTES = 64;
/** Lists of folders read at a time: more would keep the node from all else that a page that opens asks. */
export const FOLDERS_AT_ONCE = 4;
/**
 * Files wait this long for what their folders hold: in a page, on a busy machine of two cores, a folder takes 5 ms. Who waits
 * longer takes the page for stuck.
 */
export const FOLDERS_WAIT_MS = 2_000;
/**
 * After the last of a folder's files before the folder is told of: they are asked for a few at a time, and small ones
 * come before the next are asked for.
 */
export const FOLDER_ENDS_AFTER_MS = 1_000;
/** Screens that are kept as they were left: more steps back than anybody takes. Each may hold what a search found. */
export const MAX_PLACES = 50;
/** After the last key before the node is asked: shorter than one waits between two searches, longer than between two keys. */
export const FINDING_PAUSE_MS = 120;
/** A search that takes longer than this waits for its model, which starts with the first one: more is said of it then. */
export const ASKING_LONG_MS = 1_000;
/** How far reading files for search has come, while a search box is drawn. */
export const SEARCH_STATUS_INTERVAL_MS = 2_000;
/** Files in a list of similar ones. */
export const MAX_SIMILAR_ROWS = 12;
/** Bytes of a text file that are shown: more is a file to save. */
export const MAX_TEXT_PREVIEW_BYTES = 256 * 1024;
/** Characters of a text that is written or pasted to be shared: as long as a novel; fields get slow at more. */
export const MAX_WRITTEN_CHARS = 500_000;
/** Of its first line, that its name is made of: what a row shows on a phone. */
export const MAX_TEXT_NAME_CHARS = 40;
/** What a viewer waits for is told of after this long: what is here is shown sooner. */
export const FETCHING_AFTER_MS = 400;
/** Times up to an hour ago are told in minutes, which must not be an old word on a page that stays open. */
export const WHEN_SPAN_MS = 3_600_000;
export const WHEN_INTERVAL_MS = 30_000;
/** Files from which a map tells something; one of fewer is drawn anew by itself when another comes. */
export const MAP_FILES_WORTH_IT = 12;

/** A frame in which a download begins stays this long: until its first bytes, which a file still on its way may keep waiting. */
export const DOWNLOAD_FRAME_MS = 120_000;
