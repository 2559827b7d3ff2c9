/** Which chunk is asked for next, of whom: src/sharing/download/picker. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bitfieldBytes, setBit } from "../../../src/sharing/bitfield.ts";
import { Picker, type Strategy } from "../../../src/sharing/download/picker.ts";
import { MAX_ASKED_OF, MAX_OVERTAKEN, ROUND_ROBIN_SLACK } from "../../../src/sharing/limits.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";

const pace = (bytesPerSecond: number, isSilent = false) => ({ bytesPerSecond, isSilent });
const steady = pace(1_000_000);
const strategies: Strategy[] = ["rarest_first", "sequential", "round_robin"];

function bitfield(count: number, ...indexes: number[]): Uint8Array {
  const bits = new Uint8Array(bitfieldBytes(count));
  for (const index of indexes) setBit(bits, index);
  return bits;
}

/** Of a file that both hold all of. */
function withSlowAndFast(chunkCount: number, strategy: Strategy): Picker {
  const picker = new Picker(chunkCount, strategy, () => 0);
  for (const id of ["slow", "fast"]) {
    picker.join(id);
    picker.holds(id, { kind: "all" });
  }
  return picker;
}

function picks(picker: Picker, peerId: string, count: number): (number | undefined)[] {
  return Array.from({ length: count }, () => picker.pick(peerId, steady)?.index);
}

