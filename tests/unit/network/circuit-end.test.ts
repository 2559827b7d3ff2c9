/** One end of a circuit at a relay: bytes stay whole and in order, the faster end waits, and no end outlasts the other. */
import type { Stream } from "@libp2p/interface";
import { multiaddrConnectionPair } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { expect, it, vi } from "vitest";
import { circuitEnd } from "../../../src/network/relay/circuit-end.ts";
import { MAX_CIRCUIT_BYTES } from "../../../src/network/relay/limits.ts";
import { deferred } from "../../deferred.ts";

const MIB = 1024 * 1024;
const WINDOW_BYTES = MIB;
const MESSAGE_BYTES = MIB / 16;

/** A stream of the relay's, and what is at its other end. */
async function streams(windowBytes = WINDOW_BYTES) {
  const [relays, peers] = multiaddrConnectionPair({ capacity: 1000 });
  // As a window has grown that was used a while.
  const make = yamux({ enableKeepAlive: false, streamOptions: { initialStreamWindowSize: windowBytes } })();
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

/** Numbered messages, as fast as they are taken; `onSent` is told how many bytes that were. */
async function send(stream: Stream, count: number, onSent = (_bytes: number) => {}): Promise<void> {
  for (let i = 0; i < count; i++) {
    const isTaken = stream.send(new Uint8Array(MESSAGE_BYTES).fill(i % 251));
    onSent((i + 1) * MESSAGE_BYTES);
    if (isTaken) continue;
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
  let [sentBytes, readBytes, mostBytes] = [0, 0, 0];
  const sent = send(far, COUNT, (bytes) => {
    sentBytes = bytes;
  }).then(() => far.close());
  const all: number[] = [];
  for await (const bytes of end.source) {
    const message = bytes.subarray();
    for (let at = 0; at < message.length; at += MESSAGE_BYTES) all.push(message[at] as number);
    for (let i = 0; i < 100; i++) await soon();
    mostBytes = Math.max(mostBytes, sentBytes - far.writeBufferLength - readBytes);
    readBytes += message.length;
  }
  await sent;
  expect(all).toEqual(Array.from({ length: COUNT }, (_, i) => i % 251));
  expect(mostBytes).toBeLessThan(3 * WINDOW_BYTES);
});

it("has the sender wait as soon as enough is here that nobody has read, and again when all of it had been read", async () => {
  const { near, far } = await streams();
  const { source } = circuitEnd(near);
  const COUNT = MAX_CIRCUIT_BYTES / MESSAGE_BYTES;
  let reading = source.next();
  for (let round = 0; round < 2; round++) {
    const some = numbers(near, COUNT - 1);
    await send(far, COUNT - 1);
    await some;
    expect(near.readStatus).toBe("readable");
    const last = numbers(near, 1);
    await send(far, 1);
    await last;
    expect(near.readStatus).toBe("paused");
    for (let readBytes = 0; readBytes < MAX_CIRCUIT_BYTES; reading = source.next())
      readBytes += (await reading).value.byteLength;
  }
});

it("keeps a whole window of what comes unread, however large that is", async () => {
  const { near, far } = await streams(8 * MIB);
  const { source } = circuitEnd(near);
  const COUNT = 100;
  await send(far, COUNT);
  await far.close();
  await expect.poll(() => near.remoteWriteStatus).toBe("closed");
  let readBytes = 0;
  for await (const bytes of source) readBytes += bytes.byteLength;
  expect(readBytes).toBe(COUNT * MESSAGE_BYTES);
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

it("brings what had come before the connection went to one that still sends", async () => {
  const [from, to] = [await streams(), await streams()];
  const come = numbers(to.far, 1);
  const [one, other] = [circuitEnd(from.near), circuitEnd(to.near)];
  await send(from.far, 1);
  await from.far.close();
  await expect.poll(() => from.near.remoteWriteStatus).toBe("closed");
  from.hangUp();
  await expect.poll(() => from.near.writeStatus).toBe("closed");
  to.far.send(Uint8Array.of(1));
  await one.sink(other.source);
  void other.sink(one.source);
  expect(await come).toEqual([0]);
});

it.each([
  ["all was sent", 1],
  ["there is more to send", 2],
])("waits no longer for a taker that breaks off, where %s", async (_, count) => {
  const { near, far } = await streams();
  far.pause();
  const sink = circuitEnd(near).sink(
    (async function* () {
      for (let i = 0; i < count; i++) yield new Uint8Array(2 * WINDOW_BYTES);
    })(),
  );
  let hasEnded = false;
  const ended = sink.finally(() => {
    hasEnded = true;
  });
  ended.catch(() => undefined);
  await expect.poll(() => near.writableNeedsDrain).toBe(true);
  const closed = new Promise((resolve) => near.addEventListener("close", resolve, { once: true }));
  far.abort(new Error("broken off"));
  await closed;
  await soon();
  expect(hasEnded).toBe(true);
});

it("breaks off where it cannot be closed", async () => {
  const { near } = await streams();
  const failure = new Error("it cannot be closed");
  vi.spyOn(near, "close").mockRejectedValue(failure);
  await expect(circuitEnd(near).sink((async function* () {})())).rejects.toBe(failure);
  expect(near.status).toBe("aborted");
});

it("breaks off when the relay ends the circuit", async () => {
  const { near } = await streams();
  circuitEnd(near).abort(new Error("over"));
  expect(near.status).toBe("aborted");
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
