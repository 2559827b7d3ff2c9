/** The texts of metadata in their own memory: against a map, with changes that fail, and read from beside. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { TextStore } from "../../../src/vx/metadata/text-store.ts";
import { Texts } from "../../../src/vx/metadata/texts.ts";

const encoder = new TextEncoder();

/** A slot and its text, undefined to take it out. */
type Write = [slot: number, text: string | undefined];

const write: fc.Arbitrary<Write> = fc.tuple(
  fc.oneof(fc.nat(20), fc.nat(5000)),
  fc.option(
    fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.nat(3000).map((n) => "x".repeat(n)),
    ),
    {
      nil: undefined,
    },
  ),
);

function writeAll(store: TextStore, writes: Write[]): void {
  for (const [slot, text] of writes) {
    if (text === undefined) store.delete(slot);
    else store.set(slot, encoder.encode(text));
  }
}

function held(texts: Texts): Map<number, string> {
  const found = new Map<number, string>();
  for (let slot = 0; slot <= 5001; slot++) {
    const text = texts.get(slot);
    if (text !== undefined) found.set(slot, text);
  }
  return found;
}

test.each([false, true])("holds what was written by changes that succeeded (shared: %s)", (shared) => {
  const change = fc.record({ writes: fc.array(write, { maxLength: 30 }), fails: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const store = new TextStore({ shared });
      const beside = new Texts(store.memory);
      const model = new Map<number, string>();
      for (const { writes, fails } of changes) {
        const work = () => {
          writeAll(store, writes);
          if (fails) throw new Error("no more");
        };
        if (fails) {
          expect(() => store.change(work)).toThrow("no more");
        } else {
          store.change(work);
          for (const [slot, text] of writes) text === undefined ? model.delete(slot) : model.set(slot, text);
        }
        expect(held(beside)).toEqual(new Map([...model].toSorted(([a], [b]) => a - b)));
      }
    }),
    { numRuns: 60 },
  );
});

test("keeps a byte order mark, and what is no character", () => {
  const store = new TextStore({ shared: true });
  store.change(() => writeAll(store, [[0, "\uFEFF{}\0"]]));
  expect(store.get(0)).toBe("\uFEFF{}\0");
});

test("uses again what slots leave, also where changes fail", () => {
  const store = new TextStore({ shared: false });
  const texts = (round: number) =>
    Array.from({ length: 2000 }, (_, slot): Write => [slot, "x".repeat(100 + ((slot * 7 + round) % 50))]);
  const fail = () => {
    writeAll(store, texts(1));
    throw new Error("no more");
  };
  for (let round = 0; round < 3; round++) store.change(() => writeAll(store, texts(round)));
  expect(() => store.change(fail)).toThrow();
  const before = store.memoryBytes;
  for (let round = 0; round < 30; round++) {
    store.change(() => writeAll(store, texts(round)));
    expect(() => store.change(fail)).toThrow();
  }
  expect(store.memoryBytes).toBe(before);
});

test("uses what a text leaves again, with a change under way and without", () => {
  const store = new TextStore({ shared: false });
  const text = encoder.encode("x".repeat(1000));
  store.set(1, text);
  const memoryBytes = store.memoryBytes;
  for (let i = 0; i < 1000; i++) store.set(1, text);
  for (let i = 0; i < 1000; i++) store.change(() => store.set(1, text));
  store.delete(1);
  store.set(2, text);
  expect(store.memoryBytes).toBe(memoryBytes);
});
