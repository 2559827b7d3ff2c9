/** Aborts, failures and ends of the port, on both sides. */
import { getEventListeners } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { refusePort, serveRequests } from "../../../src/bridge/answering.ts";
import { askOver } from "../../../src/bridge/asking.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import { MAX_HEADER_FIELDS, MAX_REQUESTS_IN_FLIGHT, MAX_TEXT_CHARS } from "../../../src/bridge/limits.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import { deferred } from "../../deferred.ts";
import { bareAnswerer, bareAsker, bothEnds } from "./two-ends.ts";

const ORIGIN = "http://shoal.test";
const forEver = () => new Promise<Response>(() => undefined);

/** Resolves with the reason once a signal aborts. */
function aborted(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
}

test("aborting a request before its answer aborts the handler's signal", async () => {
  let seen!: (request: Request) => void;
  const taken = new Promise<Request>((resolve) => {
    seen = resolve;
  });
  const { asker, served } = await bothEnds((request) => {
    seen(request);
    return forEver();
  });
  const stop = new AbortController();
  const answer = asker.request(new Request(ORIGIN, { signal: stop.signal }), "tab");
  const reason = aborted((await taken).signal);
  stop.abort();
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  expect((await reason).name).toBe("AbortError");
  expect(served.inFlight()).toBe(0);
});

test("a request that is aborted before it is sent is not sent", async () => {
  const taken: string[] = [];
  const { asker } = await bothEnds(async ({ method }) => {
    taken.push(method);
    return new Response();
  });
  const aborted = new Request(ORIGIN, { method: "DELETE", signal: AbortSignal.abort() });
  await expect(asker.request(aborted, "tab")).rejects.toMatchObject({ name: "AbortError" });
  await asker.request(new Request(ORIGIN), "tab");
  expect(taken).toEqual(["GET"]);
});

test("a request that was answered leaves nothing behind at the signal that could have ended it", async () => {
  const { asker } = await bothEnds(async () => new Response("answer"));
  const { signal } = new AbortController();
  const carried = { method: "GET", url: ORIGIN, headers: [], body: null, signal };
  const response = await asker.request(carried, "tab");
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  expect(await response.text()).toBe("answer");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("aborting a request while its body is read breaks that off, and puts away an answer that comes all the same", async () => {
  const [taken, read, putAway] = [deferred<Request>(), deferred<unknown>(), deferred<unknown>()];
  const { asker } = await bothEnds(async (request) => {
    taken.resolve(request);
    read.resolve(await request.text().catch((error: unknown) => error));
    return new Response(new ReadableStream({ cancel: putAway.resolve }));
  });
  const stop = new AbortController();
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const init: RequestInit & { duplex: "half" } = {
    method: "POST",
    body,
    duplex: "half",
    signal: stop.signal,
  };
  const answer = asker.request(new Request(ORIGIN, init), "tab");
  await taken.promise;
  stop.abort();
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  expect(await read.promise).toMatchObject({ name: "AbortError" });
  expect(await putAway.promise).toMatchObject({ name: "AbortError" });
});

test("cancelling a response's body stops whoever makes it", async () => {
  let cancelled!: () => void;
  const stopped = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  let signal!: AbortSignal;
  const { asker } = await bothEnds(async (request) => {
    signal = request.signal;
    return new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1000)),
        cancel: cancelled,
      }),
    );
  });
  const response = await asker.request(new Request(ORIGIN), "tab");
  await response.body?.cancel();
  await stopped;
  expect(signal.aborted).toBe(true);
});

test("aborting while a body comes breaks it off for its reader", async () => {
  const endless = () =>
    new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) });
  const { asker } = await bothEnds(async () => new Response(endless()));
  const stop = new AbortController();
  const response = await asker.request(new Request(ORIGIN, { signal: stop.signal }), "tab");
  const whole = response.arrayBuffer();
  stop.abort();
  await expect(whole).rejects.toMatchObject({ name: "AbortError" });
});

