/** The typed client over HTTP: its requests end when their signal aborts, though nobody holds them by then. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { ShoalClient } from "../../src/client/client.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function clientOf(answer: RequestListener): Promise<ShoalClient> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new ShoalClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

it("ends its event stream when told to, whatever garbage was collected since", async () => {
  const client = await clientOf((_, outgoing) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write('id: 1\ndata: {"event":"file_deleted","data":{"file_id":"x"}}\n\n');
  });
  const stop = new AbortController();
  const events = client.events({ signal: stop.signal });
  await events.next();
  const next = events.next();
  collect();
  stop.abort();
  await expect(next).rejects.toThrow("abort");
});

it("ends an upload when told to, whatever garbage was collected since", async () => {
  let hasCome = () => {};
  const piece = new Promise<void>((resolve) => {
    hasCome = resolve;
  });
  const client = await clientOf((incoming) => incoming.once("data", () => hasCome()));
  const stop = new AbortController();
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const upload = client.upload(body, { name: "endless.bin", signal: stop.signal });
  await piece;
  collect();
  stop.abort();
  await expect(upload).rejects.toThrow("abort");
});
