/** A server ends a connection while the client's program keeps its thread busy: the next request takes another one. */
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, it, vi } from "vitest";
import { createLiveFetch } from "../../../src/client/live-fetch.ts";
import { Client } from "../../../src/client/vx-client.ts";

/** In a thread of its own; ends its connections when told to, and says so where a busy thread sees it. */
const SERVER = `
  const { createServer } = require("node:http");
  const { parentPort, workerData: isEnded } = require("node:worker_threads");
  const sockets = [];
  const server = createServer({ keepAliveTimeout: 0 }, (_, answer) => answer.end('{"status":"ok"}'));
  server.on("connection", (socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
  const stored = () => { Atomics.store(isEnded, 0, 1); Atomics.notify(isEnded, 0); };
  parentPort.on("message", () => sockets.pop().on("close", stored).destroy());
`;

it("sends on no connection that has ended while its program was busy", async () => {
  const isEnded = new Int32Array(new SharedArrayBuffer(4));
  const server = new Worker(SERVER, { eval: true, workerData: isEnded });
  try {
    const [port] = await once(server, "message");
    const client = new Client(`http://127.0.0.1:${port}`);
    await client.health();
    // The connection is free for the next request from then on.
    await setImmediate();
    server.postMessage("end");
    expect(Atomics.wait(isEnded, 0, 0, 10_000)).not.toBe("timed-out");
    const silent = performance.now() + 1000;
    vi.spyOn(performance, "now").mockReturnValue(silent);
    await expect(client.health()).resolves.toEqual({ status: "ok" });
  } finally {
    await server.terminate();
  }
});

it("pauses after a silence alone: of requests one after another each goes out at once", async () => {
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response());
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const fetchLive = createLiveFetch();
  const send = () => fetchLive(new Request("http://127.0.0.1:1"), {});
  await send();
  now.mockReturnValue(999);
  const next = send();
  expect(fetched).toHaveBeenCalledTimes(2);
  await next;
  now.mockReturnValue(1999);
  const late = send();
  expect(fetched).toHaveBeenCalledTimes(2);
  await late;
  expect(fetched).toHaveBeenCalledTimes(3);
});
