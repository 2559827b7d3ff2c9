/**
 * The order of test files. Called by vitest, whose own order is by size where no earlier run is known: what is large takes long,
 * but for the files named here.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Small, for their tests stand elsewhere, and a minute long: last, they would leave a processor idle meanwhile. */
const LONG_FOR_THEIR_SIZE = ["interop/python.test.ts", "browser/conformance.test.ts"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const rank = (file: TestSpecification) => 2 * projects.indexOf(file.project) + (isLong(file) ? 0 : 1);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return LONG_FOR_THEIR_SIZE.some((path) => moduleId.endsWith(path));
}