test("a request's body that breaks off fails the handler's reading, not the port", async () => {
  const { asker } = await bothEnds(async (request) => {
    if (request.body === null) return new Response("fine");
    return request.text().then(
      () => new Response("whole"),
      (error: Error) => new Response(`broken: ${error.message}`),
    );
  });
  const body = new ReadableStream({
    start: (controller) => controller.error(new Error("the disk is gone")),
  });
  const request = new Request(ORIGIN, { method: "POST", body, duplex: "half" } as RequestInit);
  expect(await (await asker.request(request, "tab")).text()).toBe("broken: the disk is gone");
  expect(await (await asker.request(new Request(ORIGIN), "tab")).text()).toBe("fine");
});

test("an answer before the end of the request's body stops whoever makes the body", async () => {
  let cancelled!: () => void;
  const stopped = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const { asker } = await bothEnds(async () => new Response("too long", { status: 413 }));
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
    cancel: cancelled,
  });
  const request = new Request(ORIGIN, { method: "POST", body, duplex: "half" } as RequestInit);
  expect((await asker.request(request, "tab")).status).toBe(413);
  await stopped;
});

test("an answer before the end of the request's body breaks that off for whoever still reads it", async () => {
  const read = deferred<unknown>();
  const { asker } = await bothEnds(async (request) => {
    request.text().then(read.resolve, read.resolve);
    return new Response("too long", { status: 413 });
  });
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const request = new Request(ORIGIN, { method: "POST", body, duplex: "half" } as RequestInit);
  await asker.request(request, "tab");
  expect(await read.promise).toMatchObject({ name: "closed" });
});

test("a handler that throws is an error by name, without its stack", async () => {
  const { asker } = await bothEnds(async () => {
    throw new RangeError("out of range");
  });
  const error = await asker.request(new Request(ORIGIN), "tab").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BridgeError);
  expect(error).toMatchObject({ name: "failed", message: "out of range" });
});

test("a response whose body fails breaks off with the error's message", async () => {
  const { asker } = await bothEnds(async () => {
    let count = 0;
    return new Response(
      new ReadableStream({
        pull(controller) {
          count += 1;
          if (count === 3) controller.error(new Error("a chunk is missing"));
          else controller.enqueue(new Uint8Array(10));
        },
      }),
    );
  });
  const response = await asker.request(new Request(ORIGIN), "tab");
  await expect(response.arrayBuffer()).rejects.toThrow("a chunk is missing");
});

test("an error's words are told as far as a frame carries them, whichever way they go", async () => {
  const long = "x".repeat(MAX_TEXT_CHARS + 1);
  const message = long.slice(1);
  const { asker, served } = await bothEnds(async ({ url }) => {
    if (url.endsWith("/throws")) throw new Error(long);
    const breaks = (controller: ReadableStreamDefaultController) => controller.error(new Error(long));
    return new Response(new ReadableStream({ pull: breaks }));
  });
  await expect(asker.request(new Request(`${ORIGIN}/throws`), "tab")).rejects.toMatchObject({ message });
  const breaking = await asker.request(new Request(ORIGIN), "tab");
  await expect(breaking.text()).rejects.toMatchObject({ message });
  served.end(new BridgeError("closed", long));
  expect(await asker.ended).toMatchObject({ name: "closed", message });
  const { port1, port2 } = new MessageChannel();
  refusePort(port1 as FramePort, new BridgeError("start_failed", long));
  await expect(askOver(port2 as FramePort)).rejects.toMatchObject({ name: "start_failed", message });
});

test("a port whose other end has said hello is kept when the wait for that is ended", async () => {
  const { port1, port2 } = new MessageChannel();
  const served = serveRequests(port1 as FramePort, async () => new Response("served"));
  onTestFinished(() => served.end(new BridgeError("closed", "The test is over")));
  const wait = new AbortController();
  const asker = await askOver(port2 as FramePort, wait.signal);
  wait.abort();
  expect(await (await asker.request(new Request(ORIGIN), "tab")).text()).toBe("served");
});

test("a response that has come whole can be read still, also once the port has ended", async () => {
  const { bare, asker } = await bareAnswerer();
  const [first, second] = [1, 2].map(() => asker.request(new Request(ORIGIN), "tab"));
  for (const id of [1, 2]) {
    bare.send(
      { type: "response", id, status: 200, statusText: "", headers: [], body: "stream" },
      { type: "chunk", id, bytes: new TextEncoder().encode("whole") },
      { type: "end", id },
    );
  }
  bare.send({ type: "ping" });
  await bare.nextOf("pong");
  expect(await (await first)?.text()).toBe("whole");
  asker.end(new BridgeError("closed", "The worker stops"));
  expect(await (await second)?.text()).toBe("whole");
});

