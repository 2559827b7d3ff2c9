/** Values that the conformance suite knows beforehand. */

/** A raw file of 11 bytes has this id under the profile unixfs-v1-2025. */
export const HELLO = {
  text: "hello world",
  id: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
};

export const MIB = 1024 * 1024;
export const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

/** Wait for what another peer has just begun to offer. */
export const HEARD_WITHIN_MS = 30_000;
