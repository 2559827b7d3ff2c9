/**
 * The webhook that the settings name. Its receiver needs the secret to check signatures: where the settings give none,
 * the one that was made is left in a file of the data folder, for its owner alone. Called by main; calls the webhooks.
 */
import { rm } from "node:fs/promises";
import type { WebhookPorts, Webhooks } from "../api/webhooks/webhooks.ts";
import { replaceFile } from "./files/durable.ts";
import type { Settings } from "./settings/settings.ts";

export function settingsWebhook(settings: Settings): Pick<WebhookPorts, "configured"> {
  const url = settings["webhook-url"];
  if (url === undefined) return {};
  const events = settings["webhook-events"];
  const secret = settings["webhook-secret"];
  return { configured: { url, ...(events && { events }), ...(secret && { secret }) } };
}

/** Gives the file, or undefined, with no file left, where there is no secret to tell. */
export async function tellWebhookSecret(
  settings: Settings,
  webhooks: Webhooks,
  file: string,
): Promise<string | undefined> {
  const named = webhooks.list().find(({ source }) => source === "settings");
  if (named === undefined || settings["webhook-secret"] !== undefined) {
    await rm(file, { force: true });
    return undefined;
  }
  await replaceFile(file, new TextEncoder().encode(`${webhooks.secretOf(named.id)}\n`));
  return file;
}
