/** The node's own peer connection, on loopback: src/headless/network/peer-connection. */
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";
import { nativeIceServers } from "../../../src/headless/network/ice-servers.ts";
import { type RTCIceCandidate, RTCPeerConnection } from "../../../src/headless/network/peer-connection.ts";
import { deferred } from "../../deferred.ts";

const CHANNELS = 20;

const { made } = vi.hoisted(() => ({ made: [] as { iceServers: unknown }[] }));
vi.mock("node-datachannel", async (original) => {
  const real = await original<typeof import("node-datachannel")>();
  class PeerConnection {
    constructor(...parts: ConstructorParameters<typeof real.PeerConnection>) {
      made.push(parts[1]);
      // biome-ignore lint/correctness/noConstructorReturn: a native class can't be extended.
      return new real.PeerConnection(...parts);
    }
  }
  return { ...real, PeerConnection };
});

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

type Channel = ReturnType<RTCPeerConnection["createDataChannel"]>;

function opened(peer: RTCPeerConnection): Promise<Channel> {
  return new Promise((resolve) => {
    peer.addEventListener(
      "datachannel",
      (event) => resolve((event as unknown as { channel: Channel }).channel),
      {
        once: true,
      },
    );
  });
}

/**
 * Two that are connected. Candidates are told once both have their descriptions: libdatachannel sets its ICE agent
 * going before it knows whose certificate to expect, and fails where the other end's is there within that moment.
 */
async function connect(): Promise<[RTCPeerConnection, RTCPeerConnection]> {
  const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
  const described = deferred();
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.addEventListener("icecandidate", async (event) => {
      await described.promise;
      await to.addIceCandidate((event as unknown as { candidate: RTCIceCandidate }).candidate);
    });
  }
  const first = opened(other);
  one.createDataChannel("init");
  await other.setRemoteDescription(await one.createOffer());
  await one.setRemoteDescription(await other.createAnswer());
  described.resolve();
  await first;
  return [one, other];
}

it("lets go of the channels that the other end has opened, once they are closed", async () => {
  const [one, other] = await connect();
  const held: WeakRef<Channel>[] = [];
  for (let i = 0; i < CHANNELS; i++) {
    const coming = opened(other);
    const channel = one.createDataChannel("");
    const come = await coming;
    held.push(new WeakRef(come));
    const isClosed = once(come, "close");
    channel.close();
    await isClosed;
  }
  const isHeld = () => {
    collect();
    return held.filter((channel) => channel.deref() !== undefined).length;
  };
  // The newest may still be on the stack.
  await expect.poll(isHeld).toBeLessThan(CHANNELS / 2);
  one.close();
  other.close();
});

it("is let go where it was closed before its channel had opened", async () => {
  const dial = async () => {
    const peer = new RTCPeerConnection();
    peer.createDataChannel("init");
    await peer.setLocalDescription(await peer.createOffer());
    peer.close();
    return new WeakRef(peer);
  };
  const held: WeakRef<RTCPeerConnection>[] = [];
  for (let i = 0; i < CHANNELS; i++) held.push(await dial());
  const isHeld = () => {
    collect();
    return held.filter((peer) => peer.deref() !== undefined).length;
  };
  await expect.poll(isHeld).toBeLessThan(CHANNELS / 2);
});

it("has the name and password of a server as they are, at each of its addresses", () => {
  const urls = ["turn:127.0.0.1:9", "turns:127.0.0.1:9?transport=tcp"];
  const iceServers = [{ urls, username: "user", credential: "pa$$w$&rd" }, { urls: "stun:127.0.0.1:9" }];
  new RTCPeerConnection({ iceServers }).close();
  expect(made.at(-1)?.iceServers).toEqual([
    "turn:user:pa$$w$&rd@127.0.0.1:9",
    "turns:user:pa$$w$&rd@127.0.0.1:9?transport=tcp",
    "stun:127.0.0.1:9",
  ]);
});

it("takes a server whose name and password have what is percent-encoded in an address", () => {
  const iceServers = nativeIceServers(["turn:us%40er:p%3A%40%25@127.0.0.1:9", "stun:127.0.0.1:9"]);
  new RTCPeerConnection({ iceServers }).close();
  expect(made.at(-1)?.iceServers).toEqual(["turn:us%40er:p%3A%40%25@127.0.0.1:9", "stun:127.0.0.1:9"]);
});
