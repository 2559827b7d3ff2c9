/** Requests and responses that cross the bridge: what comes out is what went in. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { WINDOW_BYTES } from "../../../src/bridge/limits.ts";
import { bothEnds } from "./two-ends.ts";

const ORIGIN = "http://shoal.test";
const bytes = fc.uint8Array({ maxLength: 3000 });
const parts = fc.array(bytes, { maxLength: 8 });
const headerName = fc.stringMatching(/^x-[a-z]{1,12}$/);
const headerValue = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const headerFields = fc.dictionary(headerName, headerValue, { maxKeys: 10 });

function streamOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const next = rest.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
}

function post(path: string, body: ReadableStream | Blob | Uint8Array<ArrayBuffer>, headers = {}): Request {
  const init = { method: "POST", body, headers, duplex: "half" };
  return new Request(ORIGIN + path, init as RequestInit);
}

test("method, URL, headers, body and client of any request come out as they went in", async () => {
  const { asker } = await bothEnds(async (request, client) => {
    const body = Buffer.from(await request.arrayBuffer()).toString("hex");
    return Response.json([request.method, request.url, [...request.headers], body, client]);
  });
  const path = fc.webPath().map((text) => `${ORIGIN}/at${text}`);
  await fc.assert(
    fc.asyncProperty(path, headerFields, parts, fc.string(), async (url, fields, chunks, client) => {
      const init = { method: "PUT", headers: fields, body: streamOf(chunks), duplex: "half" };
      const request = new Request(url, init as RequestInit);
      const expected = [
        "PUT",
        request.url,
        [...request.headers],
        Buffer.concat(chunks).toString("hex"),
        client,
      ];
      const response = await asker.request(request, client);
      expect(await response.json()).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

test("status, headers and body of any response come out as they went in", async () => {
  const waiting = new Map<string, Response>();
  const { asker } = await bothEnds(async (request) => {
    const response = waiting.get(request.url);
    if (response === undefined) throw new Error("no response waits");
    return response;
  });
  let number = 0;
  const status = fc.integer({ min: 200, max: 599 });
  await fc.assert(
    fc.asyncProperty(status, headerFields, parts, async (code, fields, chunks) => {
      const isBare = [204, 205, 304].includes(code);
      number += 1;
      const url = `${ORIGIN}/${number}`;
      const body = isBare ? null : streamOf(chunks);
      waiting.set(url, new Response(body, { status: code, headers: fields, statusText: "Some Text" }));
      const response = await asker.request(new Request(url), "tab");
      expect([response.status, response.statusText, response.body === null]).toEqual([
        code,
        "Some Text",
        isBare,
      ]);
      expect(Object.fromEntries(response.headers)).toEqual(fields);
      const received = Buffer.from(await response.arrayBuffer());
      expect(received.equals(isBare ? Buffer.alloc(0) : Buffer.concat(chunks))).toBe(true);
    }),
    { numRuns: 25 },
  );
});

test("a HEAD's answer keeps its length and has no body", async () => {
  const headers = { "content-length": "123456", etag: '"x"' };
  const { asker } = await bothEnds(async () => new Response(null, { headers }));
  const response = await asker.request(new Request(ORIGIN, { method: "HEAD" }), "tab");
  expect([response.body, response.headers.get("content-length")]).toEqual([null, "123456"]);
});

test("a partial answer keeps status, range and bytes", async () => {
  const { asker } = await bothEnds(
    async (request) =>
      new Response("cde", {
        status: 206,
        headers: { "content-range": "bytes 2-4/10", "x-asked": request.headers.get("range") ?? "" },
      }),
  );
  const response = await asker.request(new Request(ORIGIN, { headers: { range: "bytes=2-4" } }), "tab");
  expect([response.status, response.headers.get("content-range"), response.headers.get("x-asked")]).toEqual([
    206,
    "bytes 2-4/10",
    "bytes=2-4",
  ]);
  expect(await response.text()).toBe("cde");
});

test("events arrive one by one while the response goes on", async () => {
  let events!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      events = controller;
    },
  });
  const { asker } = await bothEnds(
    async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
  );
  const response = await asker.request(new Request(ORIGIN), "tab");
  const reader = response.body?.getReader();
  for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
    events.enqueue(new TextEncoder().encode(event));
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(event);
  }
  events.close();
  expect((await reader?.read())?.done).toBe(true);
});

test("a Blob crosses as a Blob, which its request's body reads", async () => {
  const { asker } = await bothEnds(async (request) => new Response(await request.arrayBuffer()));
  const blob = new Blob(["some ", "bytes"]);
  const carried = {
    method: "POST",
    url: ORIGIN,
    headers: [],
    body: blob,
    signal: new AbortController().signal,
  };
  const response = await asker.request(carried, "tab");
  expect(await response.text()).toBe("some bytes");
});

test("16 MiB cross both ways at once", async () => {
  const { asker } = await bothEnds(async (request) => new Response(request.body));
  const chunk = crypto.getRandomValues(new Uint8Array(64 * 1024));
  const chunks = Array.from({ length: 256 }, () => chunk);
  const response = await asker.request(post("/", streamOf(chunks)), "tab");
  const back = Buffer.from(await response.arrayBuffer());
  expect(back.equals(Buffer.concat(chunks))).toBe(true);
});

test("a response nobody reads is made no further than a window", async () => {
  let madeBytes = 0;
  let idle!: () => void;
  const halted = new Promise<void>((resolve) => {
    idle = resolve;
  });
  const chunk = new Uint8Array(64 * 1024);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(chunk);
        madeBytes += chunk.length;
        // The window is full, and the chunk after it waits in the sender.
        if (madeBytes === WINDOW_BYTES + chunk.length) idle();
      },
    },
    { highWaterMark: 0 },
  );
  const { asker } = await bothEnds(
    async (request) => new Response(request.url.endsWith("/endless") ? body : "pong"),
  );
  const response = await asker.request(new Request(`${ORIGIN}/endless`), "tab");
  await halted;
  // Whatever was posted before this answer has arrived when the answer has.
  for (let round = 0; round < 20; round++) await (await asker.request(new Request(ORIGIN), "tab")).text();
  expect(madeBytes).toBe(WINDOW_BYTES + chunk.length);
  await response.body?.cancel();
});

test("the buffer of a response's maker stays its maker's", async () => {
  const own = new Uint8Array([1, 2, 3]);
  const { asker } = await bothEnds(async () => new Response(streamOf([own])));
  const response = await asker.request(new Request(ORIGIN), "tab");
  expect([...new Uint8Array(await response.arrayBuffer()), ...own]).toEqual([1, 2, 3, 1, 2, 3]);
});

test("many requests run at once and each gets its own answer", async () => {
  const { asker } = await bothEnds(async (request) => new Response(new URL(request.url).pathname));
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
  const answers = await Promise.all(
    paths.map(async (path) => (await asker.request(new Request(ORIGIN + path), "tab")).text()),
  );
  expect(answers).toEqual(paths);
});
