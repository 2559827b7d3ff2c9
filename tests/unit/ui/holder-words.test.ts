/** Who has a file, in words, and what peers are called. */
import { signal } from "@preact/signals";
import { afterAll, expect, test } from "vitest";
import { calledName } from "../../../src/client/called-name.ts";
import { MAX_GONE_NAMES, MAX_LISTED_HOLDERS } from "../../../src/ui/limits.ts";
import { holderParts, holdersText } from "../../../src/ui/peers/holder-words.ts";
import { namedFirst, wayText } from "../../../src/ui/peers/peer-words.ts";
import type { Peer } from "../../../src/ui/state/entries.ts";
import { namesOfPeers } from "../../../src/ui/state/peer-names.ts";

const page = new AbortController();
afterAll(() => page.abort());

const NAMES = new Map([
  ["a", "Ada's laptop"],
  ["b", "Phone"],
  ["c", "Attic"],
]);
const sentenceOf = (...ids: string[]) =>
  holderParts(ids, NAMES)
    .map(({ text, isName }) => (isName ? `[${text}]` : text))
    .join("");

test("holders with a name are named, two at most, and the others are counted", () => {
  expect(sentenceOf("a")).toBe("[Ada's laptop]");
  expect(sentenceOf("x", "a")).toBe("[Ada's laptop] and 1 other");
  expect(sentenceOf("a", "b")).toBe("[Ada's laptop] and [Phone]");
  expect(sentenceOf("a", "x", "b", "c")).toBe("[Ada's laptop], [Phone] and 2 others");
  expect(sentenceOf("x", "y")).toBe("");
});

test("all holders are listed by name or id, those with a name first, and no more than can be read", () => {
  expect(holdersText(["12D3KooWAbcdefghijkl", "b"], NAMES)).toBe(
    `Phone\n${calledName({ id: "12D3KooWAbcdefghijkl", name: null })}`,
  );
  const many = Array.from({ length: MAX_LISTED_HOLDERS + 3 }, (_, index) => `x${index}`);
  const lines = holdersText([...many, "c"], NAMES).split("\n");
  expect(lines).toHaveLength(MAX_LISTED_HOLDERS + 1);
  expect([lines[0], lines.at(-1)]).toEqual(["Attic", "and 4 more"]);
});

test("a peer that came and went while nobody looked has its name", () => {
  const peers = signal<Pick<Peer, "id" | "name">[]>([]);
  const names = namesOfPeers(peers, page.signal);
  peers.value = [{ id: "a", name: "Ada" }];
  peers.value = [];
  expect(names.value.get("a")).toBe("Ada");
});

test("names of peers are told anew only where one of them has changed", () => {
  const peers = signal<Pick<Peer, "id" | "name">[] | undefined>(undefined);
  const names = namesOfPeers(peers, page.signal);
  expect(names.value.size).toBe(0);
  peers.value = [
    { id: "a", name: "Ada" },
    { id: "x", name: null },
  ];
  const known = names.value;
  expect([...known]).toEqual([["a", "Ada"]]);
  peers.value = [{ id: "a", name: "Ada" }];
  expect(names.value).toBe(known);
  peers.value = [{ id: "a", name: "Ada's laptop" }];
  expect([...names.value]).toEqual([["a", "Ada's laptop"]]);
});

test("a peer that has gone keeps its name, until too many have; one that is there has the name it gives itself", () => {
  const peers = signal<Pick<Peer, "id" | "name">[]>([{ id: "a", name: "Ada" }]);
  const names = namesOfPeers(peers, page.signal);
  expect(names.value.get("a")).toBe("Ada");
  peers.value = [];
  expect(names.value.get("a")).toBe("Ada");
  peers.value = [{ id: "a", name: null }];
  expect(names.value.get("a")).toBeUndefined();
  for (let count = 0; count <= MAX_GONE_NAMES + 1; count++) {
    peers.value = [{ id: `${count}`, name: "Bob" }];
    expect(names.value.get(`${count}`)).toBe("Bob");
  }
  expect(names.value.size).toBe(MAX_GONE_NAMES + 1);
  expect(names.value.has("0")).toBe(false);
});

test("peers to send to stand in the order of their names, and those who gave themselves none below", () => {
  const peers = [null, "phone 10", "Attic", null, "phone 2"].map((name, index) => ({
    id: `p${9 - index}`,
    name,
  }));
  const unnamed = ["p6", "p9"].map((id) => calledName({ id, name: null })).sort();
  const sorted = peers.toSorted(namedFirst).map(calledName);
  expect(sorted).toEqual(["Attic", "phone 2", "phone 10", ...unnamed]);
});

test("bytes are said to come straight where no holder is behind a relay, and nothing of a way that is not known", () => {
  const peers = [
    { id: "a", transport: "webrtc" },
    { id: "b", transport: "tcp" },
    { id: "c", transport: "relay" },
  ] as const;
  expect(wayText(["a", "b"], peers)).toBe("It comes straight from them to you.");
  expect(wayText(["c"], peers)).toBe("It comes from them to you through a relay.");
  expect(wayText(["a", "c"], peers)).toBe("It comes from them to you, in part through a relay.");
  expect(wayText(["a", "d"], peers)).toBe("");
});
