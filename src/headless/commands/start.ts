/**
 * `shoal start`, also without its name: runs a node until it is told to stop. Its flags are made from the schema
 * of the settings. Calls load-settings and main.
 */
import { Command, Option } from "commander";
import { STOP_MS } from "../limits.ts";
import { createLog, printable } from "../log.ts";
import type { StartedNode } from "../main.ts";
import { loadSettings, variableName } from "../settings/load-settings.ts";
import {
  REPEATABLE,
  SETTING_NAMES,
  type SettingName,
  SWITCHES,
  settingsSchema,
} from "../settings/settings.ts";

export function startCommand(): Command {
  const command = new Command("start")
    .description("run a node (the default command)")
    .option("--config <file>", "YAML or JSON file with settings; flags and SHOAL_* variables win");
  const options = SETTING_NAMES.map((name) => ({ name, option: settingOption(name) }));
  for (const { option } of options) command.addOption(option);
  command.addOption(new Option("--mdns", "look for peers on the local network").hideHelp());

  return command.action(async (given: Record<string, unknown>) => {
    const flags: Partial<Record<SettingName, unknown>> = {};
    for (const { name, option } of options) {
      const value = given[option.attributeName()];
      if (value !== undefined) flags[name] = value;
    }
    const configPath = given.config as string | undefined;
    const settings = await loadSettings({ flags, environment: process.env, configPath });
    const log = createLog(settings["log-level"]);
    const isTerminal = process.stdout.isTTY === true;
    const signalled = stopSignal();
    // Loaded here alone, so that the other commands don't wait for libp2p.
    const { startNode } = await import("../main.ts");
    const node = await startNode(settings, { log, isTerminal });
    announce(node);
    log.info({ nodeId: node.nodeId }, "started");
    log.info({ signal: await signalled }, "stopping");
    await stopInTime(node, (message) => log.error(message));
  });
}

function settingOption(name: SettingName): Option {
  const meta = settingsSchema.shape[name].meta();
  const description = `${meta?.title} [${variableName(name)}]`;
  if (name === "mdns") return withoutDefault(new Option("--no-mdns", description));
  if (SWITCHES.has(name)) return new Option(`--${name}`, description);
  const option = new Option(`--${name} <${meta?.value}>`, description);
  if (!REPEATABLE.has(name)) return option;
  return option.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]);
}

/** Commander takes a `--no-x` as x being true unless told otherwise, which would hide variables and the file. */
function withoutDefault(option: Option): Option {
  option.negate = true;
  return option.default(undefined);
}

/** The first signal to stop; a second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve(signal);
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

async function stopInTime(node: StartedNode, complain: (message: string) => void): Promise<void> {
  const cutOff = setTimeout(() => {
    complain("a part did not stop in time");
    process.exit(1);
  }, STOP_MS);
  await node.stop();
  clearTimeout(cutOff);
}

/** The few lines that tell a person where everything is. */
function announce({ apiUrl, firstKey, addresses, dataFolder, stunUrl, nodeId }: StartedNode): void {
  const lines = [`node     ${nodeId}`];
  if (apiUrl !== undefined) lines.push(`API      ${apiUrl}/api/v1  (documentation: ${apiUrl}/api/v1/docs)`);
  if (firstKey !== undefined) {
    lines.push(
      "key" in firstKey ? `key      ${firstKey.key}  (shown only now)` : `key      in ${firstKey.keyFile}`,
    );
  }
  for (const address of addresses) lines.push(`peers    ${address}`);
  if (stunUrl !== undefined) lines.push(`STUN     ${stunUrl}`);
  lines.push(`data     ${dataFolder}`);
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(""));
}
