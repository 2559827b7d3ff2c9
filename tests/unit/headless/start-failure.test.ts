/** Errors that end a start, as their user reads them. */
import { describe, expect, it } from "vitest";
import { openFsBackupFolder } from "../../../src/headless/fs-backup-folder.ts";
import { startFailure } from "../../../src/headless/start-failure.ts";
import { VxError } from "../../../src/vx/errors.ts";

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
