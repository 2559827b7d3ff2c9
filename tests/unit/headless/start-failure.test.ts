/** Errors that end a start, as their user reads them. */
import { randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFsBackupFolder } from "../../../src/headless/index/fs-backup-folder.ts";
import { openLevelRecords } from "../../../src/headless/level/level-records.ts";
import { startFailure } from "../../../src/headless/start-failure.ts";
import { VxError } from "../../../src/vx/errors.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

describe("what keeps a start from succeeding", () => {
  it("is told in the file system's words, which name the place", async () => {
    const error = await openFsBackupFolder("/dev/null/backups").catch((reason: unknown) => reason);
    expect(startFailure(error)).toMatchObject({
      name: "start_failed",
      message: expect.stringMatching(/^ENOTDIR: .* '\/dev\/null\/backups'$/),
    });
  });

  it("is told of the index too, whose thread gives its errors another class", () => {
    const error = new VxError("internal", "ENOENT: no such file or directory, mkdir '/x'");
    expect(startFailure(error)).toMatchObject({
      name: "start_failed",
      message: "the index: ENOENT: no such file or directory, mkdir '/x'",
    });
  });

  it("is told of records that are damaged within, though they open", async () => {
    const folder = await temporaryFolder();
    const whole = await openLevelRecords(folder);
    await whole.put("files", "a", randomBytes(3000).toString("hex"));
    await whole.close();
    // At its next opening LevelDB makes a table of what is in its log.
    await (await openLevelRecords(folder)).close();
    const [table = ""] = (await readdir(folder)).filter((name) => name.endsWith(".ldb"));
    const bytes = await readFile(join(folder, table));
    await writeFile(join(folder, table), bytes.fill(0, bytes.length - 8));

    const damaged = await openLevelRecords(folder);
    onTestFinished(() => damaged.close());
    const error = await damaged.get("files", "a").catch((reason: unknown) => reason);
    expect(startFailure(error)).toMatchObject({
      name: "start_failed",
      message: expect.stringMatching(
        /^cannot read the data folder: Corruption: .* \(put it back from a backup\)$/,
      ),
    });
  });

  it("is told as an address that can't be listened at", () => {
    const error = Object.assign(new Error("listen EACCES: permission denied 0.0.0.0:80"), { code: "EACCES" });
    expect(startFailure(error)).toMatchObject({ message: expect.stringMatching(/^cannot listen: listen/) });
  });

  it("is told with the settings that would have it succeed, where something else has what it needs", () => {
    const taken = Object.assign(new Error("listen EADDRINUSE: address already in use 127.0.0.1:8081"), {
      code: "EADDRINUSE",
    });
    expect(startFailure(taken)).toMatchObject({ message: expect.stringContaining("--api-port") });
    const inUse = new VxError("conflict", "The index in /x is in use: another has it open");
    expect(startFailure(inUse)).toMatchObject({ message: expect.stringContaining("--vx-storage-path") });
    const keyless = new VxError("encryption_key_invalid", "An encryption key has at least 32 bytes");
    expect(startFailure(keyless)).toMatchObject({ message: expect.stringContaining("--vx-encryption-key") });
  });

  it("is left as it is where nobody foresaw it", () => {
    for (const error of [new Error("a bug"), new VxError("internal", "a bug")])
      expect(startFailure(error)).toBe(error);
  });
});