test("a closed port fails what is in flight and whatever comes after, by name", async () => {
  let taken!: () => void;
  const started = new Promise<void>((resolve) => {
    taken = resolve;
  });
  const { asker, served } = await bothEnds(() => {
    taken();
    return forEver();
  });
  const inFlight = asker.request(new Request(ORIGIN), "tab");
  await started;
  served.end(new BridgeError("closed", "The tab is closing"));
  await expect(inFlight).rejects.toMatchObject({ name: "closed", message: "The tab is closing" });
  await expect(asker.request(new Request(ORIGIN), "tab")).rejects.toMatchObject({ name: "closed" });
  expect((await asker.ended).message).toBe("The tab is closing");
});

test("a port that has ended is closed", async () => {
  const { bare, served } = bareAsker(forEver);
  const closed = new Promise((resolve) => bare.port.once("close", resolve));
  served.end(new BridgeError("closed", "The tab is closing"));
  await closed;
});

test("an asking end that goes away aborts the handlers", async () => {
  let seen!: (request: Request) => void;
  const taken = new Promise<Request>((resolve) => {
    seen = resolve;
  });
  const { asker } = await bothEnds((request) => {
    seen(request);
    return forEver();
  });
  const answer = asker.request(new Request(ORIGIN), "tab");
  const reason = aborted((await taken).signal);
  asker.end(new BridgeError("closed", "The worker stops"));
  await expect(answer).rejects.toMatchObject({ name: "closed" });
  expect((await reason).name).toBe("closed");
});

test("more requests than the limit are refused as busy, and served once there is room", async () => {
  const open: (() => void)[] = [];
  let full!: () => void;
  const allTaken = new Promise<void>((resolve) => {
    full = resolve;
  });
  const { asker } = await bothEnds(
    () =>
      new Promise((resolve) => {
        open.push(() => resolve(new Response("served")));
        if (open.length === MAX_REQUESTS_IN_FLIGHT) full();
      }),
  );
  const answers = Array.from({ length: MAX_REQUESTS_IN_FLIGHT }, () =>
    asker.request(new Request(ORIGIN), "tab"),
  );
  await allTaken;
  await expect(asker.request(new Request(ORIGIN), "tab")).rejects.toMatchObject({ name: "busy" });
  for (const release of open) release();
  await Promise.all(answers.map(async (answer) => (await answer).text()));
  const late = asker.request(new Request(ORIGIN), "tab");
  await expect.poll(() => open.length).toBe(MAX_REQUESTS_IN_FLIGHT + 1);
  open.at(-1)?.();
  expect(await (await late).text()).toBe("served");
});

test("headers, a URL or a method that the format can't carry fail their request alone", async () => {
  let cancelled!: () => void;
  const stopped = new Promise<void>((resolve) => {
    cancelled = resolve;
  });
  const { asker } = await bothEnds(async (request) => {
    const headers = new Headers({ "x-long": "x".repeat(40_000) });
    if (request.url.endsWith("/many")) {
      headers.delete("x-long");
      for (let count = 0; count <= MAX_HEADER_FIELDS; count++) headers.set(`x-${count}`, "");
    } else if (!request.url.endsWith("/long")) return new Response("fine");
    return new Response(new ReadableStream({ cancel: cancelled }), { headers });
  });
  await expect(asker.request(new Request(`${ORIGIN}/${"x".repeat(70_000)}`), "tab")).rejects.toMatchObject({
    name: "too_large",
  });
  const odd = new Request(ORIGIN, { method: "X".repeat(5000) });
  await expect(asker.request(odd, "tab")).rejects.toMatchObject({ name: "too_large" });
  await expect(asker.request(new Request(`${ORIGIN}/long`), "tab")).rejects.toMatchObject({ name: "failed" });
  await stopped;
  await expect(asker.request(new Request(`${ORIGIN}/many`), "tab")).rejects.toMatchObject({ name: "failed" });
  expect(await (await asker.request(new Request(ORIGIN), "tab")).text()).toBe("fine");
});
