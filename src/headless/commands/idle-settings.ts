/**
 * Refuses settings that would do nothing, though whoever gave them takes them to be at work. Called by the commands
 * start and vx.
 */
import { parseDuration } from "../../vx/config.ts";
import { CommandError } from "../command-error.ts";
import { SETTING_NAMES, type SettingName, type Settings, settingsSchema } from "../settings/settings.ts";
import { isUnscheduled } from "../settings/vx-settings.ts";

/** Of a whole node. @throws CommandError `usage` */
export function refuseIdle(settings: Settings): void {
  const { "web-port": port, "tls-cert": cert, "tls-key": key } = settings;
  if (port === undefined && (cert !== undefined || key !== undefined)) {
    const complaint = "--tls-cert and --tls-key are for the page alone: give --web-port with them";
    throw new CommandError("usage", complaint);
  }
  if (settings.gateway && !settings["enable-api"]) {
    throw new CommandError("usage", "--gateway is served on the API's port: give --enable-api with it");
  }
  // A secret alone asks for nothing, and may be kept in the environment.
  if (settings["webhook-events"] !== undefined && settings["webhook-url"] === undefined) {
    const complaint = "--webhook-events says what --webhook-url receives: give both";
    throw new CommandError("usage", complaint);
  }
  const ofIndex = SETTING_NAMES.find((name) => isOfIndex(settings, name));
  if (ofIndex !== undefined && !settings["enable-api"]) {
    const complaint = `--${ofIndex} is for the vector index, which is served with the API: give --enable-api with it`;
    throw new CommandError("usage", complaint);
  }
  refuseIdleSchedule(settings);
}

/** Of the index. @throws CommandError `usage` */
export function refuseIdleSchedule(settings: Settings): void {
  const { "vx-backup-interval": interval = 0 } = settings;
  if (!isUnscheduled(settings) || parseDuration("", interval) === 0) return;
  const complaint =
    "--vx-backup-interval needs a folder for what an index in memory backs up: give --vx-backup-path with it";
  throw new CommandError("usage", complaint);
}

/** Whether a setting of the index is given. A key alone asks for nothing, and may be kept in the environment. */
function isOfIndex(settings: Settings, name: SettingName): boolean {
  if (!name.startsWith("vx-") || name === "vx-encryption-key") return false;
  return settings[name] !== settingsSchema.shape[name].safeParse(undefined).data;
}
