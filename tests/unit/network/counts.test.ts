/** Counts by key, and the key that has the most: src/network/counts. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Counts } from "../../../src/network/counts.ts";

it("tells how many each has, and who has the most, whoever has one more or less", () => {
  const changes = fc.array(fc.record({ name: fc.constantFrom("a", "b", "c", "d"), isMore: fc.boolean() }));
  fc.assert(
    fc.property(changes, (all) => {
      const counts = new Counts();
      const expected = new Map<string, number>();
      for (const { name, isMore } of all) {
        const count = expected.get(name) ?? 0;
        if (count === 0 && !isMore) continue;
        counts.change(name, isMore ? 1 : -1);
        expected.set(name, count + (isMore ? 1 : -1));
        for (const [one, has] of expected) expect(counts.of(one)).toBe(has);
        const most = Math.max(...expected.values());
        expect(counts.most === undefined ? 0 : expected.get(counts.most)).toBe(most);
      }
    }),
  );
});
