/** What the service worker does with each event that it is given; its scope, its tabs and what it keeps are played here. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Served, serveRequests } from "../../../src/bridge/answering.ts";
import { askOver } from "../../../src/bridge/asking.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import { FILES_KEPT_AT_ONCE } from "../../../src/bridge/limits.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import { readToTab, type ToWorker } from "../../../src/bridge/tab-messages.ts";
import { eventually } from "../../eventually.ts";

const ORIGIN = "http://localhost";
const SCRIPT = "/assets/index-1.js";

type Handler = (event: object) => void;
const handlers = new Map<string, Handler>();
/** What the worker asked of its scope, and of the network. */
const asked: string[] = [];
/** What it keeps, by its address. */
const kept = new Map<string, Response>();
const served: Served[] = [];
let answer: (path: string) => Response;

/** The tab that leads. It tells which tab's port it serves; null where the worker's own. */
const tab = {
  id: "leader",
  url: `${ORIGIN}/files`,
  focus: async () => void asked.push("focus"),
  postMessage(message: unknown, [port]: [FramePort]): void {
    asked.push(`serve ${readToTab(message)?.tab}`);
    served.push(serveRequests(port, async (_request, client) => new Response(client), "leader"));
  },
};
let tabs: (typeof tab)[];

const urlOf = (key: string | { url: string }) =>
  new URL(typeof key === "string" ? key : key.url, ORIGIN).href;
const cache = {
  keys: async () => [...kept.keys()].map((url) => ({ url })),
  match: async (key: string) => kept.get(urlOf(key))?.clone(),
  put: async (key: string, response: Response) => void kept.set(urlOf(key), response),
  delete: async (key: string) => kept.delete(urlOf(key)),
};
const caches = { open: async () => cache, match: cache.match };

const PAGE = `<script type="module" src="${SCRIPT}"></script>`;
/** What the host has at a path. */
const present = (path: string) => new Response(path === "/index.html" ? PAGE : path);

// The worker takes it when it is loaded, and is loaded once.
const scope = {
  __WB_MANIFEST: [
    { url: "index.html", revision: "1" },
    { url: SCRIPT.slice(1), revision: null },
    ...Array.from({ length: FILES_KEPT_AT_ONCE - 1 }, (_, at) => ({
      url: `assets/${at}.css`,
      revision: null,
    })),
  ],
  location: new URL(ORIGIN),
  registration: {
    active: null as object | null,
    installing: null as object | null,
    waiting: null as object | null,
  },
  caches,
  clients: {
    matchAll: async ({ type = "", includeUncontrolled = false }) =>
      type === "window" && includeUncontrolled ? tabs : [],
    get: async (id: string) => tabs.find((one) => one.id === id),
    claim: async () => void asked.push("claim"),
    openWindow: async (url: string) => void asked.push(`open ${url}`),
  },
  skipWaiting: async () => void asked.push("skip waiting"),
  addEventListener: (type: string, handler: Handler) => handlers.set(type, handler),
};

beforeEach(async () => {
  asked.length = 0;
  tabs = [tab];
  Object.assign(scope.registration, { active: null, installing: null, waiting: null });
  answer = present;
  vi.stubGlobal("self", scope);
  vi.stubGlobal("location", scope.location);
  vi.stubGlobal("__WB_DISABLE_DEV_LOGS", true);
  vi.stubGlobal("caches", caches);
  vi.stubGlobal("BroadcastChannel", class extends EventTarget {});
  vi.stubGlobal("fetch", async (request: string | Request) => answer(new URL(urlOf(request)).pathname));
  await import("../../../sw/sw.ts");
});
afterEach(() => {
  kept.clear();
  for (const one of served.splice(0)) one.end(new BridgeError("closed", "The test is over"));
});

/** Gives the worker an event. Settles once it is through with it. */
async function dispatch(type: string, event: object = {}): Promise<void> {
  const waits: Promise<unknown>[] = [];
  handlers.get(type)?.({ ...event, waitUntil: (over: Promise<unknown>) => waits.push(over) });
  await Promise.all(waits);
}

/** What the worker answers with; undefined where it leaves the request to the network. */
async function respond(request: Partial<Request> & { url: string }): Promise<Response | undefined> {
  let response: Promise<Response> | undefined;
  const respondWith = (given: Promise<Response>) => {
    response = given;
  };
  await dispatch("fetch", { request, clientId: "a page", respondWith });
  return await response;
}

/** Sends the worker a message with a port, of which the other end is given. */
function send(message: ToWorker): FramePort {
  const { port1, port2 } = new MessageChannel();
  void dispatch("message", { data: message, ports: [port2], source: { id: "another tab" } });
  return port1 as FramePort;
}

it("is installed on a first visit without a file, and as a new version with all of them or not at all", async () => {
  await dispatch("install");
  expect(kept.size).toBe(0);
  scope.registration.active = {};
  answer = () => new Response("none", { status: 404 });
  await expect(dispatch("install")).rejects.toThrow("404");
  answer = present;
  await dispatch("install");
  expect(kept.size).toBe(scope.__WB_MANIFEST.length);
});

