/** The webhook that the settings name, and its secret: src/headless/settings-webhook. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWebhooks } from "../../../src/api/webhooks/webhooks.ts";
import { loadSettings } from "../../../src/headless/settings/load-settings.ts";
import { settingsWebhook, tellWebhookSecret } from "../../../src/headless/settings-webhook.ts";
import { createNodeEvents } from "../../../src/sharing/events.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { systemClock as clock } from "../../../src/sharing/system-clock.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const TARGET = "https://hooks.example.org/shoal";
const log = { debug: () => {}, info: () => {}, warn: () => {} };

async function start(records: MemoryRecords, file: string, flags: Record<string, string>) {
  const settings = await loadSettings({ flags, environment: {} });
  const webhooks = await openWebhooks({
    records,
    events: createNodeEvents(clock),
    clock,
    log,
    deliver: async () => new Response(),
    ...settingsWebhook(settings),
    allowPrivate: false,
  });
  onTestFinished(() => webhooks.stop());
  return { told: await tellWebhookSecret(settings, webhooks, file), webhooks };
}

describe("the webhook of the settings", () => {
  it("has a secret that its owner finds in a file, the same after a restart", async () => {
    const file = join(await temporaryFolder(), "webhook-secret");
    const records = new MemoryRecords();
    const { told, webhooks } = await start(records, file, { "webhook-url": TARGET });
    expect(told).toBe(file);
    const secret = await readFile(file, "utf8");
    expect(secret).toBe(`${webhooks.secretOf("settings")}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await start(records, file, { "webhook-url": TARGET });
    expect(await readFile(file, "utf8")).toBe(secret);
  });

  it("leaves no file where the settings give the secret, or name no webhook", async () => {
    const file = join(await temporaryFolder(), "webhook-secret");
    const records = new MemoryRecords();
    const own = { "webhook-url": TARGET, "webhook-secret": "of my own" };
    for (const flags of [own, {}] as Record<string, string>[]) {
      await start(records, file, { "webhook-url": TARGET });
      expect((await start(records, file, flags)).told).toBeUndefined();
      await expect(stat(file)).rejects.toMatchObject({ code: "ENOENT" });
    }
  });
});
