/** Bytes of a file beneath tests/fixtures. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export function fixture(name: string): Promise<Buffer> {
  return readFile(join(import.meta.dirname, "../../fixtures", name));
}
