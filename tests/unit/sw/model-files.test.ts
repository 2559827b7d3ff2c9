/**
 * Which files of search by meaning the service worker keeps, and for how long; the browser's cache and network are
 * played here.
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { modelFile } from "../../../sw/model-files.ts";

const ORIGIN = "http://localhost";

/** What is kept, by its address. */
const kept = new Map<string, Response>();
/** The paths that were fetched. */
const fetched: string[] = [];
let network: (text: string) => Response;
let hasRoom: boolean;
let isReadable: boolean;

const urlOf = (key: string) => new URL(key, ORIGIN).href;
/** What a cache is told to change has not changed at once. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const cache = {
  keys: async () => [...kept.keys()].map((url) => ({ url })),
  match: async (key: string) => kept.get(urlOf(key))?.clone(),
  async put(key: string, response: Response) {
    if (response.headers.get("vary") === "*") throw new TypeError("Vary header contains *");
    if (!hasRoom) throw new DOMException("There is no room", "QuotaExceededError");
    await turn();
    kept.set(urlOf(key), response);
  },
  async delete(key: string) {
    await turn();
    return kept.delete(urlOf(key));
  },
};

beforeEach(() => {
  network = (text) => new Response(text);
  hasRoom = true;
  isReadable = true;
  const open = async () => {
    if (!isReadable) throw new DOMException("Unexpected internal error", "UnknownError");
    return cache;
  };
  vi.stubGlobal("caches", { open, match: async (key: string) => (await open()).match(key) });
  vi.stubGlobal("fetch", async ({ url }: Request) => {
    const { pathname } = new URL(url);
    fetched.push(pathname);
    return network(`${fetched.length}: ${pathname}`);
  });
});
afterEach(() => {
  kept.clear();
  fetched.length = 0;
});

/** The answer, once it is known what is kept of it; undefined where the file is another's to answer. */
async function ask(
  path: string,
  init?: { method?: string; cache?: "reload" },
): Promise<{ status: number; text: string } | undefined> {
  const waits: Promise<unknown>[] = [];
  const request = new Request(ORIGIN + path, init as RequestInit);
  const answer = modelFile({
    request,
    waitUntil: (over: Promise<unknown>) => waits.push(over),
  } as unknown as Parameters<typeof modelFile>[0]);
  if (answer === undefined) return undefined;
  const response = await answer;
  const text = await response.text();
  await Promise.all(waits);
  return { status: response.status, text };
}

const keptPaths = () => [...kept.keys()].map((url) => url.slice(ORIGIN.length)).sort();

it("are fetched once, and had from what is kept then", async () => {
  const first = await ask("/assets/model-1a-2b.onnx");
  expect(first).toEqual({ status: 200, text: "1: /assets/model-1a-2b.onnx" });
  expect(await ask("/assets/model-1a-2b.onnx")).toEqual(first);
  expect(fetched).toEqual(["/assets/model-1a-2b.onnx"]);
});

it("are kept of a host that answers everything as if it differed for each who asks", async () => {
  network = (text) => new Response(text, { headers: { vary: "*" } });
  const first = await ask("/assets/model-1a-2b.onnx");
  expect(await ask("/assets/model-1a-2b.onnx")).toEqual(first);
  expect(fetched).toEqual(["/assets/model-1a-2b.onnx"]);
});

it("are each kept in one version, beside the others", async () => {
  const parts = ["embed-1.js", "model-1.onnx", "runtime-1.wasm", "pdfjs-1.js"].map(
    (file) => `/assets/${file}`,
  );
  for (const path of parts) await ask(path);
  expect(keptPaths()).toEqual([...parts].sort());
  await ask("/assets/runtime-2.wasm");
  expect(keptPaths()).toEqual(
    [...parts.filter((path) => !path.includes("runtime")), "/assets/runtime-2.wasm"].sort(),
  );
});

it("are not the page's scripts of the same names, of which one of a former version would drop the model", async () => {
  await ask("/assets/model-1.onnx");
  for (const path of [
    "/assets/model-1.js",
    "/assets/runtime-1.js",
    "/assets/embed-1.wasm",
    "/assets/pdfjs-1.css",
  ])
    expect(await ask(path)).toBeUndefined();
  for (const path of ["/model-1.onnx", "/assets/placing-model-1.onnx", "/assets/model-1.onnx.map"])
    expect(await ask(path)).toBeUndefined();
  expect(await ask("/assets/model-1.onnx", { method: "HEAD" })).toBeUndefined();
  expect(keptPaths()).toEqual(["/assets/model-1.onnx"]);
});

it("are fetched anew where the page found them damaged, and kept as they come then", async () => {
  await ask("/assets/model-1.onnx");
  const anew = { status: 200, text: "2: /assets/model-1.onnx" };
  expect(await ask("/assets/model-1.onnx", { cache: "reload" })).toEqual(anew);
  expect(await ask("/assets/model-1.onnx")).toEqual(anew);
});

it.each<[what: string, answer: Response]>([
  ["nothing", new Response("none", { status: 404 })],
  ["its page", new Response("the page", { headers: { "content-type": "text/html" } })],
  ["an empty file", new Response("")],
])("are not kept where the host answers with %s, which is handed on", async (_what, answer) => {
  network = () => answer.clone();
  const came = { status: answer.status, text: await answer.clone().text() };
  expect(await ask("/assets/embed-1.js")).toEqual(came);
  expect(keptPaths()).toEqual([]);
});

it("come, too, where what is kept can't be read", async () => {
  isReadable = false;
  expect(await ask("/assets/model-1.onnx")).toEqual({ status: 200, text: "1: /assets/model-1.onnx" });
});

it("come, too, where there is no room to keep them, and what is kept stays", async () => {
  await ask("/assets/model-1.onnx");
  hasRoom = false;
  expect(await ask("/assets/model-2.onnx")).toEqual({ status: 200, text: "2: /assets/model-2.onnx" });
  expect(keptPaths()).toEqual(["/assets/model-1.onnx"]);
});
