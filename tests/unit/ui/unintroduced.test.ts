/** When a page says that nobody can come to it. */
import { signal } from "@preact/signals";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { INTRODUCED_AFTER_MS } from "../../../src/ui/limits.ts";
import type { NodeInfo, Peer } from "../../../src/ui/state/entries.ts";
import type { NodePhase } from "../../../src/ui/state/node-phase.ts";
import { watchIntroductions } from "../../../src/ui/state/unintroduced.ts";

const page = new AbortController();
afterAll(() => {
  page.abort();
  vi.useRealTimers();
});
beforeEach(() => {
  vi.useFakeTimers();
});

const RELAYED = "/dns4/example.org/tcp/443/tls/ws/p2p/QmRelay/p2p-circuit/webrtc/p2p/QmPage";
const infoOf = (...addresses: string[]) => ({ addresses }) as unknown as NodeInfo;
const peersOf = (...peers: { id: string; relay: boolean }[]) => peers as unknown as Peer[];
const HOST = { id: "host", relay: false };

function watchedPage(hostId: string | undefined) {
  const phase = signal<NodePhase>({ phase: "starting", step: "Starting" });
  const info = signal<NodeInfo | undefined>(undefined);
  const peers = signal<readonly Peer[] | undefined>(undefined);
  const host = { nodeId: async () => hostId };
  const is = watchIntroductions({ host, phase, info: { value: info }, peers: { value: peers } }, page.signal);
  const run = () => {
    info.value = infoOf();
    peers.value = peersOf();
    phase.value = { phase: "running" };
  };
  return { phase, info, peers, is, run };
}

it("not for a moment while it starts, and once its host has introduced nobody for a while", async () => {
  const { info, peers, is, run } = watchedPage("host");
  await vi.advanceTimersByTimeAsync(INTRODUCED_AFTER_MS);
  run();
  await vi.advanceTimersByTimeAsync(INTRODUCED_AFTER_MS);
  peers.value = peersOf(HOST);
  await vi.advanceTimersByTimeAsync(INTRODUCED_AFTER_MS - 1);
  expect(is.value).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(is.value).toBe(true);
  info.value = infoOf(RELAYED);
  expect(is.value).toBe(false);
});

it("not of a host that relays, or from the moment on that it does", async () => {
  const { peers, is, run } = watchedPage("host");
  run();
  peers.value = peersOf({ ...HOST, relay: true });
  await vi.advanceTimersByTimeAsync(INTRODUCED_AFTER_MS);
  expect(is.value).toBe(false);
  peers.value = peersOf(HOST);
  await vi.advanceTimersByTimeAsync(INTRODUCED_AFTER_MS);
  expect(is.value).toBe(true);
  peers.value = peersOf({ ...HOST, relay: true });
  expect(is.value).toBe(false);
});

it.each([
  { host: "does not say which node it is", hostId: undefined },
  { host: "is not met, though another peer is", hostId: "elsewhere" },
])("not where the host $host", async ({ hostId }) => {
  const { peers, is, run } = watchedPage(hostId);
  run();
  peers.value = peersOf(HOST);
  await vi.advanceTimersByTimeAsync(INTRODUCED_AFTER_MS);
  expect(is.value).toBe(false);
});
