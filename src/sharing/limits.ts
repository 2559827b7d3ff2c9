/** Every limit of the sharing node: unit, reason and source. */

/** Bytes in a leaf of the profile `unixfs-v1-2025` (IPIP-499). */
export const CHUNK_BYTES = 1024 * 1024;

/** Links in a node of the profile `unixfs-v1-2025` (IPIP-499). */
export const MAX_LINKS = 1024;

/** Longest DAG node taken: 1024 links of about 50 bytes and their sizes fill 60 kB; twice that is room enough. */
export const MAX_NODE_BYTES = 128 * 1024;

/** Levels of links above the leaves: two reach 1 TiB, more than any quota here. */
export const MAX_DAG_DEPTH = 2;

/** Events kept for readers that come back; at 4 progress events a second about two minutes of one transfer. */
export const EVENT_HISTORY = 512;

/** Longest file name kept, in UTF-8 bytes: what ext4, APFS and NTFS take (255), less room for a suffix. */
export const MAX_NAME_BYTES = 240;
