/**
 * TLS of side streams between headless nodes, the same at both ends: a connection to the TCP port at which the node meets its
 * peers. The node that is asked proves by a certificate of libp2p's kind who it is; whoever comes proves by the ticket what it may
 * have. Bytes: the ticket (TICKET_BYTES) in, the side stream out, and nothing else. Used by side-door and tls-side-path.
 */

/** Told in the handshake, so that a newer form of this can be told from it. */
export const SIDE_ALPN = "shoal-side/1";

export const SIDE_TLS = { minVersion: "TLSv1.3", maxVersion: "TLSv1.3" } as const;
