/** A look at the disk that all share who ask meanwhile: src/headless/files/joined. */
import { expect, it } from "vitest";
import { joined } from "../../../src/headless/files/joined.ts";
import { deferred } from "../../deferred.ts";

it("looks once for all who ask for the same meanwhile, and again for who asks later", async () => {
  const asked: string[] = [];
  const found = deferred<string>();
  const look = joined((path) => {
    asked.push(path);
    return found.promise;
  });
  const looks = [look("a"), look("b"), look("a")];
  found.resolve("there");
  expect(await Promise.all(looks)).toEqual(["there", "there", "there"]);
  await look("a");
  expect(asked).toEqual(["a", "b", "a"]);
});

it("looks again after a look that failed, which all who had asked are told of", async () => {
  let isGone = true;
  const look = joined(async () => {
    if (isGone) throw new Error("gone");
  });
  const looks = await Promise.allSettled([look("a"), look("a")]);
  expect(looks.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isGone = false;
  await expect(look("a")).resolves.toBeUndefined();
});