it("takes over the pages that are open once it is active, also where it can't drop what others kept", async () => {
  await dispatch("activate");
  expect(asked).toEqual(["claim"]);
  vi.spyOn(caches, "open").mockRejectedValue(new Error("Unexpected internal error"));
  await expect(dispatch("activate")).rejects.toThrow("Unexpected internal error");
  expect(asked).toEqual(["claim", "claim"]);
});

it.each(["installing", "waiting"] as const)(
  "drops what others kept once it is active, but not while the next version is %s, whose files they may be",
  async (state) => {
    const other = `${ORIGIN}/assets/index-2.js`;
    await dispatch("activate");
    kept.set(other, new Response());
    scope.registration[state] = {};
    await dispatch("activate");
    expect(kept.has(other)).toBe(true);
    scope.registration[state] = null;
    await dispatch("activate");
    expect(kept.has(other)).toBe(false);
  },
);

it("carries requests to the API for the page that makes them, answers for files, and leaves the rest to the network", async () => {
  const info = new Request(`${ORIGIN}/api/v1/node/info`);
  expect(await (await respond(info))?.text()).toBe("a page");
  scope.registration.active = {};
  await dispatch("install");
  const get = async (path: string, mode: Request["mode"] = "cors") =>
    (await respond({ url: ORIGIN + path, method: "GET", mode }))?.text();
  expect(await get(SCRIPT)).toBe(SCRIPT);
  expect(await get("/share-target", "navigate")).toBe(PAGE);
  expect(await get("/assets/model-1.onnx")).toBe("/assets/model-1.onnx");
  await eventually(() => expect(kept.keys()).toContain(`${ORIGIN}/assets/model-1.onnx`));
  expect(await get("/assets/index-0.js")).toBe("/assets/index-0.js");
  expect(await get("/shoal.json")).toBeUndefined();
  expect(await respond({ url: `https://elsewhere.example${SCRIPT}`, method: "GET" })).toBeUndefined();
  expect(await respond({ url: "https://elsewhere.example/api/v1/node/info", method: "GET" })).toBeUndefined();
});

it("takes what is handed over by a form that is posted, and by nothing else", async () => {
  const redirect = vi.spyOn(Response, "redirect").mockImplementation((place) => new Response(String(place)));
  const form = new FormData();
  form.set("text", "web+shoal:bafkrei");
  const posted = new Request(`${ORIGIN}/share-target`, { method: "POST", body: form });
  expect(await (await respond(posted))?.text()).toBe("/#/open?link=web%2Bshoal%3Abafkrei");
  expect(await respond(new Request(`${ORIGIN}/elsewhere`, { method: "POST", body: form }))).toBeUndefined();
  expect(redirect).toHaveBeenCalledOnce();
});

it("keeps some files each time that it is asked to, and tells whether that was all, or why it could not", async () => {
  const told = (port: FramePort) =>
    new Promise((resolve) => {
      port.addEventListener("message", (event) => resolve((event as MessageEvent).data));
      port.start?.();
    });
  answer = () => new Response("none", { status: 404 });
  expect(await told(send({ type: "keep-files" }))).toEqual({
    error: `Error: ${ORIGIN}${SCRIPT} can't be kept: the answer was 404`,
  });
  answer = present;
  expect(await told(send({ type: "keep-files" }))).toEqual({ allKept: false });
  expect(await told(send({ type: "keep-files" }))).toEqual({ allKept: true });
});

it("has the browser wait until the files are kept that a page asked for", async () => {
  const { port1, port2 } = new MessageChannel();
  await dispatch("message", { data: { type: "keep-files" }, ports: [port2] });
  expect(kept.size).toBe(FILES_KEPT_AT_ONCE);
  port1.close();
});

it("takes control, or the place of the former version, when a page asks for that", async () => {
  await dispatch("message", { data: { type: "claim" }, ports: [] });
  await dispatch("message", { data: { type: "skip-waiting" }, ports: [] });
  expect(asked).toEqual(["claim", "skip waiting"]);
});

it("passes over what a page of another version says, and what comes without the port that it needs", async () => {
  const { port1, port2 } = new MessageChannel();
  await dispatch("message", { data: { type: "of another version" }, ports: [port2] });
  for (const type of ["find-leader", "keep-files"]) await dispatch("message", { data: { type }, ports: [] });
  expect([asked, kept.size]).toEqual([[], 0]);
  port1.close();
});

it("hands a tab's port to the tab that leads, and says why where none does", async () => {
  const asker = await askOver(send({ type: "find-leader" }));
  expect(asker.answerer).toBe("leader");
  expect(asked.at(-1)).toBe("serve another tab");
  asker.end(new BridgeError("closed", "The test is over"));
  for (const one of served.splice(0)) one.end(new BridgeError("closed", "The tab is gone"));
  tabs = [];
  await eventually(() =>
    expect(askOver(send({ type: "find-leader" }))).rejects.toMatchObject({ name: "no_leader" }),
  );
});

it("closes a notification that is clicked, and brings the page to the front, or opens it where no tab has it", async () => {
  const click = () => dispatch("notificationclick", { notification: { close: () => asked.push("close") } });
  const script = { ...tab, url: `${ORIGIN}/sw.js`, focus: async () => void asked.push("focus a script") };
  tabs = [script, tab];
  await click();
  expect(asked).toEqual(["close", "focus"]);
  tabs = [script];
  await click();
  expect(asked.slice(2)).toEqual(["close", "open /"]);
});
