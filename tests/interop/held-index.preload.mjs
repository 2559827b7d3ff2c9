/**
 * Loaded into a node before its own code: its index is not loaded further than to its snapshot before a file `released`
 * stands in the folder HELD_INDEX. Started by loading.test; the index's thread loads it too.
 */
import { watch } from "node:fs";
import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { open, readdir } = files;
const folder = process.env.HELD_INDEX;

function released() {
  return new Promise((resolve) => {
    const watcher = watch(folder);
    const look = async () => {
      if (!(await readdir(folder)).includes("released")) return;
      watcher.close();
      resolve();
    };
    watcher.on("change", look);
    void look();
  });
}

files.open = async (path, ...rest) => {
  if (/\bindex\/snapshot$/.test(path)) await released();
  return open(path, ...rest);
};
syncBuiltinESMExports();
