/** Where the page is opened with what another program shares, and what is kept of that; the browser's cache is played here. */
import { beforeEach, expect, it, vi } from "vitest";
import { MAX_SHARED_FILES } from "../../../src/bridge/limits.ts";
import { takeHandedOver } from "../../../sw/handed-over.ts";

/** The files that are kept, each with its name, type and bytes. */
let kept: string[][];
let hasRoom: boolean;

beforeEach(() => {
  kept = [];
  hasRoom = true;
  const cache = {
    keys: async () => [],
    async put(_path: string, response: Response) {
      if (!hasRoom) throw new DOMException("There is no room", "QuotaExceededError");
      const { headers } = response;
      const name = decodeURIComponent(headers.get("x-name") ?? "");
      kept.push([name, headers.get("content-type") ?? "", await response.text()]);
    },
  };
  vi.stubGlobal("caches", { open: async () => cache });
});

/** Where the page is opened. */
async function placeOf(fields: Record<string, string>, files: File[] = []): Promise<string | null> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const file of files) form.append("files", file);
  return await placeOfForm(form);
}

async function placeOfForm(body: FormData | string): Promise<string | null> {
  const request = new Request("http://localhost/share-target", { method: "POST", body });
  // A worker's addresses are of its place, which Node.js has none of.
  const redirect = vi.spyOn(Response, "redirect").mockImplementation((place, status = 302) => {
    return new Response(null, { status, headers: { location: String(place) } });
  });
  const response = await takeHandedOver(request);
  redirect.mockRestore();
  // What the page is loaded with is asked for by GET.
  expect(response.status).toBe(303);
  return response.headers.get("location");
}

const FILES = "/?share-target=files#/files";

it("files are kept, whatever text came with them, and the page asks about them", async () => {
  const files = [new File(["one"], "één.txt", { type: "text/plain" }), new File(["two"], "two")];
  expect(await placeOf({ text: "see web+shoal:bafkrei" }, files)).toBe(FILES);
  expect(kept).toEqual([
    ["één.txt", "text/plain", "one"],
    ["two", "application/octet-stream", "two"],
  ]);
});

it("more files than are kept are told of, and as many as are kept are not", async () => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => new File(["x"], `${at}`));
  expect(await placeOf({}, files(MAX_SHARED_FILES))).toBe(FILES);
  expect(await placeOf({}, files(MAX_SHARED_FILES + 1))).toBe("/?share-target=cut#/files");
});

it("links of ours in a text, or in its address, are opened and not kept", async () => {
  const link = "https://share.example/#/get/bafkrei?name=a%20b.txt";
  const place = `/#/open?link=${encodeURIComponent(link)}`;
  expect(await placeOf({ title: "A film", text: `Look: ${link}` })).toBe(place);
  expect(await placeOf({ text: "Look", url: link })).toBe(place);
  const both = encodeURIComponent(`${link} ipfs://bafkrei`);
  expect(await placeOf({ text: `${link} or ipfs://bafkrei` })).toBe(`/#/open?link=${both}`);
  expect(kept).toEqual([]);
});

it("another text is kept as a file that has the name of its title", async () => {
  expect(await placeOf({ title: "../Notes: a/b\\c.exe?", text: "to be read" })).toBe(FILES);
  expect(await placeOf({ title: "Été d’Ōta (2), n'est-ce_pas", url: "https://example.com/" })).toBe(FILES);
  expect(await placeOf({ title: " / ", text: "untitled" })).toBe(FILES);
  expect(await placeOf({ text: "without a title" })).toBe(FILES);
  expect(await placeOf({ title: "t".repeat(200), text: "a long title" })).toBe(FILES);
  expect(await placeOf({ title: `t${"𝒯".repeat(200)}`, text: "one of rare letters" })).toBe(FILES);
  expect(kept).toEqual([
    ["Notes a b c exe.txt", "text/plain", "to be read"],
    ["Été d Ōta (2), n'est-ce_pas.txt", "text/plain", "https://example.com/"],
    ["Text.txt", "text/plain", "untitled"],
    ["Text.txt", "text/plain", "without a title"],
    [`${"t".repeat(80)}.txt`, "text/plain", "a long title"],
    [`t${"𝒯".repeat(79)}.txt`, "text/plain", "one of rare letters"],
  ]);
});

it("nothing at all opens the files that are there", async () => {
  expect(await placeOf({ title: "A title alone", text: "", url: "" })).toBe("/#/files");
  expect(await placeOf({ files: "a text where files are to be" })).toBe("/#/files");
  expect(kept).toEqual([]);
});

it("is told of where it can't be kept: the storage is full, or the form is none", async () => {
  expect(await placeOfForm("no form")).toBe("/?share-target=failed#/files");
  hasRoom = false;
  expect(await placeOf({}, [new File(["x"], "x")])).toBe("/?share-target=failed#/files");
  expect(await placeOf({ text: "to be read" })).toBe("/?share-target=failed#/files");
});
