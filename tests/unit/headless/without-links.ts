/** A file system without hard links, as FAT is, for the test that calls it. */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished, vi } from "vitest";

export function refuseLinks(): void {
  refuse("link", "EPERM");
}

/** The system call fails with that code. */
export function refuse(call: "link" | "rename", code: string): void {
  const refusal = Object.assign(new Error(`${code}: refused, ${call}`), { code, syscall: call });
  const spy = vi.spyOn(fs, call).mockRejectedValue(refusal);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}
