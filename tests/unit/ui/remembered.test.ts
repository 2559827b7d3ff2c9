/** What the screens remember, also where the browser keeps nothing of this site. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { remember, remembered } from "../../../src/ui/remembered.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(globalThis, "localStorage");
});

const blocked = () => {
  throw new DOMException("Access is denied for this document.", "SecurityError");
};

function roundTrip(): void {
  expect(remembered("theme")).toBeUndefined();
  remember("theme", "dark");
  expect(remembered("theme")).toBe("dark");
  remember("theme", undefined);
  expect(remembered("theme")).toBeUndefined();
}

describe("what is remembered", () => {
  it("stands in the browser's storage", () => {
    const kept = new Map<string, string>();
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, text: string) => void kept.set(key, text),
      removeItem: (key: string) => void kept.delete(key),
    });
    roundTrip();
    remember("theme", "light");
    expect([...kept]).toEqual([["theme", "light"]]);
    remember("theme", undefined);
  });

  it("lasts as long as the page where a person has blocked the site's data", () => {
    Object.defineProperty(globalThis, "localStorage", { get: blocked, configurable: true });
    roundTrip();
  });

  it("lasts as long as the page where there is no room", () => {
    vi.stubGlobal("localStorage", { getItem: () => null, setItem: blocked, removeItem: () => undefined });
    roundTrip();
  });

  it("is the last, where there was room for what was remembered before alone", () => {
    const kept = new Map([["theme", "light"]]);
    vi.stubGlobal("localStorage", {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: blocked,
      removeItem: (key: string) => void kept.delete(key),
    });
    remember("theme", "dark");
    expect(remembered("theme")).toBe("dark");
    remember("theme", undefined);
  });
});
