/** How the HTTP server carries requests and answers, and what it does with clients that misbehave. */
import { once } from "node:events";
import { connect, Server, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ApiApp } from "../../../src/api/app.ts";
import { bodyStream } from "../../../src/api/body-stream.ts";
import { type HttpServerOptions, openHttpServer } from "../../../src/headless/http/server.ts";
import {
  HEADERS_TIMEOUT_MS,
  LINGER_MS,
  MAX_FORWARDED_HOPS,
  SHORT_ANSWER_BYTES,
  SLOW_CHECK_BYTES,
  SLOW_CHECK_MS,
  SLOW_CHECKS,
} from "../../../src/headless/limits.ts";
import { SharingError } from "../../../src/sharing/errors.ts";

type Answer = ApiApp["fetch"];

describe("the HTTP server", () => {
  it("gives the app method, path, query, headers, body and the client's address", async () => {
    const url = await serve(async (request, client) =>
      Response.json({
        method: request.method,
        url: request.url.slice(request.url.indexOf("/", 7)),
        key: request.headers.get("authorization"),
        body: await request.text(),
        address: client.address,
      }),
    );
    const response = await fetch(`${url}/a/b?c=%20d`, {
      method: "POST",
      body: "hello",
      headers: { Authorization: "x" },
    });
    expect(await response.json()).toEqual({
      method: "POST",
      url: "/a/b?c=%20d",
      key: "x",
      body: "hello",
      address: "127.0.0.1",
    });
    expect(response.headers.get("content-length")).not.toBeNull();
  });

  it("shows the app repeated headers as fetch does, so that none is dropped unseen", async () => {
    const url = await serve(async (request) => Response.json([...request.headers]));
    const answer = await raw(
      url,
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nAuthorization: 1\r\nAuthorization: 2\r\nConnection: close\r\n\r\n",
    );
    expect(answer).toContain('["authorization","1, 2"]');
    expect(answer).toContain('["host","a, b"]');
  });

  it.each([
    ["", "http://host.invalid/x"],
    ["Host: evil.example/@localhost\r\n", "http://host.invalid/x"],
    ["Host: a b\r\n", "http://host.invalid/x"],
    ["Host: localhost:1234\r\n", "http://localhost:1234/x"],
    ["Host: [::1]:80\r\n", "http://[::1]/x"],
  ])("builds a URL with a host of its own when the header is %j", async (header, expected) => {
    const url = await serve(async (request) => new Response(request.url));
    expect(await raw(url, `GET /x HTTP/1.1\r\n${header}Connection: close\r\n\r\n`)).toContain(expected);
  });

  it.each([
    ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a WebSocket", "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"],
  ])("outlives a client that resets the connection when %s is refused", async (_what, request) => {
    const url = await serve(async () => new Response("here"), {
      onUpgrade: (_incoming, socket) => void socket.end("HTTP/1.1 404 Not Found\r\n\r\n"),
    });
    const socket = await open(url);
    socket.write(request);
    await once(socket, "data");
    const closed = once(socket, "close");
    socket.resetAndDestroy();
    await closed;
    for (let round = 0; round < 3; round++) expect(await (await fetch(url)).text()).toBe("here");
  });

  it("keeps a path that begins with two slashes a path", async () => {
    const url = await serve(async (request) => new Response(request.url));
    const answer = await raw(
      url,
      "GET //evil.example/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    expect(answer).toContain("http://localhost//evil.example/x");
  });

  it.each([
    ["http://localhost:1234/x?y", "localhost:1234 http://localhost:1234/x?y"],
    ["HTTPS://localhost/x", "localhost http://localhost/x"],
    ["http://localhost", "localhost http://localhost/"],
    ["http://localhost?y", "localhost http://localhost/?y"],
    ["http://localhost//evil.example/x", "localhost http://localhost//evil.example/x"],
    ["http://evil.example@localhost/x", "evil.example@localhost http://host.invalid/x"],
  ])("takes the host that the target %s names, whatever the Host header says", async (target, expected) => {
    const url = await serve(
      async ({ headers, url: asked }) => new Response(`${headers.get("host")} ${asked}`),
    );
    const head = `GET ${target} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`;
    expect(await raw(url, head)).toContain(`\r\n${expected}\r\n`);
  });

  it.each([
    ["not HTTP", "nonsense\r\n\r\n", 400],
    ["a target of another scheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
    ["headers without end", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    [
      "a length beside chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
  ])("refuses %s in the API's shape", async (_what, request, status) => {
    const url = await serve(async () => new Response("reached"));
    const answer = await raw(url, request);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))).toMatchObject({
      error: true,
      code: status,
    });
  });

  it.each([
    ["nonsense", "nonsense\r\n\r\n"],
    ["a target of another scheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])(
    "lets nobody who is refused for %s keep the connection by leaving its end open",
    async (_what, request) => {
      const url = await serve(async () => new Response("reached"), { maxConnections: 1, lingerMs: 20 });
      const socket = await open(url, { allowHalfOpen: true });
      socket.write(request);
      await once(socket.resume(), "end");
      const ask = () =>
        fetch(url).then(
          ({ status }) => status,
          () => "no room",
        );
      await expect.poll(ask).toBe(200);
    },
  );

  it("lets the app refuse TRACE, of which fetch has no requests, as any method that a path does not take", async () => {
    const url = await serve(async ({ method }) => Response.json(method, { status: 405 }));
    const answer = await raw(url, "TRACE /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
    expect(answer).not.toContain("TRACE");
  });

  it("lets the app answer a request that expects what nobody knows, as any other", async () => {
    const url = await serve(async (request) => new Response(`taken: ${await request.text()}`));
    const answer = await raw(
      url,
      "POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain("taken: {}");
  });

  it("says to who would connect elsewhere that nothing is allowed", async () => {
    const url = await serve(async () => new Response("reached"));
    const answer = await raw(url, "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 405 .*\r\nAllow: *\r\n/);
  });

  it("streams an answer as it is made, and a body as it arrives", async () => {
    const url = await serve(async (request) => new Response(request.body));
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const responding = fetch(url, { method: "POST", body: readable, duplex: "half" });
    void writer.write(new TextEncoder().encode("one"));
    const response = await responding;
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("one");
    void writer.write(new TextEncoder().encode("two"));
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("two");
    await writer.close();
    expect((await reader.read()).done).toBe(true);
  });

  it("streams JSON that is long and comes in pieces, and tells the length of other JSON", async () => {
    const goOn = occasion<void>();
    const half = `"${"x".repeat(SHORT_ANSWER_BYTES)}"`;
    const url = await serve(async (request) => {
      if (request.url.endsWith("/short")) return Response.json("x");
      if (request.url.endsWith("/long")) return Response.json("x".repeat(10 * SHORT_ANSWER_BYTES));
      async function* pieces() {
        yield "[";
        yield `${half},`;
        await goOn.promise;
        yield `${half}]`;
      }
      const body = ReadableStream.from(pieces()).pipeThrough(new TextEncoderStream());
      return new Response(body, { headers: { "content-type": "application/json" } });
    });
    for (const [path, length] of [
      ["short", 3],
      ["long", 10 * SHORT_ANSWER_BYTES + 2],
    ]) {
      const response = await fetch(`${url}/${path}`);
      expect((await response.text()).length).toBe(length);
      expect(response.headers.get("content-length")).toBe(String(length));
    }
    const streamed = await fetch(url);
    expect(streamed.headers.get("content-length")).toBeNull();
    goOn.resolve();
    expect(await streamed.json()).toEqual([half.slice(1, -1), half.slice(1, -1)]);
  });

  it("logs no failure of JSON whose client left before its end", async () => {
    const taken = occasion<void>();
    const aborted = occasion<void>();
    const error = vi.fn();
    const answer: Answer = async (request) => {
      const body = new ReadableStream({
        start(controller) {
          request.signal.addEventListener("abort", () => {
            controller.error(request.signal.reason);
            aborted.resolve();
          });
        },
      });
      taken.resolve();
      return new Response(body, { headers: { "content-type": "application/json" } });
    };
    const url = await serve(answer, { log: { error, warn: () => undefined } });
    const socket = await open(url);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await taken.promise;
    socket.destroy();
    await aborted.promise;
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    expect(error).not.toHaveBeenCalled();
  });

  it("logs a body that ended in a way foreseen in a line, and any other as a failure", async () => {
    for (const [thrown, calls] of [
      [new SharingError("stopped", "the transfer was cancelled"), { warn: 1, error: 0 }],
      [new TypeError("x is undefined"), { warn: 0, error: 1 }],
    ] as const) {
      const log = { warn: vi.fn(), error: vi.fn() };
      const url = await serve(
        async () => new Response(new ReadableStream({ pull: (c) => c.error(thrown) })),
        { log },
      );
      await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
      await expect.poll(() => log.warn.mock.calls.length + log.error.mock.calls.length).toBe(1);
      expect({ warn: log.warn.mock.calls.length, error: log.error.mock.calls.length }).toEqual(calls);
    }
  });

  it("takes from a body no more than the client reads", async () => {
    let made = 0;
    const url = await serve(async () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          made += 1;
          controller.enqueue(new Uint8Array(1024 * 1024));
        },
      });
      return new Response(body);
    });
    const socket = await open(url);
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let before = -1;
    while (before !== made || made === 0) {
      before = made;
      for (let turn = 0; turn < 200; turn++) await nextTurn();
    }
    expect(made).toBeLessThan(64);
  });

  it("aborts the request's signal and cancels the body when the client leaves", async () => {
    const aborted = occasion<unknown>();
    const cancelled = occasion<void>();
    const url = await serve(async (request) => {
      request.signal.addEventListener("abort", () => aborted.resolve(request.signal.reason));
      return new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new Uint8Array(1)),
          cancel: () => cancelled.resolve(),
        }),
      );
    });
    const socket = await open(url);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    socket.destroy();
    await Promise.all([aborted.promise, cancelled.promise]);
  });

  it("cuts the connection when a body fails half way, and tells nothing of why", async () => {
    const url = await serve(async () => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode("half")),
        pull: (controller) => controller.error(new Error("internal detail")),
      });
      return new Response(body);
    });
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
  });

  it("cuts an answer under way where what follows the request is none, and puts no refusal into it", async () => {
    const listening = vi.spyOn(Server.prototype, "listen");
    const refused = occasion<void>();
    async function* pieces() {
      yield new Uint8Array([65]);
      await refused.promise;
    }
    const url = await serve(async () => new Response(ReadableStream.from(pieces())));
    const [server] = listening.mock.contexts as [Server];
    server.once("clientError", () => refused.resolve());
    const socket = await open(url);
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    const [beginning] = await once(socket, "data");
    let rest = "";
    socket.on("data", (piece) => {
      rest += piece;
    });
    const closed = once(socket, "close");
    socket.write("nonsense\r\n\r\n");
    await closed;
    expect(beginning.toString()).toMatch(/^HTTP\/1.1 200 /);
    expect(rest).not.toContain("400");
  });

  it.each([
    ["nonsense", "", "x\r\n\r\n", ["200", "400"]],
    ["headers that are too long", "", `GET / HTTP/1.1\r\nX: ${"y".repeat(20_000)}\r\n\r\n`, ["200", "431"]],
    ["more than the body that was told of, on a connection to close", "Connection: close\r\n", "}", ["200"]],
  ])(
    "answers a request that came whole before it refuses what follows: %s",
    async (_what, header, rest, expected) => {
      const url = await serve(async (request) => {
        await nextTurn();
        return new Response(`taken: ${await request.text()}`);
      });
      const request = `POST / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 2\r\n\r\n{}`;
      const answer = await raw(url, request + rest);
      expect(statusesIn(answer)).toEqual(expected);
      expect(answer).toContain("taken: {}");
    },
  );

  it("refuses what is no request behind answers that wait for the client to read", async () => {
    const url = await serve(async () => Response.json("x".repeat(8_000_000)));
    const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    expect(statusesIn(await raw(url, `${get}${get}x\r\n\r\n`))).toEqual(["200", "200", "400"]);
  });

  describe.each([
    ["a tunnel", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", "connect", "405"],
    [
      "a WebSocket",
      "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
      "upgrade",
      "101",
    ],
  ])("asked for %s behind other requests", (_what, request, event, status) => {
    const onUpgrade: HttpServerOptions["onUpgrade"] = (_incoming, socket) =>
      void socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

    it("answers behind these, and not in their place", async () => {
      const answer = async () => {
        await nextTurn();
        return new Response("taken");
      };
      const url = await serve(answer, { onUpgrade });
      expect(statusesIn(await raw(url, get + request))).toEqual(["200", status]);
    });

    it("answers behind those whose answers wait for the client to read", async () => {
      const url = await serve(async () => Response.json("x".repeat(8_000_000)), { onUpgrade });
      expect(statusesIn(await raw(url, get + get + request))).toEqual(["200", "200", status]);
    });

    it("first sends all of an answer that has begun", async () => {
      const listening = vi.spyOn(Server.prototype, "listen");
      const asked = occasion<void>();
      async function* pieces() {
        yield new Uint8Array(1);
        await asked.promise;
        for (let nth = 0; nth < 3; nth++) yield new Uint8Array(1_000_000);
      }
      const url = await serve(async () => new Response(ReadableStream.from(pieces())), { onUpgrade });
      const [server] = listening.mock.contexts as [Server];
      server.once(event, () => asked.resolve());
      const socket = await open(url);
      socket.write(get);
      const [beginning] = await once(socket, "data");
      socket.write(request);
      let answer = String(beginning);
      for await (const piece of socket) answer += piece;
      expect(statusesIn(answer)).toEqual(["200", status]);
      expect(answer).toContain("\r\n0\r\n\r\nHTTP/1.1");
    });
  });

  it("answers before an unwanted body has come, and takes the next request", async () => {
    const url = await serve(async () => Response.json({ refused: true }, { status: 413 }));
    const body = new Uint8Array(5_000_000);
    for (let i = 0; i < 3; i++) {
      const response = await fetch(url, { method: "POST", body });
      expect(response.status).toBe(413);
      expect(await response.json()).toEqual({ refused: true });
    }
  });

  it("keeps a connection whose body came whole after its answer, though the app had stopped reading it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const url = await serve(async (request) => {
      await request.body?.getReader().read();
      return Response.json("answered");
    });
    const half = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\nabc";
    const socket = await open(url);
    socket.write(half);
    await once(socket, "data");
    socket.write("x".repeat(199_997));
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    // One that was answered later, and still owes its body, is closed once its time is up.
    const owing = await open(url);
    owing.write(half);
    const closed = once(owing, "close");
    await once(owing, "data");
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(LINGER_MS);
    await closed;
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await once(socket, "data"))[0].toString()).toContain("200 OK");
  });

  it.each([
    ["says nothing", "", false],
    ["never ends its headers", "GET / HTTP/1.1\r\nHost: x\r\nX: ", true],
  ])("cuts off a client that %s", async (_what, beginning, goesOn) => {
    const url = await serve(async () => new Response("reached"), { headersTimeoutMs: 50 });
    const socket = await open(url);
    const trickle = setInterval(() => goesOn && socket.writable && socket.write("x"), 5);
    onTestFinished(() => clearInterval(trickle));
    const closed = once(socket, "close");
    socket.write(beginning);
    expect((await once(socket, "data"))[0].toString()).toMatch(/^HTTP\/1.1 408 /);
    await closed;
  });

  it("looks every five seconds whether a client has had its time", async () => {
    const listening = vi.spyOn(Server.prototype, "listen");
    await serve(async () => new Response("reached"));
    expect(listening.mock.contexts).toMatchObject([
      { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5000 },
    ]);
  });

  it.each([
    ["body", "Content-Length: 1000000\r\n\r\na"],
    ["chunks", "Transfer-Encoding: chunked\r\n\r\nff\r\na"],
  ])("cuts off a client that trickles its %s, in its time", async (_what, beginning) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const [reached, aborted] = [occasion<void>(), occasion<void>()];
    const url = await serve(async (request) => {
      request.signal.addEventListener("abort", () => aborted.resolve());
      reached.resolve();
      return new Response(await request.text());
    });
    const socket = await open(url);
    socket.on("error", () => undefined);
    const closed = once(socket, "close");
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${beginning}`);
    await reached.promise;
    for (let check = 1; check < SLOW_CHECKS; check++) {
      await vi.advanceTimersByTimeAsync(SLOW_CHECK_MS);
      socket.write("a");
    }
    await vi.advanceTimersByTimeAsync(SLOW_CHECK_MS - 1);
    expect(socket.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([aborted.promise, closed]);
  });

  it("never cuts off a client that sends its body steadily, however long that takes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const arrivals: { bytes: number; arrived: ReturnType<typeof occasion<void>> }[] = [];
    const url = await serve(async (request) => {
      let bytes = 0;
      for await (const piece of request.body ?? []) {
        bytes += piece.length;
        for (const arrival of arrivals) if (bytes >= arrival.bytes) arrival.arrived.resolve();
      }
      return new Response("taken");
    });
    const socket = await open(url);
    const checks = SLOW_CHECKS + 2;
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${checks * SLOW_CHECK_BYTES}\r\n\r\n`);
    for (let check = 1; check <= checks; check++) {
      const arrival = { bytes: check * SLOW_CHECK_BYTES, arrived: occasion<void>() };
      arrivals.push(arrival);
      socket.write("a".repeat(SLOW_CHECK_BYTES));
      await arrival.arrived.promise;
      if (check < checks) await vi.advanceTimersByTimeAsync(SLOW_CHECK_MS);
    }
    expect((await once(socket, "data"))[0].toString()).toMatch(/^HTTP\/1.1 200 /);
  });

  it("cuts off a client that does not read its answer", async () => {
    const cancelled = occasion<void>();
    const url = await serve(
      async () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)),
            cancel: () => cancelled.resolve(),
          }),
        ),
      { slowCheckMs: 20 },
    );
    const socket = await open(url);
    socket.on("error", () => undefined);
    socket.pause();
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await cancelled.promise;
  });

  it("never cuts off a client that waits for us", async () => {
    const checks = occasion<void>();
    const url = await serve(
      async () => {
        await checks.promise;
        return new Response("done");
      },
      { slowCheckMs: 5 },
    );
    const responding = fetch(url);
    let ticks = 0;
    const timer = setInterval(() => ++ticks === 20 && checks.resolve(), 5);
    onTestFinished(() => clearInterval(timer));
    expect(await (await responding).text()).toBe("done");
  });

  it("drops connections over its limit, with one line about all of them, and serves those it has", async () => {
    const warn = vi.fn();
    const url = await serve(async () => new Response("served"), {
      maxConnections: 1,
      log: { warn, error: () => undefined },
    });
    const first = await open(url);
    for (let refused = 0; refused < 3; refused++) {
      const another = await open(url);
      another.on("error", () => undefined);
      await once(another, "close");
    }
    expect(warn).toHaveBeenCalledOnce();
    first.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await once(first, "data"))[0].toString()).toContain("200 OK");
  });

  it("takes a place of the host that has the most for one that has fewer", async () => {
    const warn = vi.fn();
    const url = await serve(async () => new Response("served"), {
      maxConnections: 3,
      log: { warn, error: () => undefined },
    });
    const greedy = [await open(url), await open(url), await open(url)];
    const isGone = once(greedy[2] as Socket, "close");
    const other = await open(url, { localAddress: "127.0.0.2" });
    await isGone;
    expect(warn.mock.calls).toEqual([[{ connections: 3, count: 1 }, "too many connections over HTTP"]]);
    other.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect((await once(other, "data"))[0].toString()).toContain("200 OK");
    const third = await open(url, { localAddress: "127.0.0.3" });
    await once(greedy[1] as Socket, "close");
    const fourth = await open(url, { localAddress: "127.0.0.4" });
    await once(fourth, "close");
    for (const kept of [greedy[0] as Socket, other, third]) {
      kept.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      expect((await once(kept, "data"))[0].toString()).toContain("200 OK");
    }
  });

  it("goes on, and says so, where the system could not give it a connection", async () => {
    const listening = vi.spyOn(Server.prototype, "listen");
    onTestFinished(() => listening.mockRestore());
    const error = vi.fn();
    const url = await serve(async () => new Response("served"), { log: { warn: () => undefined, error } });
    const [server] = listening.mock.contexts as Server[];
    server?.emit("error", Object.assign(new Error("accept ENFILE"), { code: "ENFILE" }));
    expect(error).toHaveBeenCalledOnce();
    expect(await (await fetch(url)).text()).toBe("served");
  });

  it("ends the work of what is asked when it stops, and sends what comes of that", async () => {
    const asked = occasion<void>();
    const { url, stop } = await openServer(async ({ signal }) => {
      asked.resolve();
      await once(signal, "abort");
      return Response.json({ message: signal.reason.message }, { status: 503 });
    }, {});
    const answer = fetch(url);
    await asked.promise;
    const [response] = await Promise.all([answer, stop()]);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      message: "the node is stopping: what was asked for is not done, or not all of it",
    });
  });

  it("ends the wait for a body when it stops, and sends what comes of that", async () => {
    const asked = occasion<void>();
    const { url, stop } = await openServer(async (request) => {
      asked.resolve();
      const failure = await request.text().catch((error: Error) => error.message);
      return new Response(failure, { status: 503 });
    }, {});
    const socket = await open(url);
    let answer = "";
    socket.on("data", (piece) => {
      answer += piece;
    });
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
    await asked.promise;
    await Promise.all([stop(), once(socket, "end")]);
    expect(answer).toContain("503");
    expect(answer).toContain("the node is stopping");
  });

  it("waits for no connection at rest, nor for an answer that has begun, while another's work is undone", async () => {
    const warn = vi.fn();
    const asked = occasion<void>();
    const undone = occasion<void>();
    const { url, stop } = await openServer(
      async ({ url, signal }) => {
        if (url.endsWith("/begun")) return new Response(bodyStream(() => endless(), signal));
        asked.resolve();
        await once(signal, "abort");
        await undone.promise;
        return new Response("undone", { status: 503 });
      },
      { log: { error: warn, warn } },
    );
    const [atRest, begun] = await Promise.all([open(url), open(url)]);
    for (const socket of [atRest, begun]) socket.on("error", () => undefined);
    begun.write("GET /begun HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(begun, "data");
    const answer = fetch(url);
    await asked.promise;
    const stopped = stop();
    await Promise.all([once(atRest, "close"), once(begun, "close")]);
    undone.resolve();
    const [response] = await Promise.all([answer, stopped]);
    expect(response.status).toBe(503);
    expect(response.headers.get("connection")).toBe("close");
    expect(warn).not.toHaveBeenCalled();
  });

  it("ends answers that never would when it stops", async () => {
    const { url, stop } = await openServer(
      async () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array(1)) })),
      {},
    );
    const socket = await open(url);
    socket.on("error", () => undefined);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(socket, "data");
    await Promise.all([stop(), once(socket, "close")]);
  });
});

