/** `shoal share` and `shoal delete`: which files the node offers. */
import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { undecodableName } from "../undecodable-name.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { formatBytes, printJson, printLine } from "./output.ts";

interface ShareOptions extends NodeOptions {
  upload?: boolean;
}

export function shareCommands(): Command[] {
  const share = clientCommand("share", "share a file, and print its id")
    .argument("<path>", "a file on the node's machine")
    .option("--upload", "send the file from this machine to the node, for a node elsewhere")
    .action(async (path: string, options: ShareOptions) => {
      const { client, isLocal } = await reachNode(options);
      const shared = options.upload
        ? await client.upload(await openUpload(path), { name: basename(path) })
        : await client.share(isLocal ? absolute(path) : path);
      if (options.json) return printJson(shared);
      printLine(`${shared.file_id}  ${formatBytes(shared.size)}  ${shared.name}`);
    });

  const remove = clientCommand("delete", "stop sharing a file and delete its chunks")
    .argument("<file-id>")
    .action(async (fileId: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const answer = await client.deleteFile(fileId);
      if (options.json) return printJson(answer);
      printLine(answer.message);
    });
  return [share, remove];
}

/** The slash at the end of what can only be a folder stays. */
function absolute(path: string): string {
  return /\/\.?$/.test(path) ? join(resolve(path), "/") : resolve(path);
}

async function openUpload(path: string): Promise<Blob> {
  try {
    if ((await stat(path)).isDirectory()) throw new Error("it is a folder");
    return await openAsBlob(path);
  } catch (error) {
    const undecodable = await undecodableName(dirname(path), basename(path));
    const reason =
      undecodable === undefined ? (error as Error).message : `the name ${undecodable} is not valid UTF-8`;
    throw new CommandError("usage", `cannot read ${path}: ${reason}`, { cause: error });
  }
}
