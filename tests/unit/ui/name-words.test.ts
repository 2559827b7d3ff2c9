/** Names that the screens find at once are those that the node's search finds by name. */
import { expect, test } from "vitest";
import { matching } from "../../../src/ui/finding/matching.ts";

const found = (typed: string, names: readonly string[]) =>
  matching(
    names.map((name) => ({ id: name, name })),
    typed,
  ).map(({ name }) => name);

test("what stands in quotes is found as it stands there, and not within longer words", () => {
  const names = ["Annual_report-2024.pdf", "report annual.pdf", "biannual report.pdf"];
  for (const typed of ['"annual report"', "“annual report”", "„Annual Report“", "«annual report» 2024"])
    expect(found(typed, names), typed).toEqual(["Annual_report-2024.pdf"]);
  expect(found("「写真」", ["私の写真.jpg"])).toEqual(["私の写真.jpg"]);
});

test("a phrase that is not typed to its end is so many words", () => {
  expect(found('"annual rep', ["report annual.pdf", "annual.pdf"])).toEqual(["report annual.pdf"]);
  expect(found('"', ["annual.pdf"])).toEqual([]);
});

test("letters that people have no key for are found by what they type instead", () => {
  const names = ["Müller Straße.txt", "Mu\u0308ller Straße.txt"];
  for (const typed of ["mueller", "muller", "MÜLLER", "strasse", '"mueller strasse"'])
    expect(found(typed, names), typed).toEqual(names);
  expect(found("smoergaas", ["Smörgås.txt"])).toEqual(["Smörgås.txt"]);
});

test("a day is found however its parts are joined, and no part of a longer number", () => {
  const names = ["IMG_20240801_101112.jpg", "Minutes 2024-08-01.pdf", "2024.08.01.txt"];
  for (const typed of ["20240801", "2024-08-01", "2024.08.01", "2024-08"])
    expect(found(typed, [...names, "202408011.txt", "20241801.txt"]), typed).toEqual(names);
});
