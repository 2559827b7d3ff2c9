/**
 * Where a transfer's file comes to: opened already, or once it is its turn, since each output has files of the machine
 * open, and a folder may have thousands. Made by transfer-outputs, opened by transfer-runs.
 */
import type { FileOutput } from "../ports.ts";

export class PlannedOutput {
  /** The place as finally resolved. */
  readonly path: string;
  readonly #open: () => Promise<FileOutput | undefined>;
  #output: FileOutput | undefined;

  /** `open`: opens it, again, too. `output`: where it is opened already. */
  constructor(path: string, open: () => Promise<FileOutput | undefined>, output?: FileOutput) {
    this.path = path;
    this.#open = open;
    this.#output = output;
  }

  /** Undefined where the file stands there already. @throws what opening it throws */
  async open(): Promise<FileOutput | undefined> {
    this.#output ??= await this.#open();
    return this.#output;
  }

  /** Nothing comes of it, unless it is opened again. */
  async discard(): Promise<void> {
    const output = this.#output;
    this.#output = undefined;
    await output?.discard();
  }
}
