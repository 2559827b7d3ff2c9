/** The table by which pages make up peer ids to look for in the DHT. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dhtPrefixesModule } from "../../src/network/providers/dht-prefixes.mjs";

describe("the module of prefixes", async () => {
  const { default: prefixes } = await import(
    `data:text/javascript,${encodeURIComponent(dhtPrefixesModule())}`
  );

  it("has for any first 16 bits a key that is hashed to the first 8 of them", () => {
    for (let bits = 0; bits < 65_536; bits += 85) {
      const peerId = Buffer.alloc(34);
      peerId.set([0x12, 32]);
      peerId.writeUInt32BE(prefixes[bits], 2);
      expect(createHash("sha256").update(peerId).digest()[0]).toBe(bits >> 8);
    }
  });
});
