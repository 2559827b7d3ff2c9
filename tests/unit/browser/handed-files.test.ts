/** Files that the system opens with the page, or shares to it: src/browser/files/handed-files. */
import { beforeEach, expect, it, vi } from "vitest";
import { onFilesHandedOver } from "../../../src/browser/files/handed-files.ts";
import { eventually } from "../../eventually.ts";

interface Handle {
  name: string;
  getFile(): Promise<File>;
}

type Consumer = (params: { targetURL?: string; files?: readonly Handle[] }) => void;

let launch: Consumer;
beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.stubGlobal("location", { search: "" });
  vi.stubGlobal("launchQueue", { setConsumer: (consumer: Consumer) => (launch = consumer) });
});

function handle(name: string, isThere: boolean): Handle {
  const getFile = async () => {
    if (!isThere) throw new DOMException("It is gone", "NotFoundError");
    return new File(["bytes"], name);
  };
  return { name, getFile };
}

/** As of an entry of which the disk has no bytes any more. */
const damaged = () =>
  new ReadableStream({ start: (controller) => controller.error(new TypeError("Failed to fetch")) });

it("opens what a shortcut or a link leads to in the window that is there, and leaves its screen to the bare app", () => {
  const page = { search: "", hash: "#/peers" };
  vi.stubGlobal("location", page);
  onFilesHandedOver(
    () => {},
    () => {},
  );
  launch({ targetURL: "https://page.test/", files: [] });
  expect(page.hash).toBe("#/peers");
  launch({ targetURL: "https://page.test/#/transfers", files: [] });
  expect(page.hash).toBe("#/transfers");
  const link = "#/open?link=web%2Bshoal%3Abafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
  launch({ targetURL: `https://page.test/${link}` });
  expect(page.hash).toBe(link);
});

it.each([
  { there: [true, false], handed: ["0.txt"], lost: /handed over, 1\.txt could not be read/ },
  {
    there: [false, true, false],
    handed: ["1.txt"],
    lost: /handed over, 0\.txt and 1 other could not be read/,
  },
  { there: [false, false], handed: [], lost: /^What another program handed over could not be read/ },
])("takes those that can be read, and names the others: $there", async ({ there, handed, lost }) => {
  const taken: string[] = [];
  const onLost = vi.fn();
  onFilesHandedOver((files) => taken.push(...files.map(({ name }) => name)), onLost);
  launch({ files: there.map((isThere, at) => handle(`${at}.txt`, isThere)) });
  await eventually(() => expect(onLost).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(lost)));
  expect(taken).toEqual(handed);
});

it("takes all files that were shared but one that the browser kept and can't read, which it names, and keeps none", async () => {
  const kept = new Map<string, Response>();
  for (const name of ["a.txt", "b.txt", "c.txt"]) {
    const response = new Response(name === "b.txt" ? damaged() : name, { headers: { "X-Name": name } });
    kept.set(`https://page.test/share-target/1/${name}`, response);
  }
  vi.stubGlobal("caches", {
    open: async () => ({
      keys: async () => [...kept.keys()].map((url) => ({ url })),
      match: async ({ url }: { url: string }) => kept.get(url),
      delete: async ({ url }: { url: string }) => kept.delete(url),
    }),
  });
  const taken: string[] = [];
  const onLost = vi.fn();
  onFilesHandedOver((files) => taken.push(...files.map(({ name }) => name)), onLost);
  const loss = expect.stringMatching(/handed over, b\.txt could not be read/);
  await eventually(() => expect(onLost).toHaveBeenCalledExactlyOnceWith(loss));
  expect(taken).toEqual(["a.txt", "c.txt"]);
  expect(kept.size).toBe(0);
});

it("tells of no loss where the browser keeps nothing for the site", async () => {
  const open = vi.fn(async () => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  });
  vi.stubGlobal("caches", { open });
  const onLost = vi.fn();
  onFilesHandedOver(() => {}, onLost);
  await eventually(() => expect(open).toHaveBeenCalled());
  launch({ files: [handle("a.txt", false)] });
  await eventually(() => expect(onLost).toHaveBeenCalled());
  expect(onLost).toHaveBeenCalledTimes(1);
});
