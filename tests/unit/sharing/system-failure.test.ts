/** What a person is told where the system refuses a file: src/sharing/system-failure. */
import { expect, it } from "vitest";
import { systemFailure } from "../../../src/sharing/system-failure.ts";

const FILES = /^The node may open no more files\./;
const MACHINE_FILES = /^The node's machine can open no more files\./;
const READ_ONLY = /^The node's disk is read-only\./;
const RIGHTS = /^The node may not use a file that it needs\./;
const DISK = /^The node's disk fails\./;

it.each([
  ["EMFILE: too many open files, scandir '/home/who/keys'", FILES],
  ["ENFILE: file table overflow, open '/home/who/keys'", MACHINE_FILES],
  ["EROFS: read-only file system, open '/home/who/keys'", READ_ONLY],
  ["EACCES: permission denied, open '/home/who/keys'", RIGHTS],
  ["EPERM: operation not permitted, unlink '/home/who/keys'", RIGHTS],
  ["EIO: i/o error, read", DISK],
  ["IO error: /home/who/000039.log: Too many open files", FILES],
  ["IO error: /home/who/000039.log: Too many open files in system", MACHINE_FILES],
  ["IO error: /home/who/000039.log: Read-only file system", READ_ONLY],
  ["IO error: /home/who/a: b/LOCK: Permission denied", RIGHTS],
  ["IO error: /home/who/000039.log: Operation not permitted", RIGHTS],
  ["IO error: /home/who/000039.log: Input/output error", DISK],
])("says in its own words, without the path: %s", (message, told) => {
  expect(systemFailure(new Error(message))).toMatch(told);
  const wrapped = new Error("The database failed to open", { cause: new Error(message) });
  expect(systemFailure(wrapped)).toBe(systemFailure(new Error(message)));
  expect(systemFailure(wrapped)).not.toContain("who");
});

it.each([
  new Error("ENOENT: no such file or directory, open '/home/who/keys'"),
  new Error("connect EACCES 127.0.0.1:4401"),
  new Error("IO error: /home/who/000039.log: Stale file handle"),
  new Error("Corruption: /home/who/000039.log: Permission denied"),
  new Error("there is no segment 1", { cause: "EIO: i/o error, read" }),
  "EIO: i/o error, read",
])("says nothing of what is no such refusal: %s", (error) => {
  expect(systemFailure(error)).toBeUndefined();
});
