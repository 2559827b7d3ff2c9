/** Names that no record has: refused where a text or another key was meant, NULL where they may be keys of records to come. */
import { expect, test } from "vitest";
import { indexOf, slotsOf } from "./records.ts";

const cities = [
  { city: "Bern", people: 134_000, "city hall": true, tags: ["old"] },
  { city: "Thun", people: 43_000 },
];

test.each([
  ['city = "Bern"', "\"Bern\": a text stands in single quotes, 'Bern' (such a key in backquotes, `Bern`)"],
  ['city <> "it""s `here`"', "a text stands in single quotes, 'it\"s `here`'"],
  [`city = "it's"`, "'it''s'"],
  ['city IN ("Bern", "Thun")', 'the key "Bern"'],
  ["city NOT IN ('Bern', \"Thun\")", 'the key "Thun"'],
  ['city IS NOT "Bern"', "'Bern'"],
  ['city NOT LIKE "B%"', "'B%'"],
  ['people > 1000 AND city BETWEEN "A" AND "M"', "'A'"],
  ["city NOT BETWEEN 'A' AND \"M\"", "'M'"],
  ['json_array_contains(tags, "old")', "'old'"],
  ['lower(metadata.city) = "bern"', "'bern'"],
  ['id IN ("1", "2")', "'1'"],
  ["city = “Bern”", "the key “Bern”: a text stands in single quotes, 'Bern'"],
  ['"city" LIKE "B%"', "'B%' (such a key in backquotes, `B%`)"],
  ['"people" > 1 AND "city" NOT LIKE "%n" ESCAPE "/"', "'%n'"],
  ['"city" GLOB "B*"', "'B*'"],
  [
    "_distance < 0.5 AND city = 'Bern'",
    "the key _distance: a filter tells which vectors are searched, before",
  ],
  ["metadata ->> 'city' = 'Bern'", "the key metadata: a key is named by itself here, city"],
  ["json->>'$.people' > 50000", "the key json: a key is named by itself here, people"],
  ["json_extract(metadata, '$.tags[0]') = 'old'", "the key metadata: a key is named by itself here, tags"],
  ["JSON ->> 'city' = 'Bern'", "the key JSON: a key is named by itself here, city"],
  ["(json ->> 'city' = 'Bern')", "the key json: a key is named by itself here, city"],
  ["((json)) ->> 'city' = 'Bern'", "the key json: a key is named by itself here, city"],
  ["json_type((metadata), '$.city') = 'text'", "the key metadata: a key is named by itself here, city"],
  ["metadata -> '$.\"city hall\"'", "the key metadata: a key is named by itself here, city hall"],
  ["City = 'Bern'", "the key City: there is city (in quotes a key is taken as it is written)"],
  ["metadata.CITY = 'Bern'", "the key CITY: there is city"],
  ["people > 1 AND ID = 0", "the key ID: there is id"],
])("%s is refused: %s", async (filter, message) => {
  const index = await indexOf(cities);
  const refused = expect.objectContaining({
    code: "invalid_query",
    message: expect.stringContaining(message),
  });
  expect(() => index.filter(filter)).toThrow(refused);
});

test.each([
  ['"Bern" IS NULL', [0, 1]],
  ['NOT "Bern" OR people < 50000', [1]],
  ['people < 50000 AND NOT "Bern" IS NOT NULL', [1]],
  ['city = "other city" OR "city hall"', [0]],
  ['"valid to" > "valid from" OR people < 50000', [1]],
  ["people = `most people`", []],
  ["people = [Bern] OR city = 'Thun'", [1]],
  ['people < "end" OR "City" IS NULL', [0, 1]],
  ["City = 'Thun' OR city = 'Thun'", [1]],
  ['"city" LIKE "short_name" OR "people" < 50000', [1]],
  ["people < 50000 OR city LIKE `of all %`", [1]],
  ["\"_distance\" < 1 OR city = 'Thun'", [1]],
  ['coalesce(people, "full name") > 50000', [0]],
  ["iif(city IN ('Bern'), people, \"most people\") > 1", [0]],
  ["metadata ->> 'town' = 'Thun' OR \"json\" ->> 'city' = 'Thun' OR people < 50000", [1]],
  ["lower(json) ->> 'city' = 'Thun' OR people < 50000", [1]],
  ['"city" BETWEEN \'A\' AND "last city" OR people < 50000 AND "no city" IS NULL', [1]],
  ["town ->> 'city' = 'Thun' OR people < 50000", [1]],
  ['people = 43000 AND "Bern" IS NULL', [1]],
  ["json = 'city' OR json_valid(metadata) IS NULL", [0, 1]],
  ["town = 'Thun' OR `CITY` = 'Thun' OR people = place", []],
  ["metadata ->> 'city.name' = 'Thun' OR json ->> '$.\"city.name\"' = 'Thun' OR people < 50000", [1]],
])("%s finds %j", async (filter, slots) => {
  const index = await indexOf(cities);
  expect(slotsOf(index.filter(filter))).toEqual(slots);
});

test("what looks into a key to come without a name is taken where a record has the empty key, too", async () => {
  const index = await indexOf([{ "": 1, city: "Bern" }]);
  const filter = "json_array_length(metadata) > 1 OR json ->> 0 = 1 OR city = 'Bern'";
  expect(slotsOf(index.filter(filter))).toEqual([0]);
});

test("an index without records takes any names", async () => {
  const index = await indexOf([]);
  expect(slotsOf(index.filter('City = "Bern"'))).toEqual([]);
  expect(slotsOf(index.filter('"city" LIKE "B%"'))).toEqual([]);
});

test("a name that a record has is a key again", async () => {
  const index = await indexOf(cities);
  expect(() => index.filter('city = "Bern" AND City IS NOT NULL')).toThrow("No vector has the key");
  index.set(2, 2n, '{"city":"Bern","Bern":"Bern","City":1}');
  expect(slotsOf(index.filter('city = "Bern" AND City IS NOT NULL'))).toEqual([2]);
  // No more so where another is none.
  expect(slotsOf(index.filter("City = 1 OR place = 1"))).toEqual([2]);
  index.set(2, 2n, '{"city":"Bern","B%":"Bern","_distance":0}');
  expect(slotsOf(index.filter('"city" LIKE "B%" AND _distance < 1'))).toEqual([2]);
  expect(slotsOf(index.filter('"city" LIKE "B%" AND _distance < 1 OR place = 1'))).toEqual([2]);
  index.set(2, 2n, '{"city":"Bern","metadata":{"city":"Thun"}}');
  expect(slotsOf(index.filter("metadata ->> 'city' = 'Thun'"))).toEqual([2]);
  expect(slotsOf(index.filter("metadata ->> 'city' = 'Thun' OR place = 1"))).toEqual([2]);
  index.delete(2);
  expect(() => index.filter('city = "Bern" AND City IS NOT NULL')).toThrow("No vector has the key");
});
