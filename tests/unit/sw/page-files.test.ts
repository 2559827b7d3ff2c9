/**
 * Which of the page's files the service worker keeps, from where and for how long; the browser's cache and network are
 * played here.
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PageFiles } from "../../../sw/page-files.ts";

const ORIGIN = "http://localhost";
const SCRIPT = { url: "assets/index-1a2b.js", revision: null };
const ICON = { url: "icons/shoal.svg", revision: "7" };
const PAGE = { url: "index.html", revision: "1" };

const html = (text: string) =>
  new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });
const pageWith = (...scripts: string[]) =>
  html(scripts.map((path) => `<script type="module" src="${path}"></script>`).join(""));
/** What the host has at a path. */
const present = (path: string) =>
  path === "/index.html" ? pageWith("/assets/index-1a2b.js") : new Response(path);

/** What is kept, by its address. */
const kept = new Map<string, Response>();
/** What was fetched, with how the browser's own cache was asked. */
const fetched: [path: string, cache: string | undefined][] = [];
let network: (path: string, cache?: string) => Promise<Response> | Response;
let isReadable: boolean;

const urlOf = (key: string | { url: string }) =>
  new URL(typeof key === "string" ? key : key.url, ORIGIN).href;
/** What a cache is told to change has not changed at once. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const cache = {
  keys: async () => [...kept.keys()].map((url) => ({ url })),
  match: async (key: string | { url: string }) => kept.get(urlOf(key)),
  async put(key: string, response: Response) {
    if (response.headers.get("vary")?.includes("*")) throw new TypeError("Vary header contains *");
    await turn();
    kept.set(urlOf(key), response);
  },
  async delete(key: string | { url: string }) {
    await turn();
    return kept.delete(urlOf(key));
  },
};

beforeEach(() => {
  vi.stubGlobal("self", globalThis);
  vi.stubGlobal("__WB_DISABLE_DEV_LOGS", true);
  vi.stubGlobal("location", new URL(ORIGIN));
  isReadable = true;
  const open = async () => {
    if (!isReadable) throw new DOMException("Unexpected internal error", "UnknownError");
    return cache;
  };
  vi.stubGlobal("caches", { open, match: async (key: string) => (await open()).match(key) });
  network = present;
  vi.stubGlobal("fetch", async (request: string | Request, options?: { cache?: string }) => {
    const path = new URL(urlOf(request)).pathname;
    fetched.push([path, options?.cache]);
    return await network(path, options?.cache);
  });
});
afterEach(() => {
  kept.clear();
  fetched.length = 0;
});

/** Of a version that has those files. */
async function pageFiles(...files: { url: string; revision: string | null }[]): Promise<PageFiles> {
  // When it is loaded, workbox looks for what a worker has.
  return new (await import("../../../sw/page-files.ts")).PageFiles(files);
}

const keptPaths = () => [...kept.keys()].map((url) => url.slice(ORIGIN.length));

function navigationTo(path: string): Request {
  return { method: "GET", mode: "navigate", url: ORIGIN + path } as Request;
}

it("come from the host anew, but for those with a hash in their names, and the page itself is the last", async () => {
  const files = await pageFiles(PAGE, SCRIPT, ICON);
  expect(await files.keep()).toBe(true);
  expect(fetched).toEqual([
    ["/assets/index-1a2b.js", "default"],
    ["/icons/shoal.svg", "reload"],
    ["/index.html", "reload"],
  ]);
  expect(await files.keep()).toBe(true);
  expect(fetched.length).toBe(3);
});

it("are kept so many at a time, and those who ask at once wait for the same", async () => {
  const files = await pageFiles(PAGE, SCRIPT, ICON);
  expect(await Promise.all([files.keep(2), files.keep(2)])).toEqual([false, false]);
  expect(fetched.length).toBe(2);
  expect(await files.keep(1)).toBe(true);
});

it("are kept with a page that names no others, as scripts may", async () => {
  const files = await pageFiles(PAGE, SCRIPT);
  network = (path) => (path === "/index.html" ? present(path) : new Response("/assets/embed-1.js"));
  expect(await files.keep()).toBe(true);
});

it.each<[what: string, path: string, answer: Response, before: string[]]>([
  ["503", "/index.html", new Response("busy", { status: 503 }), ["/assets/index-1a2b.js"]],
  ["empty", "/index.html", html(""), ["/assets/index-1a2b.js"]],
  [
    "a page of another version",
    "/index.html",
    pageWith("/assets/index-1a2b.js", "/assets/index-3c4d.js"),
    ["/assets/index-1a2b.js"],
  ],
  ["another page", "/index.html", html("Back soon"), ["/assets/index-1a2b.js"]],
  ["a page", "/assets/index-1a2b.js", html("the page"), []],
])("that come as %s at %s are none, and those before them stay", async (what, path, answer, before) => {
  const files = await pageFiles(PAGE, SCRIPT);
  network = (asked) => (asked === path ? answer.clone() : present(asked));
  await expect(files.keep()).rejects.toThrow(`${path} can't be kept: the answer was ${what}`);
  expect(keptPaths()).toEqual(before);
  network = present;
  expect(await files.keep()).toBe(true);
});

it("of which the browser's own cache has something else are asked of the host", async () => {
  const files = await pageFiles(SCRIPT);
  network = (path, cache) => new Response(cache === "default" ? "" : path);
  expect(await files.keep()).toBe(true);
  expect(await kept.get(`${ORIGIN}/assets/index-1a2b.js`)?.text()).toBe("/assets/index-1a2b.js");
});

