/** Settings of a running headless node, as the API shows and changes them. */
import { describe, expect, it } from "vitest";
import type { Rates } from "../../../src/exchange/exchange.ts";
import { createLiveSettings } from "../../../src/headless/live-settings.ts";
import { settingsSchema } from "../../../src/headless/settings/settings.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";

function open(flags: Record<string, string>) {
  const blocks = new MemoryBlockStore();
  const told: Rates[] = [];
  const names: string[] = [];
  const invited: boolean[] = [];
  const settings = createLiveSettings(settingsSchema.parse(flags), {
    swarm: {
      rename: (name) => void names.push(name),
      takeInvitations: (isTaken) => void invited.push(isTaken),
    },
    blocks,
    exchange: { setRates: (rates) => void told.push(rates) },
  });
  return { settings, blocks, told, names, invited };
}

describe("live settings", () => {
  it("are those that the node was started with", () => {
    const { settings } = open({ swarm: "mine", "max-upload": "2MB", "max-storage": "1GiB" });
    expect(settings.read()).toEqual({
      name: null,
      swarm: "mine",
      bootstrap: [],
      ice_servers: [],
      max_storage: 1024 ** 3,
      max_upload: 2_000_000,
      max_download: null,
      auto_resume: false,
      search: true,
      excerpts: true,
      invitations: true,
      search_model: null,
    });
    expect(settings.pending()).toEqual([]);
  });

  it("take effect at once", async () => {
    const { settings, blocks, told, names, invited } = open({ "max-upload": "2MB", name: "Ada's shelf" });
    await settings.change({ name: "Ada's attic" });
    await settings.change({ name: null });
    expect(names).toEqual(["Ada's attic", ""]);
    await settings.change({ invitations: false });
    expect(invited).toEqual([true, true, false]);
    await settings.change({ max_download: 500, max_storage: 9000 });
    await settings.change({ max_upload: null });
    expect(blocks.maxBytes).toBe(9000);
    expect(told.slice(3)).toEqual([
      { maxUploadBytesPerSecond: 2_000_000, maxDownloadBytesPerSecond: 500 },
      { maxUploadBytesPerSecond: undefined, maxDownloadBytesPerSecond: 500 },
    ]);
    expect(settings.read()).toMatchObject({ max_upload: null, max_download: 500, max_storage: 9000 });
  });
});
