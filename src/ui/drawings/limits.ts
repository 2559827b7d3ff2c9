/** Bounds of the drawings. Each has its unit in the name and its reason beside it. */

/** As many hues as an eye still tells apart in a thin bar; further peers take them again. */
export const PEER_HUES = 8;

/** Runs of chunks looked at in one column of a piece bar: enough for the shade, at 2 ms for a million chunks. */
export const MAX_RUNS_A_COLUMN = 32;

/** Peers whose hue is remembered: more than a node has connections, few enough to forget no memory over. */
export const MAX_REMEMBERED_PEERS = 512;

/** Peers drawn one by one around this node; the others are told as a number. */
export const MAX_DRAWN_PEERS = 36;

/** Peers on one ring of the map; more would let labels touch at 320 pixels. */
export const MAX_PEERS_A_RING = 12;

/** Points of a scatter: beyond, single points can't be told apart on a screen. */
export const MAX_SCATTER_POINTS = 20_000;

/**
 * Points in sight from which on none bears its name: hardly any would have room, and finding it takes a millisecond for
 * these.
 */
export const MAX_NAMED_POINTS = 300;

/** Of a name beside a point, in times of its letters: a line of small text. */
export const NAME_LINE_HEIGHT = 4 / 3;

/** Frames a second of the shimmer: slow light needs no more, and each costs a repaint. */
export const SHIMMER_FRAMES_PER_SECOND = 20;

/** How near a pointer must be to a point to mean it, in CSS pixels: half a finger's width. */
export const HIT_RADIUS_PIXELS = 14;

/** Zoom of a scatter, in times of the whole. At the upper end float32 positions begin to show. */
export const MIN_ZOOM = 0.5;
export const MAX_ZOOM = 4000;

/** Between two looks for a QR code in the camera's picture: a decode takes about 10 ms. */
export const SCAN_INTERVAL_MS = 120;

/**
 * Of the longer side of a picture that is read for a code, at most: more than a code needs, and a photo has five times
 * as many.
 */
export const MAX_SCANNED_PIXELS = 2400;

/** Bytes that fit a QR code of version 25 at medium correction, the densest that phone cameras read off a screen. */
export const MAX_QR_BYTES = 997;
