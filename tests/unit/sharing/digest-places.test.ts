import fc from "fast-check";
import { expect, test } from "vitest";
import { DigestPlaces } from "../../../src/sharing/files/digest-places.ts";
import { DIGEST_BYTES } from "../../../src/sharing/hash.ts";

/** Few values at both ends, so that many are equal, or differ in one byte alone, or share a bucket. */
const digest = fc
  .record({ head: fc.nat({ max: 2 }), middle: fc.nat({ max: 1 }), tail: fc.nat({ max: 255 }) })
  .map(({ head, middle, tail }) => {
    const bytes = new Uint8Array(DIGEST_BYTES);
    bytes[3] = head;
    bytes[17] = middle;
    bytes[DIGEST_BYTES - 1] = tail % 3;
    return bytes;
  });

test("a digest is found at all places where it stands, in their order, and nowhere else", () => {
  fc.assert(
    fc.property(fc.array(digest, { minLength: 1, maxLength: 70 }), digest, (digests, other) => {
      const places = new DigestPlaces(Uint8Array.from(digests.flatMap((bytes) => [...bytes])));
      for (const wanted of [...digests, other]) {
        const expected = digests.flatMap((bytes, place) =>
          Buffer.compare(bytes, wanted) === 0 ? [place] : [],
        );
        expect(places.of(wanted)).toEqual(expected);
      }
    }),
  );
});
