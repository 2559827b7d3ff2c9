/** Messages that come and go, and their words: src/ui/state/toasts. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { TOAST_LIFETIME_MS } from "../../../src/ui/limits.ts";
import type { Router } from "../../../src/ui/router.ts";
import { createToasts, messageOf, opening } from "../../../src/ui/state/toasts.ts";

describe("toasts", () => {
  test("what was said is not said anew where a dialog opens or closes", () => {
    const toasts = createToasts();
    toasts.takePlace({});
    toasts.say({ text: "It failed.", tone: "bad" });
    const leave = toasts.takePlace({});
    expect(toasts.said.value).toBeUndefined();
    toasts.say({ text: "It goes on.", tone: "plain" });
    leave();
    expect(toasts.said.value).toBeUndefined();
  });

  test("the oldest gives way to a fourth, and is told so", () => {
    const toasts = createToasts();
    const onGone = vi.fn();
    toasts.show({ text: "1", onGone });
    for (const text of ["2", "3", "4"]) toasts.show({ text });
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["2", "3", "4"]);
    expect(onGone).toHaveBeenCalledOnce();
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one that can be undone gives way to others like it alone, so that news do not do what it waits with", () => {
    const toasts = createToasts();
    const done: string[] = [];
    const deleteLater = (text: string) =>
      toasts.show({
        text,
        action: { label: "Undo", run: () => {}, undoes: true },
        onGone: () => done.push(text),
      });
    const texts = () => toasts.shown.value.map(({ text }) => text);
    deleteLater("a");
    for (const text of ["1", "2", "3"]) toasts.show({ text });
    expect(texts()).toEqual(["a", "2", "3"]);
    for (const text of ["b", "c"]) deleteLater(text);
    for (const text of ["4", "5"]) toasts.show({ text });
    expect([texts(), done]).toEqual([["a", "b", "c", "5"], []]);
    deleteLater("d");
    expect([texts(), done]).toEqual([["b", "c", "d"], ["a"]]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("show once what is said again, but for what there is something to do about", () => {
    const toasts = createToasts();
    const action = { label: "Undo", run: () => undefined };
    for (const text of ["Copied.", "Copied."]) toasts.show({ text });
    for (const text of ["Deleted.", "Deleted."]) toasts.show({ text, action });
    toasts.show({ text: "Copied." });
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["Deleted.", "Deleted.", "Copied."]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("show once what is said again of the same file", () => {
    const toasts = createToasts();
    const texts = [" goes on.", " goes on.", " ends."].map((after) => ({ file: "a", after }));
    for (const text of texts) toasts.show({ text });
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(texts.slice(1));
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one that tells of what is under way goes when that is over, and no other", () => {
    const toasts = createToasts();
    toasts.show({ text: "Getting a", about: "a" });
    toasts.show({ text: "Getting b", about: "b" });
    toasts.show({ text: "Copied." });
    toasts.over("a");
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["Getting b", "Copied."]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("those with the same words for several are one, which goes when all that it tells of is over", () => {
    const toasts = createToasts();
    const together = (count: number) => `Asked for ${count} files`;
    const get = (id: string) => toasts.show({ text: `Getting ${id}`, together, about: id });
    const texts = () => toasts.shown.value.map(({ text }) => text);
    get("a");
    toasts.show({ text: "Copied." });
    expect(texts()).toEqual(["Getting a", "Copied."]);
    const [first] = toasts.shown.value;
    get("b");
    get("c");
    expect(texts()).toEqual(["Asked for 3 files", "Copied."]);
    // The same element, on whose buttons the keys may be.
    expect(toasts.shown.value[0]?.id).toBe(first?.id);
    for (const id of ["c", "a"]) toasts.over(id);
    expect(texts()).toEqual(["Asked for 3 files", "Copied."]);
    toasts.over("b");
    expect(texts()).toEqual(["Copied."]);
    get("d");
    expect(texts()).toEqual(["Copied.", "Getting d"]);
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one whose button opens a screen goes when somebody comes there, and no other", () => {
    const toasts = createToasts();
    const go = vi.fn();
    const router = { go } as unknown as Router;
    toasts.show({ text: "Getting a", action: opening(router, "transfers") });
    toasts.show({ text: "b is here", action: opening(router, "files") });
    toasts.show({ text: "Copied." });
    toasts.arrived("transfers");
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["b is here", "Copied."]);
    toasts.act(toasts.shown.value[0]?.id ?? -1);
    expect(go).toHaveBeenCalledExactlyOnceWith("files");
    for (const { id } of toasts.shown.value) toasts.dismiss(id);
  });

  test("one that comes while others are held stays with them", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const toasts = createToasts();
    toasts.show({ text: "1" });
    toasts.hold(true);
    toasts.show({ text: "2" });
    vi.advanceTimersByTime(TOAST_LIFETIME_MS);
    expect(toasts.shown.value.map(({ text }) => text)).toEqual(["1", "2"]);
    toasts.hold(false);
    vi.advanceTimersByTime(TOAST_LIFETIME_MS);
    expect(toasts.shown.value).toEqual([]);
  });
});

describe("a reason of the node", () => {
  test.each([
    ["no room is left", "No room is left."],
    ["Delete files.", "Delete files."],
    [" ", "It failed without a reason. Try again, and reload the page if it fails again."],
  ])("%j is said as a sentence", (reason, said) => {
    expect(messageOf(new Error(reason))).toBe(said);
  });
});
