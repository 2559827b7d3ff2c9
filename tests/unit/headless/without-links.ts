/** System calls that a file system refuses, as FAT does hard links, for the test that calls it. */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished, vi } from "vitest";

export function refuseLinks(): void {
  refuse("link", "EPERM");
}

type Call = "link" | "lstat" | "rename" | "mkdir" | "open";

/** The system call fails with that code, on paths of which that holds. */
export function refuse(call: Call, code: string, isRefused = (_path: string) => true): void {
  const refusal = Object.assign(new Error(`${code}: refused, ${call}`), { code, syscall: call });
  const real = fs[call] as (...given: unknown[]) => Promise<unknown>;
  const spy = vi.spyOn(fs as Record<Call, typeof real>, call).mockImplementation(async (...given) => {
    if (isRefused(String(given[0]))) throw refusal;
    return await real(...given);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}
