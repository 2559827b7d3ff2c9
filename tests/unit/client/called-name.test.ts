/** What peers are called that give themselves no name. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { calledName } from "../../../src/client/called-name.ts";

/** Peers are called so in all versions: people have told each other. */
it.each([
  ["12D3KooWMPbKdSw6oBSqsSeaVezU6vk5tSTTeZp3qzFC2UQ4ZN61", "Swift Squid"],
  ["12D3KooWLbxUvqdRbwv9G11J5etyxYmdr6MmVvRhGjpwGBr7Awsm", "Jolly Manatee"],
  ["QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N", "Copper Mullet"],
])("%s has a name of two words where it gives itself none", (id, name) => {
  expect(calledName({ id, name: null })).toBe(name);
});

it("is of two words, too, where what it calls itself can't be seen", () => {
  const id = "12D3KooWMPbKdSw6oBSqsSeaVezU6vk5tSTTeZp3qzFC2UQ4ZN61";
  for (const name of ["", " ", "\u200d\u200c", "\u3164"])
    expect(calledName({ id, name })).toBe("Swift Squid");
});

it("is of two words where the node is of an earlier version, which tells no names", () => {
  expect(calledName({ id: "12D3KooWMPbKdSw6oBSqsSeaVezU6vk5tSTTeZp3qzFC2UQ4ZN61" })).toBe("Swift Squid");
});

it("is what the peer calls itself, where it does", () => {
  expect(
    calledName({ id: "12D3KooWMPbKdSw6oBSqsSeaVezU6vk5tSTTeZp3qzFC2UQ4ZN61", name: "Ada's laptop" }),
  ).toBe("Ada's laptop");
});

it("uses all words, and tells peers apart", () => {
  const id = fc.string({
    unit: fc.constantFrom(..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
    minLength: 44,
    maxLength: 44,
  });
  const names = fc.sample(id, 2_000).map((end) => calledName({ id: `12D3KooW${end}`, name: null }));
  // Of 2,000 drawn from 4,096 some 1,580 differ.
  expect(new Set(names).size).toBeGreaterThan(1_450);
  for (const at of [0, 1]) expect(new Set(names.map((name) => name.split(" ")[at])).size).toBe(64);
});
