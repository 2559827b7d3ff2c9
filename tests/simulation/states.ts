/** Whether the transfers of a node change their states only as the contract says, and tell of their ends once. */
import type { NodeEvent } from "../../src/sharing/events.ts";
import type { SharingNode } from "../../src/sharing/sharing-node.ts";
import { isActive, type TransferStatus } from "../../src/sharing/transfers/transfer-record.ts";
import type { Expectations } from "./expectations.ts";
import { nameOf } from "./known-files.ts";
import type { Life } from "./life.ts";
import type { Trace } from "./trace.ts";

/** What may follow, also where states between were not seen. */
const FOLLOWING: Record<TransferStatus, TransferStatus[]> = {
  started: ["in_progress", "resumed", "interrupted", "completed", "failed", "cancelled"],
  in_progress: ["resumed", "interrupted", "completed", "failed", "cancelled"],
  resumed: ["in_progress", "interrupted", "completed", "failed", "cancelled"],
  interrupted: ["in_progress", "resumed", "completed", "failed", "cancelled"],
  completed: [],
  failed: ["in_progress", "resumed", "interrupted", "completed", "cancelled"],
  cancelled: ["in_progress", "resumed", "interrupted", "completed", "failed"],
};

export function watchStates(
  id: string,
  node: SharingNode,
  expectations: Expectations,
  trace: Trace,
  life: Life,
): void {
  /** With how often it had gone on again by then. */
  const seen = new Map<string, { status: TransferStatus; revivals: number }>();

  const look = () => {
    for (const { id: transferId, fileId, status, isRepair, progress } of node.transfers()) {
      const last = seen.get(transferId);
      if (last?.status !== status)
        seen.set(transferId, { status, revivals: expectations.revivalsAnswered(fileId) });
      if (!(progress >= 0 && progress <= 1)) trace.broken(id, `transfer ${transferId} is at ${progress}`);
      if (last === undefined || last.status === status) continue;
      trace.say(id, `transfer ${transferId} of ${nameOf(fileId)} is ${status}`);
      const mayGoOn = isActive(last.status) || isRepair || expectations.revivalsAsked(fileId) > last.revivals;
      if (!mayGoOn || !FOLLOWING[last.status].includes(status))
        trace.broken(id, `transfer ${transferId} was ${last.status}, and is ${status}`);
    }
  };

  node.events.subscribe((event) => {
    if (life.isOver) return;
    look();
    tell(event);
  });

  function tell(event: NodeEvent): void {
    if (event.event === "transfer_progress" || event.event.startsWith("peer_")) return;
    const { file_id: fileId = "", transfer_id: transferId = "" } = event.data as Record<string, string>;
    trace.say(id, `event: ${event.event} ${nameOf(fileId)} ${transferId}`);
    if (event.event === "transfer_complete") expectations.completed(fileId, transferId);
  }
}
