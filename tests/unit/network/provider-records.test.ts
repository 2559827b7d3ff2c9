/** Provider records that are kept for others: src/network/providers/provider-records. */
import { MemoryDatastore } from "datastore-core";
import { Key } from "interface-datastore";
import { describe, expect, it } from "vitest";
import {
  MAX_PROVIDER_RECORDS,
  MAX_PROVIDER_RECORDS_PER_FILE,
  MAX_PROVIDER_RECORDS_PER_PEER,
  MAX_PROVIDERS_TOLD,
} from "../../../src/network/providers/limits.ts";
import { ProviderRecords, withProviderRecords } from "../../../src/network/providers/provider-records.ts";

const record = (peer: string, file: number) => new Key(`/dht/provider/file${file}/${peer}`);
const value = Uint8Array.of(1);

/** Each peer is elsewhere. */
const each = (peerId: string) => peerId;

async function countOf(records: ProviderRecords): Promise<number> {
  let count = 0;
  for await (const _ of records.query({ prefix: "/dht/provider" })) count += 1;
  return count;
}

describe("provider records kept for others", () => {
  it("are capped for each peer, and a peer at its cap may renew what it has", async () => {
    const records = new ProviderRecords("self", each);
    for (let i = 0; i < MAX_PROVIDER_RECORDS_PER_PEER + 10; i++)
      await records.put(record("spammer", i), value);
    await records.put(record("honest", 1), value);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_PEER + 1);
    await records.put(record("spammer", 0), Uint8Array.of(2));
    expect(await records.get(record("spammer", 0))).toEqual(Uint8Array.of(2));
  });

  it("count once each, however many times at once they come and go", async () => {
    const records = new ProviderRecords("self", each);
    const same = () => Array(MAX_PROVIDER_RECORDS_PER_PEER).fill(record("peer", 0));
    await Promise.all(same().map((key) => records.put(key, value)));
    for (let i = 1; i <= MAX_PROVIDER_RECORDS_PER_PEER; i++) await records.put(record("peer", i), value);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_PEER);
    await Promise.all(same().map((key) => records.delete(key)));
    for (let i = 0; i < 10; i++) await records.put(record("peer", 90_000 + i), value);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_PEER);
  });

  it("make room again when they expire", async () => {
    const records = new ProviderRecords("self", each);
    for (let i = 0; i < MAX_PROVIDER_RECORDS_PER_PEER; i++) await records.put(record("busy", i), value);
    await records.delete(record("busy", 0));
    await records.delete(record("busy", 0));
    await records.put(record("busy", 90_000), value);
    await records.put(record("busy", 90_001), value);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_PEER);
  });

  it("are capped in all, and who has the most gives way, down to an equal share", async () => {
    const records = new ProviderRecords("self", each);
    const full = MAX_PROVIDER_RECORDS / MAX_PROVIDER_RECORDS_PER_PEER;
    await records.put(record("self", 0), value);
    await records.delete(record("self", 0));
    for (let peer = 0; peer < full; peer++)
      for (let i = 0; i < MAX_PROVIDER_RECORDS_PER_PEER; i++)
        await records.put(record(`peer${peer}`, i), value);
    const has = (peer: string, ...files: number[]) =>
      Promise.all(files.map((file) => records.has(record(peer, file))));
    await records.put(record("late", 0), value);
    expect(await has("late", 0)).toEqual([true]);
    expect(await has("peer0", 0, 1)).toEqual([false, true]);
    await records.put(record("peer0", 0), value);
    expect(await has("peer0", 0)).toEqual([false]);
    await records.delete(record("peer1", 0));
    await records.put(record("peer0", 0), value);
    expect(await has("peer0", 0)).toEqual([true]);
    for (let i = 1; i < MAX_PROVIDER_RECORDS_PER_PEER; i++) await records.put(record("late", i), value);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS);
    const share = Math.floor(MAX_PROVIDER_RECORDS / (full + 1));
    expect(await has("late", share - 1, share, share + 1)).toEqual([true, false, false]);
  });

  it("are shared by origins, and those of one by its peers", async () => {
    const records = new ProviderRecords("self", (peerId) => peerId.split("-")[0]);
    const put = (peer: string, count: number) => {
      for (let i = 0; i < count; i++) void records.put(record(peer, i), value);
    };
    const count = async (peer: string) => {
      const keys = Array.from({ length: MAX_PROVIDER_RECORDS_PER_PEER }, (_, i) => record(peer, i));
      return (await Promise.all(keys.map((key) => records.has(key)))).filter(Boolean).length;
    };
    const full = MAX_PROVIDER_RECORDS / MAX_PROVIDER_RECORDS_PER_PEER;
    for (let peer = 0; peer < full; peer++) put(`host-${peer}`, MAX_PROVIDER_RECORDS_PER_PEER);
    for (const peer of ["honest-1", "honest-2"]) put(peer, MAX_PROVIDER_RECORDS_PER_PEER);
    for (const peer of ["honest-1", "honest-2"])
      expect(await count(peer)).toBe(MAX_PROVIDER_RECORDS_PER_PEER);
    put("host-late", MAX_PROVIDER_RECORDS_PER_PEER);
    const left = MAX_PROVIDER_RECORDS - 2 * MAX_PROVIDER_RECORDS_PER_PEER;
    expect(await count("host-late")).toBe(Math.floor(left / (full + 1)));
  });

  it("are as many of one file as an answer is drawn from, and who comes from elsewhere has its place among them", async () => {
    const records = new ProviderRecords("self", (peerId) => peerId.split("-")[0]);
    await records.put(record("self", 1), value);
    for (let nth = 0; nth < 2 * MAX_PROVIDER_RECORDS_PER_FILE; nth++)
      await records.put(record(`host-${nth}`, 1), value);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_FILE);
    for (let nth = 0; nth < 2 * MAX_PROVIDER_RECORDS_PER_FILE; nth++)
      await records.put(record(`other-${nth}`, 1), value);
    let fromOther = 0;
    for await (const { key } of records.query({ prefix: "/dht/provider" }))
      if (key.name().startsWith("other")) fromOther += 1;
    expect(fromOther).toBe(Math.ceil((MAX_PROVIDER_RECORDS_PER_FILE - 1) / 2));
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_FILE);
    expect(await records.has(record("self", 1))).toBe(true);
  });

  it("are of one file those that were put last, where no origin has more of them than others", async () => {
    const records = new ProviderRecords("self", each);
    await records.put(record("self", 1), value);
    await records.put(record("renewing", 1), value);
    for (let nth = 0; nth < MAX_PROVIDER_RECORDS_PER_FILE - 2; nth++)
      await records.put(record(`gone${nth}`, 1), value);
    await records.put(record("renewing", 1), value);
    await records.put(record("late", 1), value);
    const has = (peer: string) => records.has(record(peer, 1));
    expect(await Promise.all(["self", "renewing", "late", "gone0", "gone1"].map(has))).toEqual([
      true,
      true,
      true,
      false,
      true,
    ]);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_FILE);
  });

  it("are given of holders from each origin, however many there are of one", async () => {
    const records = new ProviderRecords("self", (peerId) => peerId.split("-")[0]);
    for (let nth = 0; nth < 1000; nth++) await records.put(record(`host-${nth}`, 1), value);
    for (const peer of ["a", "b"]) await records.put(record(peer, 1), value);
    for (let asked = 0; asked < 20; asked++) {
      const named: string[] = [];
      for await (const { key } of records.query({ prefix: "/dht/provider/file1" })) named.push(key.name());
      expect(named).toHaveLength(MAX_PROVIDERS_TOLD);
      expect(named).toEqual(expect.arrayContaining(["a", "b"]));
    }
  });

  it("are of one origin where those that sent them had gone by then", async () => {
    const records = new ProviderRecords("self", (peerId) => (peerId === "here" ? "host" : undefined));
    for (let nth = 0; nth < 1000; nth++) await records.put(record(`gone${nth}`, 1), value);
    await records.put(record("here", 1), value);
    for (let asked = 0; asked < 20; asked++) {
      const named: string[] = [];
      for await (const { key } of records.query({ prefix: "/dht/provider/file1" })) named.push(key.name());
      expect(named).toContain("here");
    }
  });

  it("of this node itself have no cap", async () => {
    const records = new ProviderRecords("self", each);
    for (let i = 0; i < MAX_PROVIDER_RECORDS_PER_PEER + 10; i++) await records.put(record("self", i), value);
    expect(await countOf(records)).toBe(MAX_PROVIDER_RECORDS_PER_PEER + 10);
  });

  it("are given of one file as many as an answer has room for, others each time", async () => {
    const records = new ProviderRecords("self", each);
    const peers = Array.from({ length: 200 }, (_, i) => `peer${i}`);
    for (const peer of [...peers, "gone"]) await records.put(record(peer, 1), value);
    await records.put(record("other", 11), value);
    await records.delete(record("gone", 1));
    const seen = new Set<string>();
    for (let asked = 0; asked < 300; asked++) {
      let count = 0;
      for await (const { key } of records.query({ prefix: "/dht/provider/file1" })) {
        seen.add(key.name());
        count += 1;
      }
      expect(count).toBe(MAX_PROVIDERS_TOLD);
    }
    expect([...seen].sort()).toEqual([...peers].sort());
    for await (const _ of records.query({ prefix: "/dht/provider/file2" })) expect.unreachable();
    expect(await countOf(records)).toBe(201);
  });

  it("stay in memory while all else goes to the datastore given", async () => {
    const inner = new MemoryDatastore();
    const datastore = withProviderRecords(inner, "self", each);
    await datastore.put(record("peer", 1), value);
    await datastore.put(new Key("/peers/x"), value);
    expect(await inner.has(record("peer", 1))).toBe(false);
    expect(await inner.has(new Key("/peers/x"))).toBe(true);
    expect(await datastore.has(record("peer", 1))).toBe(true);
  });
});
