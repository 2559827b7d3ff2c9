/** An app for the leader tab under test: whatever the bridge has to carry, and a log of what it saw. */
import { Hono } from "hono";
import type { ApiClient } from "../../../src/api/ports.ts";

const CHUNK_BYTES = 256 * 1024;

interface Bindings {
  client: ApiClient;
}

/** `seen` grows by one entry for whatever the tests wait for. */
export function createSmallApp(tab: string, seen: string[]) {
  const app = new Hono<{ Bindings: Bindings }>().basePath("/api/v1");

  app.get("/who", (c) => c.json({ tab, client: c.env.client }));
  app.post("/who", (c) => c.json({ tab, client: c.env.client }));

  app.all("/echo", async (c) => {
    const body = await c.req.text();
    return c.json({ method: c.req.method, body, headers: c.req.header() });
  });

  app.get("/status/:status", (c) => new Response(null, { status: Number(c.req.param("status")) }));

  app.get("/bytes/:size", (c) => {
    const sizeBytes = Number(c.req.param("size"));
    return new Response(pattern(sizeBytes), { headers: { "content-length": String(sizeBytes) } });
  });

  app.post("/hash", async (c) => {
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    return c.json({ sizeBytes: bytes.length, hash: await sha256(bytes) });
  });

  /** Answered when the test says so, which it may never do. */
  app.all("/slow", async (c) => {
    seen.push(`slow ${c.req.method}`);
    c.req.raw.signal.addEventListener("abort", () => seen.push("slow aborted"));
    await answerSlow();
    return c.json({ tab });
  });

  app.get("/endless", async (c) => {
    if (c.req.query("late")) {
      seen.push("endless waits");
      await answerSlow();
    }
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(CHUNK_BYTES)),
      cancel: () => {
        seen.push("endless cancelled");
      },
    });
    c.req.raw.signal.addEventListener("abort", () => seen.push("endless aborted"));
    return new Response(body);
  });

  app.get("/events", () => {
    const body = new ReadableStream({
      start(controller) {
        addEventListener("tell", (event) => {
          controller.enqueue(new TextEncoder().encode(`data: ${(event as CustomEvent<string>).detail}\n\n`));
        });
        seen.push("events open");
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });

  /** A minute of silence as a WAV file, with ranges, as the stream route of the API gives a file. */
  app.get("/stream/sound", (c) => {
    const file = silence(60);
    const range = /^bytes=(\d+)-(\d*)$/.exec(c.req.header("range") ?? "");
    seen.push(`range ${c.req.header("range") ?? "none"}`);
    const start = Number(range?.[1] ?? 0);
    const end = range?.[2] ? Number(range[2]) + 1 : file.length;
    const headers = new Headers({
      "content-type": "audio/wav",
      "accept-ranges": "bytes",
      "content-length": String(end - start),
      "content-disposition": c.req.query("download") ? 'attachment; filename="silence.wav"' : "inline",
    });
    if (range) headers.set("content-range", `bytes ${start}-${end - 1}/${file.length}`);
    return new Response(file.slice(start, end), { status: range ? 206 : 200, headers });
  });

  return app;
}

function answerSlow(): Promise<void> {
  return new Promise((resolve) => addEventListener("answer-slow", () => resolve(), { once: true }));
}

function pattern(sizeBytes: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, sizeBytes - sent));
        for (let index = 0; index < chunk.length; index += 4096) chunk[index] = (sent + index) / 4096;
        sent += chunk.length;
        if (chunk.length > 0) controller.enqueue(chunk);
        if (sent === sizeBytes) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The same bytes as `pattern` makes, at once. */
export function patternBytes(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes);
  for (let index = 0; index < sizeBytes; index += 4096) bytes[index] = index / 4096;
  return bytes;
}

export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** 16 bits, mono, 22050 Hz. */
function silence(seconds: number): Uint8Array<ArrayBuffer> {
  const rate = 22_050;
  const dataBytes = seconds * rate * 2;
  const view = new DataView(new ArrayBuffer(44 + dataBytes));
  const text = (offset: number, value: string) => {
    for (const [index, char] of [...value].entries()) view.setUint8(offset + index, char.charCodeAt(0));
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + dataBytes, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, dataBytes, true);
  return new Uint8Array(view.buffer);
}
