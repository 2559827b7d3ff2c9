/** What this process has open on the disk, for tests of what is closed, and when. */
import { readdir, readlink } from "node:fs/promises";
import { basename, dirname } from "node:path";

/** The names of files of the folder that are open, and of those that have no name any more what the system adds to it. */
export async function openFiles(folder: string): Promise<string[]> {
  const handles = await readdir("/proc/self/fd");
  const paths = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  const open = paths.filter((path) => dirname(path) === folder).map((path) => basename(path));
  return [...new Set(open)].sort();
}
