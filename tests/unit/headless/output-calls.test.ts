/** What a small output asks of the system, of which a folder has thousands. */
import fs, { mkdir } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DirectFile } from "../../../src/headless/files/direct-file.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openDownloads } from "./open-downloads.ts";

const CALLS = ["link", "lstat", "mkdir", "open", "readlink", "realpath", "stat", "unlink"] as const;

/** Calls from now on, and the codes of those that fail. */
function watchCalls(): string[] {
  const calls: string[] = [];
  for (const name of CALLS) {
    const call = fs[name] as (...given: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(fs, name as "stat").mockImplementation((async (...given: unknown[]) => {
      try {
        const answer = await call(...given);
        calls.push(name);
        return answer;
      } catch (error) {
        calls.push(`${name}: ${(error as NodeJS.ErrnoException).code}`);
        throw error;
      }
    }) as typeof fs.stat);
    onTestFinished(() => spy.mockRestore());
  }
  syncBuiltinESMExports();
  onTestFinished(() => syncBuiltinESMExports());
  return calls;
}

it("in a folder that is there makes and removes nothing twice, opens its file once, and leaves its length as it is", async () => {
  const top = await temporaryFolder();
  const files = await openDownloads(top);
  await mkdir(join(top, "downloads/trip"), { recursive: true });
  const calls = watchCalls();
  const truncate = vi.spyOn(DirectFile.prototype, "truncate");
  const output = await files.openOutput("trip/photo.jpg", { overwrite: false });
  await output.write(0, new Uint8Array(10_000));
  await output.commit(10_000);

  const count = (name: string) => calls.filter((call) => call.split(":")[0] === name).length;
  expect(Object.fromEntries(CALLS.map((name) => [name, count(name)]))).toEqual({
    link: 1,
    // Which folder it is, and that its place there is free.
    lstat: 2,
    mkdir: 0,
    // Its folder, its note, the folder of the notes, and the file.
    open: 4,
    readlink: 1,
    // The download root, and the folder.
    realpath: 2,
    // The download root, the folder's disk, and the folder.
    stat: 3,
    // The temporary name, and the note.
    unlink: 2,
  });
  expect(truncate).not.toHaveBeenCalled();
  expect(calls.filter((call) => call.includes(":"))).toEqual(["lstat: ENOENT"]);
});
