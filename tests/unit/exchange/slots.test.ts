/** Who shares a rate that is not enough for all: src/exchange/rates/slots. */
import { expect, it } from "vitest";
import { KEPT_SLOT_MS, QUANTUM_BYTES, SHORT_BYTES } from "../../../src/exchange/limits.ts";
import { Slots } from "../../../src/exchange/rates/slots.ts";
import { HandClock } from "../hand-clock.ts";

interface Named {
  name: string;
  isShort: boolean;
  host?: string;
}

const HALF = QUANTUM_BYTES / 2;

/** Slots for so many, and what joins them. */
function slotsFor(count: number) {
  const clock = new HandClock();
  const slots = new Slots<Named>(count, clock);
  const join = (name: string, isShort = false, host?: string) => {
    const lane: Named = { name, isShort, ...(host && { host }) };
    slots.join(lane);
    return lane;
  };
  /** Whose turns come next, where each moves so much. */
  const turns = (times: number, bytes = HALF) => {
    const names: string[] = [];
    for (let nth = 0; nth < times; nth++) {
      slots.turn(({ name }) => {
        names.push(name);
        return bytes;
      });
    }
    return names.join("");
  };
  return { slots, clock, join, turns };
}

it("go to the first who come, each for a block's worth, and then to the next in the line", () => {
  const { join, turns } = slotsFor(2);
  for (const name of "abcd") join(name);
  expect(turns(12)).toBe("abab" + "cdcd" + "abab");
});

it("go to others before those of a host that has a quarter of them, which has all where nobody else waits", () => {
  const { join, turns } = slotsFor(8);
  for (const name of "abcdefghijkl") join(name, false, "many");
  for (const name of "xyz") join(name, false, "others");
  expect(turns(16)).toBe("abcdefgh" + "abcdefgh");
  expect(turns(16)).toBe("xyijklza" + "xyijklza");
});

it("go to those of no known host as each comes, as to one of a host that has none", () => {
  const { join, turns } = slotsFor(4);
  for (const name of "abcdef") join(name);
  join("x", false, "others");
  expect(turns(8)).toBe("abcd" + "abcd");
  expect(turns(4)).toBe("efxa");
});

it("are all that there are turns for: more of them are filled at once, and those beyond fewer end with their block", () => {
  const { slots, join, turns } = slotsFor(1);
  for (const name of "abcd") join(name);
  expect(turns(1)).toBe("a");
  slots.count = 4;
  expect(turns(4)).toBe("abcd");
  slots.count = 1;
  expect(turns(8)).toBe("abcd" + "a" + "bb" + "c");
});

it("stay their holders' that have nothing to move for a moment, and meanwhile serve others", () => {
  const { slots, join, turns } = slotsFor(1);
  const [a] = [join("a"), join("b"), join("c")];
  expect(turns(1)).toBe("a");
  expect(turns(1, 0)).toBe("a");
  expect(turns(1)).toBe("b");
  slots.join(a);
  expect(turns(4)).toBe("ba" + "cc");
});

it.each([
  [KEPT_SLOT_MS - 1, "baba" + "cc"],
  [KEPT_SLOT_MS, "bb" + "cc" + "aa"],
])(
  "are another's for good when their holder has nothing to move for long, as for %d ms",
  async (ms, order) => {
    const { slots, clock, join, turns } = slotsFor(1);
    const [a] = [join("a"), join("b"), join("c")];
    expect([turns(1, QUANTUM_BYTES / 4), turns(1, 0)]).toEqual(["a", "a"]);
    for (const passedMs of [ms, KEPT_SLOT_MS]) {
      await clock.pass(passedMs);
      slots.join(a);
    }
    expect(turns(6)).toBe(order);
  },
);

it("are given for a block's worth in the line also to who has had nothing to move for long", async () => {
  const { slots, clock, join, turns } = slotsFor(1);
  const [, d] = [join("a"), join("d", true), join("c")];
  expect([turns(1), turns(1, 0)]).toEqual(["a", "d"]);
  d.isShort = false;
  await clock.pass(KEPT_SLOT_MS);
  expect(turns(1)).toBe("a");
  slots.join(d);
  expect(turns(4)).toBe("dd" + "cc");
});

it("are another's when their holder has gone", () => {
  const { slots, join, turns } = slotsFor(1);
  const [a, b] = [join("a"), join("b"), join("c")];
  slots.remove(b);
  slots.remove(a);
  expect(turns(2)).toBe("cc");
});

