/** What an event tells of a running transfer, in the list of all transfers. Called by app-state. */
import type { ShoalEvent } from "../../client/events.ts";
import type { Transfer } from "./entries.ts";

type Progress = Extract<ShoalEvent, { event: "transfer_progress" }>["data"];

export function withProgress(list: readonly Transfer[], data: Progress): readonly Transfer[] {
  const { transfer_id, status, ...figures } = data;
  return list.map((transfer) =>
    transfer.id === transfer_id
      ? { ...transfer, ...figures, status: status as Transfer["status"] }
      : transfer,
  );
}
