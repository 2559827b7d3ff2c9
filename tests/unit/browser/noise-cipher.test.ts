/** The page's cipher is RFC 8439's, its key agreement RFC 7748's: their examples, and libp2p's JavaScript as the oracle. */
import { pureJsCrypto } from "@libp2p/noise";
import fc from "fast-check";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { loadSodiumCipher, startNoiseCipher } from "../../../src/browser/network/noise-cipher.ts";

const cipher = await loadSodiumCipher();

const hex = (text: string) => Uint8Array.from(Buffer.from(text, "hex"));
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const texts = fc.oneof(fc.uint8Array({ maxLength: 600 }), fc.constantFrom(16, 64, 65_519).chain(bytes));
const messages = fc.record({
  key: bytes(32),
  nonce: bytes(12),
  associated: fc.oneof(fc.constant(new Uint8Array(0)), fc.uint8Array({ maxLength: 64 })),
  text: texts,
});

function plain(text: Uint8Array | Uint8ArrayList): Buffer {
  return Buffer.from(text.subarray());
}

describe("the cipher of noise in a page", () => {
  it("seals the example of RFC 8439, section 2.8.2", () => {
    const text = new TextEncoder().encode(
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
    );
    const key = hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    const sealed = cipher.chaCha20Poly1305Encrypt(
      text,
      hex("070000004041424344454647"),
      hex("50515253c0c1c2c3c4c5c6c7"),
      key,
    );
    expect(plain(sealed).toString("hex").slice(0, 32)).toBe("d31a8d34648e60db7b86afbc53ef7ec2");
    expect(plain(sealed).toString("hex").slice(-32)).toBe("1ae10b594f09e26a7e902ecbd0600691");
  });

  it("gives the bytes that libp2p's own gives, whatever the lengths", () => {
    fc.assert(
      fc.property(messages, ({ key, nonce, associated, text }) => {
        const sealed = plain(cipher.chaCha20Poly1305Encrypt(text, nonce, associated, key));
        expect(sealed.equals(plain(pureJsCrypto.chaCha20Poly1305Encrypt(text, nonce, associated, key)))).toBe(
          true,
        );
        const opened = cipher.chaCha20Poly1305Decrypt(sealed, nonce, associated, key);
        expect(plain(opened).equals(Buffer.from(text))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("opens a message over itself, and one that came in pieces", () => {
    const [key, nonce, none] = [new Uint8Array(32).fill(1), new Uint8Array(12), new Uint8Array(0)];
    const text = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
    const sealed = cipher.chaCha20Poly1305Encrypt(text, nonce, none, key).subarray();
    const pieces = new Uint8ArrayList(sealed.slice(0, 10), sealed.slice(10, 700), sealed.slice(700));
    expect(plain(cipher.chaCha20Poly1305Decrypt(pieces, nonce, none, key))).toEqual(Buffer.from(text));
    const into = sealed.subarray(0, text.length);
    expect(cipher.chaCha20Poly1305Decrypt(sealed, nonce, none, key, into)).toBe(into);
    expect(Buffer.from(into)).toEqual(Buffer.from(text));
  });

  it("refuses a message of which any bit was changed, and gives none of its bytes", () => {
    fc.assert(
      fc.property(messages, fc.nat(), ({ key, nonce, associated, text }, place) => {
        const sealed = plain(cipher.chaCha20Poly1305Encrypt(text, nonce, associated, key));
        const bit = place % (sealed.length * 8);
        sealed[bit >> 3] = (sealed[bit >> 3] as number) ^ (1 << (bit & 7));
        const into = new Uint8Array(text.length);
        expect(() => cipher.chaCha20Poly1305Decrypt(sealed, nonce, associated, key, into)).toThrow();
        expect(into.every((byte) => byte === 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("refuses a message shorter than a tag", () => {
    const [key, nonce, none] = [new Uint8Array(32), new Uint8Array(12), new Uint8Array(0)];
    expect(() => cipher.chaCha20Poly1305Decrypt(new Uint8Array(15), nonce, none, key)).toThrow();
  });

  it("is JavaScript's until it is loaded, with the same bytes", async () => {
    const starting = startNoiseCipher((error) => expect.unreachable(String(error)));
    const message = [new Uint8Array(100), new Uint8Array(12), new Uint8Array(0), new Uint8Array(32)] as const;
    const early = plain(starting.chaCha20Poly1305Encrypt(...message));
    await loadSodiumCipher();
    expect(plain(starting.chaCha20Poly1305Encrypt(...message))).toEqual(early);
  });
});

describe("the key agreement of noise in a page", () => {
  it("gives the example of RFC 7748, section 5.2, after one iteration", () => {
    const nine = hex(`09${"00".repeat(31)}`);
    const expected = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079";
    const { publicKey } = cipher.generateX25519KeyPairFromSeed(nine);
    expect(Buffer.from(publicKey).toString("hex")).toBe(expected);
    expect(Buffer.from(cipher.generateX25519SharedKey(nine, nine)).toString("hex")).toBe(expected);
  });

  it("gives what libp2p's own gives, and agrees with it", () => {
    fc.assert(
      fc.property(bytes(32), (seed) => {
        const ours = cipher.generateX25519KeyPairFromSeed(seed);
        expect(Buffer.from(ours.publicKey)).toEqual(
          Buffer.from(pureJsCrypto.generateX25519KeyPairFromSeed(seed).publicKey),
        );
        const theirs = pureJsCrypto.generateX25519KeyPair();
        const fresh = cipher.generateX25519KeyPair();
        expect(cipher.generateX25519SharedKey(fresh.privateKey, theirs.publicKey)).toEqual(
          pureJsCrypto.generateX25519SharedKey(theirs.privateKey, fresh.publicKey),
        );
      }),
      { numRuns: 20 },
    );
  });

  it("refuses a key with which anyone would agree on the same", () => {
    const { privateKey } = cipher.generateX25519KeyPair();
    expect(() => cipher.generateX25519SharedKey(privateKey, new Uint8Array(32))).toThrow();
  });
});
