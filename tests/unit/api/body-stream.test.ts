/** Bodies of responses, however they end: nothing of them stays behind at the signal that could have broken them off. */
import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { bodyStream } from "../../../src/api/body-stream.ts";
import { eventually } from "../../eventually.ts";

async function* pieces(signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let piece = 0; piece < 3 && !signal.aborted; piece++) yield Uint8Array.of(piece);
}

/** A body that has given its first piece. */
async function begun(open = pieces) {
  const ended = new AbortController();
  let signal: AbortSignal | undefined;
  const onOver = vi.fn();
  const openFor = (given: AbortSignal) => {
    signal = given;
    return open(given);
  };
  const body = bodyStream(openFor, ended.signal, onOver);
  const reader = body.getReader();
  expect((await reader.read()).value).toEqual(Uint8Array.of(0));
  expect(getEventListeners(ended.signal, "abort")).toHaveLength(1);
  expect(onOver).not.toHaveBeenCalled();
  const expectGone = () => {
    expect(onOver).toHaveBeenCalledOnce();
    expect(signal?.aborted).toBe(true);
    expect(getEventListeners(ended.signal, "abort")).toEqual([]);
  };
  return { ended, reader, expectGone };
}

/** Pieces, and whether whoever makes them has put away what that took. */
function leavable() {
  const onLeft = vi.fn();
  async function* open(signal: AbortSignal) {
    try {
      yield* pieces(signal);
    } finally {
      onLeft();
    }
  }
  return { open, onLeft };
}

describe("a body", () => {
  it("that is read to its end", async () => {
    const { reader, expectGone } = await begun();
    expect((await reader.read()).value).toEqual(Uint8Array.of(1));
    expect((await reader.read()).value).toEqual(Uint8Array.of(2));
    expect((await reader.read()).done).toBe(true);
    expectGone();
  });

  it("whose reader goes away", async () => {
    const { open, onLeft } = leavable();
    const { reader, expectGone } = await begun(open);
    await reader.cancel();
    expectGone();
    expect(onLeft).toHaveBeenCalledOnce();
  });

  it("that is broken off tells its reader why", async () => {
    const { open, onLeft } = leavable();
    const { ended, reader, expectGone } = await begun(open);
    ended.abort(new Error("the node stops"));
    await expect(reader.read()).rejects.toThrow("the node stops");
    expectGone();
    await eventually(() => expect(onLeft).toHaveBeenCalledOnce());
  });

  it("whose source fails", async () => {
    const { reader, expectGone } = await begun(async function* () {
      yield Uint8Array.of(0);
      throw new Error("the disk fails");
    });
    await expect(reader.read()).rejects.toThrow("the disk fails");
    expectGone();
  });

  it("that nobody began to read", async () => {
    const ended = new AbortController();
    const onOver = vi.fn();
    await bodyStream(pieces, ended.signal, onOver).cancel();
    expect(onOver).toHaveBeenCalledOnce();
    expect(getEventListeners(ended.signal, "abort")).toEqual([]);
  });

  it("whose client was gone before it was made is not begun", async () => {
    const [open, onOver] = [vi.fn(pieces), vi.fn()];
    const reader = bodyStream(open, AbortSignal.abort(new Error("gone")), onOver).getReader();
    await expect(reader.read()).rejects.toThrow("gone");
    expect(open).not.toHaveBeenCalled();
    expect(onOver).toHaveBeenCalledOnce();
  });
});
