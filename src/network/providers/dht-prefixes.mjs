/**
 * The table by which kad-dht makes up peer ids to look for, as a module for pages: by the first 16 bits of a place in
 * the DHT, the number whose key is hashed to it. The package's own table for browsers has a quarter of the entries, at
 * indices that do not fit, and is an eighth of a page's node. This one fits by the first 8 bits: enough where a routing
 * table has hundreds of peers. Called by vite.config.
 */
import { createHash } from "node:crypto";

const PREFIX_COUNT = 256;

/** For each first byte of a hash the least number that gives it. */
function dhtPrefixes() {
  const found = new Map();
  for (let number = 0; found.size < PREFIX_COUNT; number++) {
    const [first] = hashOf(number);
    if (!found.has(first)) found.set(first, number);
  }
  return Array.from({ length: PREFIX_COUNT }, (_, first) => found.get(first));
}

/** The source of a module whose default export is read by the first 16 bits. */
export function dhtPrefixesModule() {
  const prefixes = JSON.stringify(dhtPrefixes());
  return `export default new Proxy(${prefixes}, { get: (prefixes, bits) => prefixes[bits >> 8] });`;
}

/** As kad-dht hashes the peer id that it makes of the number. */
function hashOf(number) {
  const peerId = Buffer.alloc(34);
  peerId.set([0x12, 32]);
  peerId.writeUInt32BE(number, 2);
  return createHash("sha256").update(peerId).digest();
}
