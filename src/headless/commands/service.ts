/**
 * A command that runs until it is told to stop: its flags are made from the schema of the settings. Called by the
 * commands start and vx, which say what is run; calls load-settings.
 */
import { Command, Option } from "commander";
import type { FirstKey } from "../first-key.ts";
import { STOP_MS } from "../limits.ts";
import type { Logger } from "../log.ts";
import { printable } from "../printable.ts";
import { loadSettings, settingsFile, variableName } from "../settings/load-settings.ts";
import { misspeltVariables } from "../settings/misspelt-variables.ts";
import {
  REPEATABLE,
  type SettingName,
  type Settings,
  SWITCHED_OFF,
  SWITCHES,
  settingsSchema,
} from "../settings/settings.ts";
import { startFailure } from "../start-failure.ts";

export interface Service {
  /** The few lines that tell a person where everything is; asked for once, when all of it serves. */
  lines(): Promise<string[]>;
  /** Settles when all of it serves, which it may do in part before. */
  ready: Promise<void>;
  stop(): Promise<void>;
}

export interface ServiceContext {
  log: Logger;
  /** Whether what the start prints is seen by a person. */
  isTerminal: boolean;
  /** Where settings were read from. */
  settingsFile: string | undefined;
}

export type StartService = (settings: Settings, context: ServiceContext) => Promise<Service>;

const UNHEARD = "work in the background failed, and nobody waited for it";

export function serviceCommand(
  name: string,
  description: string,
  { settingNames, start }: { settingNames: readonly SettingName[]; start: StartService },
): Command {
  const command = new Command(name)
    .description(description)
    .option("--config <file>", "YAML or JSON file with settings; flags and SHOAL_* variables win");
  const options = settingNames.map((setting) => ({ setting, option: settingOption(setting) }));
  for (const { option } of options) command.addOption(option);

  return command.action(async (given: Record<string, unknown>) => {
    const flags: Partial<Record<SettingName, unknown>> = {};
    for (const { setting, option } of options) {
      // Commander takes a `--no-x` as x being true unless given, which would hide variables and the file.
      const attribute = option.attributeName();
      if (command.getOptionValueSource(attribute) === "cli") flags[setting] = given[attribute];
    }
    const sources = { flags, environment: process.env, configPath: given.config as string | undefined };
    const settings = await loadSettings(sources);
    const { createLog } = await import("../log.ts");
    const log = createLog(settings["log-level"]);
    // One connection's trouble that a library lets nobody hear of would end the node for all, as Node.js has it.
    process.on("unhandledRejection", (error) => log.error({ error }, UNHEARD));
    for (const complaint of misspeltVariables(process.env)) log.warn(complaint);
    // Before libp2p, which needs them; commands that speak to a node don't.
    await import("../node20-shims.ts");
    const signalled = stopSignal();
    const hasStopped = exitInTime(signalled, (message) => log.error(message));
    const service = await start(settings, {
      log,
      isTerminal: process.stdout.isTTY === true,
      settingsFile: settingsFile(sources),
    });
    const lines = await linesOf(service, signalled);
    if (lines !== undefined) {
      process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(""));
      log.info({ pid: process.pid }, "started");
    }
    const signal = await signalled;
    log.info({ signal }, "stopping");
    await service.stop();
    hasStopped();
    if (signal === "SIGHUP") endBy(signal);
  });
}

/** Where the API is, if there is one, and the key that this start makes. */
export function apiLines(apiUrl: string | undefined, firstKey: FirstKey | undefined): string[] {
  if (apiUrl === undefined) return ["API      off  (--enable-api serves it)"];
  const lines = [`API      ${apiUrl}  (documentation: ${apiUrl}/api/v1/docs)`];
  if (firstKey === undefined) return lines;
  if ("key" in firstKey) return [...lines, `key      ${firstKey.key}  (shown only now)`];
  return [...lines, `key      in ${firstKey.keyFile}`];
}

/** Undefined where the signal to stop comes before all of it serves. @throws CommandError; the service is then stopped */
async function linesOf(service: Service, signalled: Promise<unknown>): Promise<string[] | undefined> {
  try {
    const isWhole = await Promise.race([service.ready.then(() => true), signalled.then(() => false)]);
    return isWhole ? await service.lines() : undefined;
  } catch (error) {
    await service.stop();
    throw startFailure(error);
  }
}

function settingOption(name: SettingName): Option {
  const meta = settingsSchema.shape[name].meta();
  const about = `${meta?.title}${shownDefault(name)}`;
  const variable = variableName(name);
  if (SWITCHED_OFF.includes(name)) {
    return new Option(`--no-${name}`, `${about} [${variable}=off]`);
  }
  const description = `${about} [${variable}]`;
  if (SWITCHES.has(name)) return new Option(`--${name}`, description);
  const option = new Option(`--${name} <${meta?.value}>`, description);
  if (!REPEATABLE.has(name)) return option;
  return option.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]);
}

/** What a value is where nobody gives one; those that depend on the machine are told in the title. */
function shownDefault(name: SettingName): string {
  const { def } = settingsSchema.shape[name];
  const value = "defaultValue" in def ? def.defaultValue : undefined;
  return typeof value === "string" || typeof value === "number" ? ` (default: ${value})` : "";
}

/**
 * The first signal to stop; a second one ends the process at once, but for a hang-up: of a terminal's end shell and
 * system tell each.
 */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping && signal !== "SIGHUP") process.exit(1);
      isStopping = true;
      resolve(signal);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  });
}

/**
 * Ends the process as if nobody had listened: where it exits by itself, Node.js sets its terminal back, and aborts if
 * that is gone.
 */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Ends the process when its time after the signal is over, in the middle of its start, too, until it is told that all
 * has stopped. Whatever that cuts off, the next start finds as after `kill -9`.
 */
function exitInTime(signalled: Promise<unknown>, complain: (message: string) => void): () => void {
  let cutOff: NodeJS.Timeout | undefined;
  void signalled.then(() => {
    cutOff = setTimeout(() => {
      complain("a part did not stop in time and is cut off; what was acknowledged is stored");
      process.exit(1);
    }, STOP_MS);
  });
  return () => clearTimeout(cutOff);
}
