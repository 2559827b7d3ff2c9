/** How a body that its schema refuses is told: src/api/issue-text. */
import { expect, it } from "vitest";
import { issueText } from "../../../src/api/issue-text.ts";

it.each([
  [["limit"], "limit: is wrong"],
  [["events", 0], "events[0]: is wrong"],
  [["vectors", 12, "metadata"], "vectors[12].metadata: is wrong"],
  [["negative_vectors", 0, 3], "negative_vectors[0][3]: is wrong"],
  [["facets", "größe_2"], "facets.größe_2: is wrong"],
  [["facets", "a b"], 'facets["a b"]: is wrong'],
  [["facets", "2"], 'facets["2"]: is wrong'],
  [["facets", 'a"]'], 'facets["a\\"]"]: is wrong'],
  [["facets", "a".repeat(1000)], `facets.${"a".repeat(64)}: is wrong`],
  [[0, "id"], "[0].id: is wrong"],
  [[], "The body: is wrong"],
])("says of %j: %s", (path, said) => {
  expect(issueText([{ path, message: "is wrong" }], "The body")).toBe(said);
});

it("says of several that are wrong the first alone", () => {
  const issues = ["a", "b"].map((name) => ({ path: [name], message: "is wrong" }));
  expect(issueText(issues, "The body")).toBe("a: is wrong");
});
