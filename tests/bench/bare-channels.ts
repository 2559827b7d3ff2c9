/**
 * What a browser's own channels carry between the parties of the page's benchmark: an RTCDataChannel between two pages, or
 * a page and this process, and a WebSocket between a page and this process. Bytes from memory, counted and dropped. Used by
 * bench browser.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { RTCPeerConnection as NodePeerConnection } from "node-datachannel/polyfill";
import type { Page } from "playwright";
import { type WebSocket as ServerSocket, WebSocketServer } from "ws";
import { MAX_DATA_CHANNEL_BUFFER_BYTES, MAX_DATA_CHANNEL_MESSAGE_BYTES } from "../../src/browser/limits.ts";

/** The settings of a headless node's channels. */
const MESSAGE_BYTES = 64 * 1024;
const BUFFER_BYTES = 256 * 1024;

declare global {
  interface Window {
    bare: { connection: RTCPeerConnection; channel: Promise<RTCDataChannel> };
  }
}

/** Seconds that the bytes took from the sender's first to the receiver's last, with the settings of the page's own. */
export async function dataChannelSeconds(from: Page, to: Page, sizeBytes: number): Promise<number> {
  const offer = await from.evaluate(async () => {
    const connection = new RTCPeerConnection({ iceServers: [] });
    const channel = connection.createDataChannel("bare");
    const open = new Promise<RTCDataChannel>((resolve) => {
      channel.onopen = () => resolve(channel);
    });
    window.bare = { connection, channel: open };
    await connection.setLocalDescription();
    while (connection.iceGatheringState !== "complete") {
      await new Promise((resolve) => {
        connection.onicegatheringstatechange = resolve;
      });
    }
    return connection.localDescription?.sdp ?? "";
  });
  const answer = await to.evaluate(answerTo, offer);
  await from.evaluate((sdp) => window.bare.connection.setRemoteDescription({ type: "answer", sdp }), answer);

  const received = to.evaluate(receiveOverChannel, sizeBytes);
  await from.evaluate(async () => void (await window.bare.channel));
  const startMs = performance.now();
  await from.evaluate(
    async ({ total, message, buffer }) => {
      const channel = await window.bare.channel;
      channel.bufferedAmountLowThreshold = buffer / 2;
      const bytes = new Uint8Array(message);
      for (let sent = 0; sent < total; sent += message) {
        if (channel.bufferedAmount > buffer) {
          await new Promise((resolve) => {
            channel.onbufferedamountlow = resolve;
          });
        }
        channel.send(bytes);
      }
    },
    { total: sizeBytes, message: MAX_DATA_CHANNEL_MESSAGE_BYTES, buffer: MAX_DATA_CHANNEL_BUFFER_BYTES },
  );
  await received;
  const seconds = (performance.now() - startMs) / 1000;
  for (const page of [from, to]) await page.evaluate(() => window.bare.connection.close());
  return seconds;
}

/** The same from this process to the page, as WebRTC-direct has it, with the longest messages. */
export async function directChannelSeconds(to: Page, sizeBytes: number): Promise<number> {
  const connection = new NodePeerConnection({ iceServers: [] });
  const channel = connection.createDataChannel("bare");
  const open = new Promise<void>((resolve) => {
    channel.onopen = () => resolve();
  });
  const gathered = new Promise<void>((resolve) => {
    connection.onicegatheringstatechange = () => {
      if (connection.iceGatheringState === "complete") resolve();
    };
  });
  await connection.setLocalDescription(await connection.createOffer());
  await gathered;
  const answer = await to.evaluate(answerTo, connection.localDescription?.sdp ?? "");
  await connection.setRemoteDescription({ type: "answer", sdp: answer });
  const received = to.evaluate(receiveOverChannel, sizeBytes);
  await open;
  const startMs = performance.now();
  channel.bufferedAmountLowThreshold = BUFFER_BYTES / 2;
  const bytes = new Uint8Array(MESSAGE_BYTES);
  for (let sent = 0; sent < sizeBytes; sent += MESSAGE_BYTES) {
    if (channel.bufferedAmount > BUFFER_BYTES) {
      await new Promise<void>((resolve) => {
        channel.onbufferedamountlow = () => resolve();
      });
    }
    channel.send(bytes);
  }
  await received;
  const seconds = (performance.now() - startMs) / 1000;
  connection.close();
  await to.evaluate(() => window.bare.connection.close());
  return seconds;
}

/** Runs in the page: gives its answer to the offer, with all of its candidates. */
async function answerTo(offer: string): Promise<string> {
  const connection = new RTCPeerConnection({ iceServers: [] });
  const channel = new Promise<RTCDataChannel>((resolve) => {
    connection.ondatachannel = (event) => resolve(event.channel);
  });
  window.bare = { connection, channel };
  await connection.setRemoteDescription({ type: "offer", sdp: offer });
  await connection.setLocalDescription();
  while (connection.iceGatheringState !== "complete") {
    await new Promise((resolve) => {
      connection.onicegatheringstatechange = resolve;
    });
  }
  return connection.localDescription?.sdp ?? "";
}

/** Runs in the page. */
async function receiveOverChannel(total: number): Promise<void> {
  const channel = await window.bare.channel;
  channel.binaryType = "arraybuffer";
  return new Promise<void>((resolve) => {
    let bytes = 0;
    channel.onmessage = ({ data }) => {
      bytes += data.byteLength;
      if (bytes >= total) resolve();
    };
  });
}

/** The same over a WebSocket, from this process to the page or back. */
export async function webSocketSeconds(
  page: Page,
  sizeBytes: number,
  direction: "to page" | "from page",
): Promise<number> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  await once(server, "listening");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connected = once(server, "connection") as Promise<[ServerSocket]>;
  try {
    if (direction === "to page") {
      const received = page.evaluate(receiveOverWebSocket, { url, total: sizeBytes });
      const [socket] = await connected;
      const startMs = performance.now();
      const bytes = new Uint8Array(MESSAGE_BYTES);
      for (let sent = 0; sent < sizeBytes; sent += MESSAGE_BYTES) {
        const handedOn = new Promise<void>((resolve) => socket.send(bytes, () => resolve()));
        if (socket.bufferedAmount > BUFFER_BYTES * 4) await handedOn;
      }
      await received;
      return (performance.now() - startMs) / 1000;
    }
    const sent = page.evaluate(sendOverWebSocket, { url, total: sizeBytes, message: MESSAGE_BYTES });
    const [socket] = await connected;
    const startMs = performance.now();
    let bytes = 0;
    await new Promise<void>((resolve) => {
      socket.on("message", (data: Buffer) => {
        bytes += data.byteLength;
        if (bytes >= sizeBytes) resolve();
      });
    });
    await sent;
    return (performance.now() - startMs) / 1000;
  } finally {
    for (const client of server.clients) client.terminate();
    server.close();
  }
}

/** Runs in the page. */
function receiveOverWebSocket({ url, total }: { url: string; total: number }): Promise<void> {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  return new Promise((resolve) => {
    let bytes = 0;
    socket.onmessage = ({ data }) => {
      bytes += data.byteLength;
      if (bytes >= total) resolve();
    };
  });
}

/** Runs in the page. */
async function sendOverWebSocket(options: { url: string; total: number; message: number }): Promise<void> {
  const socket = new WebSocket(options.url);
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const bytes = new Uint8Array(options.message);
  for (let sent = 0; sent < options.total; sent += options.message) {
    // No event tells that the buffer has room.
    while (socket.bufferedAmount > 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 1));
    socket.send(bytes);
  }
}
