/**
 * How the client commands reach a node: by `--url` and `--api-key` (or SHOAL_URL and SHOAL_API_KEY), else the
 * node of the data folder, by the address and key that it left there. Called by every client command.
 */
import { Command } from "commander";
import { ShoalClient } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { CommandError } from "../command-error.ts";
import { dataFolderAt, defaultDataFolder } from "../data-folder.ts";
import { hasCode } from "../files/disk-errors.ts";
import { printable } from "../printable.ts";
import { type RunningNode, readRunningNode } from "../running-node.ts";
import { variableOption } from "./variable-option.ts";

const DEFAULT_URL = "http://127.0.0.1:8081";

export interface NodeOptions {
  url?: string;
  apiKey?: string;
  dataDir?: string;
  json?: boolean;
}

export interface ReachedNode {
  client: ShoalClient;
  /** It is the node of the data folder, so paths of this machine are paths of its machine. */
  isLocal: boolean;
}

/** A command with the options that all client commands share. */
export function clientCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(
      variableOption("--url <url>", "address of the node (default: the one running here)", "SHOAL_URL"),
    )
    .addOption(variableOption("--api-key <key>", "API key of the node", "SHOAL_API_KEY"))
    .addOption(
      variableOption("--data-dir <folder>", "data folder of the node running here", "SHOAL_DATA_DIR"),
    )
    .option("--json", "print the answer as JSON");
}

/** @throws CommandError `usage` for what is no URL or no key, `request_failed` when there is no key */
export async function reachNode({ url: given, apiKey, dataDir }: NodeOptions): Promise<ReachedNode> {
  // A variable may end in a space, which URL drops, and which would stand within the addresses that are made of it.
  const url = given?.trim();
  if (url !== undefined) checkUrl(url);
  if (apiKey !== undefined) checkKey(apiKey);
  const folder = dataDir ?? (await defaultDataFolder());
  const running = folder === undefined ? undefined : await runningNodeOf(folder, url);
  const isLocal = running !== undefined && (url === undefined || originOf(url) === running.url);
  // The key that a node left is for that node: it goes to the address that it left, and to no other.
  const key = apiKey ?? (isLocal ? running.key : undefined);
  if (key === undefined) {
    const place = dataDir === undefined ? "here" : `with the data folder ${dataDir}`;
    const reason =
      url === undefined
        ? `no node with --enable-api runs ${place}: start one, or give --url and --api-key`
        : `a key for the node at ${url} is missing: give --api-key`;
    throw new CommandError("request_failed", reason);
  }
  const address = isLocal ? running.url : (url ?? DEFAULT_URL);
  return { client: new ShoalClient(address, { apiKey: key }), isLocal };
}

/** A data folder that is somebody else's is in the way of nobody who says where the node is. */
async function runningNodeOf(folder: string, url: string | undefined): Promise<RunningNode | undefined> {
  try {
    return await readRunningNode(dataFolderAt(folder).runningFile);
  } catch (error) {
    if (url !== undefined && hasCode(error, "EACCES")) return undefined;
    throw error;
  }
}

/** fetch takes no URL with a user in it. */
function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new CommandError("usage", `--url ${text} is no http or https URL`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new CommandError("usage", "--url must not carry a user or password");
  }
  // What is asked for would stand behind it, and be no path.
  if (url.search !== "" || url.hash !== "") {
    throw new CommandError("usage", "--url must not carry a query or fragment");
  }
}

/** What no header can carry, fetch would complain of in words that repeat it. */
function checkKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey.trim())) {
    throw new CommandError("usage", "the API key is no key: those are of printable ASCII, without spaces");
  }
}

/** With the address where the URL has this machine's name, which may lead to an address that somebody else listens on. */
function originOf(url: string): string {
  const { origin, hostname } = new URL(url);
  return hostname === "localhost" ? origin.replace(hostname, "127.0.0.1") : origin;
}

/** Turns refusals and a node that does not answer into messages. */
export function requestFailure(error: unknown): unknown {
  if (error instanceof ShoalError) {
    return new CommandError("request_failed", `${printable(error.message)} (${error.status})`, {
      cause: error,
    });
  }
  if (isBrokenOff(error) || (error instanceof TypeError && error.message === "fetch failed")) {
    const cause = error.cause instanceof Error ? messageOf(error.cause) : "no connection";
    const remedy = hasCode(error.cause, "ECONNREFUSED") ? " (start it, or name another by --url)" : "";
    return new CommandError("request_failed", `the node does not answer: ${cause}${remedy}`, {
      cause: error,
    });
  }
  return error;
}

/** The node went away in the middle of an answer. */
export function isBrokenOff(error: unknown): error is TypeError {
  return error instanceof TypeError && error.message === "terminated";
}

/** Where a name has several addresses, the error has no words of its own, but those of each. */
function messageOf(error: Error): string {
  if (error.message === "" && error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
  return error.message || String(error);
}
