/**
 * TLS among headless nodes: how libp2p's connections and those of side streams are encrypted. Used by peer-certificate, side-door
 * and tls-side-path.
 *
 * A side stream's connection goes to the TCP port at which the node meets its peers. The node that is asked proves by a
 * certificate of libp2p's kind who it is; whoever comes proves by the ticket what it may have. Bytes: the ticket (TICKET_BYTES)
 * in, the side stream out, and nothing else.
 */

/**
 * AES with 128 bits before 256, as Go's nodes choose, too: half as fast again, and out of anybody's reach as well. The last is
 * for machines without AES in hardware.
 */
export const PEER_TLS = {
  minVersion: "TLSv1.3",
  maxVersion: "TLSv1.3",
  ciphers: "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256",
} as const;

/** Told in the handshake of a side stream, so that a newer form of it can be told from it. */
export const SIDE_ALPN = "shoal-side/1";
