/** Which of the process's flags its threads are given: src/headless/threads/thread-flags. */
import { expect, it } from "vitest";
import { threadFlags } from "../../../src/headless/threads/thread-flags.ts";

const permission = { has: () => false } as unknown as NodeJS.Process["permission"];

it.each([
  ["a program in a file", ["--conditions=x"], undefined, undefined],
  ["a program on the command line", ["--input-type=module", "-e", "1"], undefined, []],
  ["one that is restricted", ["--input-type=module", "-e", "1"], permission, undefined],
])("threads of %s", (_, execArgv, permitted, flags) => {
  expect(threadFlags({ execArgv, permission: permitted as NodeJS.Process["permission"] })).toEqual(flags);
});
