/**
 * What Firefox itself does otherwise than Chromium, shown on a bare page and a bare service worker without our code. Where
 * the page goes another way for its sake, or bears it, this says why; a test that fails here is a way that may go.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Firefox, type FirefoxPage, HAS_FIREFOX, WHY_SKIPPED } from "./firefox.ts";

const MIB = 1024 * 1024;

/** How far ahead of its reader an answer is read: far more than any buffer that is meant to be one. */
const AHEAD_BYTES = 32 * MIB;

/** Answers every path beneath /endless with bytes as they are asked for, and says when many were. */
const WORKER = `
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => {
    if (!event.request.url.includes("/endless")) return;
    let bytes = 0;
    event.respondWith(new Response(new ReadableStream({
      async pull(controller) {
        controller.enqueue(new Uint8Array(65536));
        bytes += 65536;
        if (bytes === ${AHEAD_BYTES}) (await clients.get(event.clientId)).postMessage("far ahead");
      },
    }, { highWaterMark: 0 })));
  });`;

const server = createServer((request, response) => {
  const isWorker = request.url === "/worker.js";
  response.setHeader("Content-Type", isWorker ? "text/javascript" : "text/html");
  response.end(isWorker ? WORKER : "<!doctype html><title>bare</title>");
});

describe.skipIf(!HAS_FIREFOX)(`Firefox, on a page without our code,${WHY_SKIPPED}`, () => {
  let firefox: Firefox;
  let bare: FirefoxPage;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    firefox = await Firefox.launch();
    bare = await firefox.openBare(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await bare.page.evaluate(async () => {
      const controlled = new Promise((resolve) => {
        navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true });
      });
      await navigator.serviceWorker.register("/worker.js");
      if (navigator.serviceWorker.controller === null) await controlled;
    });
  });
  afterAll(async () => {
    await firefox?.[Symbol.asyncDispose]();
    server.close();
  });

  it("sends no stream as a request's body: it makes text of it, so uploads are Blobs", async () => {
    const [type, text] = await bare.page.evaluate(async () => {
      const init = { method: "POST", body: new ReadableStream(), duplex: "half" };
      const request = new Request("/", init as RequestInit);
      return [request.headers.get("Content-Type"), await request.text()];
    });
    expect([type, text]).toEqual(["text/plain;charset=UTF-8", "[object ReadableStream]"]);
  });

  it("has no pair of candidates to ask for, but in the statistics", async () => {
    expect(await bare.page.evaluate(() => "getSelectedCandidatePair" in RTCIceTransport.prototype)).toBe(
      false,
    );
  });

  it("reads a service worker's answer far ahead of its reader, and complains when it is abandoned", async () => {
    const complained = new Promise<string>((resolve) => {
      bare.page.on("pageerror", ({ message }) => resolve(message));
    });
    await bare.page.evaluate(async () => {
      const farAhead = new Promise((resolve) => {
        navigator.serviceWorker.addEventListener("message", resolve, { once: true });
      });
      navigator.serviceWorker.startMessages();
      const reader = (await fetch("/endless")).body?.getReader();
      await reader?.read();
      await farAhead;
      await reader?.cancel();
    });
    expect(await complained).toContain("A ServiceWorker intercepted the request");
  });
});
