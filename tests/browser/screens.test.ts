/**
 * Every screen as it is in use, with files, peers, a download under way and vectors: no violation that axe-core finds, no
 * sideways scrolling, in light, in dark and on a phone. The pictures lie in dist/screens, to be looked at.
 */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../interop/until.ts";
import { type OpenPage, PageSite } from "./open-page.ts";
import { faultsOf, showAnew } from "./ui-checks.ts";

/** A third of it comes from two peers, the rest of it slowly, so that it is under way in every picture. */
const FILM_BYTES = 48_000_000;
const FLAGS = ["--max-upload", "2000000"];
const FILM = "Night ferry.webm";

const OWN_FILES = [
  ["minutes.txt", "Minutes of the club: the new roof is to be paid for by members, and built in May."],
  ["roof offers.txt", "Three builders have sent their prices for the roof of the club house."],
  ["bread.md", "Fold the dough, let it rise over night and bake the loaf in a hot oven."],
  ["plum cake.md", "Beat butter and sugar, lay the plums on the dough and bake for an hour."],
  ["punctures.txt", "Turn the bicycle upside down, find the hole in the tyre and glue a patch on it."],
  ["tune.mp3", "no text"],
].map(([name = "", text = ""]) => ({ name, mimeType: "", buffer: Buffer.from(text) }));

/** The API takes so many requests in a minute. */
const SELDOM = [30_000, 1000] as const;

let site: PageSite;
let opened: OpenPage;
let filmLink: string;
beforeAll(async () => {
  site = await PageSite.start({ flags: [...FLAGS, "--search"] });
  opened = await site.open("/#/vectors");
  const { page } = opened;
  await page.getByRole("button", { name: /made-up vectors/ }).click();
  await page.getByText(/^600 of 600 vectors/).waitFor();
  await showAnew(page, "#/files");
  await page.setInputFiles("input[type=file][multiple]", OWN_FILES);
  // Before the film comes, to which reading gives way.
  await until(
    "the texts are read",
    async () => {
      const { indexed } = await opened.api<{ indexed: number }>("search");
      return indexed >= 5;
    },
    ...SELDOM,
  );
  const { files } = await opened.api<{ files: { id: string; name: string }[] }>("files");
  const recipes = files.filter(({ name }) => name.endsWith(".md"));
  await opened.api("folders", "POST", {
    name: "Recipes",
    files: recipes.map(({ id, name }) => ({ file_id: id, path: name })),
  });
  const film = randomBytes(FILM_BYTES);
  const other = await site.shoals.start({ bootstrap: [site.host], flags: FLAGS });
  await other.client.upload(film, { name: FILM });
  const { file_id: filmId } = await site.host.client.upload(film, { name: FILM });
  const { file_id: textId } = await site.host.client.upload(randomBytes(9000), { name: "Read me first.txt" });
  filmLink = `#/get/${filmId}?name=${encodeURIComponent(FILM)}&size=${FILM_BYTES}`;
  await until(
    "both names are known",
    async () => {
      const { files } = await opened.api<{ files: unknown[] }>("files/network");
      return files.length === 2;
    },
    ...SELDOM,
  );
  await opened.download(textId);
  const { transfer_id: transferId } = await opened.api<{ transfer_id: string }>(
    "transfers/download",
    "POST",
    { file_id: filmId },
  );
  await opened.transferEvent(transferId, ["transfer_progress"], { progress: 0.33 });
  // At that speed the rest takes a quarter of an hour, and the pictures may take minutes on a busy machine.
  for (const { client } of [site.host, other]) await client.changeSettings({ max_upload: 20_000 });
});
afterAll(() => site[Symbol.asyncDispose]());

describe("a screen in use", () => {
  it.each([
    ["files", /^Recipes$/],
    ["network", /^Read me first\.txt$/],
    ["transfers", /^asked for$/],
    ["peers", /WebSocket|WebRTC/],
    ["map", /\d files/],
    ["vectors", /^600 of 600 vectors/],
    ["api", /^GET/],
    ["settings", /taken, room for up to/],
  ])("%s breaks no rule in any look", async (name, shows) => {
    const { page } = opened;
    await showAnew(page, `#/${name}`);
    await page.locator("main").getByText(shows).first().waitFor();
    expect(await faultsOf(page, name)).toEqual([]);
  });

  it("of a link breaks no rule in any look", async () => {
    const { page } = opened;
    await showAnew(page, filmLink);
    await page.getByText(/asked for/).waitFor();
    expect(await faultsOf(page, "a link")).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});
