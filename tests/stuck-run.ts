/**
 * Ends a run that is stuck where no test's time limit helps (an endless loop, a file that never tells its tests): says what
 * had not ended and what its processes are at. A reporter of vitest, given by `.ci/run`, at which nobody looks on.
 */
import { readFile } from "node:fs/promises";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { childrenOf, stateOf } from "./interop/child-processes.ts";

/** Longer than a test and its hooks may take. */
const PATIENCE_MS = 6 * 60_000;

export default class StuckRun implements Reporter {
  readonly #unended = new Set<string>();
  readonly #timer = setTimeout(() => void this.#end(), PATIENCE_MS);

  onTestModuleQueued(file: TestModule): void {
    this.#begun(file.moduleId);
  }

  onTestCaseReady(test: TestCase): void {
    this.#begun(`${test.module.moduleId} > ${test.fullName}`);
  }

  onTestCaseResult(test: TestCase): void {
    this.#ended(`${test.module.moduleId} > ${test.fullName}`);
  }

  onTestModuleEnd(file: TestModule): void {
    this.#ended(file.moduleId);
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer);
  }

  #begun(what: string): void {
    this.#unended.add(what);
    this.#timer.refresh();
  }

  #ended(what: string): void {
    this.#unended.delete(what);
    this.#timer.refresh();
  }

  async #end(): Promise<void> {
    const processes = await descendantsOf(process.pid);
    const lines = [
      `Nothing has ended for ${PATIENCE_MS / 60_000} minutes. Not ended:`,
      ...[...this.#unended].map((what) => `  ${what}`),
      "Processes (id, state, processor time, command):",
      ...(await Promise.all(processes.map(describe))).map((line) => `  ${line}`),
    ];
    process.stderr.write(`${lines.join("\n")}\n`);
    for (const id of processes) endNow(id);
    process.exit(1);
  }
}

async function descendantsOf(processId: number): Promise<number[]> {
  const children = await childrenOf(processId).catch(() => []);
  const below = await Promise.all(children.map(descendantsOf));
  return [...children, ...below.flat()];
}

async function describe(processId: number): Promise<string> {
  try {
    const { state, processorMs } = await stateOf(processId);
    const command = (await readFile(`/proc/${processId}/cmdline`, "utf8")).replaceAll("\0", " ");
    return `${processId} ${state} ${processorMs / 1000} s ${command.slice(0, 300)}`;
  } catch {
    return `${processId} has ended`;
  }
}

function endNow(processId: number): void {
  try {
    process.kill(processId, "SIGKILL");
  } catch {
    // It has ended with its parent.
  }
}
