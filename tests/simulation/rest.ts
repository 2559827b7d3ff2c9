/** What must be left of all that went on, once it is cancelled and deleted: nothing. */
import { isActive } from "../../src/sharing/transfers/transfer-record.ts";
import { nameOf } from "./known-files.ts";
import type { SimulatedNode, World } from "./simulated-node.ts";
import type { User } from "./user.ts";

/** In which processes answer what takes no transfer. */
const ANSWER_MS = 10_000;

/** In which conversations that nobody needs end, and all else that has a time limit. */
const REST_MS = 120_000;

/** Clears all nodes, and stops them. */
export async function rest(world: World, user: User, nodes: readonly SimulatedNode[]): Promise<void> {
  const { clock, network, trace } = world;
  for (const at of nodes)
    for (const { id, fileId, status } of at.node?.transfers() ?? [])
      if (isActive(status)) user.cancel(at, fileId, id);
  await clock.pass(ANSWER_MS);
  for (const at of nodes) for (const { id } of at.node?.files() ?? []) user.delete(at, id);
  await clock.pass(REST_MS);
  for (const wish of user.waitingFor()) trace.broken("rest", `nobody answers: ${wish}`);
  for (const { id, node, machine } of nodes) {
    for (const file of node?.files() ?? []) trace.broken(id, `${nameOf(file.id)} is still here`);
    const { usedBytes } = machine.blocks;
    // Blocks of a file whose manifest came to harm go with the next start.
    if (usedBytes > 0 && machine.harmed.size === 0)
      trace.broken(id, `${usedBytes} bytes are left of files that were deleted`);
  }
  checkIdle(world, nodes);
  for (const node of nodes) void node.stop();
  await clock.pass(REST_MS);
  for (const { id, isUp } of nodes) if (isUp) trace.broken(id, "does not stop");
  checkIdle(world, nodes);
  for (const difference of network.tally.differences()) trace.broken("totals", difference);
}

function checkIdle({ clock, network, trace }: World, nodes: readonly SimulatedNode[]): void {
  if (clock.sleeperCount > 0) trace.broken("rest", `${clock.sleeperCount} timers are left`);
  if (network.lineCount > 0) trace.broken("rest", `${network.lineCount} lines are left`);
  for (const node of nodes)
    for (const leftover of node.leftovers()) trace.broken(node.id, `${leftover} are left`);
}
