/** When a page's WebRTC connection is closed: src/browser/network/peer-connection. */
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { CLOSING_QUIET_MS } from "../../../src/browser/limits.ts";

/** As much of the browser's own as is used. */
class Native extends EventTarget {
  isClosed = false;
  readonly sctp = null;

  get connectionState(): string {
    return this.isClosed ? "closed" : "connecting";
  }

  close(): void {
    this.isClosed = true;
  }

  createDataChannel(): EventTarget {
    return new EventTarget();
  }
}

let Ours: typeof Native;
beforeAll(async () => {
  vi.stubGlobal("RTCPeerConnection", Native);
  await import("../../../src/browser/network/peer-connection.ts");
  Ours = Reflect.get(globalThis, "RTCPeerConnection") as typeof Native;
});

let connection: Native;
beforeEach(() => {
  vi.useFakeTimers();
  connection = new Ours();
});
afterEach(() => {
  vi.useRealTimers();
});

const change = (what: string) => connection.dispatchEvent(new Event(what));

it("closes one that tells of no change at once", () => {
  change("icegatheringstatechange");
  vi.advanceTimersByTime(CLOSING_QUIET_MS);
  connection.close();
  expect(connection.isClosed).toBe(true);
});

it.each(["signalingstatechange", "icegatheringstatechange", "iceconnectionstatechange", "icecandidate"])(
  "closes one that has just told of %s once it is quiet",
  (what) => {
    change(what);
    connection.close();
    vi.advanceTimersByTime(CLOSING_QUIET_MS - 1);
    change("connectionstatechange");
    vi.advanceTimersByTime(CLOSING_QUIET_MS - 1);
    expect(connection.isClosed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(connection.isClosed).toBe(true);
  },
);

it("counts as closed until then, and takes and opens no channel", () => {
  change("icegatheringstatechange");
  connection.close();
  expect(connection.isClosed).toBe(false);
  expect(connection.connectionState).toBe("closed");
  expect(() => connection.createDataChannel()).toThrow("closed");
  const heard = vi.fn();
  connection.addEventListener("datachannel", heard);
  connection.dispatchEvent(Object.assign(new Event("datachannel"), { channel: { label: "" } }));
  expect(heard).not.toHaveBeenCalled();
});
