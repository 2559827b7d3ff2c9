/** Search by meaning in the built page: its model comes from the page's host when a file is there to be found, and stays. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OpenPage, PageSite } from "./open-page.ts";

const KEPT = "shoal-model-files";

/** Fewer requests than the API takes in a minute. */
const POLL = { timeout: 60_000, interval: 2000 };

let site: PageSite;
let opened: OpenPage;
const fetched: string[] = [];
beforeAll(async () => {
  site = await PageSite.start({ flags: ["--search"] });
  opened = await site.openUnready("/", {
    prepare: async (page) => {
      page.context().on("request", (request) => fetched.push(new URL(request.url()).pathname));
    },
  });
  await opened.ready();
});
afterAll(() => site[Symbol.asyncDispose]());

const MODEL_FILE = /^\/assets\/(?:embed-.+\.js|model-.+\.onnx|runtime-.+\.wasm)$/;
const fetchedFiles = () => [...new Set(fetched.filter((path) => MODEL_FILE.test(path)))].sort();
const keptFiles = () =>
  opened.page.evaluate(
    async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname),
    KEPT,
  );
const namesFound = async (query: string) => {
  const { files } = await opened.api<{ files: { name: string }[] }>(`files?q=${encodeURIComponent(query)}`);
  return files.map(({ name }) => name);
};

it("fetches the model when there is a file to find, and finds it by what it is about", async () => {
  expect(fetchedFiles()).toEqual([]);
  expect(await keptFiles()).toEqual([]);
  await opened.page.evaluate(async () => {
    const headers = { Authorization: `Bearer ${await window.shoal.apiKey()}`, "Content-Type": "text/plain" };
    const body = "Turn the bicycle upside down, take the tyre off, find the hole and glue a patch on it.";
    await fetch("/api/v1/files?name=notes.txt", { method: "POST", headers, body });
  });
  await expect
    .poll(() => opened.api("search"), POLL)
    .toMatchObject({ state: "ready", pending: 0, indexed: 1 });
  expect(await namesFound("fixing a flat wheel")).toEqual(["notes.txt"]);
  await expect.poll(keptFiles, { timeout: 20_000 }).toHaveLength(3);
  expect((await keptFiles()).sort()).toEqual(fetchedFiles());
});

it("finds it again without a network, from what it kept", async () => {
  await opened.context.setOffline(true);
  await opened.page.reload();
  await opened.ready();
  await expect.poll(() => opened.api("search"), POLL).toMatchObject({ state: "ready", indexed: 1 });
  expect(await namesFound("fixing a flat wheel")).toEqual(["notes.txt"]);
});

it("breaks none of the page's own rules", () => {
  expect(opened.complaints.filter((line) => !line.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
});
