/** Files that the system handed over, until the page takes them; the browser's cache is played here. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MAX_KEPT_SHARES, MAX_SHARED_FILES } from "../../../src/bridge/limits.ts";
import { keepSharedFiles, takeSharedFiles } from "../../../src/bridge/shared-files.ts";

/** What is kept, by its address. */
const kept = new Map<string, Response>();
/** Entries for which there is room. */
let room = Number.POSITIVE_INFINITY;

const cache = {
  keys: async () => [...kept.keys()].map((url) => ({ url })),
  match: async ({ url }: { url: string }) => kept.get(url),
  async put(path: string, response: Response) {
    if (kept.size === room) throw new DOMException("There is no room", "QuotaExceededError");
    kept.set(`http://localhost${path}`, response);
  },
  delete: async ({ url }: { url: string }) => kept.delete(url),
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.stubGlobal("caches", { open: async () => cache });
});
afterEach(() => {
  vi.useRealTimers();
  kept.clear();
  room = Number.POSITIVE_INFINITY;
});

/** Hands over files of those names, a moment after what came before. */
async function share(...names: string[]): Promise<void> {
  vi.setSystemTime(Date.now() + 1);
  await keepSharedFiles(names.map((name) => new File([name], name, { type: "text/plain", lastModified: 7 })));
}

async function taken(): Promise<string[]> {
  return (await takeSharedFiles()).files.map(({ name }) => name);
}

it("come in the order in which they were handed over, as they were, and once", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `no. ${index}.txt`);
  await share("één → één.txt");
  await share(...names);
  const { files, lost } = await takeSharedFiles();
  expect(files.map(({ name }) => name)).toEqual(["één → één.txt", ...names]);
  expect(lost).toEqual([]);
  expect([files[0]?.type, files[0]?.lastModified, await files[0]?.text()]).toEqual([
    "text/plain",
    7,
    "één → één.txt",
  ]);
  expect(await taken()).toEqual([]);
});

it("are kept from the latest shares, of which the oldest gives way whole", async () => {
  const shares = Array.from({ length: MAX_KEPT_SHARES + 1 }, (_, index) => [`${index}a`, `${index}b`]);
  for (const names of shares) await share(...names);
  expect(await taken()).toEqual(shares.slice(1).flat());
});

it("are the first of those that one share may have", async () => {
  const names = Array.from({ length: MAX_SHARED_FILES + 1 }, (_, index) => String(index));
  await share(...names);
  expect(await taken()).toEqual(names.slice(0, MAX_SHARED_FILES));
});

it("are not kept in part: where there is no room for all, none is there, and those before it are", async () => {
  await share("before");
  room = 3;
  await expect(share("one", "two", "three")).rejects.toMatchObject({ name: "QuotaExceededError" });
  expect(await taken()).toEqual(["before"]);
});

it("are told of where one of them can't be read, and the others come", async () => {
  await share("whole", "harmed");
  const [, address = ""] = [...kept.keys()];
  const harmed = kept.get(address) as Response;
  const error = new DOMException("It is gone", "NotReadableError");
  vi.spyOn(harmed, "blob").mockRejectedValue(error);
  expect(await takeSharedFiles()).toEqual({ files: [expect.any(File)], lost: [{ name: "harmed", error }] });
  expect(kept.size).toBe(0);
});