it("come from the network where what is kept can't be read", async () => {
  const files = await pageFiles(PAGE, SCRIPT);
  isReadable = false;
  network = (path) => new Response(`of the network: ${path}`);
  const textOf = async (answer: Promise<Response> | undefined) => (await answer)?.text();
  expect(await textOf(files.answer(navigationTo("/")))).toBe("of the network: /");
  const former = new Request(`${ORIGIN}/assets/index-0.js`);
  expect(await textOf(files.answerFormer(former))).toBe("of the network: /assets/index-0.js");
});

it("that came by a redirect are kept as if they had not, for a browser refuses such to who navigates", async () => {
  const files = await pageFiles(PAGE, SCRIPT);
  network = (path) => Object.defineProperty(present(path), "redirected", { value: true });
  await files.keep();
  const response = await files.answer(navigationTo("/"));
  expect([response?.redirected, await response?.text()]).toEqual([
    false,
    await present("/index.html").text(),
  ]);
});

it("are kept of a host that answers everything as if it differed for each who asks, which a cache takes none of", async () => {
  const files = await pageFiles(PAGE, SCRIPT);
  network = (path) => {
    const answer = present(path);
    answer.headers.set("vary", "Accept-Encoding, *");
    return answer;
  };
  expect(await files.keep()).toBe(true);
  const page = await files.answer(navigationTo("/"));
  expect(page?.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await page?.text()).toBe(await present("/index.html").text());
});

it("answer for themselves, and the page for every place that is no file; the network for the rest", async () => {
  const files = await pageFiles(PAGE, SCRIPT);
  await files.keep();
  const textAt = async (request: Request) => (await files.answer(request))?.text();
  const script = new Request(`${ORIGIN}/assets/index-1a2b.js?x`);
  expect(await textAt(script)).toBe("/assets/index-1a2b.js");
  expect(await textAt(navigationTo("/some/place"))).toBe(await present("/index.html").text());
  expect(files.answer(navigationTo("/ipfs/bafy"))).toBeUndefined();
  expect(files.answer(new Request(`${ORIGIN}/some/place`))).toBeUndefined();
  expect(files.answer(new Request(script, { method: "HEAD" }))).toBeUndefined();
  kept.clear();
  expect(await textAt(script)).toBe("/assets/index-1a2b.js");
});

it("of the former version stay for its tabs, those of the version before go", async () => {
  const scripts = ["1", "2", "3"].map((version) => ({ url: `assets/index-${version}.js`, revision: null }));
  for (const [version, script] of scripts.entries()) {
    network = (path) => (path === "/index.html" ? pageWith(`/${script.url}`) : new Response(path));
    const files = await pageFiles({ ...PAGE, revision: String(version) }, script, ICON);
    await files.keep();
    await files.dropOthers(() => false);
  }
  expect(
    keptPaths()
      .filter((path) => !path.startsWith("/keys-of"))
      .sort(),
  ).toEqual([
    "/assets/index-2.js",
    "/assets/index-3.js",
    "/icons/shoal.svg?__WB_REVISION__=7",
    "/index.html?__WB_REVISION__=1",
    "/index.html?__WB_REVISION__=2",
  ]);
  const files = await pageFiles(PAGE);
  network = () => new Response("no such file", { status: 404 });
  const statusOf = async (path: string) => (await files.answerFormer(new Request(ORIGIN + path)))?.status;
  expect(await statusOf("/assets/index-2.js")).toBe(200);
  expect(await statusOf("/assets/index-1.js")).toBe(404);
  expect(fetched.at(-1)?.[0]).toBe("/assets/index-1.js");
  expect(files.answerFormer(new Request(`${ORIGIN}/shoal.json`))).toBeUndefined();
  expect(files.answerFormer(new Request(`${ORIGIN}/assets/x`, { method: "POST" }))).toBeUndefined();
});

it("of a version that left no list of them stay until the next", async () => {
  kept.set(`${ORIGIN}/assets/index-0.js`, new Response());
  for (const version of ["1", "2"]) {
    await (await pageFiles({ ...PAGE, revision: version })).dropOthers(() => false);
    expect(kept.has(`${ORIGIN}/assets/index-0.js`)).toBe(version === "1");
  }
});

it("of the next version stay, which may be installed while the one before it takes over", async () => {
  network = (path) => new Response(path);
  const [first, second, third] = await Promise.all(
    ["1", "2", "3"].map((version) => pageFiles({ url: `assets/index-${version}.js`, revision: null })),
  );
  await first?.keep();
  await first?.dropOthers(() => false);
  kept.set(`${ORIGIN}/assets/index-0.js`, new Response());
  await second?.keep();
  await third?.keep();
  await second?.dropOthers(() => true);
  const scripts = () => keptPaths().filter((path) => path.startsWith("/assets/"));
  expect(scripts()).toEqual([1, 0, 2, 3].map((version) => `/assets/index-${version}.js`));
  await third?.dropOthers(() => false);
  expect(scripts()).toEqual([2, 3].map((version) => `/assets/index-${version}.js`));
  await third?.dropOthers(() => {
    // Its install begins now.
    kept.set(`${ORIGIN}/assets/index-4.js`, new Response());
    return false;
  });
  expect(scripts()).toContain("/assets/index-4.js");
});
