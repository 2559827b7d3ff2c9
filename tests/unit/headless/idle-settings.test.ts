/** What settings alone do nothing, and are refused by the command that would start a node. */
import { expect, it } from "vitest";
import { refuseIdle } from "../../../src/headless/commands/idle-settings.ts";
import { loadSettings } from "../../../src/headless/settings/load-settings.ts";

it.each([
  [{ "enable-api": true, "tls-cert": "chain.pem" }, {}, "--web-port"],
  [{ "enable-api": true, "tls-key": "key.pem" }, {}, "--web-port"],
  [{ gateway: true }, {}, "give --enable-api with it"],
  [{ "webhook-events": ["file_shared"] }, {}, "--webhook-url"],
  [{ "vx-dimension": "3" }, {}, "--vx-dimension is for the vector index"],
  [{ "vx-encryption-enabled": true }, {}, "give --enable-api with it"],
  [{}, { SHOAL_VX_BACKUP_INTERVAL: "0" }, "--vx-backup-interval is for the vector index"],
  [
    { "enable-api": true, "vx-storage-path": ":memory:" },
    { SHOAL_VX_BACKUP_INTERVAL: "1" },
    "--vx-backup-interval needs",
  ],
])("settings that would do nothing are refused: %j %j", async (flags, environment, reason) => {
  const settings = await loadSettings({ flags, environment });
  expect(() => refuseIdle(settings)).toThrow(
    expect.objectContaining({ name: "usage", message: expect.stringContaining(reason) }),
  );
});

it.each([
  [{ "web-port": "0", "tls-cert": "chain.pem", "tls-key": "key.pem" }, {}],
  [{ "enable-api": true, gateway: true, "vx-dimension": "3", "vx-encryption-enabled": true }, {}],
  [{ "webhook-events": ["transfer_complete"], "webhook-url": "http://127.0.0.1:9" }, {}],
  // What may be kept in the environment of more than one command.
  [{}, { SHOAL_VX_ENCRYPTION_KEY: "k".repeat(32), SHOAL_WEBHOOK_SECRET: "words" }],
  [{ "enable-api": true, "vx-storage-path": ":memory:" }, { SHOAL_VX_BACKUP_INTERVAL: "0" }],
])("settings that do something, and secrets alone, are not: %j %j", async (flags, environment) => {
  const settings = await loadSettings({ flags, environment });
  expect(() => refuseIdle(settings)).not.toThrow();
});
