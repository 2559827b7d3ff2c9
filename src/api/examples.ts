/**
 * What stands for somebody's file, peer and vectors in the document's examples of bodies. Used by the routes that take
 * these, and by fields.
 */

/** The id of the text `hello world`. */
export const FILE_ID = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

export const PEER_ID = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN";

/** As many numbers as the README's index has. */
export const VECTOR = [0.1, 0.9, 0.2];
export const OTHER_VECTOR = [0.8, 0.1, 0.1];
