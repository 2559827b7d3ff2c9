/** A full socket is looked at when its peer says something, for pages in the background have few timers. */
import { beforeEach, expect, it, vi } from "vitest";
import { SocketRoom } from "../../../src/network/libp2p/socket-room.ts";

/** A socket of which the test says how full it is. */
class FullSocket extends EventTarget {
  bufferedAmount = 1000;

  /** The peer sends something. */
  message(): void {
    this.dispatchEvent(new Event("message"));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

it("goes on at the peer's message that finds half of it gone, without a timer", () => {
  const full = new FullSocket();
  const onRoom = vi.fn();
  const room = new SocketRoom(full, 1000, onRoom);
  room.start();
  full.bufferedAmount = 501;
  full.message();
  expect(onRoom).not.toHaveBeenCalled();
  full.bufferedAmount = 500;
  full.message();
  full.message();
  expect(onRoom).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

it("goes on by its timer where the peer is silent", () => {
  const full = new FullSocket();
  const onRoom = vi.fn();
  const room = new SocketRoom(full, 1000, onRoom);
  room.start();
  room.start();
  vi.runOnlyPendingTimers();
  expect(onRoom).not.toHaveBeenCalled();
  full.bufferedAmount = 0;
  vi.runOnlyPendingTimers();
  expect(onRoom).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

it("says nothing of a socket that was never full, nor of one that has closed", () => {
  const full = new FullSocket();
  const onRoom = vi.fn();
  const room = new SocketRoom(full, 1000, onRoom);
  full.bufferedAmount = 0;
  full.message();
  room.start();
  room.stop();
  full.message();
  vi.runOnlyPendingTimers();
  expect(onRoom).not.toHaveBeenCalled();
});
