/** Lists that are loaded again and again: src/ui/state/live and kept-entries. */
import { describe, expect, test } from "vitest";
import { keptEntries } from "../../../src/ui/state/kept-entries.ts";
import { createLive } from "../../../src/ui/state/live.ts";
import { eventually } from "../../eventually.ts";

describe("a live list", () => {
  test("asks once more for all who ask while it waits", async () => {
    const answers: ((value: number) => void)[] = [];
    const live = createLive(() => new Promise<number>((resolve) => answers.push(resolve)));
    const first = live.refresh();
    const later = [live.refresh(), live.refresh(), live.refresh()];
    answers[0]?.(1);
    await first;
    await eventually(() => expect(answers).toHaveLength(2));
    answers[1]?.(2);
    await Promise.all(later);
    expect(answers).toHaveLength(2);
    expect(live.value.value).toBe(2);
  });

  test("asks again after a refusal", async () => {
    let count = 0;
    const live = createLive(async () => {
      count += 1;
      if (count === 1) throw new Error("busy");
      return count;
    });
    await expect(live.refresh()).rejects.toThrow("busy");
    await live.refresh();
    expect(live.value.value).toBe(2);
  });

  test("of entries keeps those that are told as they were, and the whole list where all are", async () => {
    let answer = [
      { id: "a", peers: ["x"] },
      { id: "b", peers: [] },
    ];
    const live = createLive<readonly (typeof answer)[number][]>(
      async () => structuredClone(answer),
      keptEntries,
    );
    await live.refresh();
    const first = live.value.value;
    await live.refresh();
    expect(live.value.value).toBe(first);
    answer = [
      { id: "b", peers: ["y"] },
      { id: "a", peers: ["x"] },
    ];
    await live.refresh();
    expect(live.value.value).toEqual(answer);
    expect(live.value.value?.[1]).toBe(first?.[0]);
    answer = answer.slice(1);
    await live.refresh();
    expect(live.value.value).toEqual(answer);
  });
});
