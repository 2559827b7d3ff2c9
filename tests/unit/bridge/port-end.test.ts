/** What a port makes of events of its own, and what it does once it has ended: src/bridge/port-end. */
import { afterEach, expect, test, vi } from "vitest";
import { refusePort, serveRequests } from "../../../src/bridge/answering.ts";
import { askOver } from "../../../src/bridge/asking.ts";
import { BridgeError } from "../../../src/bridge/bridge-error.ts";
import { PING_EVERY_MS, UNANSWERED_PINGS } from "../../../src/bridge/limits.ts";
import type { FramePort } from "../../../src/bridge/port-end.ts";
import { deferred } from "../../deferred.ts";
import { settled } from "../hand-clock.ts";
import { bareAnswerer, HELLO } from "./two-ends.ts";

const URL = "http://shoal.test/";
const REQUEST = { type: "request", id: 1, method: "GET", url: URL, headers: [], body: null, client: "tab" };

afterEach(() => {
  vi.useRealTimers();
});

/** As a pipe of broadcasts is: nothing comes of its own accord, also no word of its end. */
class PlainPort extends EventTarget implements FramePort {
  readonly sent: { type: string }[] = [];

  postMessage(frame: { type: string }): void {
    this.sent.push(frame);
  }

  close(): void {}

  take(...frames: unknown[]): void {
    for (const data of frames) this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

async function askingPort() {
  const port = new PlainPort();
  const hello = askOver(port);
  port.take(HELLO);
  return { port, asker: await hello };
}

test.each([
  ["close", "closed"],
  ["messageerror", "protocol_error"],
])("a port has ended at its event %s, as %s", async (type, name) => {
  const { port, asker } = await askingPort();
  const ended = vi.fn();
  void asker.ended.then(ended);
  port.dispatchEvent(new Event(type));
  await settled(1);
  expect(ended).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name }));
});

test("a port stays ended for its first reason, and asks for nothing more", async () => {
  const { port, asker } = await askingPort();
  asker.end(new BridgeError("silent", "It answers nothing"));
  asker.end(new BridgeError("closed", "Another tab leads"));
  port.dispatchEvent(new Event("close"));
  const refused = vi.fn();
  void asker.request(new Request(URL), "tab").catch(refused);
  await settled(1);
  expect(refused).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: "silent" }));
  expect(port.sent.map(({ type }) => type)).toEqual(["hello", "bye"]);
});

test("a port that has ended serves nothing more, and tells no answer that comes too late", async () => {
  const port = new PlainPort();
  const late = deferred<Response>();
  const answer = vi.fn(() => late.promise);
  const served = serveRequests(port, answer);
  port.take(HELLO, REQUEST);
  served.end(new BridgeError("closed", "The tab is closing"));
  port.take({ ...REQUEST, id: 2 });
  late.reject(new Error("The node has stopped"));
  await settled(1);
  expect(answer).toHaveBeenCalledOnce();
  expect(port.sent.map(({ type }) => type)).toEqual(["hello", "bye"]);
});

test("a port that is refused is told why, and closed", () => {
  const port = new PlainPort();
  const close = vi.spyOn(port, "close");
  refusePort(port, new BridgeError("not_leading", "This tab does not host the node"));
  expect(port.sent).toMatchObject([{ type: "bye", name: "not_leading" }]);
  expect(close).toHaveBeenCalledOnce();
});

test("any frame is a sign of life", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { bare, asker } = await bareAnswerer();
  const answer = asker.request(new Request(URL), "tab");
  await bare.nextOf("request");
  bare.send({ type: "response", id: 1, status: 200, statusText: "", headers: [], body: "stream" });
  const reader = (await answer).body?.getReader();
  for (let round = 0; round <= UNANSWERED_PINGS; round++) {
    vi.advanceTimersByTime(2 * PING_EVERY_MS);
    await bare.nextOf("ping");
    bare.send({ type: "chunk", id: 1, bytes: new Uint8Array(1) });
    await reader?.read();
  }
});
