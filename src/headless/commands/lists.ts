/** `shoal files`, `peers`, `transfers`, `status`: what the node says of itself. */
import type { Command } from "commander";
import { calledName } from "../../client/called-name.ts";
import type { ShoalClient } from "../../client/client.ts";
import { clientCommand, type NodeOptions, reachNode } from "./node-client.ts";
import {
  formatBytes,
  formatDuration,
  formatPeers,
  formatPercent,
  formatRate,
  printJson,
  printLine,
  printTable,
} from "./output.ts";

export function listCommands(): Command[] {
  const files = clientCommand("files", "list the files that are here, or those that peers offer")
    .option("--network", "those that peers offer")
    .action(async (options: NodeOptions & { network?: boolean }) => {
      const { client } = await reachNode(options);
      await (options.network ? listOffered : listLocal)(client, options);
    });

  const peers = clientCommand("peers", "list the peers this node is connected to").action(
    async (options: NodeOptions) => {
      const { client } = await reachNode(options);
      const answer = await client.peers();
      if (options.json) return printJson(answer);
      const rows = answer.peers.map((p) => [
        p.id,
        p.address,
        p.transport,
        String(p.files_available),
        calledName(p),
      ]);
      printTable(["ID", "ADDRESS", "TRANSPORT", "FILES", "NAME"], rows);
    },
  );

  const transfers = clientCommand("transfers", "list the active transfers")
    .option("--all", "ended ones too")
    .action(async (options: NodeOptions & { all?: boolean }) => {
      const { client } = await reachNode(options);
      const answer = await client.transfers(options.all ? { all: true } : {});
      if (options.json) return printJson(answer);
      const rows = answer.transfers.map((t) => [
        t.id,
        t.status,
        formatPercent(t.progress),
        formatRate(t.speed),
        String(t.peers),
        t.file_id,
        t.name,
      ]);
      printTable(["ID", "STATUS", "DONE", "SPEED", "PEERS", "FILE", "NAME"], rows);
    });

  const status = clientCommand("status", "show the node, its storage and its traffic").action(
    async (options: NodeOptions) => {
      const { client } = await reachNode(options);
      const [node, stats] = await Promise.all([client.nodeInfo(), client.systemStats()]);
      if (options.json) return printJson({ node, stats });
      printLine(`node      ${node.node_id}, version ${node.version}, up ${formatDuration(node.uptime)}`);
      printLine(`swarm     ${node.swarm}, ${formatPeers(node.peers_connected)} connected`);
      printLine(
        `storage   ${formatBytes(node.storage_used)} used, ${formatBytes(node.storage_available)} available`,
      );
      printLine(
        `traffic   ${formatRate(stats.network.upload_speed)} up, ${formatRate(stats.network.download_speed)} down`,
      );
      printLine(
        `load      ${formatPercent(stats.cpu_usage)} of the processors, ${formatBytes(stats.memory_usage)}`,
      );
      for (const address of node.addresses) printLine(`address   ${address}`);
    },
  );
  return [files, peers, transfers, status];
}

async function listLocal(client: ShoalClient, { json }: NodeOptions): Promise<void> {
  const answer = await client.files();
  if (json) return printJson(answer);
  const rows = answer.files.map((f) => [
    f.id,
    formatBytes(f.size),
    yesNo(f.complete),
    yesNo(!f.unlisted),
    f.name,
  ]);
  printTable(["ID", "SIZE", "COMPLETE", "LISTED", "NAME"], rows);
}

async function listOffered(client: ShoalClient, { json }: NodeOptions): Promise<void> {
  const answer = await client.networkFiles();
  if (json) return printJson(answer);
  const rows = answer.files.map((f) => [f.id, formatBytes(f.size), String(f.peers.length), f.name]);
  printTable(["ID", "SIZE", "PEERS", "NAME"], rows);
}

function yesNo(is: boolean): string {
  return is ? "yes" : "no";
}
