/** How a page asks its host what it tells of the swarm, where the answer is late. */
import { beforeEach, expect, it, vi } from "vitest";
import { askHostLater, readHostNetwork } from "../../../src/browser/network/host-network.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";

const ORIGIN = new URL("http://localhost:8080");
const log = { debug() {}, info() {}, warn() {} };

const late = () => Promise.reject(new DOMException("The operation timed out", "TimeoutError"));
const told = async () => Response.json({ swarm: "friends" });
let fetched: ReturnType<typeof vi.fn<typeof fetch>>;
let records: Promise<MemoryRecords>;
beforeEach(() => {
  records = Promise.resolve(new MemoryRecords());
  fetched = vi.fn<typeof fetch>(told);
  vi.stubGlobal("fetch", fetched);
});

const swarm = async () => (await readHostNetwork(ORIGIN, { records, log }))?.swarm;

it("is asked once more, where it never told anything", async () => {
  fetched.mockImplementationOnce(late);
  expect(await swarm()).toBe("friends");
  expect(fetched).toHaveBeenCalledTimes(2);
});

it("is not waited for a second time, where it told something before", async () => {
  await swarm();
  fetched.mockImplementation(late);
  expect(await swarm()).toBe("friends");
  expect(fetched).toHaveBeenCalledTimes(2);
});

it("is done without, where it is there no more", async () => {
  fetched.mockImplementation(late);
  expect(await readHostNetwork(ORIGIN, { records, log })).toBeUndefined();
});

it("is asked again and again at growing pauses after a start without, until it has told, which the next start goes by", async () => {
  const pauses: number[] = [];
  const clock = { sleep: async (ms: number) => void pauses.push(ms) };
  for (let silences = 0; silences < 9; silences += 1) fetched.mockImplementationOnce(late);
  await askHostLater(ORIGIN, { records, log, clock, signal: new AbortController().signal });
  expect(fetched).toHaveBeenCalledTimes(10);
  expect(pauses.slice(0, 3)).toEqual([5_000, 10_000, 20_000]);
  expect(pauses.slice(-2)).toEqual([600_000, 600_000]);
  fetched.mockImplementation(late);
  expect(await swarm()).toBe("friends");
});

it("is asked no more once the node stops", async () => {
  const stop = new AbortController();
  const clock = { sleep: async () => stop.abort("stopped") };
  fetched.mockImplementation((_, init) => Promise.reject(init?.signal?.reason));
  await expect(askHostLater(ORIGIN, { records, log, clock, signal: stop.signal })).rejects.toBe("stopped");
});
