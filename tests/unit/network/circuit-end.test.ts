/** One end of a circuit at a relay: bytes stay whole and in order, the faster end waits, and no end outlasts the other. */
import type { Stream } from "@libp2p/interface";
import { multiaddrConnectionPair } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { expect, it } from "vitest";
import { circuitEnd } from "../../../src/network/relay/circuit-end.ts";
import { deferred } from "../../deferred.ts";

const MIB = 1024 * 1024;
const WINDOW_BYTES = MIB;
const MESSAGE_BYTES = MIB / 16;

/** A stream of the relay's, and what is at its other end. */
async function streams() {
  const [relays, peers] = multiaddrConnectionPair({ capacity: 1000 });
  // As a window has grown that was used a while.
  const make = yamux({ enableKeepAlive: false, streamOptions: { initialStreamWindowSize: WINDOW_BYTES } })();
  const [relay, peer] = [make.createStreamMuxer(relays), make.createStreamMuxer(peers)];
  const opened = deferred<Stream>();
  relay.addEventListener("stream", ({ detail }) => opened.resolve(detail), { once: true });
  const far = await peer.createStream();
  far.send(Uint8Array.of(0));
  const near = await opened.promise;
  // The first byte, by which it is opened.
  await new Promise((resolve) => near.addEventListener("message", resolve, { once: true }));
  return { near, far, hangUp: () => peers.abort(new Error("gone")) };
}

/** Numbered messages, as fast as they are taken. */
async function send(stream: Stream, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    if (stream.send(new Uint8Array(MESSAGE_BYTES).fill(i % 251))) continue;
    await new Promise((resolve) => stream.addEventListener("drain", resolve, { once: true }));
  }
}

/** Settles with what stands at the end of each message's length, once that many bytes have come. */
function numbers(stream: Stream, count: number): Promise<number[]> {
  const all: number[] = [];
  let bytes = 0;
  const come = deferred<number[]>();
  stream.addEventListener("message", ({ data }) => {
    for (const byte of data.subarray()) {
      bytes += 1;
      if (bytes % MESSAGE_BYTES === 0) all.push(byte);
    }
    if (all.length === count) come.resolve(all);
  });
  stream.addEventListener("close", ({ error }) => come.reject(error ?? new Error("closed")));
  return come.promise;
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

it("has the sender wait for a slow reader, again and again, and brings all of it in order", async () => {
  const { near, far } = await streams();
  const end = circuitEnd(near);
  const COUNT = 320;
  const sent = send(far, COUNT).then(() => far.close());
  const all: number[] = [];
  let mostBytes = 0;
  for await (const bytes of end.source) {
    const message = bytes.subarray();
    for (let at = 0; at < message.length; at += MESSAGE_BYTES) all.push(message[at] as number);
    for (let i = 0; i < 100; i++) await soon();
    mostBytes = Math.max(mostBytes, near.readBufferLength);
  }
  await sent;
  expect(all).toEqual(Array.from({ length: COUNT }, (_, i) => i % 251));
  expect(mostBytes).toBeLessThan(2 * WINDOW_BYTES);
});

it("waits for a slow taker, again and again", async () => {
  const { near, far } = await streams();
  const COUNT = 200;
  const come = numbers(far, COUNT);
  let mostBytes = 0;
  // It holds whatever is sent to it.
  far.maxReadBufferLength = COUNT * MESSAGE_BYTES;
  // Each time that it has taken something, it rests; within `resume` that would be in name only.
  let isResuming = false;
  far.addEventListener("message", () => {
    if (isResuming || far.readStatus !== "readable") return;
    far.pause();
    setTimeout(() => {
      isResuming = true;
      if (far.readStatus === "paused") far.resume();
      isResuming = false;
    }, 10);
  });
  const source = async function* () {
    for (let i = 0; i < COUNT; i++) {
      await soon();
      mostBytes = Math.max(mostBytes, near.writeBufferLength);
      yield new Uint8Array(MESSAGE_BYTES).fill(i);
    }
  };
  await circuitEnd(near).sink(source());
  expect(await come).toHaveLength(COUNT);
  expect(mostBytes).toBeLessThan(WINDOW_BYTES / 4);
});

it("brings what had come before the connection went, though nobody can be told to send more", async () => {
  const [from, to] = [await streams(), await streams()];
  const COUNT = 7;
  const come = numbers(to.far, COUNT);
  const end = circuitEnd(from.near);
  // More than is held, so that the relay has the sender wait.
  for (let i = 0; i < COUNT; i++) from.far.send(new Uint8Array(MESSAGE_BYTES).fill(i));
  await expect.poll(() => from.near.readStatus).toBe("paused");
  await expect.poll(() => from.far.writeBufferLength).toBe(0);
  await from.far.close();
  from.hangUp();
  void circuitEnd(to.near).sink(end.source);
  expect(await come).toEqual([...Array(COUNT).keys()]);
});

it("ends where the stream had ended before the circuit was joined", async () => {
  const [from, to] = [await streams(), await streams()];
  from.far.send(new Uint8Array(MESSAGE_BYTES));
  const ended = new Promise((resolve) => from.near.addEventListener("remoteCloseWrite", resolve));
  await from.far.close();
  await ended;
  let comeBytes = 0;
  to.far.addEventListener("message", ({ data }) => {
    comeBytes += data.byteLength;
  });
  void circuitEnd(to.near).sink(circuitEnd(from.near).source);
  await expect.poll(() => to.far.remoteWriteStatus).toBe("closed");
  expect(comeBytes).toBe(MESSAGE_BYTES);
});

it("breaks off where the stream had done so before the circuit was joined", async () => {
  const [from, to] = [await streams(), await streams()];
  from.far.abort(new Error("broken off"));
  await expect.poll(() => from.near.status).toBe("reset");
  await expect(circuitEnd(to.near).sink(circuitEnd(from.near).source)).rejects.toThrow();
});

it("ends the end that is left, where one that had sent all breaks off", async () => {
  const [from, to] = [await streams(), await streams()];
  const [one, other] = [circuitEnd(from.near), circuitEnd(to.near)];
  void other.sink(one.source).catch(() => undefined);
  await to.far.close();
  await one.sink(other.source);
  to.far.abort(new Error("broken off"));
  await expect.poll(() => to.near.status).toBe("reset");
  from.far.send(new Uint8Array(MESSAGE_BYTES));
  await expect.poll(() => from.far.status).toBe("reset");
});

it("ends the other end, too, where one breaks off", async () => {
  const [from, to] = [await streams(), await streams()];
  const broken = new Promise((resolve) => to.far.addEventListener("close", ({ error }) => resolve(error)));
  const sent = circuitEnd(to.near).sink(circuitEnd(from.near).source);
  from.far.abort(new Error("broken off"));
  await expect(sent).rejects.toThrow();
  expect(await broken).toBeInstanceOf(Error);
});
