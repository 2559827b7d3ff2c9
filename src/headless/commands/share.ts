/** `shoal share`, `shoal unlist`, `shoal relist` and `shoal delete`: which files the node offers, and whom it tells of them. */
import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Command } from "commander";
import type { SharedFile } from "../../api/files.ts";
import { CommandError } from "../command-error.ts";
import { unlessCode } from "../files/disk-errors.ts";
import { undecodableName } from "../files/undecodable-name.ts";
import { clientCommand, type NodeOptions, type ReachedNode, reachNode } from "./node-client.ts";
import { formatBytes, printJson, printLine } from "./output.ts";

interface ShareOptions extends NodeOptions {
  upload?: boolean;
  name?: string;
  unlisted?: boolean;
}

const STDIN = "-";

/** Of a path that can't be looked at here, of which the node says more. */
const UNSEEN = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"];

export function shareCommands(): Command[] {
  const share = clientCommand("share", "share a file, or a folder with all that is in it, and print its id")
    .argument(
      "<path>",
      "a file or folder on the node's machine; that of a folder elsewhere ends with a slash; - for the standard input",
    )
    .option("--upload", "send the file from this machine to the node, for a node elsewhere")
    .option("--name <name>", "what it is called, where its bytes are sent from here")
    .option("--unlisted", "tell no peer of it: only who has its id gets it")
    .action(async (path: string, options: ShareOptions) => {
      const { name, unlisted } = options;
      // Resolved, it would be the folder that the shell stands in, with all that is there.
      if (path === "") throw new CommandError("usage", "an empty path names no file and no folder");
      const isSent = path === STDIN || options.upload === true;
      if (path === STDIN && !name) throw new CommandError("usage", "say by --name what it is called");
      if (name !== undefined && !isSent) {
        throw new CommandError(
          "usage",
          "--name is of use with --upload or -; other files have the name they stand under",
        );
      }
      const node = await reachNode(options);
      const shared = isSent
        ? await node.client.upload(await openUpload(path), { name: name ?? basename(path), unlisted })
        : await shareAt(path, node, unlisted);
      if (options.json) return printJson(shared);
      // What a script takes by $(...) is the id alone.
      if (process.stdout.isTTY !== true) return printLine(shared.file_id);
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
  return [
    share,
    listing("unlist", "tell peers of a file no more: only who has its id gets it", true),
    listing("relist", "tell peers of an unlisted file", false),
    remove,
  ];
}

function listing(name: string, description: string, unlisted: boolean): Command {
  return clientCommand(name, description)
    .argument("<file-id>")
    .action(async (fileId: string, options: NodeOptions) => {
      const { client } = await reachNode(options);
      const file = await client.changeFile(fileId, { unlisted });
      if (options.json) return printJson(file);
      printLine(`${file.name} is ${unlisted ? "unlisted" : "listed"}`);
    });
}

async function shareAt(
  path: string,
  { client, isLocal }: ReachedNode,
  unlisted: boolean | undefined,
): Promise<SharedFile> {
  const place = isLocal ? absolute(path) : path;
  const isFolder = place.endsWith("/") || (isLocal && (await isLocalFolder(place)));
  return isFolder ? await client.shareFolder(place, { unlisted }) : await client.share(place, { unlisted });
}

/** The slash at the end of what can only be a folder stays. */
function absolute(path: string): string {
  return /\/\.?$/.test(path) ? join(resolve(path), "/") : resolve(path);
}

async function isLocalFolder(path: string): Promise<boolean> {
  return (await unlessCode(stat(path), ...UNSEEN))?.isDirectory() === true;
}

async function openUpload(path: string): Promise<Blob | ReadableStream<Uint8Array>> {
  if (path === STDIN) return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new Error("it is a folder");
    // A Blob of a pipe or device is empty, whatever comes out of it.
    if (!found.isFile()) throw new Error("only a regular file can be shared");
    return await openAsBlob(path);
  } catch (error) {
    const undecodable = await undecodableName(dirname(path), basename(path));
    const reason =
      undecodable === undefined ? (error as Error).message : `the name ${undecodable} is not valid UTF-8`;
    throw new CommandError("usage", `cannot read ${path}: ${reason}`, { cause: error });
  }
}
