/**
 * Attacks 6 and 8 on a running node: clients that are many. Those who are slow, whom it costs seconds to be cut off, have their
 * tests in unit/headless/http-server.test.ts.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAX_API_CONNECTIONS } from "../../src/headless/limits.ts";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { openRaw, sendRaw } from "./raw-http.ts";
import { expectUnharmed } from "./unharmed.ts";

const RATE_LIMIT = 40;

let shoals: Shoals;
let limited: ShoalProcess;
let flooded: ShoalProcess;

beforeAll(async () => {
  shoals = new Shoals();
  limited = await shoals.start({ flags: ["--rate-limit", String(RATE_LIMIT)] });
  flooded = await shoals.start();
});
afterAll(() => shoals[Symbol.asyncDispose]());
afterEach(() => expectUnharmed(limited));

describe("the rate limit", () => {
  it("counts a client once, however many connections, header cases and forwarded names it uses", async () => {
    const headers = (index: number) => [
      `GET /api/v1/node/info HTTP/1.1`,
      `${index % 2 ? "HOST" : "hOsT"}: localhost`,
      `${index % 2 ? "authorization" : "AUTHORIZATION"}: Bearer ${limited.apiKey}`,
      `X-Forwarded-For: 198.51.100.${index}`,
      `Forwarded: for=198.51.100.${index}`,
      `X-Real-IP: 198.51.100.${index}`,
    ];
    const answers = await Promise.all(
      Array.from({ length: 3 * RATE_LIMIT }, (_, index) => sendRaw(limited.url, headers(index))),
    );
    const served = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(served).toHaveLength(RATE_LIMIT);
    expect(refused).toHaveLength(answers.length - served.length);
    for (const { head } of refused) expect(head).toMatch(/^retry-after: [1-9]\d*\r?$/im);
  });

  it("is not raised by guessing keys, and leaves /health open", async () => {
    const answer = await sendRaw(limited.url, [
      "GET /api/v1/node/info HTTP/1.1",
      "Host: localhost",
      "Authorization: Bearer shoal_guess",
    ]);
    expect(answer.status).toBe(429);
    expect((await sendRaw(limited.url, ["GET /health HTTP/1.1", "Host: localhost"])).status).toBe(200);
  });
});

describe("a flood of connections", () => {
  it("is dropped above the limit while those that came before are served", async () => {
    const early = await openRaw(flooded.url);
    const ask = async () => {
      early.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return (await early.answer()).status;
    };
    expect(await ask()).toBe(200);
    const { hostname, port } = new URL(flooded.url);
    const flood = Array.from({ length: 2 * MAX_API_CONNECTIONS }, () => {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      return socket.resume();
    });
    const open = () => flood.filter((socket) => !socket.closed);
    await until("the flood is cut to the limit", () => open().length < MAX_API_CONNECTIONS);
    expect(await ask()).toBe(200);
    const closed = open().map((socket) => once(socket, "close"));
    for (const socket of flood) socket.destroy();
    await Promise.all(closed);
    await until("new connections are served", () => flooded.client.health().catch(() => undefined));
    await expectUnharmed(flooded);
  });

  it("of uploads that are broken off leaves nothing in the store", async () => {
    const auth = `Authorization: Bearer ${flooded.apiKey}`;
    const before = (await flooded.client.nodeInfo()).storage_used;
    for (let round = 0; round < 5; round++) {
      const uploads = await Promise.all(Array.from({ length: 10 }, () => openRaw(flooded.url)));
      for (const upload of uploads) {
        upload.send(
          `POST /api/v1/files?name=x HTTP/1.1\r\nHost: localhost\r\n${auth}\r\nContent-Length: 9000000\r\n\r\n`,
        );
        upload.send(Buffer.alloc(2_500_000, round));
      }
      await until(
        "some of it is stored",
        async () => (await flooded.client.nodeInfo()).storage_used > before,
      );
      for (const upload of uploads) upload.socket.destroy();
      await Promise.all(uploads.map(({ closed }) => closed));
    }
    await until("it is given back", async () => (await flooded.client.nodeInfo()).storage_used === before);
    expect((await flooded.client.files()).files).toEqual([]);
    await expectUnharmed(flooded);
  });
});
