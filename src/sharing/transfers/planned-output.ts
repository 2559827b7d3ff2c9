/**
 * Where a transfer's file comes to: opened already, or once it is its turn, since each output has files of the machine open, and a
 * folder may have thousands. Made by transfer-outputs, opened by transfer-runs.
 */
import type { FileOutput } from "../ports.ts";

export class PlannedOutput {
  /** The place as finally resolved. */
  readonly path: string;
  readonly #open: () => Promise<FileOutput | undefined>;
  #output: FileOutput | undefined;

  private constructor(path: string, open: () => Promise<FileOutput | undefined>, output?: FileOutput) {
    this.path = path;
    this.#open = open;
    this.#output = output;
  }

  static opened(output: FileOutput): PlannedOutput {
    return new PlannedOutput(output.path, async () => output, output);
  }

  static later(path: string, open: () => Promise<FileOutput | undefined>): PlannedOutput {
    return new PlannedOutput(path, open);
  }

  /** Called once. Undefined where the file stands there already. @throws what opening it throws */
  async open(): Promise<FileOutput | undefined> {
    this.#output = await this.#open();
    return this.#output;
  }

  /** Nothing comes of it. */
  async discard(): Promise<void> {
    await this.#output?.discard();
  }
}
