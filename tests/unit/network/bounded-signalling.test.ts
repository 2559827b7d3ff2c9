/** Offers of WebRTC that come by a stream: src/network/libp2p/bounded-signalling. */
import { multiaddr } from "@multiformats/multiaddr";
import { expect, test, vi } from "vitest";
import { boundedWebRTC } from "../../../src/network/libp2p/bounded-signalling.ts";

test("ends the stream of whoever asks where no peer connection can be made", async () => {
  const rtcConfiguration = () => Promise.reject(new Error("too many of them"));
  const create = boundedWebRTC({ rtcConfiguration });
  const silent = Object.assign(() => undefined, { error() {}, trace() {} });
  const components = { logger: { forComponent: () => silent }, upgrader: {} };
  const transport = create(components as unknown as Parameters<typeof create>[0]);
  const abort = vi.fn();
  const ask = Reflect.get(transport, "_onProtocol") as (...given: unknown[]) => Promise<void>;
  const stream = Object.assign(new EventTarget(), { abort, onData() {}, readBuffer: new Uint8Array() });
  const from = { remoteAddr: multiaddr("/ip4/127.0.0.1/tcp/4001") };
  await expect(ask(stream, from, AbortSignal.timeout(5_000))).rejects.toThrow("too many of them");
  expect(abort).toHaveBeenCalledOnce();
});
