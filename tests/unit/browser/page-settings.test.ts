/** Settings of the page: defaults, what waits for the next start, what outlives it. */
import { describe, expect, it } from "vitest";
import { openPageSettings } from "../../../src/browser/records/page-settings.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";

describe("settings of the page", () => {
  it("have the swarm of the host that served the page, and search where it does, until another is chosen", async () => {
    const records = new MemoryRecords();
    const settings = await openPageSettings(records, { swarm: "friends", hasSearch: false });
    expect(settings.read()).toMatchObject({
      swarm: "friends",
      search: false,
      auto_resume: true,
      max_upload: null,
    });
    await settings.change({ swarm: "family" });
    const again = await openPageSettings(records, { swarm: "friends" });
    expect(again.read().swarm).toBe("family");
    expect(again.pending()).toEqual([]);
  });

  it("say which of them wait for the next start, and forget it when they are set back", async () => {
    const settings = await openPageSettings(new MemoryRecords(), { swarm: "main" });
    await settings.change({ swarm: "other", max_upload: 5 });
    expect(settings.pending()).toEqual(["swarm"]);
    await settings.change({ swarm: "main" });
    expect(settings.pending()).toEqual([]);
  });

  it("are kept all of them where several are changed at once", async () => {
    const records = new MemoryRecords();
    const settings = await openPageSettings(records, { swarm: "main" });
    await Promise.all([settings.change({ name: "Boat" }), settings.change({ max_upload: 5 })]);
    const both = { name: "Boat", max_upload: 5 };
    expect(settings.read()).toMatchObject(both);
    expect((await openPageSettings(records, { swarm: "main" })).read()).toMatchObject(both);
  });

  it("tell of each change", async () => {
    const settings = await openPageSettings(new MemoryRecords(), { swarm: "main" });
    const told: (number | null)[] = [];
    settings.onChange(({ max_download }) => told.push(max_download));
    await settings.change({ max_download: 9 });
    await settings.change({ max_download: null });
    expect(told).toEqual([9, null]);
  });
});
