/** Search by meaning in the built page: its model comes from the page's host when a file is there to be found, and stays. */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allKept, type OpenPage, PageSite } from "./open-page.ts";
import { faultsOf } from "./ui-checks.ts";

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

async function share(name: string, content: string | Uint8Array): Promise<void> {
  await opened.page.evaluate(
    async ({ name, bytes }) => {
      const headers = {
        Authorization: `Bearer ${await window.shoal.apiKey()}`,
        "Content-Type": "application/octet-stream",
      };
      const body = Uint8Array.from(bytes);
      await fetch(`/api/v1/files?name=${name}`, { method: "POST", headers, body });
    },
    { name, bytes: [...Buffer.from(content)] },
  );
}

it("teaches what a map shows while there are no files", async () => {
  const { page } = opened;
  await page.getByRole("link", { name: "Map" }).click();
  await page.getByRole("heading", { name: "No files to map yet" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it("fetches the model when there is a file to find, and finds it by what it is about", async () => {
  expect(fetchedFiles()).toEqual([]);
  expect(await keptFiles()).toEqual([]);
  await share(
    "notes.txt",
    "Turn the bicycle upside down, take the tyre off, find the hole and glue a patch on it.",
  );
  await expect
    .poll(() => opened.api("search"), POLL)
    .toMatchObject({ state: "ready", pending: 0, indexed: 1 });
  expect(await namesFound("fixing a flat wheel")).toEqual(["notes.txt"]);
  await expect.poll(keptFiles, { timeout: 20_000 }).toHaveLength(3);
  expect((await keptFiles()).sort()).toEqual(fetchedFiles());
});

it("draws files on a map, to be walked by keys and as a list, each with what is like it", async () => {
  const { page } = opened;
  await share("wheels.md", "Punctures, spokes and brake pads: how to look after a bike.");
  await share("dough.txt", "Fold the dough, let it rise over night and bake the loaf in a hot oven.");
  await page.getByText("3 files").waitFor();
  await page.getByRole("application", { name: /^Files, near each other/ }).press("ArrowRight");
  const picked = page.getByRole("article");
  await picked.getByRole("heading", { name: "More like this" }).waitFor();
  await page.getByText("The same as a list").click();
  await page.locator(".point-list").getByRole("button", { name: "notes.txt" }).click();
  await picked.getByRole("link", { name: "notes.txt" }).waitFor();
  await picked.getByRole("list", { name: "Files like notes.txt" }).getByRole("button").first().click();
  await page.getByRole("article", { name: "wheels.md" }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
});

it("tells others what its files are about, as long as the switch in the settings is on", async () => {
  const { page } = opened;
  /** As the host of the page knows it. */
  const toldOfNotes = async () => {
    const { files } = await site.host.client.networkFiles({ q: "notes.txt" });
    return files.find(({ name }) => name === "notes.txt")?.excerpt;
  };
  const turnSwitch = async (to: boolean) => {
    await page.goto(new URL("#/settings", page.url()).href);
    await page.getByLabel("Let others find my files by what they are about").click();
    await expect.poll(() => opened.api("settings"), POLL).toMatchObject({ excerpts: to });
    await page.reload();
    await opened.ready();
  };
  await expect.poll(toldOfNotes, POLL).toContain("bicycle");
  await turnSwitch(false);
  await expect.poll(toldOfNotes, POLL).toBe("");
  await turnSwitch(true);
  await expect.poll(toldOfNotes, POLL).toContain("bicycle");
});

it("keeps the reader of PDF, which comes with the first of these, beside the model", async () => {
  const kept = await keptFiles();
  await share("bread.pdf", await readFile(`${import.meta.dirname}/../fixtures/documents/sourdough.pdf`));
  await expect.poll(() => opened.api("search"), POLL).toMatchObject({ pending: 0, indexed: 4 });
  expect(await keptFiles()).toEqual(
    expect.arrayContaining([...kept, expect.stringMatching(/^\/assets\/pdfjs-/)]),
  );
});

it("fetches anew what it kept of the model when that was cut, as by a connection that broke", async () => {
  const keptBytes = () =>
    opened.page.evaluate(async (name) => {
      const cache = await caches.open(name);
      const bodies = (await cache.keys()).map(async (key) => (await cache.match(key))?.arrayBuffer());
      return (await Promise.all(bodies)).map((body) => body?.byteLength);
    }, KEPT);
  const whole = await keptBytes();
  await opened.page.evaluate(async (name) => {
    const cache = await caches.open(name);
    for (const key of await cache.keys()) {
      if (!/\.(?:onnx|wasm)$/.test(key.url)) continue;
      const { body, headers } = (await cache.match(key)) as Response;
      const bytes = await new Response(body).arrayBuffer();
      await cache.put(key, new Response(bytes.slice(0, bytes.byteLength / 2), { headers }));
    }
  }, KEPT);
  expect(await keptBytes()).not.toEqual(whole);
  await opened.page.reload();
  await opened.ready();
  await expect.poll(() => namesFound("fixing a flat wheel"), POLL).toContain("notes.txt");
  await expect.poll(async () => (await keptBytes()).sort(), { timeout: 20_000 }).toEqual(whole.sort());
});

it("finds it again without a network, from what it kept", async () => {
  await allKept(opened.page);
  await opened.context.setOffline(true);
  await opened.page.reload();
  await opened.ready();
  await expect.poll(() => opened.api("search"), POLL).toMatchObject({ state: "ready", indexed: 4 });
  expect(await namesFound("fixing a flat wheel")).toContain("notes.txt");
});

it("breaks none of the page's own rules", () => {
  expect(opened.complaints.filter((line) => !line.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
});
