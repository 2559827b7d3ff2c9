/** What the list of backups says of each. */
import { expect, test } from "vitest";
import { type BackupEntry, contentsOf } from "../../../src/ui/vectors/backup-contents.ts";

const entry = (name: string, kind: BackupEntry["kind"], base: string | null = null): BackupEntry => ({
  name,
  path: `/backups/${name}`,
  size_bytes: 1,
  timestamp: "2026-11-28T10:00:00.000Z",
  kind,
  base,
});

function said(...entries: BackupEntry[]): string[] {
  const byName = new Map(entries.map((each) => [each.name, each]));
  return entries.map((each) => contentsOf(each, byName));
}

const lost = "What changed; can't be restored, since an earlier backup is missing";

test("a whole one and what goes on from it", () => {
  expect(said(entry("a", "full"), entry("b", "incremental", "a"), entry("c", "incremental", "b"))).toEqual([
    "All of the index",
    "What changed since a",
    "What changed since b",
  ]);
});

test("one whose base is missing can't be restored, nor what goes on from it", () => {
  expect(said(entry("b", "incremental"), entry("c", "incremental", "b"))).toEqual([lost, lost]);
});

test("archives that lead to one another have no beginning", () => {
  expect(said(entry("a", "incremental", "b"), entry("b", "incremental", "a"))).toEqual([lost, lost]);
});

test("what can't be read says so, and leaves what goes on from it without a beginning", () => {
  expect(said(entry("a", "unreadable"), entry("b", "incremental", "a"))).toEqual([
    "Can't be read: damaged, no backup, or of a later version",
    lost,
  ]);
});