it("are another's when their holder goes in the midst of its turn, and nobody's when nobody waits", () => {
  const { slots, join, turns } = slotsFor(1);
  for (const name of "ab") join(name);
  const go = () =>
    slots.turn((lane) => {
      slots.remove(lane);
      return QUANTUM_BYTES;
    });
  go();
  expect(turns(1)).toBe("b");
  go();
  expect(slots.isEmpty).toBe(true);
});

it("are one more for those that wait for little, one after the other, who stay in the line for the rest", () => {
  const { slots, join, turns } = slotsFor(1);
  const [, b, , d, e] = [join("a"), join("b"), join("c"), join("d", true), join("e", true)];
  b.isShort = true;
  slots.join(b);
  for (const lane of [d, e, b]) {
    expect(turns(2, SHORT_BYTES / 2)).toBe(`a${lane.name}`);
    lane.isShort = false;
    expect(turns(2, SHORT_BYTES / 2)).toBe(`a${lane.name}`);
  }
  expect(turns(1, QUANTUM_BYTES)).toBe("a");
  expect(turns(5, QUANTUM_BYTES)).toBe("bcdea");
});

it("are the one of those that wait for little again, in turn with others of these, also for one that has too little left", () => {
  const { slots, join, turns } = slotsFor(1);
  const [, d] = [join("a"), join("d", true), join("e", true)];
  expect(turns(3, SHORT_BYTES / 2)).toBe("ada");
  expect(turns(1, 0)).toBe("d");
  slots.join(d);
  expect(turns(11, SHORT_BYTES / 2)).toBe("aed" + "ae" + "adad" + "ae");
});

it("leave the one of those that wait for little to others by who had another instead", () => {
  const { slots, join, turns } = slotsFor(1);
  const [a, e] = [join("a"), join("e"), join("d", true)];
  e.isShort = true;
  slots.join(e);
  e.isShort = false;
  join("f", true);
  slots.remove(a);
  expect(turns(1, 1)).toBe("d");
  expect(turns(1, QUANTUM_BYTES)).toBe("e");
  expect(turns(4, 1)).toBe("dfdf");
});

it("give a turn to who joins again in the midst of its own", () => {
  const { slots, join, turns } = slotsFor(1);
  const a = join("a");
  slots.turn((lane) => {
    slots.join(lane);
    return 0;
  });
  expect(turns(1, 0)).toBe("a");
  expect(slots.isEmpty).toBe(true);
  slots.join(a);
  expect(turns(1)).toBe("a");
});

it("stay their holders' who move next to nothing", () => {
  const { join, turns } = slotsFor(1);
  for (const name of "ab") join(name);
  expect(turns(3, 1)).toBe("aaa");
});

it("are no more while one has its turn, whoever joins meanwhile", () => {
  const { slots, join, turns } = slotsFor(1);
  join("a");
  slots.turn(() => {
    join("b");
    return HALF;
  });
  expect(turns(3)).toBe("abb");
});

it("are another's once their holder has moved its block, though it joined again in the midst of that", () => {
  const { slots, join, turns } = slotsFor(1);
  for (const name of "ab") join(name);
  slots.turn((lane) => {
    slots.join(lane);
    return QUANTUM_BYTES;
  });
  expect(turns(3)).toBe("bba");
});

it("leave the one of those that wait for little to the next of these when its holder has gone, and not when another has", () => {
  const { slots, join, turns } = slotsFor(1);
  const [, b, , d] = [join("a"), join("b"), join("c"), join("d", true)];
  const f = join("f", true);
  join("e", true);
  for (const lane of [b, f]) slots.remove(lane);
  expect(turns(4, 1)).toBe("adad");
  slots.remove(d);
  expect(turns(4, 1)).toBe("aeae");
});

it("leave the one of those that wait for little to the next of these when its holder has another, and not when one in the line has", () => {
  const { slots, join, turns } = slotsFor(1);
  const [a, b] = [join("a"), join("b"), join("d", true), join("c"), join("e", true)];
  slots.remove(a);
  expect(turns(4, 1)).toBe("dbdb");
  slots.remove(b);
  expect(turns(4, 1)).toBe("dede");
});

it("leave the one of those that wait for little to its holder when another has moved a block", () => {
  const { join, turns } = slotsFor(1);
  for (const name of "abc") join(name);
  for (const name of "de") join(name, true);
  expect(turns(1, QUANTUM_BYTES)).toBe("a");
  expect(turns(4, 1)).toBe("dbdb");
});

it("leave the one of those that wait for little to others by who has one already", () => {
  const { join, turns } = slotsFor(1);
  const lanes = [join("a", true), join("b", true)];
  for (const lane of lanes) lane.isShort = false;
  expect(turns(4, 1)).toBe("abab");
  expect(turns(5)).toBe("ababb");
});
