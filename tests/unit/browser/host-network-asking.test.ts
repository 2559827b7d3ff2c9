/** How a page asks its host what it tells of the swarm, where the answer is late. */
import { beforeEach, expect, it, vi } from "vitest";
import { readHostNetwork } from "../../../src/browser/network/host-network.ts";
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

const swarm = async () => (await readHostNetwork(ORIGIN, { records, log })).swarm;

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
  expect((await readHostNetwork(ORIGIN, { records, log })).bootstrap).toEqual([]);
});
