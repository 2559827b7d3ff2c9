/** Requests whose answers take long: src/client/patient-fetch. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { Client } from "../../../src/client/vx-client.ts";

const HOUR_MS = 3_600_000;

it("an answer is waited for by the hour, and so is the rest of it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    server.close();
    server.closeAllConnections();
  });
  await once(server, "listening");
  const asked = once(server, "request");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const fetched = vi.spyOn(globalThis, "fetch");
  const backup = new Client(url).backup("monday.zip");
  const [, response] = (await asked) as [unknown, ServerResponse];
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  response.write('{"success":true,');
  await fetched.mock.results[0]?.value;
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  response.end('"path":"monday.zip"}');
  expect((await backup).path).toBe("monday.zip");
});
