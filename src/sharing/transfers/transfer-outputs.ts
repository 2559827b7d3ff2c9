/**
 * The places outside of the store that transfers bring files to: at one place only one file at a time. Called by transfers;
 * calls the port Files, and dag for what stands at a place already.
 */
import type { Catalog } from "../catalog/catalog.ts";
import { isSharingError, SharingError } from "../errors.ts";
import { importFile } from "../files/dag.ts";
import type { FileOutput, FileSource, Files } from "../ports.ts";
import { PlannedOutput } from "./planned-output.ts";
import type { TransferLedger } from "./transfer-ledger.ts";
import { isRunning, type TransferRecord } from "./transfer-record.ts";
import type { TransferRuns } from "./transfer-runs.ts";

export interface OutputWish {
  /** Where the bytes are copied to; none: they stay in the chunk store. */
  outputPath?: string;
  /** Replace what is at `outputPath`. */
  overwrite?: boolean;
  /** Id of the list of a folder with which it is asked for: it waits for its turn among the others. */
  partOf?: string;
}

type PlacedFile = Pick<TransferRecord, "outputPath" | "fileId" | "sizeBytes">;

interface TransferOutputsPorts {
  files: Files;
  catalog: Catalog;
  ledger: TransferLedger;
  runs: Pick<TransferRuns, "has" | "isFull">;
  /** The node's end. */
  signal: AbortSignal;
}

export class TransferOutputs {
  readonly #ports: TransferOutputsPorts;

  constructor(ports: TransferOutputsPorts) {
    this.#ports = ports;
  }

  /**
   * Undefined where nothing is to be written. What waits for its turn is opened then.
   * @throws SharingError `path_forbidden`, `output_exists` also where a running transfer brings another file to that place
   */
  async plan(wish: OutputWish, fileId: string): Promise<PlannedOutput | undefined> {
    const { outputPath, overwrite = false, partOf } = wish;
    const { files, runs } = this.#ports;
    if (outputPath === undefined) return undefined;
    const opened = runs.isFull(partOf) ? undefined : await files.openOutput(outputPath, { overwrite });
    const path = opened?.path ?? (await files.outputPath(outputPath, { overwrite }));
    try {
      return this.#planned(path, overwrite, fileId, opened);
    } catch (error) {
      await opened?.discard();
      throw error;
    }
  }

  /**
   * To go on with a transfer; undefined also where it has brought the file to its place, and the process ended, or the disk was
   * full, before that was noted.
   * @throws as `plan` does
   */
  async planAgain(record: TransferRecord): Promise<PlannedOutput | undefined> {
    return this.#unlessInPlace(record, () => this.plan(record, record.fileId));
  }

  /** The same, but for what its run finds out when it opens it: of thousands, each look at the disk would hold up a start. */
  planLater({ outputPath, overwrite, fileId }: TransferRecord): PlannedOutput | undefined {
    return outputPath === undefined ? undefined : this.#planned(outputPath, overwrite, fileId);
  }

  /** The transfer that has brought the file to that place, where it still stands. @throws SharingError `path_forbidden` */
  async broughtTo(outputPath: string, fileId: string): Promise<TransferRecord | undefined> {
    const { files, ledger } = this.#ports;
    const place = await files.outputPath(outputPath, { overwrite: true });
    const toThere = ledger.atOutput(place).filter(({ status }) => status === "completed");
    const brought = toThere.find((record) => record.fileId === fileId);
    // Which of several was the last to get there, no clock tells that may be set back.
    const isAlone = toThere.every((record) => record.fileId === fileId);
    return brought && (isAlone || (await this.#isInPlace(brought))) ? brought : undefined;
  }

  /**
   * Asked again just before a transfer is noted, or goes on: two may have been planned at once.
   * @throws SharingError `output_exists`
   */
  expectFree(path: string | undefined, fileId: string): void {
    const other = path === undefined ? undefined : this.#otherComingTo(path, fileId);
    if (other !== undefined) throw placeTaken(other);
  }

  #planned(path: string, overwrite: boolean, fileId: string, opened?: FileOutput): PlannedOutput {
    this.expectFree(path, fileId);
    const open = () => this.#ports.files.openOutput(path, { overwrite });
    return new PlannedOutput(path, () => this.#unlessInPlace({ outputPath: path, fileId }, open), opened);
  }

  /** Undefined where the file stands at its place already. @throws what `open` throws */
  async #unlessInPlace<T>(placed: PlacedFile, open: () => Promise<T>): Promise<T | undefined> {
    try {
      return await open();
    } catch (error) {
      if (isSharingError(error, "output_exists") && (await this.#isInPlace(placed))) return undefined;
      throw error;
    }
  }

  async #isInPlace({ outputPath, fileId, ...known }: PlacedFile): Promise<boolean> {
    const sizeBytes = this.#ports.catalog.find(fileId)?.manifest.sizeBytes ?? known.sizeBytes;
    if (outputPath === undefined) return false;
    try {
      const placed = await this.#ports.files.openPlaced(outputPath);
      return placed.sizeBytes === sizeBytes && (await this.#idOf(placed)) === fileId;
    } catch (error) {
      if (isSharingError(error, "file_missing", "path_forbidden", "bad_request")) return false;
      throw error;
    }
  }

  async #idOf(source: FileSource): Promise<string> {
    const { signal } = this.#ports;
    const { root } = await importFile(source.stream(signal), async () => undefined, { signal });
    return root.toString();
  }

  /** A running transfer of another file to the same place. One that is paused or cut off holds no place. */
  #otherComingTo(path: string, fileId: string): TransferRecord | undefined {
    const { ledger, runs } = this.#ports;
    const isBringing = ({ id, status }: TransferRecord) =>
      isRunning(status) || (status === "interrupted" && runs.has(id));
    return ledger.atOutput(path).find((record) => record.fileId !== fileId && isBringing(record));
  }
}

/** Of two files that come to one place, the later would be fetched for nothing, or replace the other unseen. */
function placeTaken({ id }: TransferRecord): SharingError {
  return new SharingError("output_exists", `the transfer ${id} brings another file to that place`);
}
