/** What the API's schemas say of input that they refuse: src/api/schema-words. */
import { z } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import "../../../src/api/hono-app.ts";

const schema = z.object({
  name: z.string().min(1).max(4),
  count: z.coerce.number().int().min(1).max(10),
  share: z.number().gt(0).lt(1),
  whole: z.int(),
  list: z.array(z.boolean()).min(2),
  way: z.enum(["up", "down"]),
  own: z.string().min(3, "is too short for us"),
});
const GOOD = { name: "a", count: "3", share: 0.5, whole: 2, list: [true, false], way: "up", own: "abc" };

function saidOf(field: string, value: unknown): string | undefined {
  const { error } = schema.safeParse({ ...GOOD, [field]: value });
  return error?.issues.map(({ message }) => message).join("; ");
}

describe("of input that it refuses a schema says", () => {
  it.each([
    ["name", undefined, "is missing"],
    ["name", 1, "must be a text"],
    ["name", "", "must not be empty"],
    ["name", "abcde", "must have at most 4 characters"],
    ["count", "x", "must be a number"],
    ["count", "0", "must be at least 1"],
    ["count", "11", "must be at most 10"],
    ["count", "1.5", "must be a whole number"],
    ["share", 0, "must be more than 0"],
    ["share", 1, "must be less than 1"],
    ["whole", 2.5, "must be a whole number"],
    ["list", {}, "must be a list"],
    ["list", [true], "must have at least 2 entries"],
    ["list", [true, 1], "must be true or false"],
    ["way", "left", "must be one of up, down"],
    ["own", "ab", "is too short for us"],
  ])("of %s = %j: %s", (field, value, words) => {
    expect(saidOf(field, value)).toBe(words);
  });

  it("which fields it does not know", () => {
    const { error } = z.strictObject({ name: z.string() }).safeParse({ name: "a", nope: 1, other: 2 });
    expect(error?.issues.map(({ message }) => message)).toEqual(["there is no field nope, other"]);
  });

  it("nothing where it takes it", () => {
    expect(schema.safeParse(GOOD).success).toBe(true);
  });
});
