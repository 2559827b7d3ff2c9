/**
 * Refuses settings that no node can start with, of which their schema knows nothing: at once, and before a data folder is made.
 * Called by the commands start and vx; calls the parts that are given them.
 */
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { checkSwarmName } from "../../sharing/swarm-name.ts";
import { readConfig } from "../../vx/config.ts";
import { CommandError } from "../command-error.ts";
import { defaultDataFolder } from "../data-folder.ts";
import { unlessCode } from "../files/disk-errors.ts";
import { isInside, realPathOf, SYSTEM_FOLDERS } from "../files/path-rules.ts";
import { realShareRoot } from "../files/share-root.ts";
import { type Settings, settingsSchema } from "../settings/settings.ts";
import { indexConfig } from "../settings/vx-settings.ts";
import { startFailure } from "../start-failure.ts";
import { readPageCertificate } from "../web/page-certificate.ts";

/** Of a whole node. @throws CommandError `usage` */
export async function refuseUnusable(settings: Settings): Promise<void> {
  try {
    if (settings["enable-api"]) refuseUnusableIndex(settings);
    await requireModelFolder(settings);
    checkSwarmName(settings.swarm);
    await requireAddresses(settings);
    for (const path of settings["share-root"] ?? []) {
      if (!(await isMadeByStart(path, settings))) await realShareRoot(path);
    }
    await refuseClosedRoots(settings);
    if (settings["web-port"] !== undefined && !(await comesByPipe(settings)))
      await readPageCertificate(settings);
  } catch (error) {
    throw startFailure(error);
  }
}

/** Of the index. @throws CommandError `usage` */
export function refuseUnusableIndex(settings: Settings): void {
  try {
    readConfig(indexConfig(settings), true);
  } catch (error) {
    throw startFailure(error);
  }
}

/** Else its absence would be told by the first file that is read. @throws CommandError `usage` */
async function requireModelFolder({ search, "search-model": path }: Settings): Promise<void> {
  if (!search || path === undefined) return;
  const found = await unlessCode(stat(path), "ENOENT", "ENOTDIR", "EACCES");
  if (!found?.isDirectory()) throw new CommandError("usage", `--search-model ${path} is no folder`);
}

/**
 * Of roots in the data folder, or among what the kernel shows, nothing could be shared, and nothing written to them.
 * @throws CommandError `usage`
 */
async function refuseClosedRoots(settings: Settings): Promise<void> {
  const dataFolder = await dataFolderOf(settings);
  const closed = SYSTEM_FOLDERS.map((folder) => ({ folder, what: folder }));
  if (dataFolder !== undefined)
    closed.push({ folder: await realPathOf(dataFolder), what: "the data folder" });
  const { "share-root": shareRoots = [], "download-root": downloadRoot } = settings;
  // Nobody asked for the one by default, which is in there where the node runs in its data folder.
  const isByDefault = downloadRoot === settingsSchema.shape["download-root"].parse(undefined);
  const given = [
    ...shareRoots.map((path) => ["--share-root", path] as const),
    ...(isByDefault ? [] : [["--download-root", downloadRoot] as const]),
  ];
  for (const [flag, path] of given) {
    // A link in there may lead to another disk.
    const place = await realPathOf(path);
    const within = closed.find(({ folder }) => isInside(folder, place));
    if (within === undefined) continue;
    throw new CommandError(
      "usage",
      `${flag} ${path} is in ${within.what}, which is closed to shares and downloads`,
    );
  }
}

/** The data folder stands in it, and is made with all that is missing above it. */
async function isMadeByStart(shareRoot: string, settings: Settings): Promise<boolean> {
  const dataFolder = await dataFolderOf(settings);
  if (dataFolder === undefined || existsSync(shareRoot)) return false;
  return isInside(resolve(shareRoot), resolve(dataFolder));
}

async function dataFolderOf(settings: Settings): Promise<string | undefined> {
  return settings["data-dir"] ?? (await defaultDataFolder());
}

/** Whether cert or key, as from a shell's `<(command)`, can be read only once, by who serves the page. */
async function comesByPipe({ "tls-cert": cert, "tls-key": key }: Settings): Promise<boolean> {
  const given = [cert, key].filter((path) => path !== undefined);
  // What is not there is told of by who reads it.
  const found = await Promise.all(given.map((path) => stat(path).catch(() => undefined)));
  return found.some((it) => it?.isFIFO());
}

/** Who gives none does not wait for what reads them. @throws CommandError `usage`, SharingError `bad_request` */
async function requireAddresses({ listen, bootstrap }: Settings): Promise<void> {
  if (listen.length + bootstrap.length === 0) return;
  const [{ isAddress }, { parseBootstrap }] = await Promise.all([
    import("../../network/connecting/given-address.ts"),
    import("../../network/connecting/bootstrap.ts"),
  ]);
  const wrong = listen.find((address) => !isAddress(address));
  if (wrong !== undefined) throw new CommandError("usage", `--listen ${wrong} is no multiaddr`);
  parseBootstrap(bootstrap);
}
