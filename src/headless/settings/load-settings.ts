/**
 * Merges flags, environment and file into settings: flags before SHOAL_* variables before the file before the
 * defaults. Called by service; calls the schema. An error names the place that the wrong value is from.
 */
import { readFile } from "node:fs/promises";
import { delimiter } from "node:path";
import { CommandError } from "../command-error.ts";
import { MAX_SETTINGS_FILE_BYTES } from "../limits.ts";
import {
  PATH_LISTS,
  SETTING_NAMES,
  type SettingName,
  type Settings,
  SWITCHED_OFF,
  settingsSchema,
} from "./settings.ts";

type Environment = Record<string, string | undefined>;

export interface SettingSources {
  /** By setting name, as commander gives them; absent when the flag was not given. */
  flags: Partial<Record<SettingName, unknown>>;
  environment: Environment;
  /** From `--config`; else `SHOAL_CONFIG` counts. */
  configPath?: string | undefined;
}

/** @throws CommandError `usage` */
export async function loadSettings(sources: SettingSources): Promise<Settings> {
  const { flags, environment, configPath } = sources;
  const path = settingsFile(sources);
  const given = configPath === undefined ? "SHOAL_CONFIG" : "--config";
  const file = path === undefined ? {} : await readSettingsFile(path, given);
  const origin = (name: string) => {
    if (Object.hasOwn(flags, name)) return `--${name}`;
    if (Object.hasOwn(fromEnvironment(environment), name)) return variableName(name);
    return `${path}: ${name}`;
  };

  const parsed = settingsSchema.safeParse({ ...file, ...fromEnvironment(environment), ...flags });
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.map((issue) => {
    if (issue.code === "unrecognized_keys") {
      return `${path}: there is no setting ${issue.keys.map(unknownSetting).join(", ")}`;
    }
    return `${origin(String(issue.path[0]))} ${issue.message}`;
  });
  // Of a list, each wrong entry complains.
  throw new CommandError("usage", [...new Set(complaints)].join("\n"));
}

/** Where settings are read from; undefined for no file. An empty variable counts as absent, as below. */
export function settingsFile({ configPath, environment }: SettingSources): string | undefined {
  return configPath ?? (environment.SHOAL_CONFIG || undefined);
}

/**
 * A flag such as `--no-mdns` is another setting's, and `{name:value}` one word: who writes that in a file is told how,
 * and never the value, which may be a secret.
 */
function unknownSetting(key: string): string {
  const [name = "", value] = key.split(":");
  if (value !== undefined) return `${JSON.stringify(`${name}:...`)} (a blank goes behind the colon)`;
  const switched = SWITCHED_OFF.find((off) => key === `no-${off}`);
  return JSON.stringify(key) + (switched === undefined ? "" : ` (${switched}: false)`);
}

export function variableName(setting: string): string {
  return `SHOAL_${setting.replaceAll("-", "_").toUpperCase()}`;
}

/** Variables that are set; an empty one counts as absent, as deployment tools write it. Paths are parted as in PATH. */
function fromEnvironment(environment: Environment): Partial<Record<SettingName, string | string[]>> {
  const given: Partial<Record<SettingName, string | string[]>> = {};
  for (const name of SETTING_NAMES) {
    const value = environment[variableName(name)];
    if (value === undefined || value === "") continue;
    given[name] = PATH_LISTS.has(name) ? value.split(delimiter).filter((path) => path !== "") : value;
  }
  return given;
}

/** YAML, of which JSON is a part. `given`: where the path is from. */
async function readSettingsFile(path: string, given: string): Promise<Record<string, unknown>> {
  try {
    const content = await readFile(path);
    if (content.byteLength > MAX_SETTINGS_FILE_BYTES) throw new Error("the file is too long");
    // Loaded for files alone, which most have none of.
    const { parseDocument } = await import("yaml");
    const document = parseDocument(content.toString("utf8"));
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw new Error(withoutSource(fault.message));
    const settings: unknown = document.toJS({ maxAliasCount: 0 }) ?? {};
    if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
      throw new Error("settings are names with values, such as api-port: 8081");
    }
    return settings as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new CommandError("usage", `${given} ${path}: ${reason}`, { cause: error });
  }
}

/** What is wrong, and where: the rest of the message repeats the file, in which secrets may stand. */
function withoutSource(message: string): string {
  const [what = ""] = message.split(/:| at line /, 1);
  return what + (/ at line \d+, column \d+/.exec(message)?.[0] ?? "");
}
