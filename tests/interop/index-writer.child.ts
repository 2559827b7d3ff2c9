/** A process that writes to an index until it is killed: `index-writer.child FOLDER FIRST`. */
import { join } from "node:path";
import { locateFsArchive } from "../../src/headless/index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../../src/headless/index/fs-index-storage.ts";
import { writeWithoutEnd } from "../vx/storage/restless-writer.ts";

const [folder = "", first = "0"] = process.argv.slice(2);

await writeWithoutEnd({
  storage: await openFsIndexStorage(join(folder, "index")),
  locateBackup: (name) => locateFsArchive(join(folder, "backups", name)),
  first: Number(first),
  tell: (line) => process.stdout.write(`${line}\n`),
});
