/**
 * Watches the transfers of a folder's files to their ends, with one bar for all; where there is no terminal, it is told once that
 * nothing comes. Called by download; calls watching. Ctrl-C ends the watching, not the transfers.
 */
import type { StartedFile } from "../../api/folders.ts";
import type { TransferDetails } from "../../api/transfer-bodies.ts";
import type { ShoalClient } from "../../client/client.ts";
import type { ShoalEvent } from "../../client/events.ts";
import { CommandError } from "../command-error.ts";
import { formatRate, printUnlessBar, progressBar } from "./output.ts";
import { ENDED, WATCHED, waitingFor } from "./watch-transfer.ts";
import { eventsUntilStop, untilInterrupted } from "./watching.ts";

/** A file of the folder at its end; `error` is null where it is here. */
export interface EndedFile extends StartedFile {
  error: string | null;
}

/**
 * `start` asks the node for the transfers; from then on Ctrl-C ends the watching alone.
 * @throws CommandError `request_failed` when the node stops, `interrupted` on Ctrl-C
 */
export async function watchFolder(
  client: ShoalClient,
  start: () => Promise<readonly StartedFile[]>,
): Promise<EndedFile[]> {
  return await untilInterrupted("the downloads go on in the node: see shoal transfers", async (signal) => {
    const started = await start();
    const transfers = new FolderTransfers(started);
    const bar = progressBar("{bar} {value} of {total} files  {speed}  {status}");
    bar.start(started.length, 0, { speed: formatRate(0), status: "started" });
    try {
      await untilAllEnded(client, transfers, signal, () =>
        bar.update(transfers.endedCount, {
          speed: formatRate(transfers.speed),
          status: transfers.waiting === undefined ? "in_progress" : "interrupted",
        }),
      );
    } finally {
      bar.stop();
    }
    return transfers.ended();
  });
}

async function untilAllEnded(
  client: ShoalClient,
  transfers: FolderTransfers,
  signal: AbortSignal,
  draw: () => void,
): Promise<void> {
  let isToldToWait = false;
  const look = async () => {
    transfers.look((await client.transfers({ all: true })).transfers);
    if (!isToldToWait && transfers.waiting !== undefined) {
      isToldToWait = true;
      printUnlessBar(transfers.waiting);
    }
    draw();
  };
  await look();
  if (!transfers.areRunning) return;
  let isFirst = true;
  // From event 0: what happened since the list was made is told again.
  for await (const event of eventsUntilStop(client, { events: WATCHED, lastEventId: "0", signal })) {
    // What ended while the stream was opened may have been followed by more than is kept.
    if (isFirst) await look();
    isFirst = false;
    transfers.hear(event);
    // What was told again may be over by now.
    if (!isToldToWait && transfers.waiting !== undefined) await look();
    draw();
    if (!transfers.areRunning) return;
  }
  throw new CommandError("request_failed", "the node stopped; ask again when it runs");
}

/** A file that the folder has twice may be one transfer. */
class FolderTransfers {
  readonly #started: readonly StartedFile[];
  readonly #running: Set<string>;
  readonly #errors = new Map<string, string | null>();
  readonly #speeds = new Map<string, number>();
  /** Why those that are interrupted wait. */
  readonly #waiting = new Map<string, string | null>();

  constructor(started: readonly StartedFile[]) {
    this.#started = started;
    // What was brought before may be forgotten, as the oldest of too many, by the time that all are listed.
    const running = started.filter(({ status }) => status !== "completed");
    this.#running = new Set(running.map(({ transfer_id }) => transfer_id));
  }

  get areRunning(): boolean {
    return this.#running.size > 0;
  }

  get endedCount(): number {
    return this.#started.filter(({ transfer_id }) => !this.#running.has(transfer_id)).length;
  }

  /** Bytes a second. */
  get speed(): number {
    return [...this.#speeds.values()].reduce((sum, speed) => sum + speed, 0);
  }

  /** What for, where all that have not ended wait. */
  get waiting(): string | undefined {
    const [first] = this.#waiting.values();
    if (first === undefined || this.#waiting.size < this.#running.size) return undefined;
    return waitingFor(`${this.#started.length - this.endedCount} of ${this.#started.length} files`, first);
  }

  /** Which of them have ended by now, and which wait. */
  look(listed: Iterable<Pick<TransferDetails, "id" | "status" | "error">>): void {
    for (const { id, status, error } of listed) {
      if (ENDED.includes(status)) this.#end(id, status === "cancelled" ? "cancelled" : error);
      else if (status !== "interrupted") this.#waiting.delete(id);
      else if (this.#running.has(id)) this.#waiting.set(id, error);
    }
  }

  hear({ event, data }: ShoalEvent): void {
    if (!("transfer_id" in data) || !this.#running.has(data.transfer_id)) return;
    if (event === "transfer_progress") {
      this.#speeds.set(data.transfer_id, data.speed);
      this.#waiting.delete(data.transfer_id);
    } else if (event === "transfer_complete") this.#end(data.transfer_id, null);
    else if (event === "transfer_failed") this.#end(data.transfer_id, data.error);
    else if (event === "transfer_cancelled") this.#end(data.transfer_id, "cancelled");
    else if (event === "transfer_interrupted") {
      this.#speeds.delete(data.transfer_id);
      this.#waiting.set(data.transfer_id, data.reason);
    }
  }

  ended(): EndedFile[] {
    return this.#started.map((file) => ({ ...file, error: this.#errors.get(file.transfer_id) ?? null }));
  }

  #end(id: string, error: string | null): void {
    if (!this.#running.delete(id)) return;
    this.#speeds.delete(id);
    this.#waiting.delete(id);
    this.#errors.set(id, error);
  }
}