describe("Picker", () => {
  it("takes the rarest chunk first", () => {
    const picker = new Picker(4, "rarest_first", Math.random);
    for (const id of ["a", "b", "c"]) picker.join(id);
    picker.holds("a", { kind: "bitfield", bits: bitfield(4, 0, 1, 2, 3) });
    picker.holds("b", { kind: "bitfield", bits: bitfield(4, 0, 1, 3) });
    picker.holds("c", { kind: "have", indexes: [0, 3] });
    const order = picks(picker, "a", 4);
    expect(order.slice(0, 2)).toEqual([2, 1]);
    expect(order.slice(2).sort()).toEqual([0, 3]);
  });

  it("takes chunks in order with sequential", () => {
    const picker = new Picker(5, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    expect(picks(picker, "a", 6)).toEqual([0, 1, 2, 3, 4, undefined]);
    picker.failed("a", 2);
    expect(picks(picker, "a", 2)).toEqual([2, undefined]);
  });

  it("asks two peers alike often with round robin, however fast one is", () => {
    const picker = withSlowAndFast(40, "round_robin");
    picker.pick("slow", steady);
    const fast = picks(picker, "fast", 40).filter((index) => index !== undefined);
    expect(fast.length).toBeLessThanOrEqual(5);
  });

  it.each(["rarest_first", "sequential"] as const)(
    "asks a fast peer for all that it can give with %s",
    (strategy) => {
      const picker = withSlowAndFast(40, strategy);
      picker.pick("slow", steady);
      expect(picks(picker, "fast", 39)).not.toContain(undefined);
    },
  );

  it("comes in order to what was never asked for, whatever later chunk is given back", () => {
    const picker = new Picker(4, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    picker.want([{ first: 3, end: 4 }]);
    expect(picks(picker, "a", 1)).toEqual([3]);
    picker.want([]);
    picker.failed("a", 3);
    expect(picks(picker, "a", 5)).toEqual([0, 1, 2, 3, undefined]);
  });

  it("takes what a reader waits for before anything else", () => {
    const picker = new Picker(100, "rarest_first", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    picker.want([{ first: 90, end: 92 }]);
    expect(picker.pick("a", steady)).toEqual({ index: 90, isUrgent: true });
    expect(picker.pick("a", steady)).toEqual({ index: 91, isUrgent: true });
    expect(picker.pick("a", steady)?.isUrgent).toBe(false);
  });

  it("lets a faster peer take over the last chunk of a slow one, and no third", () => {
    const picker = new Picker(1, "rarest_first", Math.random);
    for (const id of ["slow", "fast", "third"]) {
      picker.join(id);
      picker.holds(id, { kind: "all" });
    }
    picker.pick("slow", pace(1000));
    expect(picker.pick("fast", pace(1200))).toBeUndefined();
    expect(picker.pick("fast", pace(9000))?.index).toBe(0);
    expect(picker.pick("third", pace(99_000))).toBeUndefined();
    expect(picker.held(0).sort()).toEqual(["fast", "slow"]);
  });

  it("leaves a chunk that two were asked for to the other when one fails", () => {
    const picker = withSlowAndFast(1, "sequential");
    const asked = [picker.pick("slow", pace(1000)), picker.pick("fast", steady)];
    expect(asked.map((pick) => pick?.index)).toEqual([0, 0]);
    picker.failed("slow", 0);
    expect([picker.missingCount, picker.isAsked(0), picker.held(0)]).toEqual([0, true, ["fast"]]);
  });

  it("asks a third peer for what two were asked for once both are silent", () => {
    const picker = new Picker(1, "rarest_first", Math.random);
    for (const id of ["mute", "dumb", "new"]) {
      picker.join(id);
      picker.holds(id, { kind: "all" });
    }
    const [mute, dumb] = [{ ...pace(0) }, { ...pace(0) }];
    picker.pick("mute", mute);
    expect(picker.pick("dumb", dumb)).toBeUndefined();
    mute.isSilent = true;
    expect(picker.pick("dumb", dumb)?.index).toBe(0);
    expect(picker.pick("new", pace(0))).toBeUndefined();
    dumb.isSilent = true;
    expect(picker.pick("new", pace(0))?.index).toBe(0);
  });

  it("asks another for what a peer keeps back while it brings what it was asked for later", () => {
    const picker = new Picker(100, "sequential", Math.random);
    for (const id of ["liar", "other"]) {
      picker.join(id);
      picker.holds(id, { kind: "all" });
    }
    // Not so fast that it would have the second before the liar.
    const slower = pace(0.7 * steady.bytesPerSecond);
    picker.want([{ first: 0, end: 2 }]);
    expect(picks(picker, "liar", 2)).toEqual([0, 1]);
    for (let brought = 0; brought < MAX_OVERTAKEN; brought++) {
      expect(picker.pick("other", slower)?.isUrgent).toBe(false);
      picker.held(picker.pick("liar", steady)?.index as number);
    }
    const last = picker.pick("liar", steady)?.index;
    for (const index of [0, 1]) expect(picker.pick("other", slower)).toEqual({ index, isUrgent: true });
    expect(picker.held(0)).toEqual(["liar", "other"]);
    expect(picker.isAsked(last as number)).toBe(true);
  });

  it("asks a third peer for what two keep back while they bring what they were asked for later", () => {
    const picker = new Picker(100, "sequential", Math.random);
    for (const id of ["liar", "friend", "other"]) {
      picker.join(id);
      picker.holds(id, { kind: "all" });
    }
    picker.want([{ first: 0, end: 1 }]);
    expect(picker.pick("liar", pace(1000))?.index).toBe(0);
    expect(picker.pick("friend", steady)?.index).toBe(0);
    for (let brought = 0; brought < MAX_OVERTAKEN; brought++) {
      expect(picker.pickUrgent("other", steady)).toBeUndefined();
      for (const id of ["liar", "friend"]) picker.held(picker.pick(id, steady)?.index as number);
    }
    expect(picker.pickUrgent("other", steady)?.index).toBe(0);
  });

  it("waits for a peer that was asked for much more later and has brought none of that, either", () => {
    const picker = withSlowAndFast(2 * MAX_OVERTAKEN, "sequential");
    picks(picker, "slow", MAX_OVERTAKEN + 1);
    picker.want([{ first: 0, end: 1 }]);
    expect(picker.pickUrgent("fast", steady)).toBeUndefined();
  });

  it("asks no peer twice for a chunk, and another only where it is sooner than each that was asked", () => {
    const picker = new Picker(1, "rarest_first", Math.random);
    for (const id of ["mute", "fast", "slow"]) {
      picker.join(id);
      picker.holds(id, { kind: "all" });
    }
    const mute = pace(0, true);
    expect(picker.pick("mute", mute)?.index).toBe(0);
    expect(picker.pick("mute", mute)).toBeUndefined();
    expect(picker.pick("fast", pace(9000))?.index).toBe(0);
    expect(picker.pick("slow", pace(1000))).toBeUndefined();
  });

  it("keeps what is held, though one that was asked for it fails later, until it is lost", () => {
    const picker = new Picker(3, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    expect(picks(picker, "a", 2)).toEqual([0, 1]);
    picker.held(0);
    picker.failed("a", 0);
    expect([picker.isHeld(0), picker.missingCount]).toEqual([true, 1]);
    expect(picks(picker, "a", 1)).toEqual([2]);
    picker.lost(0);
    expect(picks(picker, "a", 1)).toEqual([0]);
  });

  it("takes the rarest among those who are there", () => {
    const picker = new Picker(2, "rarest_first", () => 0);
    for (const [id, index] of [
      ["a", 0],
      ["b", 0],
      ["c", 1],
    ] as const) {
      picker.join(id);
      picker.holds(id, { kind: "have", indexes: [index] });
    }
    picker.leave("a");
    picker.leave("b");
    picker.join("seed");
    picker.holds("seed", { kind: "all" });
    expect(picks(picker, "seed", 1)).toEqual([0]);
  });

  it("waits in round robin for those that are busy, and not for one that is not", () => {
    const picker = new Picker(40, "round_robin", Math.random);
    for (const id of ["a", "idle"]) {
      picker.join(id);
      picker.holds(id, { kind: "all" });
    }
    expect(picks(picker, "a", ROUND_ROBIN_SLACK + 1)).not.toContain(undefined);
    expect(picks(picker, "idle", 1)).not.toContain(undefined);
    expect(picks(picker, "a", 1)).toEqual([undefined]);
    picker.join("new");
    picker.holds("new", { kind: "all" });
    // It begins where the foremost is, so that this one need not wait for it.
    expect(picks(picker, "idle", 5)).not.toContain(undefined);
    expect(picks(picker, "new", 1)).not.toContain(undefined);
    expect(picks(picker, "a", 1)).not.toContain(undefined);
  });

  it("waits in round robin for nobody who is silent", () => {
    const picker = withSlowAndFast(40, "round_robin");
    const slow = { ...steady };
    picker.pick("slow", slow);
    expect(picks(picker, "fast", ROUND_ROBIN_SLACK + 2)).toContain(undefined);
    slow.isSilent = true;
    expect(picks(picker, "fast", 20)).not.toContain(undefined);
  });

  it("takes over nothing from a faster peer that comes there before", () => {
    const picker = withSlowAndFast(2, "sequential");
    for (let asked = 0; asked < 2; asked++) picker.pick("fast", pace(9000));
    expect(picker.pick("slow", pace(1000))).toBeUndefined();
  });

  it("tries a peer that joins when all is asked for with what would come late, as if it were as fast", () => {
    const picker = new Picker(3, "sequential", Math.random);
    picker.join("slow");
    picker.holds("slow", { kind: "all" });
    expect(Array.from({ length: 3 }, () => picker.pick("slow", pace(1000))?.index)).toEqual([0, 1, 2]);
    picker.join("new");
    picker.holds("new", { kind: "all" });
    expect(picker.pick("new", pace(0))?.index).toBe(1);
    expect(picker.pick("new", pace(0))).toBeUndefined();
    expect(picker.pick("new", pace(9000))?.index).toBe(0);
  });

  it("gives back what was asked of a peer that leaves", () => {
    const picker = new Picker(3, "sequential", Math.random);
    for (const id of ["a", "b"]) picker.join(id);
    picker.holds("a", { kind: "all" });
    picks(picker, "a", 3);
    picker.leave("a");
    picker.holds("b", { kind: "all" });
    expect(picks(picker, "b", 3)).toEqual([0, 1, 2]);
  });

  it("does not ask a peer again for a chunk that it turned out to lack", () => {
    const picker = new Picker(2, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    picks(picker, "a", 1);
    picker.failed("a", 0);
    picker.lacks("a", 0);
    expect([picks(picker, "a", 2), picker.holdsAll("a")]).toEqual([[1, undefined], false]);
    picker.holds("a", { kind: "have", indexes: [0] });
    expect(picks(picker, "a", 1)).toEqual([0]);
  });

  it("counts no holder of a chunk less when one leaves that had all but that", () => {
    const picker = new Picker(2, "rarest_first", Math.random);
    for (const id of ["both", "one", "nearly", "all"]) picker.join(id);
    picker.holds("both", { kind: "have", indexes: [0, 1] });
    picker.holds("one", { kind: "have", indexes: [0] });
    for (let time = 0; time < 2; time++) {
      picker.holds("nearly", { kind: "all" });
      picker.lacks("nearly", 0);
    }
    picker.leave("nearly");
    picker.holds("all", { kind: "all" });
    expect(picks(picker, "all", 2)).toEqual([1, 0]);
  });

  it("counts no holder of a chunk less where one refuses it that has said already that it holds nothing", () => {
    const picker = new Picker(2, "rarest_first", () => 0);
    for (const id of ["gone", "both", "one", "all"]) picker.join(id);
    picker.holds("gone", { kind: "have", indexes: [0, 1] });
    picker.holds("both", { kind: "have", indexes: [0, 1] });
    picker.holds("one", { kind: "have", indexes: [0] });
    picker.holds("gone", { kind: "none" });
    for (let time = 0; time < 2; time++) picker.lacks("gone", 0);
    picker.holds("all", { kind: "all" });
    expect(picks(picker, "all", 2)).toEqual([1, 0]);
  });

  it("goes through no large file for a peer that says it holds all, over and over, and then lacks a chunk", () => {
    const chunkCount = 1024 * 1024;
    const picker = new Picker(chunkCount, "rarest_first", Math.random);
    picker.join("a");
    // Each was 50 to 100 ms of work: this would end too late.
    for (let round = 0; round < 500; round++) {
      picker.holds("a", { kind: "all" });
      picker.lacks("a", round);
    }
    expect(picks(picker, "a", 1)).not.toEqual([undefined]);
  });

  it("goes through no large file each time that a peer has little or nothing of what is missing", () => {
    const chunkCount = 1024 * 1024;
    const indexes = Array.from({ length: 2000 }, (_, at) => at * 500);
    for (const strategy of strategies) {
      const picker = new Picker(chunkCount, strategy, Math.random);
      for (const id of ["none", "few"]) picker.join(id);
      picker.holds("few", { kind: "have", indexes });
      // Each may take 50 ms where all that is missing is looked at: this would end too late.
      const asked = picks(picker, "few", 2000);
      expect(asked.sort((a, b) => Number(a) - Number(b))).toEqual(indexes);
      for (const index of indexes) picker.held(index);
      expect(new Set([...picks(picker, "few", 2000), ...picks(picker, "none", 2000)])).toEqual(
        new Set([undefined]),
      );
    }
  });

  it("asks nobody for what came without being asked for", () => {
    const picker = new Picker(3, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    picker.held(1);
    expect([picker.isHeld(1), picker.missingCount]).toEqual([true, 2]);
    expect(picks(picker, "a", 3)).toEqual([0, 2, undefined]);
  });

  it("asks again for what was lost, until it comes", () => {
    const picker = new Picker(1, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    picks(picker, "a", 1);
    picker.held(0);
    picker.lost(0);
    for (let tries = 0; tries < 3; tries++) {
      expect(picks(picker, "a", 2)).toEqual([0, undefined]);
      picker.failed("a", 0);
    }
  });

  it("asks in round robin for all that a reader will want next, though the peer is ahead of another", () => {
    const picker = withSlowAndFast(40, "round_robin");
    picker.pick("slow", pace(1000));
    while (picker.pick("fast", steady) !== undefined);
    picker.want([{ first: 30, end: 34 }]);
    expect(picks(picker, "fast", 5)).toEqual([30, 31, 32, 33, undefined]);
  });

  it.each<[string, (picker: Picker, index: number) => void]>([
    ["brought", (picker, index) => void picker.held(index)],
    ["did not bring", (picker, index) => picker.failed("b", index)],
  ])("waits in round robin for nobody who %s what it was asked for", (_, end) => {
    const picker = new Picker(40, "round_robin", Math.random);
    for (const id of ["a", "b"]) {
      picker.join(id);
      picker.holds(id, { kind: "all" });
    }
    end(picker, picker.pick("b", steady)?.index as number);
    expect(picks(picker, "a", 3 * ROUND_ROBIN_SLACK)).not.toContain(undefined);
  });

  it("takes over from a slow peer what a reader waits for, before what nobody was asked for", () => {
    const picker = withSlowAndFast(10, "sequential");
    expect(picker.pick("slow", pace(1000))?.index).toBe(0);
    picker.want([{ first: 0, end: 1 }]);
    expect(picker.pick("fast", pace(9000))).toEqual({ index: 0, isUrgent: true });
    expect(picker.pick("fast", pace(9000))).toEqual({ index: 1, isUrgent: false });
  });

  it("tells which of the chunks that are asked for have become urgent, the next for a reader, or are so no longer", () => {
    const picker = new Picker(10, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    expect(picker.want([{ first: 6, end: 10 }])).toEqual([]);
    expect(picks(picker, "a", 7)).toEqual([6, 7, 8, 9, 0, 1, 2]);
    picker.held(7);
    const chunk = (index: number, isUrgent: boolean) => ({ peerId: "a", index, isUrgent });
    expect(picker.want([{ first: 0, end: 4 }])).toEqual([chunk(6, false), chunk(0, true), chunk(1, true)]);
    expect(picker.want([{ first: 1, end: 2 }])).toEqual([chunk(0, false)]);
    expect(picker.want([{ first: 1, end: 2 }])).toEqual([]);
    expect(picker.want([])).toEqual([chunk(1, false)]);
  });

  it("gives what readers wait for now, and nothing else, to who has room for that alone", () => {
    const picker = new Picker(10, "sequential", Math.random);
    picker.join("a");
    picker.holds("a", { kind: "all" });
    expect(picker.pickUrgent("a", steady)).toBeUndefined();
    picker.want([{ first: 4, end: 9 }]);
    expect(picker.pickUrgent("a", steady)).toEqual({ index: 4, isUrgent: true });
    expect(picker.pickUrgent("a", steady)).toEqual({ index: 5, isUrgent: true });
    expect(picker.pickUrgent("a", steady)).toBeUndefined();
    expect(picker.pick("a", steady)).toEqual({ index: 6, isUrgent: false });
  });

  it("leaves what a reader waits for now to the peer that brings it clearly sooner, unless that is silent or unknown", () => {
    for (const strategy of strategies) {
      const picker = withSlowAndFast(3, strategy);
      const fast = { ...pace(9000) };
      picker.held(picker.pick("fast", fast)?.index as number);
      const [first] = [0, 1, 2].filter((index) => !picker.isHeld(index)) as [number];
      picker.want([{ first, end: first + 1 }]);
      expect(picker.pickUrgent("slow", pace(1000))).toBeUndefined();
      expect(picker.pick("slow", pace(1000))).toMatchObject({ isUrgent: false });
      expect(picker.pick("slow", pace(1000))).toBeUndefined();
      fast.isSilent = true;
      expect(picker.pick("slow", pace(1000))).toEqual({ index: first, isUrgent: true });
      picker.failed("slow", first);
      fast.isSilent = false;
      expect(picker.pick("slow", pace(0))).toEqual({ index: first, isUrgent: true });
    }
  });

  it("leaves what a reader waits for now to a faster peer, however much else that is asked for already", () => {
    const picker = withSlowAndFast(40, "sequential");
    for (let asked = 0; asked < 20; asked++) picker.pick("fast", pace(9000));
    picker.want([{ first: 30, end: 31 }]);
    expect(picker.pickUrgent("slow", pace(1000))).toBeUndefined();
  });

  it.each<[string, number, number[]]>([
    ["is hardly faster", 1200, [0, 1]],
    ["is far faster and lacks it", 9000, [0]],
  ])("leaves what a reader waits for now to no peer that %s", (_, bytesPerSecond, indexes) => {
    const picker = new Picker(2, "sequential", Math.random);
    for (const id of ["slow", "other"]) picker.join(id);
    picker.holds("slow", { kind: "all" });
    picker.holds("other", { kind: "have", indexes });
    expect(picker.pickUrgent("other", pace(bytesPerSecond))).toBeUndefined();
    picker.want([{ first: 1, end: 2 }]);
    expect(picker.pickUrgent("slow", pace(1000))).toEqual({ index: 1, isUrgent: true });
  });

  it("asks a slow peer for what it left to another once no reader waits for that any more", () => {
    for (const strategy of strategies) {
      const picker = withSlowAndFast(2, strategy);
      picker.held(picker.pick("fast", pace(9000))?.index as number);
      const left = picker.isHeld(0) ? 1 : 0;
      picker.want([{ first: left, end: left + 1 }]);
      expect(picker.pick("slow", pace(1000))).toBeUndefined();
      picker.want([]);
      expect(picker.pick("slow", pace(1000))).toEqual({ index: left, isUrgent: false });
    }
  });

  it.each(["sequential", "round_robin"] as const)(
    "comes back with %s to what it left to another",
    (strategy) => {
      const picker = withSlowAndFast(4, strategy);
      picker.held(picker.pick("fast", pace(9000))?.index as number);
      picker.want([{ first: 1, end: 2 }]);
      expect(picker.pick("slow", pace(1000))).toEqual({ index: 2, isUrgent: false });
      picker.want([]);
      expect(picks(picker, "slow", 3)).toEqual([1, 3, undefined]);
    },
  );

  it("asks a faster peer for what a reader waits for now, however much it is asked for already", () => {
    const picker = withSlowAndFast(40, "sequential");
    picker.pick("slow", pace(1000));
    for (let asked = 0; asked < 20; asked++) picker.pick("fast", pace(2000));
    expect(picker.pickUrgent("fast", pace(2000))).toBeUndefined();
    picker.want([{ first: 0, end: 1 }]);
    expect(picker.pickUrgent("fast", pace(1400))).toBeUndefined();
    expect(picker.pickUrgent("fast", pace(2000))).toEqual({ index: 0, isUrgent: true });
  });

  it.each<[string, (picker: Picker) => void]>([
    [
      "tells the same again",
      (picker) => {
        for (let times = 0; times < 3; times++) {
          picker.holds("a", { kind: "bitfield", bits: bitfield(2, 0) });
          picker.holds("a", { kind: "have", indexes: [0, 0] });
        }
      },
    ],
    [
      "lacks what it told of",
      (picker) => {
        for (const id of ["a", "d"]) {
          picker.holds(id, { kind: "have", indexes: [0] });
          picker.lacks(id, 0);
        }
        picker.holds("a", { kind: "have", indexes: [0] });
      },
    ],
  ])("counts no peer twice that %s", (_, tell) => {
    const picker = new Picker(2, "rarest_first", () => 0);
    for (const id of ["a", "b", "c", "d", "seed"]) picker.join(id);
    tell(picker);
    for (const id of ["b", "c"]) picker.holds(id, { kind: "have", indexes: [1] });
    picker.holds("seed", { kind: "all" });
    // One has the first chunk and two have the second.
    expect(picks(picker, "seed", 1)).toEqual([0]);
  });

  it("knows of nobody that holds all of the file but by its word, until it lacks a chunk or says otherwise", () => {
    const picker = new Picker(2, "sequential", () => 0);
    picker.join("a");
    const holdsAll = [picker.holdsAll("a")];
    for (const update of [
      { kind: "all" },
      { kind: "bitfield", bits: bitfield(2, 0, 1) },
      { kind: "all" },
    ] as const) {
      picker.holds("a", update);
      holdsAll.push(picker.holdsAll("a"));
    }
    picker.lacks("a", 1);
    expect([...holdsAll, picker.holdsAll("a")]).toEqual([false, true, false, true, false]);
  });

  it("knows nothing of a peer that has left", () => {
    const picker = new Picker(2, "round_robin", Math.random);
    picker.join("a");
    picker.leave("a");
    expect(() => picker.holdsAll("a")).toThrow("was not told of peer a");
  });

  it("lets two that download from one seed at the same pace have something for each other", () => {
    fc.assert(
      fc.property(fc.integer({ min: 24, max: 200 }), fc.nat(), (chunkCount, seed) => {
        const random = randomOf(seed);
        const turns = Array.from({ length: 20 }, () => turnsOfTwo(chunkCount, random));
        expect(turns.reduce((sum, one) => sum + one) / turns.length).toBeLessThan(0.85 * chunkCount);
      }),
      { numRuns: 20 },
    );
  });

  /** A random world: peers come, go, gain chunks, deliver or fail, in any order. */
  const step = fc.record({
    peer: fc.integer({ min: 0, max: 3 }),
    act: fc.constantFrom("join", "leave", "all", "none", "have", "pick", "deliver", "fail", "want", "lacks"),
    at: fc.nat(200),
  });

  it("never asks for what a peer lacks or what is held, and never more than two peers for one chunk", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(...strategies),
        fc.array(step, { maxLength: 300 }),
        fc.nat(),
        (chunkCount, strategy, steps, seed) => {
          const world = new World(chunkCount, strategy, seed);
          for (const { peer, act, at } of steps) world.act(`p${peer}`, act, at % chunkCount);
          world.finish();
          expect(world.held.size).toBe(chunkCount);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** Turns until both are whole: in each, the seed brings either of them one chunk, and they bring each other what they can. */
function turnsOfTwo(chunkCount: number, random: () => number): number {
  const pickers = [0, 1].map(() => new Picker(chunkCount, "rarest_first", random));
  for (const picker of pickers) {
    for (const id of ["seed", "other"]) picker.join(id);
    picker.holds("seed", { kind: "all" });
  }
  const asked = pickers.map((picker) => picks(picker, "seed", 3));
  const indexes = Array.from({ length: chunkCount }, (_, index) => index);
  const isWhole = (picker: Picker) => indexes.every((index) => picker.isHeld(index));
  for (let turn = 1; ; turn++) {
    const came = pickers.map((picker, at) => [asked[at]?.shift(), picker.pick("other", steady)?.index]);
    const news = came.map((indexes) => indexes.filter((index) => index !== undefined));
    for (const [at, picker] of pickers.entries()) {
      for (const index of news[at] ?? []) picker.held(index);
      picker.holds("other", { kind: "have", indexes: news[1 - at] ?? [] });
      asked[at]?.push(...picks(picker, "seed", 1));
    }
    if (pickers.every(isWhole)) return turn;
  }
}

/** A picker beside a plain model of what it was told; checks each pick against the model. */
class World {
  readonly picker: Picker;
  readonly held = new Set<number>();
  readonly #chunkCount: number;
  readonly #strategy: Strategy;
  #wantedFrom = Number.POSITIVE_INFINITY;
  readonly #peers = new Map<string, { has: Set<number>; asked: Set<number> }>();

  constructor(chunkCount: number, strategy: Strategy, seed: number) {
    this.#chunkCount = chunkCount;
    this.#strategy = strategy;
    this.picker = new Picker(chunkCount, strategy, randomOf(seed));
  }

  act(id: string, act: string, index: number): void {
    const peer = this.#peers.get(id);
    if (act === "want") {
      this.#wantedFrom = index;
      this.picker.want([{ first: index, end: Math.min(this.#chunkCount, index + 3) }]);
    } else if (act === "join" && !peer) {
      this.picker.join(id);
      this.#peers.set(id, { has: new Set(), asked: new Set() });
    } else if (!peer) return;
    else if (act === "leave") {
      this.picker.leave(id);
      this.#peers.delete(id);
    } else if (act === "all") {
      this.picker.holds(id, { kind: "all" });
      for (let i = 0; i < this.#chunkCount; i++) peer.has.add(i);
    } else if (act === "none") {
      this.picker.holds(id, { kind: "none" });
      peer.has.clear();
    } else if (act === "have") {
      this.picker.holds(id, { kind: "have", indexes: [index] });
      peer.has.add(index);
    } else if (act === "lacks") {
      this.picker.lacks(id, index);
      peer.has.delete(index);
    } else if (act === "pick") this.#pick(id, peer);
    else this.#answer(id, peer, act === "deliver");
  }

  /** One honest peer that holds everything brings the rest. */
  finish(): void {
    for (const id of [...this.#peers.keys()]) this.act(id, "leave", 0);
    this.act("last", "join", 0);
    this.act("last", "all", 0);
    for (let turn = 0; turn < this.#chunkCount; turn++) {
      this.act("last", "pick", 0);
      this.act("last", "deliver", 0);
    }
  }

  #pick(id: string, peer: { has: Set<number>; asked: Set<number> }): void {
    const pick = this.picker.pick(id, pace(id.length * 1000 + id.charCodeAt(1) * 100));
    if (!pick) {
      // What a reader waits for may be left to a faster peer.
      const isFree = (index: number) =>
        !(this.#wantedFrom <= index && index < this.#wantedFrom + 3) &&
        !this.held.has(index) &&
        [...this.#peers.values()].every(({ asked }) => !asked.has(index));
      if (this.#strategy !== "round_robin") expect([...peer.has].filter(isFree)).toEqual([]);
      return;
    }
    expect(peer.has.has(pick.index)).toBe(true);
    expect(this.held.has(pick.index)).toBe(false);
    expect(peer.asked.has(pick.index)).toBe(false);
    peer.asked.add(pick.index);
    const askedOf = [...this.#peers.values()].filter((other) => other.asked.has(pick.index)).length;
    expect(askedOf).toBeLessThanOrEqual(MAX_ASKED_OF);
  }

  #answer(id: string, peer: { asked: Set<number> }, isDelivered: boolean): void {
    const [index] = peer.asked;
    if (index === undefined) return;
    if (!isDelivered) {
      this.picker.failed(id, index);
      peer.asked.delete(index);
      return;
    }
    this.picker.held(index);
    this.held.add(index);
    for (const other of this.#peers.values()) other.asked.delete(index);
  }
}
