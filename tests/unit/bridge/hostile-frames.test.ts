/** Frames that no sound end sends: each ends the port with a clear reason, and nothing else happens. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fits, type HeaderList, readFrame } from "../../../src/bridge/frames.ts";
import {
  MAX_CHUNK_BYTES,
  MAX_HEADER_FIELDS,
  MAX_HEADERS_CHARS,
  MAX_REQUEST_URL_CHARS,
  MAX_REQUESTS_IN_FLIGHT,
  MAX_TEXT_CHARS,
  WINDOW_BYTES,
} from "../../../src/bridge/limits.ts";
import { bareAnswerer, bareAsker, HELLO } from "./two-ends.ts";

const ORIGIN = "http://shoal.test";
const REQUEST = {
  type: "request",
  id: 1,
  method: "GET",
  url: `${ORIGIN}/`,
  headers: [],
  body: null,
  client: "tab",
};
const POST = { ...REQUEST, method: "POST", body: "stream" };
const RESPONSE = { type: "response", id: 1, status: 200, statusText: "", headers: [], body: "stream" };
const chunk = (id: number, sizeBytes: number) => ({ type: "chunk", id, bytes: new Uint8Array(sizeBytes) });
const forEver = () => new Promise<Response>(() => undefined);

test("requests beyond those that may be in flight are refused, and reach nobody", async () => {
  let reached = 0;
  const { bare, served } = bareAsker(() => {
    reached += 1;
    return forEver();
  });
  bare.send(HELLO);
  for (let id = 1; id <= MAX_REQUESTS_IN_FLIGHT + 1; id++) bare.send({ ...REQUEST, id });
  expect(await bare.nextOf("error")).toMatchObject({ id: MAX_REQUESTS_IN_FLIGHT + 1, name: "busy" });
  expect(reached).toBe(MAX_REQUESTS_IN_FLIGHT);
  expect(served.inFlight()).toBe(MAX_REQUESTS_IN_FLIGHT);
});

test("anything at all is read as a frame or refused by name", () => {
  const fields = fc.record(
    {
      type: fc.constantFrom(
        "hello",
        "request",
        "response",
        "chunk",
        "credit",
        "end",
        "toString",
        "__proto__",
      ),
      id: fc.anything(),
      bytes: fc.anything(),
      headers: fc.anything(),
      status: fc.anything(),
      body: fc.anything(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fields), (data) => {
      try {
        expect(readFrame(data)).toHaveProperty("type");
      } catch (error) {
        expect(error).toMatchObject({ name: "protocol_error" });
      }
    }),
    { numRuns: 500 },
  );
});

const length = (count: number) => "x".repeat(count);
const fields = (count: number) => Array(count).fill(["a", ""]);

test.each<[string, (value: never) => unknown, unknown, unknown]>([
  ["an id", (id) => ({ ...REQUEST, id }), 1, 0],
  ["an id", (id) => ({ ...REQUEST, id }), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1],
  ["the oldest version", (oldest) => ({ ...HELLO, oldest }), 1, 0],
  ["the newest version", (newest) => ({ ...HELLO, newest }), 1, 0],
  ["a method", (method) => ({ ...REQUEST, method }), length(MAX_TEXT_CHARS), length(MAX_TEXT_CHARS + 1)],
  ["a client", (client) => ({ ...REQUEST, client }), "", undefined],
  ["a URL", (url) => ({ ...REQUEST, url }), length(MAX_REQUEST_URL_CHARS), length(MAX_REQUEST_URL_CHARS + 1)],
  ["a body", (body) => ({ ...REQUEST, body }), "stream", undefined],
  ["a response's body", (body) => ({ ...RESPONSE, body }), null, new Blob([])],
  [
    "headers",
    (headers) => ({ ...REQUEST, headers }),
    fields(MAX_HEADER_FIELDS),
    fields(MAX_HEADER_FIELDS + 1),
  ],
  ["a header", (header) => ({ ...REQUEST, headers: [header] }), ["a", "b"], ["a", "b", "c"]],
  [
    "a header's length",
    (value) => ({ ...REQUEST, headers: [["a", value]] }),
    length(MAX_HEADERS_CHARS - 1),
    length(MAX_HEADERS_CHARS),
  ],
  ["a status", (status) => ({ ...RESPONSE, status }), 200, 199],
  ["a status", (status) => ({ ...RESPONSE, status }), 599, 600],
  ["a chunk", (count) => chunk(1, count), 1, 0],
  ["a chunk", (count) => chunk(1, count), MAX_CHUNK_BYTES, MAX_CHUNK_BYTES + 1],
  ["credit", (bytes) => ({ type: "credit", id: 1, bytes }), 1, 0],
  ["credit", (bytes) => ({ type: "credit", id: 1, bytes }), WINDOW_BYTES, WINDOW_BYTES + 1],
])("a frame is read with %s at the limit, and refused one beyond", (_, frameOf, within, beyond) => {
  const read = frameOf(within as never);
  expect(readFrame(read)).toEqual(read);
  expect(() => readFrame(frameOf(beyond as never))).toThrow("broke its rules");
});

test("a head fits that the other end takes, and no other", () => {
  const [url, method] = [length(MAX_REQUEST_URL_CHARS), length(MAX_TEXT_CHARS)];
  const headers: HeaderList = [["a", length(MAX_HEADERS_CHARS - 1)]];
  expect(fits(headers, url, method)).toBe(true);
  expect(fits(fields(MAX_HEADER_FIELDS))).toBe(true);
  expect([
    fits([["aa", headers[0]?.[1] ?? ""]], url, method),
    fits(headers, `${url}x`, method),
    fits(headers, url, `${method}x`),
    fits(fields(MAX_HEADER_FIELDS + 1)),
  ]).toEqual([false, false, false, false]);
});

const toAnswerer: [string, unknown[]][] = [
  ["a frame before hello", [REQUEST]],
  ["a second hello", [HELLO, HELLO]],
  ["text for a frame", [HELLO, "request"]],
  ["a frame of an unknown type", [HELLO, { type: "constructor" }]],
  ["an id that was used", [HELLO, REQUEST, REQUEST]],
  ["an id of no number", [HELLO, { ...REQUEST, id: "1" }]],
  ["a response to the answering end", [HELLO, POST, RESPONSE]],
  ["an error to the answering end", [HELLO, POST, { type: "error", id: 1, name: "failed", message: "" }]],
  ["word that enough came to the answering end", [HELLO, POST, { type: "enough", id: 1 }]],
  ["a body without a request", [HELLO, chunk(1, 10)]],
  ["a body that was not told of", [HELLO, REQUEST, chunk(1, 10)]],
  ["an empty chunk", [HELLO, POST, chunk(1, 0)]],
  ["a chunk that is too long", [HELLO, POST, chunk(1, MAX_CHUNK_BYTES + 1)]],
  ["more credit than a window", [HELLO, REQUEST, { type: "credit", id: 1, bytes: WINDOW_BYTES + 1 }]],
  ["a method that is none", [HELLO, { ...REQUEST, method: "GET /" }]],
  ["a URL that is none", [HELLO, { ...REQUEST, url: "no url" }]],
  ["a header that is none", [HELLO, { ...REQUEST, headers: [["a b", "c"]] }]],
  ["too many headers", [HELLO, { ...REQUEST, headers: Array(300).fill(["a", "b"]) }]],
  ["headers that are too long", [HELLO, { ...REQUEST, headers: [["a", "b".repeat(40_000)]] }]],
];

test.each(toAnswerer)("the answering end ends a port that brings %s", async (_, frames) => {
  const { bare, served } = bareAsker(forEver);
  bare.send(...frames, { type: "ping" });
  expect(await bare.next()).toMatchObject({ type: "hello" });
  expect(await bare.next()).toMatchObject({ type: "bye", name: "protocol_error" });
  expect((await served.ended).name).toBe("protocol_error");
  expect(served.inFlight()).toBe(0);
});

test("a request's body past its credit ends the port before memory grows", async () => {
  const { bare, served } = bareAsker(forEver);
  bare.send(HELLO, POST);
  for (let sent = 0; sent <= WINDOW_BYTES; sent += MAX_CHUNK_BYTES) bare.send(chunk(1, MAX_CHUNK_BYTES));
  expect((await served.ended).message).toContain("more bytes than were granted");
});

test("credit for more than a window ends the port, since as much would be made for nobody", async () => {
  const { bare, served } = bareAsker(async () => new Response(new ReadableStream()));
  bare.send(HELLO, REQUEST);
  await bare.nextOf("response");
  bare.send({ type: "credit", id: 1, bytes: 1 }, { ...REQUEST, id: 1 });
  expect((await served.ended).message).toContain("more credit than a window");
});

const toAsker: [string, unknown[]][] = [
  ["an answer to nothing", [{ ...RESPONSE, id: 7 }]],
  ["a status out of range", [{ ...RESPONSE, status: 99 }]],
  ["a body where the status forbids one", [{ ...RESPONSE, status: 204 }]],
  ["a body before its head", [chunk(1, 10)]],
  ["two heads", [RESPONSE, RESPONSE]],
  ["a header that is none", [{ ...RESPONSE, headers: [["a\nb", "c"]] }]],
  ["a request to the asking end", [REQUEST]],
  ["a request amid an answer", [RESPONSE, REQUEST]],
  ["an abort of what it is asked for", [RESPONSE, { type: "abort", id: 1 }]],
  ["credit out of range", [{ type: "credit", id: 1, bytes: -1 }]],
  ["bytes that are none", [RESPONSE, { type: "chunk", id: 1, bytes: "abc" }]],
];

test.each(toAsker)("the asking end ends a port that brings %s", async (_, frames) => {
  const { bare, asker } = await bareAnswerer();
  const answer = asker.request(new Request(ORIGIN), "tab").then(
    (response) => response.arrayBuffer(),
    (error: unknown) => Promise.reject(error),
  );
  await bare.nextOf("request");
  bare.send(...frames);
  await expect(answer).rejects.toMatchObject({ name: "protocol_error" });
  expect((await asker.ended).name).toBe("protocol_error");
});

test("a response's body past its credit breaks off before memory grows", async () => {
  const { bare, asker } = await bareAnswerer();
  const answer = asker.request(new Request(ORIGIN), "tab");
  await bare.nextOf("request");
  bare.send(RESPONSE);
  for (let sent = 0; sent <= WINDOW_BYTES; sent += MAX_CHUNK_BYTES) bare.send(chunk(1, MAX_CHUNK_BYTES));
  expect((await asker.ended).message).toContain("more bytes than were granted");
  await expect((await answer).arrayBuffer()).rejects.toMatchObject({ name: "protocol_error" });
});

test("a response that has broken off is over, and whoever gives up its request later tells nobody", async () => {
  const { bare, asker } = await bareAnswerer();
  const stop = new AbortController();
  const first = asker.request(new Request(ORIGIN, { signal: stop.signal }), "tab");
  await bare.nextOf("request");
  bare.send(RESPONSE, { type: "broken", id: 1, name: "failed", message: "halfway" });
  await expect((await first).text()).rejects.toMatchObject({ name: "failed" });
  stop.abort();
  void asker.request(new Request(ORIGIN), "tab").catch(() => undefined);
  expect(await bare.next()).toMatchObject({ type: "request", id: 2 });
});

test("frames of a request that was answered are passed over", async () => {
  const { bare } = bareAsker(async () => new Response(null));
  bare.send(HELLO, REQUEST);
  await bare.nextOf("response");
  const late = [
    chunk(1, 10),
    { type: "end", id: 1 },
    { type: "credit", id: 1, bytes: 5 },
    { type: "abort", id: 1 },
  ];
  bare.send(...late, { type: "ping" });
  expect(await bare.next()).toEqual({ type: "pong" });
});

test("frames of an answer that is over are passed over", async () => {
  const { bare, asker } = await bareAnswerer();
  const first = asker.request(new Request(ORIGIN), "tab");
  await bare.nextOf("request");
  bare.send(
    { ...RESPONSE, body: null },
    chunk(1, 10),
    { type: "end", id: 1 },
    { type: "credit", id: 1, bytes: 5 },
    { type: "ping" },
  );
  expect((await first).status).toBe(200);
  // All of them have come before anything else is asked.
  expect(await bare.next()).toEqual({ type: "pong" });
  const second = asker.request(new Request(ORIGIN), "tab");
  expect(await bare.nextOf("request")).toMatchObject({ id: 2 });
  bare.send({ ...RESPONSE, id: 2, status: 404, body: null });
  expect((await second).status).toBe(404);
});

test("an error's name that is not known reads as failed", async () => {
  const { bare, asker } = await bareAnswerer();
  const answer = asker.request(new Request(ORIGIN), "tab");
  await bare.nextOf("request");
  bare.send({ type: "error", id: 1, name: "__proto__", message: "odd" });
  await expect(answer).rejects.toMatchObject({ name: "failed", message: "odd" });
});
