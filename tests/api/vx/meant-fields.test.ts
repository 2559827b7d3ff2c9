/** Which fields are refused for what their sender means, and which are passed over. */
import { expect, test } from "vitest";
import { refuseMistaken } from "../../../src/api/vx/meant-fields.ts";

const OWN = ["vector", "k", "page", "page_size", "pageSize", "metadata"];
const ELSEWHERE = { filter: "/search/hybrid", negative_vectors: "/search/negatives" };

const refuse = (body: unknown) => refuseMistaken(body, OWN, ELSEWHERE);

test.each([
  ["top_k", "k"],
  ["topK", "k"],
  ["K", "k"],
  ["limit", "k"],
  ["n_results", "k"],
  ["Page", "page"],
  ["offset", "page"],
  ["page-size", "page_size"],
  ["pagesize", "page_size"],
  ["per_page", "page_size"],
  ["meta", "metadata"],
  ["payload", "metadata"],
  ["Metadata", "metadata"],
  ["metdata", "metadata"],
  ["where", "filter by POST /search/hybrid"],
  ["Filter", "filter by POST /search/hybrid"],
  ["filtre", "filter by POST /search/hybrid"],
  ["negativeVectors", "negative_vectors by POST /search/negatives"],
])("%s is refused where %s is meant", (field, meant) => {
  expect(() => refuse({ vector: [], [field]: 1 })).toThrow(`${field}: is not taken here, but ${meant} is`);
});

test.each<{ body: unknown }>([
  { body: { k: 1, top_k: 2 } },
  { body: { top_k: null, filter: null, meta: undefined } },
  { body: { ef: 9, include_metadata: true, name: "x", tag: 1, constructor: 1, toString: 1 } },
  { body: null },
  { body: "top_k" },
  { body: [{ top_k: 1 }] },
])("$body is passed", ({ body }) => {
  expect(() => refuse(body)).not.toThrow();
});

test("a field that is there with null does not stand for the one that was meant", () => {
  expect(() => refuse({ vector: [], metadata: null, meta: { a: 1 } })).toThrow("meta: is not taken here");
});
