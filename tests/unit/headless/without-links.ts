/**
 * System calls that a file system refuses, as FAT does hard links, or after which somebody else acts, for the test that
 * calls it.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished, vi } from "vitest";

export function refuseLinks(): void {
  refuse("link", "EPERM");
}

type Call =
  | "link"
  | "lstat"
  | "stat"
  | "rename"
  | "mkdir"
  | "open"
  | "opendir"
  | "readdir"
  | "readFile"
  | "unlink";

/** The system call fails with that code, on paths of which that holds. */
export function refuse(call: Call, code: string, isRefused = (_path: string) => true): void {
  const refusal = Object.assign(new Error(`${code}: refused, ${call}`), { code, syscall: call });
  replace(call, async (real, given) => {
    if (isRefused(String(given[0]))) throw refusal;
    return await real(...given);
  });
}

/** Once the system call has been made on that path. */
export function rightAfter(call: Call, path: string, act: () => Promise<void>): void {
  replace(call, async (real, given) => {
    const made = await real(...given);
    if (given[0] === path) await act();
    return made;
  });
}

/** What stands at that path says that it is on a disk of its own. */
export function mount(path: string): void {
  replace("stat", async (real, given) => {
    const found = (await real(...given)) as object;
    return given[0] === path ? Object.assign(found, { dev: -1 }) : found;
  });
}

type Real = (...given: unknown[]) => Promise<unknown>;

function replace(call: Call, instead: (real: Real, given: unknown[]) => Promise<unknown>): void {
  const real = fs[call] as Real;
  const spy = vi.spyOn(fs as Record<Call, Real>, call).mockImplementation((...given) => instead(real, given));
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}
