/** What libp2p's DHT is given of what peers ask of it. */
import type { KadDHT } from "@libp2p/kad-dht";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MAX_ADDRESSES_PER_PEER, MAX_WAITING_PER_HOST } from "../../../src/network/limits.ts";
import { capDht } from "../../../src/network/providers/capped-dht.ts";
import {
  DHT_ANSWER_BURST,
  DHT_ANSWERS_PER_SECOND,
  DHT_REQUEST_BURST,
  MAX_DHT_REQUESTS_WAITING,
  MAX_PROVIDERS_PER_REQUEST,
} from "../../../src/network/providers/limits.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** The parts of a DHT that are capped; `answered` tells whom it has answered, `requests` what of theirs came to it. */
function openDht(originOf = (peerId: string) => peerId) {
  const answered: string[] = [];
  const requests: object[] = [];
  const rpc = {
    onIncomingStream: async () => {},
    handleMessage: async (from: string, request: object) => {
      answered.push(from);
      requests.push(request);
    },
  };
  const network = { _writeReadMessage: async () => ({}), safeDispatchEvent: () => true };
  capDht({ rpc, network } as unknown as KadDHT, originOf);
  const ask = (from: string, providers: object[] = []) =>
    rpc.handleMessage(from, { closer: [], providers }).then(
      () => "answered",
      (error: Error) => error.name,
    );
  return { ask, answered, requests };
}

it("takes of a request no more peers, and of each no more addresses, than an honest node names", async () => {
  const { ask, requests } = openDht();
  const address = Uint8Array.of(4, 127, 0, 0, 1);
  const peer = { id: Uint8Array.of(0), multiaddrs: Array(2 * MAX_ADDRESSES_PER_PEER).fill(address) };
  const asked = ask("teller", Array(2).fill(peer));
  await vi.advanceTimersByTimeAsync(0);
  await asked;
  const taken = { ...peer, multiaddrs: Array(MAX_ADDRESSES_PER_PEER).fill(address) };
  expect(requests).toEqual([{ closer: [], providers: Array(MAX_PROVIDERS_PER_REQUEST).fill(taken) }]);
});

it("refuses what a peer asks beyond what may wait, and answers the rest and all others", async () => {
  const { ask, answered } = openDht();
  for (let count = 0; count < DHT_REQUEST_BURST; count++) {
    const asked = ask("flood");
    await vi.advanceTimersByTimeAsync(0);
    expect(await asked).toBe("answered");
  }
  const waiting = Array.from({ length: MAX_DHT_REQUESTS_WAITING }, () => ask("flood"));
  const beyond: string[] = [];
  for (let count = 0; count < 2; count++) void ask("flood").then((end) => beyond.push(end));
  const other = ask("other");
  await vi.advanceTimersByTimeAsync(0);
  expect(await other).toBe("answered");
  expect(beyond).toEqual(["protocol_error", "protocol_error"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["answered"]));
  expect(answered).toHaveLength(DHT_REQUEST_BURST + MAX_DHT_REQUESTS_WAITING + 1);

  const last = ask("flood");
  await vi.advanceTimersByTimeAsync(0);
  expect(await last).toBe("answered");
});

it("a host that asks under ever new ids waits for its turn, and one that asks later has its own", async () => {
  const { ask, answered } = openDht((peerId) => peerId.slice(0, 4));
  const asked = Array.from({ length: 2 * DHT_ANSWER_BURST }, (_, id) => ask(`many${id}`));
  await vi.advanceTimersByTimeAsync(0);
  asked.push(ask("host"));
  await vi.advanceTimersByTimeAsync(100);
  expect(answered).toContain("host");
  expect(answered.length).toBeLessThan(1.5 * DHT_ANSWER_BURST);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(new Set(await Promise.all(asked))).toEqual(new Set(["answered"]));
});

it("who shares a host with many that ask all they may is answered, and soon", async () => {
  const { ask, answered } = openDht(() => "relay");
  const ids = (DHT_ANSWER_BURST + MAX_WAITING_PER_HOST) / DHT_REQUEST_BURST;
  for (let id = 0; id < ids; id++)
    for (let count = 0; count < DHT_REQUEST_BURST; count++) void ask(`many${id}`);
  await vi.advanceTimersByTimeAsync(0);
  const neighbour = ask("neighbour");
  await vi.advanceTimersByTimeAsync((1_000 * (ids + 1)) / DHT_ANSWERS_PER_SECOND);
  expect(answered).toContain("neighbour");
  expect(await neighbour).toBe("answered");
});
