/**
 * The data folder: where it stands by default, what is in it, and which format that has. Called by main and by
 * the commands that need a key; calls node:fs.
 *
 *   format           the number of the format, in decimal
 *   node.key         the node's private key (libp2p protobuf)
 *   api-keys/        one file an API key, see api-keys.ts
 *   running.json     address and key of the running node, for our own commands, see running-node.ts
 *   first-api-key    the first API key, when there was no terminal to show it on
 *   webhook-secret   what signs notifications, where the settings name a webhook and no secret
 *   records/         LevelDB, see level-records.ts
 *   blocks/          see fs-block-store.ts
 *   unfinished/      see unfinished-outputs.ts
 *   index/           the vector index, see fs-index-storage.ts; its backups in index/backups
 *   search/          vectors of the files' texts, an index a model, see open-search.ts
 *   libp2p/          known peers and certificates, see network/libp2p/kept-datastore.ts
 */
import { existsSync } from "node:fs";
import { readFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { CommandError } from "./command-error.ts";
import { unlessGone } from "./files/disk-errors.ts";
import { replaceFile } from "./files/durable.ts";
import { homeFolder } from "./files/home-folder.ts";
import { makeFolders } from "./files/make-folders.ts";

const FORMAT = 1;

export interface DataFolder {
  path: string;
  nodeKeyFile: string;
  apiKeysFolder: string;
  runningFile: string;
  firstKeyFile: string;
  webhookSecretFile: string;
  recordsFolder: string;
  blocksFolder: string;
  unfinishedFolder: string;
  indexFolder: string;
  searchFolder: string;
  libp2pFolder: string;
}

/** The platform's data folder with `shoal` in it. Undefined for a user without a home folder. */
export async function defaultDataFolder(): Promise<string | undefined> {
  if (homeFolder() === undefined) return undefined;
  // It asks for the home folder as soon as it is loaded.
  const { default: envPaths } = await import("env-paths");
  return envPaths("shoal", { suffix: "" }).data;
}

export function dataFolderAt(path: string): DataFolder {
  return {
    path,
    nodeKeyFile: join(path, "node.key"),
    apiKeysFolder: join(path, "api-keys"),
    runningFile: join(path, "running.json"),
    firstKeyFile: join(path, "first-api-key"),
    webhookSecretFile: join(path, "webhook-secret"),
    recordsFolder: join(path, "records"),
    blocksFolder: join(path, "blocks"),
    unfinishedFolder: join(path, "unfinished"),
    indexFolder: join(path, "index"),
    searchFolder: join(path, "search"),
    libp2pFolder: join(path, "libp2p"),
  };
}

/** Makes the folder, for its owner alone, or checks that this program understands it. @throws CommandError `start_failed` */
export async function openDataFolder(named?: string): Promise<DataFolder> {
  const path = named ?? (await neededDataFolder());
  try {
    await makeFolders(path, 0o700);
    const real = await realpath(resolve(path));
    await checkFormat(join(real, "format"));
    return dataFolderAt(real);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError("start_failed", `cannot use the data folder ${path}: ${reason}`, { cause: error });
  }
}

/**
 * For commands that only look at it, and make none where a path is mistyped.
 * @throws CommandError `request_failed`, `start_failed`
 */
export async function findDataFolder(named?: string): Promise<DataFolder> {
  const path = named ?? (await neededDataFolder());
  if (!existsSync(path)) throw new CommandError("request_failed", `there is no data folder at ${path}`);
  return await openDataFolder(path);
}

async function neededDataFolder(): Promise<string> {
  const path = await defaultDataFolder();
  if (path !== undefined) return path;
  throw new CommandError("start_failed", "this user has no home folder: name a data folder with --data-dir");
}

async function checkFormat(file: string): Promise<void> {
  const noted = await unlessGone(readFile(file, "utf8"));
  if (noted === undefined) return await replaceFile(file, new TextEncoder().encode(`${FORMAT}\n`));
  const format = Number(noted);
  if (format === FORMAT) return;
  throw new CommandError("start_failed", `${file}: this data folder has format ${format}, not ${FORMAT}`);
}