describe("the client's address", () => {
  const forwarded = { "X-Forwarded-For": "203.0.113.9, 198.51.100.7, 10.0.0.2" };
  const addressOf = async (trustedProxies: string[], headers: Record<string, string>) => {
    const url = await serve(async (_request, client) => new Response(client.address), { trustedProxies });
    return (await fetch(url, { headers })).text();
  };

  it("is the socket's when no proxy is trusted", async () => {
    expect(await addressOf([], forwarded)).toBe("127.0.0.1");
  });

  it("is the socket's when that is no trusted proxy", async () => {
    expect(await addressOf(["10.0.0.0/8"], forwarded)).toBe("127.0.0.1");
  });

  it("is the last that no trusted proxy wrote of itself", async () => {
    expect(await addressOf(["127.0.0.1", "10.0.0.0/8"], forwarded)).toBe("198.51.100.7");
    expect(await addressOf(["127.0.0.1"], forwarded)).toBe("10.0.0.2");
  });

  it("is told by proxies of IPv6, each by itself or by its network", async () => {
    const client = "2001:db8::9";
    const trusted = ["127.0.0.1", "fd00:1::1", "fd00:2::/32"];
    const through = (...proxies: string[]) =>
      addressOf(trusted, { "X-Forwarded-For": ["192.0.2.1", client, ...proxies].join(", ") });
    expect(await through("fd00:2::5", "fd00:1::1")).toBe(client);
    expect(await through("fd00:1::2")).toBe("fd00:1::2");
    expect(await through("fd00:3::5")).toBe("fd00:3::5");
  });

  it("is looked for in no more than so many hops", async () => {
    const proxies = Array.from({ length: MAX_FORWARDED_HOPS }, () => "10.0.0.2");
    const through = (...hops: string[]) =>
      addressOf(["127.0.0.1", "10.0.0.0/8"], { "X-Forwarded-For": hops.join(", ") });
    expect(await through("192.0.2.1", ...proxies.slice(1))).toBe("192.0.2.1");
    expect(await through("192.0.2.1", ...proxies)).toBe("10.0.0.2");
  });

  it("is the proxy's when it forwards nonsense", async () => {
    expect(await addressOf(["127.0.0.1"], { "X-Forwarded-For": "1.2.3.4, nonsense" })).toBe("127.0.0.1");
  });
});

/** One byte, and then nothing. */
async function* endless(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(1);
  await new Promise(() => undefined);
}

async function openServer(answer: Answer, options: Partial<HttpServerOptions>) {
  return openHttpServer({
    app: { fetch: answer },
    host: "127.0.0.1",
    port: 0,
    trustedProxies: [],
    log: { error: () => undefined, warn: () => undefined },
    ...options,
  });
}

async function serve(answer: Answer, options: Partial<HttpServerOptions> = {}): Promise<string> {
  const server = await openServer(answer, options);
  onTestFinished(() => server.stop());
  return server.url;
}

async function open(
  url: string,
  options: { allowHalfOpen?: boolean; localAddress?: string } = {},
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ ...options, port: Number(port), host: hostname });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** All that comes back for the bytes sent, until the server closes. */
async function raw(url: string, request: string): Promise<string> {
  const socket = await open(url);
  socket.write(request);
  let answer = "";
  for await (const piece of socket) answer += piece;
  return answer;
}

function statusesIn(answer: string): (string | undefined)[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
}

/** A promise, and the function that settles it. */
function occasion<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
