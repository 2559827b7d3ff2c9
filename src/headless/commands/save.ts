/**
 * `shoal save`: a file that the node holds, or is downloading, written out on the machine of whoever asks. The node verifies
 * what it sends; here it stands under its name only once it is whole.
 */
import { randomUUID } from "node:crypto";
import { lstat, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Command } from "commander";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { CommandError } from "../command-error.ts";
import { hasCode } from "../files/disk-errors.ts";
import { writeNewFile } from "../files/durable.ts";
import { renameUnlessTaken } from "../files/rename-unless-taken.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import { formatBytes, printJson, printLine, progressBar } from "./output.ts";
import { unlessSignalled } from "./unless-signalled.ts";

interface SaveOptions extends NodeOptions {
  overwrite?: boolean;
}

const STDOUT = "-";

const UNSAVED = "nothing was saved";

/** Ctrl-C, a terminal that is closed, and a stop from outside: each would leave what is half written. */
const ENDINGS = {
  SIGINT: new CommandError("interrupted", UNSAVED),
  SIGHUP: new CommandError("hung_up", UNSAVED),
  SIGTERM: new CommandError("terminated", UNSAVED),
};

export function saveCommand(): Command {
  return clientCommand("save", "write a file that the node holds to this machine")
    .argument("<file-id>")
    .argument("[path]", "a file, a folder, or - for the standard output (default: its name, in this folder)")
    .option("--overwrite", "replace a file that stands there")
    .action(async (fileId: string, path: string | undefined, options: SaveOptions) => {
      const { client } = await reachNode(options);
      const { name, size } = await client.file(fileId);
      const target = path === STDOUT ? undefined : await placeFor(path, name);
      await unlessSignalled(ENDINGS, async (signal) => {
        const { body } = await client.content(fileId, { signal });
        const bytes = watched(body as ReadableStream<Uint8Array>, size);
        if (target === undefined) return await print(bytes);
        await placeFile(target, bytes, options.overwrite === true);
        if (options.json) return printJson({ file_id: fileId, path: target, size });
        printLine(`${target}  ${formatBytes(size)}`);
        if (folderNameOf(name) === undefined) return;
        printLine("It is the list of a folder: shoal download --folder brings its files.");
      });
    });
}

/** Whoever reads may have seen enough, as `head` has. @throws CommandError `request_failed` where it can't be written */
async function print(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(Readable.from(bytes), process.stdout);
  } catch (error) {
    if (hasCode(error, "EPIPE")) return;
    if (!isOfDisk(error)) throw error;
    throw new CommandError("request_failed", `cannot write to the standard output: ${error.message}`, {
      cause: error,
    });
  }
}

/** What broke off on its way here has no system call. */
function isOfDisk(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}

/** Where the file goes: in a folder under its own name, of which a stranger decided. */
async function placeFor(path: string | undefined, name: string): Promise<string> {
  const file = visibleName(name);
  if (path === undefined) return file;
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? join(path, file) : path;
}

/** Not hidden, as what programs read by themselves often is. */
function visibleName(name: string): string {
  return basename(name).replace(/^\.+/, "_");
}

/** The bytes as they come, with a bar on a terminal. */
async function* watched(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const bar = progressBar("{bar} {percentage}%  {done} of {size}");
  let done = 0;
  const told = () => ({ done: formatBytes(done), size: formatBytes(size) });
  bar.start(Math.max(size, 1), 0, told());
  try {
    for await (const piece of bytes) {
      yield piece;
      done += piece.byteLength;
      bar.update(done, told());
    }
  } finally {
    bar.stop();
  }
}

/** @throws CommandError `request_failed` where it can't be written or a file stands there already */
async function placeFile(path: string, bytes: AsyncIterable<Uint8Array>, overwrite: boolean): Promise<void> {
  // A name of its own: one that is as long as a name may be has no room for more.
  const partial = join(dirname(path), `.shoal-${randomUUID()}.part`);
  try {
    await checkFree(path, overwrite);
    await writeNewFile(partial, bytes, { mode: 0o666 });
    await (overwrite ? rename(partial, path) : renameUnlessTaken(partial, path));
  } catch (error) {
    await rm(partial, { force: true });
    if (hasCode(error, "EEXIST")) throw taken(path);
    if (!isOfDisk(error)) throw error;
    // Without the name of the partial file, which says nothing to who gave the other.
    const [reason] = error.message.split(", ");
    throw new CommandError("request_failed", `cannot write ${path}: ${reason}`, { cause: error });
  }
}

/** Before all of it is fetched. A pipe or device that somebody reads from is no place for a file. */
async function checkFree(path: string, overwrite: boolean): Promise<void> {
  // What can't be looked at can't be written either, which says why.
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!overwrite) throw taken(path);
  if (!found.isFile() && !found.isSymbolicLink()) {
    const reason = `cannot write ${path}: only a regular file can be replaced`;
    throw new CommandError("request_failed", reason);
  }
}

function taken(path: string): CommandError {
  return new CommandError("request_failed", `${path} is there already (--overwrite replaces it)`);
}
