/**
 * What a node has kept: its files and its transfers. Needs no network, so that a main may load it while that starts. Called
 * by the node, or before by the page's main; calls catalog and transfer-ledger.
 */
import type { NodePorts } from "../node.ts";
import { TransferLedger } from "../transfers/transfer-ledger.ts";
import { Catalog } from "./catalog.ts";

export interface Stored {
  catalog: Catalog;
  ledger: TransferLedger;
}

export async function loadStored({
  blocks,
  records,
  clock,
  log,
}: Pick<NodePorts, "blocks" | "records" | "clock" | "log">): Promise<Stored> {
  const [catalog, ledger] = await Promise.all([
    Catalog.open(blocks, records, log),
    TransferLedger.open(records, clock, log),
  ]);
  return { catalog, ledger };
}
